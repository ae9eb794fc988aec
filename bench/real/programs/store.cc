// SPDX-License-Identifier: Apache-2.0
// A key-value store in the manner of a log-structured merge tree: writes go into a sorted table in
// memory under a mutex; full tables become immutable runs, which a background thread merges. Readers
// take a snapshot of the list of runs (a shared pointer under the mutex) and search without it.
//
// usage: store OPERATIONS
// test: 400
// x1: 30000
// x10: 300000
// x100: 3000000
// races: none
#include <algorithm>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

namespace {

using Key = uint32_t;
using Value = uint64_t;
using Run = std::vector<std::pair<Key, Value>>;        // sorted by key
using Runs = std::vector<std::shared_ptr<const Run>>;  // newest first

class Store {
 public:
  Store() : compactor_([this] { compact(); }) {}
  ~Store() {
    {
      const std::lock_guard hold(mutex_);
      closing_ = true;
    }
    changed_.notify_one();
    compactor_.join();
  }

  void put(Key key, Value value) {
    const std::lock_guard hold(mutex_);
    table_[key] = value;
    if (table_.size() < kTable) return;
    auto runs = std::make_shared<Runs>(*runs_);
    runs->insert(runs->begin(), std::make_shared<Run>(table_.begin(), table_.end()));
    runs_ = runs;
    table_.clear();
    if (runs->size() > kMostRuns) changed_.notify_one();
  }

  std::optional<Value> find(Key key) {
    std::shared_ptr<const Runs> runs;
    {
      const std::lock_guard hold(mutex_);
      const auto found = table_.find(key);
      if (found != table_.end()) return found->second;
      runs = runs_;
    }
    for (const std::shared_ptr<const Run>& run : *runs) {
      const auto found = std::lower_bound(run->begin(), run->end(), key,
                                          [](const auto& entry, Key k) { return entry.first < k; });
      if (found != run->end() && found->first == key) return found->second;
    }
    return {};
  }

 private:
  static constexpr size_t kTable = 32, kMostRuns = 4;

  static std::shared_ptr<const Run> merged(const Runs& runs) {
    std::map<Key, Value> all;
    for (const std::shared_ptr<const Run>& run : runs) all.insert(run->begin(), run->end());
    return std::make_shared<Run>(all.begin(), all.end());
  }

  void compact() {
    std::unique_lock hold(mutex_);
    for (;;) {
      changed_.wait(hold, [this] { return closing_ || runs_->size() > kMostRuns; });
      if (closing_) return;
      const std::shared_ptr<const Runs> old = runs_;
      hold.unlock();
      const std::shared_ptr<const Run> one = merged(*old);
      hold.lock();
      // Runs that came meanwhile stand before those that were merged.
      auto runs =
          std::make_shared<Runs>(runs_->begin(), runs_->end() - static_cast<long>(old->size()));
      runs->push_back(one);
      runs_ = runs;
    }
  }

  std::mutex mutex_;  // of table_, runs_ and closing_
  std::condition_variable changed_;
  std::map<Key, Value> table_;
  std::shared_ptr<const Runs> runs_ = std::make_shared<Runs>();
  bool closing_ = false;
  std::thread compactor_;
};

}  // namespace

int main(int argc, char** argv) {
  const int operations = argc > 1 ? atoi(argv[1]) : 40;
  Value sum = 0;
  {
    Store store;
    uint32_t state = 11;
    for (int i = 0; i < operations; i++) {
      state = state * 1664525 + 1013904223;
      const Key key = state >> 19;
      if (i % 2 == 0) {
        store.put(key, static_cast<Value>(i));
      } else {
        sum = sum * 31 + store.find(key).value_or(7);
      }
    }
  }
  std::printf("%llx\n", static_cast<unsigned long long>(sum));
}
