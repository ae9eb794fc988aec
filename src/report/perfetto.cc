// SPDX-License-Identifier: Apache-2.0

#include "report/perfetto.h"

#include <absl/container/flat_hash_map.h>
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "pipeline/describer.h"
#include "report/summary.h"

namespace foretell::report {
namespace {

std::string json_text(std::string_view text) {
  using Json = nlohmann::json;
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);
}

// The events that are shown: all of a short trace, else those up to shortly after the findings.
struct Window {
  uint64_t begin = 0, end = 0;
  bool has(uint64_t index) const { return index >= begin && index < end; }
};

Window window_of(const finding::AnalysisResult& result, uint64_t events, uint64_t most) {
  if (events <= most) return {0, events};
  uint64_t last = 0;
  for (const finding::Finding& f : result.findings) {
    for (const finding::DescribedEvent& e : f.events) last = std::max(last, to_index(e.index));
  }
  const uint64_t end = std::clamp(last + most / 10, most, events);
  return {end - most, end};
}

// One schedule: a process of the picture.
class ScheduleTrack {
 public:
  ScheduleTrack(std::string& out, size_t process, std::string_view name)
      : out_(out), process_(process) {
    put(fmt::format(R"("ph":"M","pid":{},"name":"process_name","args":{{"name":{}}})", process_,
                    json_text(name)));
    put(fmt::format(R"("ph":"M","pid":{0},"name":"process_sort_index","args":{{"sort_index":{0}}})",
                    process_));
  }

  void add(const finding::DescribedEvent& e, uint64_t time, bool is_the_point) {
    const size_t thread = number_of(e);
    last_ = std::max(last_, time);
    const auto kind = e.operation.kind();
    if (kind == trace::EventKind::FunctionEnter) {
      open_[thread].push_back(e.object);
      put(fmt::format(R"("ph":"B","pid":{},"tid":{},"ts":{},"cat":"function","name":{})", process_,
                      thread, time, json_text(e.object)));
      return;
    }
    if (kind == trace::EventKind::FunctionExit) {
      // A function that was entered before the window has no beginning to end.
      if (!open_[thread].empty()) close(thread, time + 1);
      return;
    }
    put(fmt::format(R"("ph":"X","pid":{},"tid":{},"ts":{},"dur":1,"cat":"{}","name":{},"args":{})",
                    process_, thread, time, is_the_point ? "finding" : "step",
                    json_text((is_the_point ? "!! " : "") + step_text(e)), arguments(e)));
    follow_locks(e, kind, thread, time);
  }

  // What a thread still is in when its schedule is over ends there.
  void finish() {
    for (auto& [thread, functions] : open_) {
      while (!functions.empty()) close(thread, last_ + 1);
    }
    for (const auto& held : held_) put_lock('e', held, last_ + 1);
    held_.clear();
  }

 private:
  using Held = std::pair<size_t, std::string>;  // thread, lock

  void put(const std::string& fields) {
    if (!out_.ends_with('[')) out_ += ',';
    out_ += "\n{" + fields + '}';
  }

  size_t number_of(const finding::DescribedEvent& e) {
    const auto [entry, is_new] = threads_.try_emplace(e.thread, threads_.size() + 1);
    if (is_new) {
      put(fmt::format(R"("ph":"M","pid":{},"tid":{},"name":"thread_name","args":{{"name":{}}})",
                      process_, entry->second, json_text(thread_text(e))));
    }
    return entry->second;
  }

  static std::string arguments(const finding::DescribedEvent& e) {
    std::string text =
        fmt::format(R"({{"event":{},"op":{})", to_index(e.index), json_text(word_of(e.operation)));
    if (!e.site.empty()) text += R"(,"site":)" + json_text(e.site);
    if (!e.function.empty()) text += R"(,"function":)" + json_text(e.function);
    if (e.value) text += fmt::format(R"(,"value":{})", static_cast<int64_t>(*e.value));
    std::string locks;
    for (const finding::HeldLock& lock : e.locks) locks += (locks.empty() ? "" : ", ") + lock.name;
    if (!locks.empty()) text += R"(,"locks":)" + json_text(locks);
    return text + '}';
  }

  void close(size_t thread, uint64_t time) {
    open_[thread].pop_back();
    put(fmt::format(R"("ph":"E","pid":{},"tid":{},"ts":{})", process_, thread, time));
  }

  void follow_locks(const finding::DescribedEvent& e, std::optional<trace::EventKind> kind,
                    size_t thread, uint64_t time) {
    const Held held{thread, e.object};
    if (kind == trace::EventKind::Acquire || kind == trace::EventKind::AcquireShared) {
      if (held_.insert(held).second) put_lock('b', held, time);
    } else if (kind == trace::EventKind::Release || kind == trace::EventKind::ReleaseShared) {
      if (held_.erase(held) > 0) put_lock('e', held, time + 1);
    }
  }

  void put_lock(char phase, const Held& held, uint64_t time) {
    put(fmt::format(R"("ph":"{}","pid":{},"tid":{},"ts":{},"cat":"lock","id":{},"name":{})", phase,
                    process_, held.first, time,
                    json_text(fmt::format("{}.{}.{}", process_, held.first, held.second)),
                    json_text("holds " + held.second)));
  }

  std::string& out_;
  size_t process_;
  uint64_t last_ = 0;
  absl::flat_hash_map<std::string, size_t> threads_;
  std::map<size_t, std::vector<std::string>> open_;  // functions by thread
  std::set<Held> held_;
};

bool is_the_point(const finding::Finding& f, EventIndex index) {
  return std::ranges::any_of(f.events,
                             [&](const finding::DescribedEvent& e) { return e.index == index; });
}

void add_witness(const finding::Finding& f, const pipeline::EventDescriber& events,
                 const Window& window, ScheduleTrack& track) {
  uint64_t time = 0;
  auto add = [&](EventIndex index) {
    ++time;
    if (window.has(to_index(index))) track.add(events[index], time, is_the_point(f, index));
  };
  const finding::Witness& witness = *f.witness;
  for (uint64_t i = 0; i < witness.prefix_end; ++i) add(EventIndex{i});
  for (size_t i = 0; i < witness.steps.size(); ++i) {
    if (witness_end_of(f.kind()) == finding::WitnessEnd::at_once && i + 1 == witness.steps.size())
      --time;
    add(witness.steps[i]);
  }
  track.finish();
}

}  // namespace

Result<std::string> to_perfetto(trace::TraceReader& reader, const finding::AnalysisResult& result,
                                const PerfettoOptions& options, std::vector<Diagnostic>& left_out) {
  const Window window = window_of(result, result.trace.events, options.most_events);
  const trace::TraceTables& tables = reader.tables();
  pipeline::EventDescriber events(tables, [&](LocationId id) { return tables.location_name(id); });
  for (uint64_t i = window.begin; i < window.end; ++i) events.want(EventIndex{i});
  reader.rewind();
  std::vector<trace::Event> batch(trace::kBatchSize);
  for (;;) {
    FORETELL_TRY(got, reader.read(batch));
    if (got == 0) break;
    events.on_events(std::span(batch).first(got));
  }

  std::string out = R"({"displayTimeUnit":"ms","traceEvents":[)";
  size_t process = 1;
  ScheduleTrack recorded(out, process++, result.trace.name + ", recorded");
  for (uint64_t i = window.begin; i < window.end; ++i) {
    recorded.add(events[EventIndex{i}], i + 1, false);
  }
  recorded.finish();
  const uint64_t shown = window.end - window.begin;
  uint64_t slices = shown;
  size_t missing = 0;
  for (const finding::Finding& f : result.findings) {
    if (!f.witness || f.suppressed) continue;
    slices += shown;
    if (slices > options.most_slices) {
      ++missing;
      continue;
    }
    ScheduleTrack track(out, process++,
                        fmt::format("{}: {} ({})", f.id, headline_of(f), word_of(f.verdict)));
    add_witness(f, events, window, track);
  }
  if (shown < result.trace.events) {
    left_out.push_back({fmt::format("the Perfetto trace has {} of {} events, up to those of the "
                                    "findings",
                                    shown, result.trace.events),
                        ""});
  }
  if (missing > 0) {
    left_out.push_back(
        {fmt::format("the Perfetto trace lacks the schedules of {} findings", missing), ""});
  }
  return out + "\n]}\n";
}

}  // namespace foretell::report
