// SPDX-License-Identifier: Apache-2.0

#include "oracle.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace foretell::oracle {
namespace {

class Collector final : public Visitor {
 public:
  explicit Collector(const Semantics& semantics) : semantics_(semantics) {}

  void visit(const State& state, std::span<const Position>) override {
    std::vector<Position> nexts;
    for (uint32_t t = 0; t < semantics_.thread_count(); ++t) {
      if (const auto p = semantics_.next(state, ThreadId{t})) nexts.push_back(*p);
    }
    std::ranges::sort(nexts);
    for (size_t i = 0; i < nexts.size(); ++i) {
      for (size_t j = i + 1; j < nexts.size(); ++j) {
        if (races_in(semantics_, state, nexts[i], nexts[j])) {
          truth.races.emplace(nexts[i], nexts[j]);
        }
        if (meets_in(semantics_, state, nexts[i], nexts[j])) {
          truth.meetings.emplace(nexts[i], nexts[j]);
        }
      }
      if (const auto writer = other_writer_in(semantics_, state, nexts[i])) {
        truth.other_writers[nexts[i]].insert(*writer);
      }
    }
    for (auto& cycle : deadlocks_in(semantics_, state)) truth.deadlocks.insert(std::move(cycle));
  }

  Truth truth;

 private:
  const Semantics& semantics_;
};

class WitnessFinder final : public Visitor {
 public:
  WitnessFinder(const Semantics& semantics, Position first, Position second)
      : semantics_(semantics), first_(first), second_(second) {}

  void visit(const State& state, std::span<const Position> path) override {
    if (witness || !races_in(semantics_, state, first_, second_)) return;
    witness.emplace(path.begin(), path.end());
    witness->push_back(first_);
    witness->push_back(second_);
  }
  bool may_follow(const State&, Position) override { return !witness; }

  std::optional<Interleaving> witness;

 private:
  const Semantics& semantics_;
  Position first_, second_;
};

}  // namespace

bool races_in(const Semantics& semantics, const State& state, Position a, Position b) {
  if (!clash(semantics.event(a), semantics.event(b))) return false;
  const Position both[] = {a, b};
  for (Position p : both) {
    const ThreadId thread = semantics.event(p).thread;
    if (semantics.next(state, thread) != p || !semantics.thread_exists(state, thread)) return false;
    // The other races are those of a destruction with a use of what is destroyed.
    if (!is_access(semantics.event(p).kind)) continue;
    if (!semantics.allocated(state, p) || !semantics.frees_agree(state, p, both)) return false;
  }
  return true;
}

bool meets_in(const Semantics& semantics, const State& state, Position a, Position b) {
  int exclusive = 0;
  for (Position p : {a, b}) {
    const trace::Event& e = semantics.event(p);
    const bool acquires =
        e.kind == trace::EventKind::Acquire || e.kind == trace::EventKind::WaitEnd;
    if (!acquires && e.kind != trace::EventKind::AcquireShared) return false;
    if (semantics.next(state, e.thread) != p || !semantics.enabled(state, p)) return false;
    exclusive += acquires;
  }
  return exclusive > 0 && semantics.event(a).thread != semantics.event(b).thread &&
         semantics.event(a).lock() == semantics.event(b).lock();
}

std::optional<std::optional<Position>> other_writer_in(const Semantics& semantics,
                                                       const State& state, Position read) {
  const trace::Event& e = semantics.event(read);
  if (!is_read(e.kind) || semantics.next(state, e.thread) != read) return {};
  if (!semantics.thread_exists(state, e.thread) || !semantics.allocated(state, read) ||
      !semantics.frees_agree(state, read, {})) {
    return {};
  }
  const auto seen = state.last_write[e.object];
  if (seen == semantics.writer_in_trace(read)) return {};
  return seen;
}

Truth Oracle::schedules() const {
  Collector collector(semantics_);
  explore(semantics_, collector);
  return std::move(collector.truth);
}

std::set<Pair> Oracle::races_of_memory() const {
  std::set<Pair> found = races();
  std::erase_if(found,
                [&](const Pair& pair) { return !is_access(semantics_.event(pair.first).kind); });
  return found;
}

Truth Oracle::everything() const {
  Truth truth = schedules();
  truth.violable_blocks = violable_blocks();
  return truth;
}

std::optional<Interleaving> Oracle::race_witness(Position first, Position second) const {
  WitnessFinder finder(semantics_, first, second);
  explore(semantics_, finder);
  return std::move(finder.witness);
}

std::string to_text(const std::set<Pair>& races) {
  std::string text = "races:";
  for (const auto& [a, b] : races) text += fmt::format(" {}-{}", a, b);
  return text + '\n';
}

std::string to_text(const Truth& truth) {
  std::string text;
  if (!truth.races.empty()) text += to_text(truth.races);
  if (!truth.deadlocks.empty()) {
    text += "deadlocks:";
    for (const auto& cycle : truth.deadlocks) text += fmt::format(" {}", fmt::join(cycle, "-"));
    text += '\n';
  }
  if (!truth.other_writers.empty()) {
    text += "other writers:";
    for (const auto& [read, writers] : truth.other_writers) {
      for (const auto& writer : writers) {
        text += fmt::format(" {}<-{}", read, writer ? std::to_string(*writer) : "initial");
      }
    }
    text += '\n';
  }
  if (!truth.violable_blocks.empty()) {
    text += fmt::format("violable blocks: {}\n", fmt::join(truth.violable_blocks, " "));
  }
  return text;
}

}  // namespace foretell::oracle
