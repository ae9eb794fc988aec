// barrier: a barrier made of a lock and a condition, between the rounds of a parallel prefix sum.
//
// usage: barrier [ROUNDS [THREADS]]
// test: 2 4
// determinism: 3 9
//
// Self-check: each round adds the cell at a distance that doubles; the sums are the known ones.
//
// No bugs: tools must be silent. Which thread comes last depends on the schedule; nothing depends on
// it.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

// lock_  everything in it
class Barrier {
 public:
  explicit Barrier(int threads) : threads_(threads) {}

  void wait() {
    std::unique_lock lock(lock_);
    const int mine = round_;
    if (++arrived_ == threads_) {
      arrived_ = 0;
      round_++;
      opened_.notify_all();
      return;
    }
    opened_.wait(lock, [&] { return round_ != mine; });
  }

  int rounds() {
    std::lock_guard guard(lock_);
    return round_;
  }

 private:
  std::mutex lock_;
  std::condition_variable opened_;
  const int threads_;
  int arrived_ = 0;
  int round_ = 0;
};

int argument(int argc, char** argv, int which, int fallback) {
  return which < argc ? std::atoi(argv[which]) : fallback;
}

int main(int argc, char** argv) {
  const int rounds = argument(argc, argv, 1, 20);
  const int count = argument(argc, argv, 2, 8);

  Barrier barrier(count);
  std::vector<unsigned> cells(static_cast<size_t>(count), 1u);
  std::vector<std::thread> threads;
  for (int me = 0; me < count; me++) {
    threads.emplace_back([&, me] {
      for (int round = 0; round < rounds; round++) {
        const int distance = 1 << (round % 8);
        const unsigned add = me >= distance ? cells[static_cast<size_t>(me - distance)] : 0;
        barrier.wait();
        cells[static_cast<size_t>(me)] += add;
        barrier.wait();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();

  std::vector<unsigned> expected(static_cast<size_t>(count), 1u);
  for (int round = 0; round < rounds; round++) {
    const int distance = 1 << (round % 8);
    for (int me = count - 1; me >= distance; me--) {
      expected[static_cast<size_t>(me)] += expected[static_cast<size_t>(me - distance)];
    }
  }
  std::printf("barrier: %d rounds, last sum %u\n", barrier.rounds(), cells.back());
  return barrier.rounds() == 2 * rounds && cells == expected ? 0 : 1;
}
