// liveness: workers note after each piece of work that they are alive, and a watchdog wakes up for
// each note and looks at all of them.
//
// usage: liveness [PIECES [WORKERS]]
// test: 2 3
// determinism: 2 5
//
// Self-check: all pieces were noted, and the watchdog has seen every worker's last one.
//
// No bugs: tools must be silent. When the watchdog looks, and so what it sees on the way, depends on
// the schedule; the last thing it sees does not.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

// lock  everything in it
struct Heart {
  std::mutex lock;
  int beats = 0;
  bool stopped = false;

  bool beat(int pieces) {
    std::lock_guard guard(lock);
    beats++;
    stopped = beats == pieces;
    return !stopped;
  }
};

// lock_  news_, and running_, the workers that have not stopped
class Bell {
 public:
  explicit Bell(int running) : running_(running) {}

  void ring(bool stopped) {
    std::lock_guard guard(lock_);
    news_ = true;
    running_ -= stopped;
    rung_.notify_one();
  }

  // Waits for news; whether a worker is still running.
  bool wait() {
    std::unique_lock lock(lock_);
    rung_.wait(lock, [this] { return news_; });
    news_ = false;
    return running_ > 0;
  }

 private:
  std::mutex lock_;
  std::condition_variable rung_;
  bool news_ = false;
  int running_;
};

void work(Heart& heart, Bell& bell, int pieces) {
  bool alive = true;
  while (alive) {
    alive = heart.beat(pieces);
    bell.ring(!alive);
  }
}

// The beats of all workers when the last one had stopped.
int watch(std::vector<Heart>& hearts, Bell& bell) {
  for (bool running = true; running;) {
    running = bell.wait();
    int sum = 0, stopped = 0;
    for (Heart& heart : hearts) {
      std::lock_guard guard(heart.lock);
      sum += heart.beats;
      stopped += heart.stopped;
    }
    if (!running && stopped == static_cast<int>(hearts.size())) return sum;
  }
  return -1;
}

int argument(int argc, char** argv, int which, int fallback) {
  return which < argc ? std::atoi(argv[which]) : fallback;
}

int main(int argc, char** argv) {
  const int pieces = argument(argc, argv, 1, 30);
  const int workers = argument(argc, argv, 2, 6);

  std::vector<Heart> hearts(static_cast<size_t>(workers));
  Bell bell(workers);
  int seen = 0;
  std::thread watchdog([&] { seen = watch(hearts, bell); });
  std::vector<std::thread> threads;
  for (Heart& heart : hearts) threads.emplace_back([&] { work(heart, bell, pieces); });
  for (std::thread& thread : threads) thread.join();
  watchdog.join();

  int beats = 0;
  for (Heart& heart : hearts) beats += heart.beats;
  std::printf("liveness: %d beats, %d seen\n", beats, seen);
  return beats == pieces * workers && seen == beats ? 0 : 1;
}
