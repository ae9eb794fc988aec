// SPDX-License-Identifier: Apache-2.0

#include "replay/call_stacks.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "pipeline/describer.h"
#include "recording/watching.h"

namespace foretell::replay {
namespace {

constexpr size_t kMostEvents = 1000;

bool is_shown(const finding::Finding& finding) {
  return finding.verdict != finding::Verdict::possible &&
         finding.verdict != finding::Verdict::dismissed && finding.is_open();
}

// The events that made what other events are about: of a thread its Fork, of memory its Alloc, of
// the locks that are held their acquisitions.
class Origins {
 public:
  explicit Origins(const trace::TraceTables& tables) : tables_(tables) {}

  // Of the thread, its locks and the location of an event; call on_event for all before it.
  std::vector<EventIndex> of(const trace::Event& e) const {
    std::vector<EventIndex> origins;
    if (const auto held = held_.find(e.thread); held != held_.end()) {
      const size_t count = held->second.size();
      for (size_t i = count > kMostLocks ? count - kMostLocks : 0; i < count; ++i) {
        if (held->second[i].second != e.index) origins.push_back(held->second[i].second);
      }
    }
    if (const auto fork = forks_.find(e.thread); fork != forks_.end()) {
      origins.push_back(fork->second);
    }
    if (!is_access(e.kind)) return origins;
    const trace::Location& used = tables_.locations[e.location()];
    const auto space = blocks_.find(used.space);
    if (space == blocks_.end()) return origins;
    auto block = space->second.upper_bound(used.offset);
    if (block == space->second.begin()) return origins;
    --block;
    if (used.offset < block->first + block->second.size) origins.push_back(block->second.index);
    return origins;
  }

  void on_event(const trace::Event& e) {
    using enum trace::EventKind;
    if (e.kind == Acquire || e.kind == AcquireShared) {
      held_[e.thread].emplace_back(e.lock(), e.index);
    } else if (e.kind == Release || e.kind == ReleaseShared) {
      auto& held = held_[e.thread];
      const auto last = std::ranges::find(held.rbegin(), held.rend(), e.lock(),
                                          &std::pair<LockId, EventIndex>::first);
      if (last != held.rend()) held.erase(std::next(last).base());
    }
    if (e.kind == trace::EventKind::Fork) {
      forks_[ThreadId{e.object}] = e.index;
    } else if (e.kind == trace::EventKind::Alloc) {
      const trace::Location& block = tables_.locations[e.location()];
      blocks_[block.space][block.offset] = {block.size, e.index};
    }
  }

 private:
  static constexpr size_t kMostLocks = 4;  // the innermost ones
  struct Block {
    uint64_t size = 0;
    EventIndex index = kNoEvent;
  };
  const trace::TraceTables& tables_;
  absl::flat_hash_map<ThreadId, EventIndex> forks_;
  absl::flat_hash_map<ThreadId, std::vector<std::pair<LockId, EventIndex>>> held_;
  absl::flat_hash_map<StringId, std::map<uint64_t, Block>> blocks_;  // by space and offset
};

template <class Handle>
Result<void> for_each_event(trace::TraceReader& reader, uint64_t end, Handle handle) {
  std::vector<trace::Event> batch(trace::kBatchSize);
  for (uint64_t index = 0; index < end;) {
    FORETELL_TRY(got, reader.read(batch));
    if (got == 0) break;
    for (trace::Event& e : std::span(batch).first(got)) {
      e.index = EventIndex{index++};
      handle(e);
    }
  }
  return {};
}

// The finding's events, with those that made what they are about.
using Wanted = std::map<uint64_t, std::vector<finding::DescribedEvent*>>;  // by step - 1

Result<void> find_origins(const launch::RecordedRun& run, finding::AnalysisResult& result) {
  absl::flat_hash_map<EventIndex, std::vector<finding::Finding*>> users;
  uint64_t end = 0;
  for (finding::Finding& f : result.findings) {
    if (!is_shown(f)) continue;
    for (const finding::DescribedEvent& e : f.events) {
      if (e.index == kNoEvent) continue;
      users[e.index].push_back(&f);
      end = std::max(end, to_index(e.index) + 1);
    }
  }
  std::map<finding::Finding*, std::vector<EventIndex>> origins;
  FORETELL_TRY(reader, run.trace.open());
  Origins made(reader->tables());
  auto scanned = for_each_event(*reader, end, [&](const trace::Event& e) {
    made.on_event(e);
    const auto user = users.find(e.index);
    if (user == users.end()) return;
    const std::vector<EventIndex> of_event = made.of(e);
    for (finding::Finding* f : user->second) {
      for (EventIndex origin : of_event) {
        std::vector<EventIndex>& known = origins[f];
        if (std::ranges::find(known, origin) == known.end()) known.push_back(origin);
      }
    }
  });
  if (!scanned) return scanned;

  FORETELL_TRY(again, run.trace.open());
  pipeline::EventDescriber describer(
      again->tables(), [&](LocationId id) { return again->tables().location_name(id); });
  for (const auto& [f, indices] : origins) {
    for (EventIndex index : indices) describer.want(index);
  }
  auto described = for_each_event(
      *again, end, [&](const trace::Event& e) { describer.on_events(std::span(&e, 1)); });
  if (!described) return described;
  for (auto& [f, indices] : origins) {
    std::ranges::sort(indices);
    for (EventIndex index : indices) f->origins.push_back(describer[index]);
  }
  return {};
}

Wanted wanted_of(finding::AnalysisResult& result) {
  Wanted wanted;
  for (finding::Finding& f : result.findings) {
    if (!is_shown(f)) continue;
    for (auto* list : {&f.events, &f.origins}) {
      for (finding::DescribedEvent& e : *list) {
        if (e.index != kNoEvent) wanted[to_index(e.index)].push_back(&e);
      }
    }
    if (wanted.size() > kMostEvents) break;
  }
  return wanted;
}

std::string site_of(const program::CodePlace& place) {
  if (place.file.empty()) return "";
  return fmt::format("{}:{}:{}", place.file, place.line, place.column);
}

// Without what the pass added; demangled names have it in brackets: "f() (.foretell_watching)".
std::string function_of(const program::CodePlace& place) {
  std::string name = place.function;
  const size_t suffix = name.find(watching::kBodySuffix);
  if (suffix == std::string::npos) return name;
  name.resize(suffix);
  if (name.ends_with(" (")) name.resize(name.size() - 2);
  return name;
}

// The same line: columns of a call and of its site may differ.
bool is_same_line(const std::string& a, const std::string& b) {
  return a.substr(0, a.rfind(':')) == b.substr(0, b.rfind(':'));
}

std::vector<finding::StackFrame> frames_of(
    const std::vector<program::CodeAddress>& addresses,
    const std::map<program::CodeAddress, std::vector<program::CodePlace>>& places) {
  std::vector<finding::StackFrame> frames;
  for (const program::CodeAddress& address : addresses) {
    for (const program::CodePlace& place : places.at(address)) {
      frames.push_back({function_of(place), site_of(place)});
    }
  }
  // What started the thread or called main.
  auto is_of_library = [](const finding::StackFrame& frame) {
    return frame.site.empty() || frame.site.starts_with("/usr/");
  };
  while (!frames.empty() && is_of_library(frames.back())) frames.pop_back();
  return frames;
}

// The frames from the event's own on; none if it is not there, because the program did something
// else this time.
void put_stack(const std::vector<finding::StackFrame>& frames, finding::DescribedEvent& event) {
  const auto own = std::ranges::find_if(frames, [&](const finding::StackFrame& frame) {
    return !event.site.empty() && is_same_line(frame.site, event.site);
  });
  event.stack.assign(own, frames.end());
  if (!event.stack.empty()) event.stack.front().site = event.site;
}

}  // namespace

Result<void> add_call_stacks(const Replayer& replayer, const launch::RecordedRun& run,
                             const Symbolizer& symbolize, const TryOptions& options,
                             finding::AnalysisResult& result) {
  if (std::ranges::none_of(result.findings, is_shown)) return {};
  if (auto done = find_origins(run, result); !done) return done;
  const Wanted wanted = wanted_of(result);
  if (wanted.empty()) return {};
  std::vector<uint64_t> steps;
  for (const auto& [index, events] : wanted) steps.push_back(index + 1);
  FORETELL_TRY(stacks, replayer.stacks_at(run.steps.of_witness(steps.back(), {}), steps,
                                          {.name = "stacks",
                                           .time_limit = options.time_limit,
                                           .deadline = options.deadline,
                                           .stop = options.stop}));
  std::map<program::CodeAddress, std::vector<program::CodePlace>> places;
  for (Replayer::StepStack& stack : stacks) {
    for (program::CodeAddress& frame : stack.frames) {
      --frame.offset;  // the call, not what comes after it
      places.try_emplace(frame);
    }
  }
  std::vector<program::CodeAddress> addresses;
  for (const auto& [address, unknown] : places) addresses.push_back(address);
  FORETELL_TRY(found, symbolize(addresses));
  for (size_t i = 0; i < addresses.size(); ++i) places[addresses[i]] = std::move(found[i]);
  for (const Replayer::StepStack& stack : stacks) {
    const auto frames = frames_of(stack.frames, places);
    const auto events = wanted.find(stack.step - 1);
    if (events == wanted.end()) continue;
    for (finding::DescribedEvent* event : events->second) put_stack(frames, *event);
  }
  return {};
}

}  // namespace foretell::replay
