// SPDX-License-Identifier: Apache-2.0
// Work stealing: two deques of Chase and Lev, atomics only. The tasks are ranges of a sieve, split in halves.
//
// usage: steal NUMBERS
// test: 9000
// x1: 2000000
// x10: 20000000
// x100: 200000000
// races: none
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>
struct Task {
  int64_t from, to;
};
class Deque {
 public:
  void push(Task* t) {
    int64_t b = bottom_.load(std::memory_order_relaxed);
    ring_[b % kSize].store(t, std::memory_order_relaxed);
    bottom_.store(b + 1, std::memory_order_release);
  }
  Task* pop() {
    int64_t b = bottom_.load(std::memory_order_relaxed) - 1;
    bottom_.store(b, std::memory_order_seq_cst);
    int64_t t = top_.load(std::memory_order_seq_cst);
    if (t > b) {
      bottom_.store(b + 1, std::memory_order_relaxed);
      return nullptr;
    }
    Task* x = ring_[b % kSize].load(std::memory_order_relaxed);
    if (t == b) {
      if (!top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst)) x = nullptr;
      bottom_.store(b + 1, std::memory_order_relaxed);
    }
    return x;
  }
  Task* steal() {
    int64_t t = top_.load(std::memory_order_seq_cst), b = bottom_.load(std::memory_order_seq_cst);
    if (t >= b) return nullptr;
    Task* x = ring_[t % kSize].load(std::memory_order_acquire);
    return top_.compare_exchange_strong(t, t + 1, std::memory_order_seq_cst) ? x : nullptr;
  }

 private:
  static constexpr int kSize = 4096;
  std::atomic<int64_t> top_{0}, bottom_{0};
  std::atomic<Task*> ring_[kSize];
};
static Deque deques[2];
static std::atomic<int64_t> left;
static std::atomic<int64_t> primes;
static std::vector<int> small;
static void sieve(int64_t from, int64_t to) {
  std::vector<char> mark(to - from, 1);
  for (int p : small)
    for (int64_t m = (from + p - 1) / p * p; m < to; m += p)
      if (m > p) mark[m - from] = 0;
  int64_t c = 0;
  for (char x : mark) c += x;
  primes.fetch_add(c, std::memory_order_relaxed);
}
static void work(int id) {
  while (left.load(std::memory_order_acquire) > 0) {
    Task* t = deques[id].pop();
    if (!t) t = deques[1 - id].steal();
    if (!t) {
      std::this_thread::yield();
      continue;
    }
    while (t->to - t->from > 8192) {
      int64_t mid = (t->from + t->to) / 2;
      deques[id].push(new Task{mid, t->to});
      t->to = mid;
    }
    sieve(t->from, t->to);
    left.fetch_sub(t->to - t->from, std::memory_order_acq_rel);
    delete t;
  }
}
int main(int, char** argv) {
  int64_t n = atoll(argv[1]);
  for (int i = 2; i < 4000; i++) {
    bool p = true;
    for (int j = 2; j * j <= i; j++)
      if (i % j == 0) p = false;
    if (p) small.push_back(i);
  }
  left = n;
  deques[0].push(new Task{2, n + 2});
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
  printf("%lld\n", (long long)primes.load());
}
