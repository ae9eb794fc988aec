// SPDX-License-Identifier: Apache-2.0
// A thread pool: tasks are functions in one queue under a mutex and a condition; results come back as
// futures. A task multiplies small matrices of its own.
//
// usage: pool TASKS
// test: 6
// x1: 1500
// x10: 15000
// x100: 150000
// races: none
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace {

class Pool {
 public:
  explicit Pool(int threads) {
    for (int i = 0; i < threads; i++) threads_.emplace_back([this] { work(); });
  }
  ~Pool() {
    {
      const std::lock_guard hold(mutex_);
      closing_ = true;
    }
    available_.notify_all();
    for (std::thread& thread : threads_) thread.join();
  }

  std::future<uint64_t> submit(std::function<uint64_t()> job) {
    auto task = std::make_shared<std::packaged_task<uint64_t()>>(std::move(job));
    {
      const std::lock_guard hold(mutex_);
      tasks_.emplace_back([task] { (*task)(); });
    }
    available_.notify_one();
    return task->get_future();
  }

 private:
  void work() {
    for (;;) {
      std::function<void()> task;
      {
        std::unique_lock hold(mutex_);
        available_.wait(hold, [this] { return closing_ || !tasks_.empty(); });
        if (tasks_.empty()) return;
        task = std::move(tasks_.front());
        tasks_.pop_front();
      }
      task();
    }
  }

  std::mutex mutex_;  // of tasks_ and closing_
  std::condition_variable available_;
  std::deque<std::function<void()>> tasks_;
  bool closing_ = false;
  std::vector<std::thread> threads_;
};

uint64_t multiply(uint64_t seed, size_t n) {
  std::vector<uint64_t> a(n * n), b(n * n);
  for (size_t i = 0; i < n * n; i++) {
    a[i] = seed = seed * 6364136223846793005u + 1;
    b[i] = seed >> 32;
  }
  uint64_t sum = 0;
  for (size_t i = 0; i < n; i++) {
    for (size_t j = 0; j < n; j++) {
      uint64_t one = 0;
      for (size_t k = 0; k < n; k++) one += a[i * n + k] * b[k * n + j];
      sum = sum * 31 + one;
    }
  }
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const int tasks = argc > 1 ? atoi(argv[1]) : 6;
  const size_t n = tasks < 100 ? 3 : 20;
  constexpr int kInFlight = 64;
  uint64_t sum = 0;
  {
    Pool pool(2);
    std::deque<std::future<uint64_t>> results;
    for (int i = 0; i < tasks; i++) {
      if (results.size() == kInFlight) {
        sum = sum * 31 + results.front().get();
        results.pop_front();
      }
      results.push_back(pool.submit([=] { return multiply(static_cast<uint64_t>(i), n); }));
    }
    for (std::future<uint64_t>& result : results) sum = sum * 31 + result.get();
  }
  std::printf("%llx\n", static_cast<unsigned long long>(sum));
}
