// philosophers: they think, take two forks, eat, and put the forks back.
//
// usage: philosophers [MEALS [PHILOSOPHERS]]
// test: 2 3
// determinism: 5 5
//
// Self-check: everybody has had all meals, and the forks were used twice as often.
//
// BUG(circle) deadlock: each takes the fork to the left first. If all do so before any takes the
//   second one, nobody eats again. There is no race, and a run that passes shows nothing; a
//   deadlock analysis sees the cycle of lock orders, the recorder sees it only when it happens.
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

struct Fork {
  std::mutex lock;
  int uses = 0;
};

class Table {
 public:
  explicit Table(int seats) : forks_(static_cast<size_t>(seats)) {}

  void eat(int seat) {
    Fork& left = forks_[static_cast<size_t>(seat)];
    Fork& right = forks_[static_cast<size_t>(seat + 1) % forks_.size()];
    std::lock_guard first(left.lock);    // BUG(circle)
    std::lock_guard second(right.lock);  // BUG(circle)
    left.uses++;
    right.uses++;
  }

  int uses() {
    int sum = 0;
    for (Fork& fork : forks_) {
      std::lock_guard guard(fork.lock);
      sum += fork.uses;
    }
    return sum;
  }

 private:
  std::vector<Fork> forks_;
};

// Something to do that nobody else sees.
unsigned think(unsigned about) {
  for (int i = 0; i < 50; i++) about = about * 1103515245u + 12345u;
  return about;
}

struct Philosopher {
  int meals = 0;
  unsigned thought = 1;
};

int argument(int argc, char** argv, int which, int fallback) {
  return which < argc ? std::atoi(argv[which]) : fallback;
}

int main(int argc, char** argv) {
  const int meals = argument(argc, argv, 1, 5);
  const int count = argument(argc, argv, 2, 5);

  Table table(count);
  std::vector<Philosopher> philosophers(static_cast<size_t>(count));
  std::vector<std::thread> threads;
  for (int seat = 0; seat < count; seat++) {
    threads.emplace_back([&, seat] {
      Philosopher& me = philosophers[static_cast<size_t>(seat)];
      while (me.meals < meals) {
        me.thought = think(me.thought);
        table.eat(seat);
        me.meals++;
      }
    });
  }
  int eaten = 0;
  for (std::thread& thread : threads) thread.join();
  for (const Philosopher& one : philosophers) eaten += one.meals;
  std::printf("philosophers: %d meals, forks used %d times\n", eaten, table.uses());
  return eaten == meals * count && table.uses() == 2 * eaten ? 0 : 1;
}
