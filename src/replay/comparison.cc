// SPDX-License-Identifier: Apache-2.0

#include "replay/comparison.h"

#include <fmt/format.h>

#include "base/check.h"

namespace foretell::replay {
namespace {

// Pairs of ids that stand for one object, in the order they are met.
class Pairing {
 public:
  bool match(uint64_t seen, uint64_t expected) {
    const auto [forth, new_seen] = to_expected_.try_emplace(seen, expected);
    const auto [back, new_expected] = to_seen_.try_emplace(expected, seen);
    return forth->second == expected && back->second == seen;
  }

 private:
  absl::flat_hash_map<uint64_t, uint64_t> to_expected_, to_seen_;
};

class Comparison {
 public:
  Comparison(ExpectedRun& expected, const trace::TraceTables& seen)
      : expected_(expected), seen_(seen) {}

  // True if the two are the same step.
  bool match(const trace::Event& seen, const trace::Event& expected) {
    if (threads_.empty()) threads_[seen.thread].expected = expected.thread;
    Thread* thread = find(seen.thread);
    if (thread == nullptr || thread->expected != expected.thread) return false;
    if (seen.kind != expected.kind || !same_site(seen.site, expected.site)) return false;
    if (!same_object(seen, expected)) return false;
    note_value(*thread, seen, expected);
    if (seen.kind == trace::EventKind::Branch && seen.has_value() && expected.has_value() &&
        seen.value != expected.value) {
      return false;
    }
    if (seen.kind == trace::EventKind::Fork) {
      // Threads of another family tree are found when they first run.
      if (auto child = expected_.child(thread->expected, thread->children++)) {
        // `thread` is not valid after this.
        threads_[seen.other_thread()].expected = *child;
      }
    }
    return true;
  }

  std::string explain(const trace::Event& seen, const trace::Event& expected) {
    const std::string who(seen_.threads[seen.thread]);
    Thread* thread = find(seen.thread);
    if (thread == nullptr || thread->expected != expected.thread) {
      return fmt::format("{} ran ({}), but it was the turn of {} ({})", who, what(seen, seen_),
                         expected_.tables().threads[expected.thread],
                         what(expected, expected_.tables()));
    }
    const bool other_way = seen.kind == trace::EventKind::Branch &&
                           expected.kind == trace::EventKind::Branch &&
                           same_site(seen.site, expected.site);
    std::string text = other_way
                           ? fmt::format("{} took the other branch{}", who, at(seen.site, seen_))
                           : fmt::format("{} came to {}, not to {}", who, what(seen, seen_),
                                         what(expected, expected_.tables()));
    if (thread->read_other) {
      text += fmt::format(" because it read {}, not {}{}", thread->seen_value,
                          thread->expected_value, at(thread->read_site, seen_));
    }
    return text;
  }

  std::string explain_end(const trace::Event& expected) const {
    return fmt::format("the run ended there; {} was to {}",
                       expected_.tables().threads[expected.thread],
                       what(expected, expected_.tables()));
  }

 private:
  struct Thread {
    ThreadId expected{};
    size_t children = 0;
    bool read_other = false;
    int64_t seen_value = 0, expected_value = 0;
    SiteId read_site = kNoSite;
  };

  Thread* find(ThreadId seen) {
    const auto it = threads_.find(seen);
    return it == threads_.end() ? nullptr : &it->second;
  }

  bool same_site(SiteId seen, SiteId expected) {
    if (seen == kNoSite || expected == kNoSite) return seen == expected;
    const uint64_t key =
        uint64_t{static_cast<uint32_t>(seen)} << 32 | static_cast<uint32_t>(expected);
    const auto [it, fresh] = same_sites_.try_emplace(key, false);
    if (fresh) it->second = seen_.site_name(seen) == expected_.tables().site_name(expected);
    return it->second;
  }

  bool same_location(LocationId seen, LocationId expected) const {
    const trace::Location& s = seen_.locations[seen];
    const trace::Location& e = expected_.tables().locations[expected];
    const std::string_view name = seen_.strings[s.space];
    if (name != expected_.tables().strings[e.space] || s.size != e.size) return false;
    return name.empty() || s.offset == e.offset;
  }

  bool same_object(const trace::Event& seen, const trace::Event& expected) {
    switch (operands_of(seen.kind)) {
      case trace::Operands::None:
      case trace::Operands::Order:
      case trace::Operands::Branch:
      case trace::Operands::Alloc:
      case trace::Operands::Free:
      case trace::Operands::Thread:
        return true;
      case trace::Operands::Access:
      case trace::Operands::Atomic:
      case trace::Operands::AtomicRmw:
        return same_location(seen.location(), expected.location());
      case trace::Operands::Lock:
        return locks_.match(seen.object, expected.object);
      case trace::Operands::Wait:
      case trace::Operands::Wake:
      case trace::Operands::Notify:
        return conditions_.match(seen.object, expected.object);
      case trace::Operands::Barrier:
        return barriers_.match(seen.object, expected.object);
      case trace::Operands::Post:
      case trace::Operands::Down:
        return semaphores_.match(seen.object, expected.object);
      case trace::Operands::Label:
        return seen_.labels[seen.label()] == expected_.tables().labels[expected.label()];
      case trace::Operands::Function:
        return seen_.functions[seen.function()] ==
               expected_.tables().functions[expected.function()];
      case trace::Operands::User:
        return seen_.user_events[seen.user_event()] ==
               expected_.tables().user_events[expected.user_event()];
    }
    return true;
  }

  void note_value(Thread& thread, const trace::Event& seen, const trace::Event& expected) {
    if (!is_read(seen.kind)) return;
    const bool update = seen.kind == trace::EventKind::AtomicRmw;
    if (update ? !(seen.has_read_value() && expected.has_read_value())
               : !(seen.has_value() && expected.has_value())) {
      return;
    }
    const uint64_t s = update ? seen.read_value() : seen.value;
    const uint64_t e = update ? expected.read_value() : expected.value;
    constexpr uint64_t kLikeAnAddress = uint64_t{1} << 32;
    if (s == e || (s >= kLikeAnAddress && e >= kLikeAnAddress)) return;
    thread.read_other = true;
    thread.seen_value = static_cast<int64_t>(s);
    thread.expected_value = static_cast<int64_t>(e);
    thread.read_site = seen.site;
  }

  static std::string at(SiteId site, const trace::TraceTables& tables) {
    if (site == kNoSite) return "";
    const trace::Site& row = tables.sites[site];
    std::string name = tables.site_name(site);
    if (row.column != 0) name.erase(name.rfind(':'));
    return " at " + name;
  }

  // "'lock m' at q.cpp:40".
  static std::string what(const trace::Event& e, const trace::TraceTables& tables) {
    std::string object = object_of(e, tables);
    if (!object.empty()) object.insert(0, " ");
    return fmt::format("'{}{}'{}", action_of(e.kind), object, at(e.site, tables));
  }

  static std::string object_of(const trace::Event& e, const trace::TraceTables& tables) {
    if (is_access(e.kind)) {
      const std::string_view expression =
          e.site == kNoSite ? "" : tables.strings[tables.sites[e.site].expression];
      return expression.empty() ? tables.location_name(e.location()) : std::string(expression);
    }
    const trace::Operands operands = operands_of(e.kind);
    if (operands == trace::Operands::Lock) return std::string(tables.locks[e.lock()]);
    if (operands == trace::Operands::Function) return std::string(tables.functions[e.function()]);
    if (operands == trace::Operands::Thread) return std::string(tables.threads[e.other_thread()]);
    return "";
  }

  ExpectedRun& expected_;
  const trace::TraceTables& seen_;
  absl::flat_hash_map<ThreadId, Thread> threads_;  // by ThreadId in the seen run
  absl::flat_hash_map<uint64_t, bool> same_sites_;
  Pairing locks_, conditions_, barriers_, semaphores_;
};

}  // namespace

Result<ExpectedRun> ExpectedRun::open(std::unique_ptr<trace::TraceReader> recorded,
                                      uint64_t prefix_end, std::span<const EventIndex> tail) {
  ExpectedRun run(std::move(recorded));
  run.prefix_end_ = prefix_end;
  if (auto found = run.find_tail(tail); !found) return std::unexpected(std::move(found).error());
  run.reader_->rewind();
  return run;
}

Result<void> ExpectedRun::find_tail(std::span<const EventIndex> tail) {
  absl::flat_hash_map<EventIndex, size_t> places;
  for (size_t i = 0; i < tail.size(); ++i) places.emplace(tail[i], i);
  tail_.resize(tail.size());
  size_t found = 0;
  reader_->rewind();
  for (;;) {
    FORETELL_TRY(got, reader_->read(batch_));
    if (got == 0) break;
    for (const trace::Event& e : std::span(batch_).first(got)) {
      if (auto place = places.find(e.index); place != places.end()) {
        tail_[place->second] = e;
        ++found;
      }
      if (e.kind != trace::EventKind::Fork) continue;
      if (to_index(e.thread) >= children_.size()) children_.resize(to_index(e.thread) + 1);
      children_[to_index(e.thread)].push_back(e.other_thread());
    }
  }
  if (found != tail.size()) return fail("the witness names events that the trace does not have");
  return {};
}

Result<std::optional<trace::Event>> ExpectedRun::next() {
  if (given_ >= prefix_end_) {
    const uint64_t at = given_ - prefix_end_;
    if (at >= tail_.size()) return std::nullopt;
    ++given_;
    return tail_[at];
  }
  if (batch_at_ == batch_size_) {
    FORETELL_TRY(got, reader_->read(batch_));
    batch_size_ = got;
    batch_at_ = 0;
    if (got == 0) return std::nullopt;
  }
  ++given_;
  return batch_[batch_at_++];
}

std::optional<ThreadId> ExpectedRun::child(ThreadId parent, size_t k) const {
  if (to_index(parent) >= children_.size() || k >= children_[to_index(parent)].size()) return {};
  return children_[to_index(parent)][k];
}

Result<std::optional<Difference>> first_difference(ExpectedRun& expected,
                                                   trace::TraceReader& seen) {
  seen.rewind();
  Comparison comparison(expected, seen.tables());
  std::vector<trace::Event> batch(trace::kBatchSize);
  uint64_t step = 0;
  for (;;) {
    FORETELL_TRY(got, seen.read(batch));
    for (const trace::Event& e : std::span(batch).first(got)) {
      FORETELL_TRY(wanted, expected.next());
      if (!wanted) return std::nullopt;
      ++step;
      if (!comparison.match(e, *wanted)) return Difference{step, comparison.explain(e, *wanted)};
    }
    if (got > 0) continue;
    FORETELL_TRY(wanted, expected.next());
    if (!wanted) return std::nullopt;
    return Difference{step + 1, comparison.explain_end(*wanted)};
  }
}

}  // namespace foretell::replay
