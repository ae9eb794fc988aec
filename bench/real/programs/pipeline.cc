// SPDX-License-Identifier: Apache-2.0
// Three stages joined by bounded queues with condition variables: blocks are filled, transformed and summed.
//
// usage: pipeline BLOCKS
// test: 2
// x1: 60
// x10: 600
// x100: 6000
// races: none
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
using Block = std::vector<uint32_t>;
class Queue {
 public:
  void put(std::unique_ptr<Block> b) {
    std::unique_lock l(m_);
    room_.wait(l, [&] { return q_.size() < 8; });
    q_.push_back(std::move(b));
    some_.notify_one();
  }
  std::unique_ptr<Block> get() {
    std::unique_lock l(m_);
    some_.wait(l, [&] { return !q_.empty(); });
    auto b = std::move(q_.front());
    q_.pop_front();
    room_.notify_one();
    return b;
  }

 private:
  std::mutex m_;
  std::condition_variable room_, some_;
  std::deque<std::unique_ptr<Block>> q_;
};
int main(int, char** argv) {
  const int n = atoi(argv[1]);
  Queue raw, cooked;
  uint64_t sum = 0;
  std::thread producer([&] {
    uint32_t x = 1;
    for (int i = 0; i < n; i++) {
      auto b = std::make_unique<Block>(16384);
      for (auto& v : *b) v = x = x * 1664525 + 1013904223;
      raw.put(std::move(b));
    }
    raw.put(nullptr);
  });
  std::thread transformer([&] {
    while (auto b = raw.get()) {
      Block& v = *b;
      for (size_t i = 1; i < v.size(); i++) v[i] ^= v[i - 1] >> 3;
      for (size_t i = 0; i + 256 < v.size(); i += 256)
        for (size_t j = i; j < i + 256; j++)
          if (v[j] > v[j + 1]) std::swap(v[j], v[j + 1]);
      cooked.put(std::move(b));
    }
    cooked.put(nullptr);
  });
  while (auto b = cooked.get())
    for (uint32_t v : *b) sum = sum * 31 + v;
  producer.join();
  transformer.join();
  printf("%llu\n", (unsigned long long)sum);
}
