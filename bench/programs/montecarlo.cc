// montecarlo: prices an option by simulating paths of the underlying price. Threads run batches of
// paths and hand in the sum of their payoffs.
//
// usage: montecarlo [PATHS [THREADS [STEPS]]]
// test: 6 2 4
// speed: 8000 4 100
//
// Self-check: the price is that of the same paths in one thread. (Payoffs are in whole cents, so
// that the order of adding does not matter.)
//
// BUG(lazy_table) every run: the table of steps is made by whoever needs it first, with
//   double-checked locking on a plain bool: the first check reads it without the lock.
//   Happens-before sees the read of the bool. That the table itself may be read too early is a race
//   only for a weaker memory than interleavings have: a thread that reads the bool as true comes
//   after the table in all of them.
// BUG(debug) every run: every path switches debugging off, in one common variable, each time it is
//   made. (The Java Grande program of this name has this race.)
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <thread>
#include <vector>

bool debug;

class StepTable {
 public:
  // The factor by which the price moves for one of kSize equally likely outcomes.
  double factor(unsigned outcome) {
    if (!ready_) make();               // BUG(lazy_table)
    return factors_[outcome % kSize];  // BUG(lazy_table)
  }

 private:
  static constexpr unsigned kSize = 64;

  void make() {
    std::lock_guard guard(lock_);
    if (ready_) return;
    for (unsigned i = 0; i < kSize; i++) {
      const double at = (i + 0.5) / kSize;
      factors_[i] = std::exp(0.02 * std::log(at / (1 - at)));  // BUG(lazy_table)
    }
    ready_ = true;  // BUG(lazy_table)
  }

  std::mutex lock_;
  bool ready_ = false;
  double factors_[kSize];
};

StepTable steps_table;

class Path {
 public:
  explicit Path(int number) : random_(static_cast<unsigned>(number) * 2654435761u + 1) {
    debug = false;  // BUG(debug)
  }

  // What an option to buy at 100 is worth at the end of the path, in cents.
  long payoff(int steps) {
    double price = 100;
    for (int i = 0; i < steps; i++) {
      random_ = random_ * 1103515245u + 12345u;
      price *= steps_table.factor(random_ >> 16);
    }
    return price > 100 ? std::lround(100 * (price - 100)) : 0;
  }

 private:
  unsigned random_;
};

class Results {
 public:
  void add(long payoff) {
    std::lock_guard guard(lock_);
    payoffs_.push_back(payoff);
  }

  long sum() {
    std::lock_guard guard(lock_);
    long sum = 0;
    for (long payoff : payoffs_) sum += payoff;
    return sum;
  }

 private:
  std::mutex lock_;
  std::vector<long> payoffs_;
};

int argument(int argc, char** argv, int which, int fallback) {
  return which < argc ? std::atoi(argv[which]) : fallback;
}

int main(int argc, char** argv) {
  const int paths = argument(argc, argv, 1, 400);
  const int threads = argument(argc, argv, 2, 4);
  const int steps = argument(argc, argv, 3, 100);

  Results results;
  std::vector<std::thread> all;
  for (int me = 0; me < threads; me++) {
    all.emplace_back([&, me] {
      for (int i = me; i < paths; i += threads) results.add(Path(i).payoff(steps));
    });
  }
  for (std::thread& one : all) one.join();

  long expected = 0;
  for (int i = 0; i < paths; i++) expected += Path(i).payoff(steps);
  const long sum = results.sum();
  std::printf("montecarlo: %d paths, price %ld.%02ld\n", paths, sum / paths / 100,
              sum / paths % 100);
  return sum == expected ? 0 : 1;
}
