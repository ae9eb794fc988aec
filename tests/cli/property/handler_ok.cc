// SPDX-License-Identifier: Apache-2.0

// handler.cc put right: one call checks and pops.
#include <mutex>
#include <thread>
#include <vector>

class Stack {
 public:
  bool is_empty() {
    std::lock_guard guard(lock_);
    return items_.empty();
  }
  int pop() {
    std::lock_guard guard(lock_);
    if (items_.empty()) return 0;
    const int last = items_.back();
    items_.pop_back();
    return last;
  }
  void push(int item) {
    std::lock_guard guard(lock_);
    items_.push_back(item);
  }

 private:
  std::mutex lock_;
  std::vector<int> items_;
};

Stack reuse;

void start_capture() {
  static std::mutex capture;
  std::lock_guard guard(capture);
  const int log = reuse.is_empty() ? 1 : reuse.pop();
  reuse.push(log);
}

int main() {
  reuse.push(7);
  std::thread first(start_capture);
  std::thread second(start_capture);
  first.join();
  second.join();
}
