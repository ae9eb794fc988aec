// SPDX-License-Identifier: Apache-2.0

// What a shared variable may hold, and who may have written it: STATICDET 3 and 4.
//
// Level 1 keeps a value for each thread that may have written the variable; level 2 one value for
// all, and the set of those threads. Level 2 follows from level 1 (4.3). Both tell the writers
// apart, so both judge determinism alike; what each of them wrote is told by level 1 only, which weak
// determinism, widening and the removal of one writer profit from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>

namespace foretell::static_analysis::memory {

// A thread. The system writes what is there before the program begins.
enum class Writer : uint32_t {};
inline constexpr Writer kSystem{0};

// Level 1, of one variable.
template <typename V>
class ThreadValues {
 public:
  using Value = V;
  ThreadValues() = default;
  // 3.4: a write replaces what all threads have written.
  static ThreadValues written(Writer writer, V value) {
    ThreadValues made;
    made.values_.emplace(writer, std::move(value));
    return made;
  }
  const std::map<Writer, V>& values() const { return values_; }
  std::set<Writer> writers() const {
    std::set<Writer> writers;
    for (const auto& [writer, value] : values_) writers.insert(writer);
    return writers;
  }
  bool operator==(const ThreadValues&) const = default;

  // 3.4: what a read may return; nothing if nobody has written.
  std::optional<V> read() const {
    std::optional<V> all;
    for (const auto& [writer, value] : values_) all = all ? all->join(value) : value;
    return all;
  }
  // 3.2.
  ThreadValues join(const ThreadValues& other) const {
    return merged(other, [](const V& a, const V& b) { return a.join(b); });
  }
  ThreadValues widen(const ThreadValues& next, std::span<const int64_t> thresholds) const {
    return merged(next, [&](const V& a, const V& b) { return a.widen(b, thresholds); });
  }
  bool is_below(const ThreadValues& other) const {
    for (const auto& [writer, value] : values_) {
      const auto found = other.values_.find(writer);
      if (found == other.values_.end() || !value.is_below(found->second)) return false;
    }
    return true;
  }
  ThreadValues without(Writer writer) const {
    ThreadValues made = *this;
    made.values_.erase(writer);
    return made;
  }

 private:
  template <typename F>
  ThreadValues merged(const ThreadValues& other, F merge) const {
    ThreadValues made = *this;
    for (const auto& [writer, value] : other.values_) {
      const auto [mine, added] = made.values_.try_emplace(writer, value);
      if (!added) mine->second = merge(mine->second, value);
    }
    return made;
  }

  std::map<Writer, V> values_;
};

// Level 2, of one variable.
template <typename V>
class JoinedValue {
 public:
  using Value = V;
  JoinedValue() = default;
  // 4.4.
  static JoinedValue written(Writer writer, V value) {
    JoinedValue made;
    made.value_ = std::move(value);
    made.writers_.insert(writer);
    return made;
  }
  // 4.3.
  static JoinedValue of(const ThreadValues<V>& values) {
    JoinedValue made;
    made.value_ = values.read();
    made.writers_ = values.writers();
    return made;
  }
  const std::set<Writer>& writers() const { return writers_; }
  bool operator==(const JoinedValue&) const = default;

  // 4.4.
  const std::optional<V>& read() const { return value_; }
  // 4.2.
  JoinedValue join(const JoinedValue& other) const {
    return merged(other, [](const V& a, const V& b) { return a.join(b); });
  }
  JoinedValue widen(const JoinedValue& next, std::span<const int64_t> thresholds) const {
    return merged(next, [&](const V& a, const V& b) { return a.widen(b, thresholds); });
  }
  bool is_below(const JoinedValue& other) const {
    for (const Writer writer : writers_)
      if (!other.writers_.contains(writer)) return false;
    return !value_ || (other.value_ && value_->is_below(*other.value_));
  }
  // The value of the one who is left out cannot be taken out of the joined one.
  JoinedValue without(Writer writer) const {
    JoinedValue made = *this;
    made.writers_.erase(writer);
    if (made.writers_.empty()) made.value_.reset();
    return made;
  }

 private:
  template <typename F>
  JoinedValue merged(const JoinedValue& other, F merge) const {
    if (!value_) return other;
    JoinedValue made = *this;
    if (other.value_) made.value_ = merge(*value_, *other.value_);
    made.writers_.insert(other.writers_.begin(), other.writers_.end());
    return made;
  }

  std::optional<V> value_;
  std::set<Writer> writers_;
};

}  // namespace foretell::static_analysis::memory
