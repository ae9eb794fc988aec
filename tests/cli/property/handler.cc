// SPDX-License-Identifier: Apache-2.0

// A logging handler in the manner of SLICED's figure 11: is_empty and pop are each locked inside, but
// another thread can pop in between.
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
