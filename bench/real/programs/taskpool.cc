// SPDX-License-Identifier: Apache-2.0
// Tasks that make tasks: quicksort and the queens' problem in one stack of closures under a mutex.
//
// usage: taskpool QUEENS NUMBERS
// test: 3 60
// x1: 9 100000
// x10: 11 1000000
// x100: 12 8000000
// races: none
#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>
class Pool {
 public:
  void add(std::function<void()> f) {
    {
      std::lock_guard l(m_);
      q_.push_back(std::move(f));
      pending_++;
    }
    c_.notify_one();
  }
  void run() {
    std::unique_lock l(m_);
    for (;;) {
      c_.wait(l, [&] { return !q_.empty() || pending_ == 0; });
      if (q_.empty()) return;
      auto f = std::move(q_.back());
      q_.pop_back();
      l.unlock();
      f();
      l.lock();
      if (--pending_ == 0) c_.notify_all();
    }
  }

 private:
  std::mutex m_;
  std::condition_variable c_;
  std::deque<std::function<void()>> q_;
  int pending_ = 0;
};
static Pool pool;
static std::vector<int> data;
static std::mutex count_lock;
static long solutions;
static void insertion(int lo, int hi) {
  for (int i = lo + 1; i < hi; i++) {
    int v = data[i], j = i;
    for (; j > lo && data[j - 1] > v; j--) data[j] = data[j - 1];
    data[j] = v;
  }
}
static void quick(int lo, int hi) {
  while (hi - lo > 24) {
    int p = data[lo + (hi - lo) / 2], i = lo, j = hi - 1;
    while (i <= j) {
      while (data[i] < p) i++;
      while (data[j] > p) j--;
      if (i <= j) std::swap(data[i++], data[j--]);
    }
    if (j + 1 - lo > 5000) {
      int l = lo, h = j + 1;
      pool.add([=] { quick(l, h); });
    } else
      quick(lo, j + 1);
    lo = i;
  }
  insertion(lo, hi);
}
static long count(int n, int row, unsigned cols, unsigned d1, unsigned d2) {
  if (row == n) return 1;
  long s = 0;
  for (int c = 0; c < n; c++) {
    unsigned b = 1u << c;
    if (cols & b || d1 & (1u << (row + c)) || d2 & (1u << (row - c + n))) continue;
    s += count(n, row + 1, cols | b, d1 | 1u << (row + c), d2 | 1u << (row - c + n));
  }
  return s;
}
struct Board {
  int n, row;
  std::vector<int> at;
};
static void queens(Board* b) {
  bool ok = true;
  if (b->row == 2) {
    unsigned cols = 0, d1 = 0, d2 = 0;
    for (int r = 0; r < b->row; r++) {
      int c = b->at[r];
      if (cols >> c & 1 || d1 >> (r + c) & 1 || d2 >> (r - c + b->n) & 1) ok = false;
      cols |= 1u << c;
      d1 |= 1u << (r + c);
      d2 |= 1u << (r - c + b->n);
    }
    if (ok) {
      long s = count(b->n, b->row, cols, d1, d2);
      std::lock_guard l(count_lock);
      solutions += s;
    }
  } else {
    for (int c = 0; c < b->n; c++) {
      auto* k = new Board(*b);
      k->row++;
      k->at.push_back(c);
      pool.add([k] { queens(k); });
    }
  }
  delete b;
}
int main(int, char** argv) {
  int n = atoi(argv[1]), m = atoi(argv[2]);
  data.resize(m);
  unsigned x = 7;
  for (auto& v : data) v = (x = x * 1103515245 + 12345) >> 8;
  pool.add([=] { queens(new Board{n, 0, {}}); });
  pool.add([=] { quick(0, m); });
  std::thread a([] { pool.run(); }), b([] { pool.run(); });
  a.join();
  b.join();
  printf("%ld %d\n", solutions, (int)std::is_sorted(data.begin(), data.end()));
}
