// SPDX-License-Identifier: Apache-2.0

#include "schedule/schedule.h"

#include <algorithm>
#include <charconv>
#include <limits>
#include <optional>

#include "base/ids.h"
#include "base/split.h"
#include "trace/text.h"

namespace foretell::schedule {
namespace {

constexpr std::string_view kPrefix = "ft1:";
constexpr std::string_view kContendedPrefix = "ft2:";

std::string_view prefix_of(Counted counted) {
  return counted == Counted::all_accesses ? kPrefix : kContendedPrefix;
}
constexpr size_t kColumns = 100;

// The largest number of threads in a schedule (recording/record.h, kNoThread).
constexpr uint64_t kMostThreads = 1 << 24;

// Parses the compact text, after comments and white space are gone.
class ScheduleParser {
 public:
  ScheduleParser(std::string_view text, const std::string& name) : text_(text), name_(name) {}

  Result<Schedule> parse() {
    Schedule schedule;
    FORETELL_TRY(counted, take_prefix());
    schedule.counted = counted;
    if (const size_t colon = text_.find(':'); colon != std::string_view::npos) {
      for (std::string_view word : split(text_.substr(0, colon), ',')) {
        FORETELL_TRY(parent, parse_parent(word));
        schedule.parents.push_back(parent);
      }
      text_.remove_prefix(colon + 1);
    }
    if (auto sorted = sort_parents(schedule.parents); !sorted) {
      return std::unexpected(std::move(sorted).error());
    }
    if (text_.empty()) return schedule;
    uint64_t total = 0;
    for (std::string_view word : split(text_, '.')) {
      FORETELL_TRY(run, parse_run(word));
      if (run.steps > std::numeric_limits<uint64_t>::max() - total) {
        return fail("{}: more steps than can be counted", name_);
      }
      total += run.steps;
      schedule.append(run.thread, run.steps);
    }
    return schedule;
  }

 private:
  Result<Counted> take_prefix() {
    for (Counted counted : {Counted::all_accesses, Counted::contended_accesses}) {
      if (!text_.starts_with(prefix_of(counted))) continue;
      text_.remove_prefix(prefix_of(counted).size());
      return counted;
    }
    const size_t colon = text_.find(':');
    const std::string_view version = text_.substr(0, colon);
    const bool other_version =
        colon != std::string_view::npos && version.starts_with("ft") && version.size() > 2 &&
        std::ranges::all_of(version.substr(2), [](char c) { return c >= '0' && c <= '9'; });
    if (other_version) {
      return std::unexpected(
          Diagnostic{
              fmt::format("{} has format {}, which this version of Foretell does not support",
                          name_, trace::excerpt(version)),
              ""}
              .with_note(
                  "it reads ft1 and ft2; use the version of Foretell that wrote the schedule"));
    }
    return std::unexpected(Diagnostic{fmt::format("{} is not a schedule: '{}' does not begin with "
                                                  "ft1:",
                                                  name_, trace::excerpt(text_)),
                                      ""}
                               .with_note("a schedule looks like ft1:0x12.2x3.1x1"));
  }

  static std::optional<uint64_t> number(std::string_view text, uint64_t most) {
    uint64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value > most) return {};
    return value;
  }

  // "AxB" or "A<B".
  static std::optional<std::pair<uint64_t, uint64_t>> pair(std::string_view word, char between,
                                                           uint64_t most) {
    const size_t at = word.find(between);
    if (at == std::string_view::npos) return {};
    const auto first = number(word.substr(0, at), kMostThreads);
    const auto second = number(word.substr(at + 1), most);
    if (!first || !second) return {};
    return std::pair(*first, *second);
  }

  Result<ScheduleRun> parse_run(std::string_view word) const {
    const auto run = pair(word, 'x', std::numeric_limits<uint64_t>::max());
    if (!run || run->second == 0) {
      return fail("{}: '{}' is not a run; a run is THREADxSTEPS, like 2x3", name_,
                  trace::excerpt(word));
    }
    return ScheduleRun{ThreadNumber{static_cast<uint32_t>(run->first)}, run->second};
  }

  Result<ThreadParent> parse_parent(std::string_view word) const {
    const auto parent = pair(word, '<', kMostThreads);
    if (!parent) {
      return fail("{}: '{}' is not a parent; thread 3 created by thread 1 is 3<1", name_,
                  trace::excerpt(word));
    }
    // A thread is created after its creator, so it has the higher number.
    if (parent->first <= parent->second) {
      return fail("{}: thread {} cannot be created by thread {}, which is younger", name_,
                  parent->first, parent->second);
    }
    return ThreadParent{ThreadNumber{static_cast<uint32_t>(parent->first)},
                        ThreadNumber{static_cast<uint32_t>(parent->second)}};
  }

  Result<void> sort_parents(std::vector<ThreadParent>& parents) const {
    std::ranges::sort(parents, {}, &ThreadParent::thread);
    const auto twice = std::ranges::adjacent_find(parents, {}, &ThreadParent::thread);
    if (twice != parents.end()) {
      return fail("{}: thread {} has two parents", name_, to_index(twice->thread));
    }
    // Thread 0 is the parent of whoever is not listed.
    std::erase_if(parents, [](const ThreadParent& p) { return p.parent == ThreadNumber{0}; });
    return {};
  }

  std::string_view text_;
  const std::string& name_;
};

}  // namespace

void Schedule::append(ThreadNumber thread, uint64_t steps) {
  if (steps == 0) return;
  if (!runs.empty() && runs.back().thread == thread) {
    runs.back().steps += steps;
  } else {
    runs.push_back({thread, steps});
  }
}

uint64_t Schedule::steps() const {
  uint64_t total = 0;
  for (const ScheduleRun& run : runs) total += run.steps;
  return total;
}

Schedule Schedule::truncated(uint64_t steps) const {
  Schedule result{{}, parents, counted};
  for (const ScheduleRun& run : runs) {
    const uint64_t taken = std::min(run.steps, steps);
    result.append(run.thread, taken);
    steps -= taken;
  }
  return result;
}

std::string Schedule::to_string() const {
  std::string text(prefix_of(counted));
  for (const ThreadParent& p : parents) {
    text += fmt::format("{}<{}{}", to_index(p.thread), to_index(p.parent),
                        &p == &parents.back() ? ':' : ',');
  }
  for (const ScheduleRun& run : runs) {
    text +=
        fmt::format("{}{}x{}", &run == &runs.front() ? "" : ".", to_index(run.thread), run.steps);
  }
  return text;
}

std::string Schedule::to_file(std::string_view comment) const {
  std::string file;
  for (std::string_view line : split(comment, '\n')) file += fmt::format("# {}\n", line);
  const std::string text = to_string();
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(begin + kColumns, text.size());
    // White space may stand anywhere; people read whole runs.
    if (end < text.size()) {
      const size_t dot = text.rfind('.', end);
      if (dot != std::string::npos && dot > begin) end = dot + 1;
    }
    file.append(text, begin, end - begin) += '\n';
    begin = end;
  }
  return file;
}

Result<Schedule> parse_schedule(std::string_view text, const std::string& name) {
  std::string compact;
  for (std::string_view line : split(trace::skip_byte_order_mark(text), '\n')) {
    if (trace::trim(line).starts_with('#')) continue;
    std::ranges::copy_if(line, std::back_inserter(compact),
                         [](char c) { return !trace::is_line_blank(c) && c != '\v' && c != '\f'; });
  }
  return ScheduleParser(compact, name).parse();
}

}  // namespace foretell::schedule
