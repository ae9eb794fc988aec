// SPDX-License-Identifier: Apache-2.0

#include "schedule/thread_column.h"

#include <algorithm>
#include <charconv>

#include "base/check.h"

namespace foretell::schedule {

Result<ThreadColumn> ThreadColumn::read(trace::TraceReader& reader) {
  reader.rewind();
  ThreadColumn column;
  std::vector<trace::Event> batch(trace::kBatchSize);
  for (;;) {
    FORETELL_TRY(got, reader.read(batch));
    if (got == 0) break;
    column.add(std::span(batch).first(got));
  }
  column.take_numbers_from(reader.tables());
  reader.rewind();
  return column;
}

void ThreadColumn::take_numbers_from(const trace::TraceTables& tables) {
  std::vector<uint32_t> numbers;
  for (uint32_t i = 0; i < rows_.size(); ++i) {
    const std::string_view name = tables.threads[ThreadId{i}];
    uint32_t number = 0;
    const auto [end, error] = std::from_chars(name.data() + 1, name.data() + name.size(), number);
    if (!name.starts_with('T') || error != std::errc() || end != name.data() + name.size()) return;
    numbers.push_back(number);
  }
  // Only if they can be what a runtime gave: the first thread is 0.
  if (std::ranges::find(numbers, 0u) == numbers.end()) return;
  for (size_t i = 0; i < rows_.size(); ++i) rows_[i].number = numbers[i];
}

ThreadColumn::ThreadRow& ThreadColumn::row(ThreadId thread) {
  if (to_index(thread) >= rows_.size()) rows_.resize(to_index(thread) + 1);
  return rows_[to_index(thread)];
}

void ThreadColumn::add(std::span<const trace::Event> events) {
  for (const trace::Event& e : events) {
    if (ThreadRow& mine = row(e.thread); mine.number == kNone) mine.number = numbered_++;
    if (e.kind == trace::EventKind::Fork) {
      row(e.other_thread());  // may move the rows
      ThreadRow& parent = row(e.thread);
      ThreadRow& child = row(e.other_thread());
      if (child.number == kNone) {
        child.number = numbered_++;
        child.parent = static_cast<uint32_t>(e.thread);
        child.rank = parent.children++;
      }
    }
    if (!threads_.empty() && threads_.back() == e.thread) {
      ++ends_.back();
    } else {
      const uint64_t end = steps() + 1;
      threads_.push_back(e.thread);
      ends_.push_back(end);
    }
  }
}

ThreadId ThreadColumn::thread_of(EventIndex index) const {
  const auto run = std::ranges::upper_bound(ends_, uint64_t{to_index(index)});
  CHECK(run != ends_.end());
  return threads_[static_cast<size_t>(run - ends_.begin())];
}

std::optional<ThreadNumber> ThreadColumn::number_of(ThreadId thread) const {
  if (to_index(thread) >= rows_.size() || rows_[to_index(thread)].number == kNone) return {};
  return ThreadNumber{rows_[to_index(thread)].number};
}

std::optional<ThreadId> ThreadColumn::parent_of(ThreadId thread) const {
  if (to_index(thread) >= rows_.size() || rows_[to_index(thread)].parent == kNone) return {};
  return ThreadId{rows_[to_index(thread)].parent};
}

size_t ThreadColumn::rank_of(ThreadId thread) const {
  return rows_[to_index(thread)].rank;
}

std::vector<ThreadParent> ThreadColumn::parents() const {
  std::vector<ThreadParent> parents;
  for (const ThreadRow& row : rows_) {
    if (row.parent == kNone || rows_[row.parent].number == 0) continue;
    parents.push_back({ThreadNumber{row.number}, ThreadNumber{rows_[row.parent].number}});
  }
  std::ranges::sort(parents, {}, &ThreadParent::thread);
  return parents;
}

Schedule ThreadColumn::prefix(uint64_t steps) const {
  CHECK(steps <= this->steps());
  Schedule schedule{{}, parents(), counted_};
  uint64_t begin = 0;
  for (size_t i = 0; i < ends_.size() && begin < steps; begin = ends_[i++]) {
    schedule.append(*number_of(threads_[i]), std::min(ends_[i], steps) - begin);
  }
  return schedule;
}

class ThreadColumn::StepCount {
 public:
  StepCount(const ThreadColumn& column, uint64_t begin, uint64_t end) : runs_(column.rows_.size()) {
    const auto first = std::ranges::upper_bound(column.ends_, begin);
    for (auto i = static_cast<size_t>(first - column.ends_.begin()); begin < end; ++i) {
      std::vector<Run>& mine = runs_[to_index(column.threads_[i])];
      const uint64_t before = mine.empty() ? 0 : mine.back().before + mine.back().size;
      mine.push_back({begin, column.ends_[i] - begin, before});
      begin = column.ends_[i];
    }
  }

  // How many steps the thread took before `index`, one of its own.
  uint64_t before(ThreadId thread, uint64_t index) const {
    const std::vector<Run>& mine = runs_[to_index(thread)];
    const auto later = std::ranges::upper_bound(mine, index, {}, &Run::begin);
    CHECK(later != mine.begin());
    return std::prev(later)->before + (index - std::prev(later)->begin);
  }

 private:
  struct Run {
    uint64_t begin, size, before;
  };
  std::vector<std::vector<Run>> runs_;  // by thread
};

Schedule ThreadColumn::of_witness(uint64_t prefix_end, std::span<const EventIndex> tail,
                                  size_t at_end) const {
  Schedule schedule = prefix(prefix_end);
  if (tail.empty()) return schedule;
  at_end = std::min(at_end, tail.size());
  const StepCount count(*this, prefix_end, to_index(std::ranges::max(tail)) + 1);
  std::vector<uint64_t> taken(rows_.size());
  auto take_up_to = [&](EventIndex index, uint64_t more) {
    const ThreadId thread = thread_of(index);
    const uint64_t steps = count.before(thread, to_index(index)) + more;
    uint64_t& mine = taken[to_index(thread)];
    CHECK(steps >= mine);
    if (steps > mine) schedule.append(*number_of(thread), steps - mine);
    mine = steps;
  };
  const std::span<const EventIndex> last = tail.last(at_end);
  for (EventIndex index : tail.first(tail.size() - at_end)) take_up_to(index, 1);
  for (EventIndex index : last) take_up_to(index, 0);
  for (EventIndex index : last) take_up_to(index, 1);
  return schedule;
}

}  // namespace foretell::schedule
