// SPDX-License-Identifier: Apache-2.0

#include "replay/consequence.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <vector>

#include "base/input_file.h"
#include "base/split.h"
#include "launch/failure_message.h"

namespace foretell::replay {
namespace {

struct Continuation {
  schedule::Schedule schedule;
  std::string first;  // the thread whose access comes first; empty: there is only this order
  std::optional<uint64_t> repeats = {};  // reads that were left out, if the program came to its end
};

std::vector<Continuation> continuations(const Expectation& expectation,
                                        const schedule::Schedule& schedule) {
  if (expectation.witness_end() != finding::WitnessEnd::at_once) return {{schedule, ""}};
  const uint64_t steps = schedule.steps();
  schedule::Schedule swapped = schedule.truncated(steps - 2);
  const schedule::ThreadNumber first = schedule.truncated(steps - 1).runs.back().thread;
  swapped.append(schedule.runs.back().thread);
  swapped.append(first);
  return {{schedule, expectation.steps[0].thread}, {swapped, expectation.steps[1].thread}};
}

// How the program ended, if that is not how it ended when it was recorded. A time limit says
// nothing: the machine may be slow.
std::string other_end(const ReplayResult& replayed, const launch::RunInfo& info,
                      const std::string& output) {
  if (replayed.end.kind == launch::EndKind::timed_out || replayed.end.interrupted) return "";
  if (replayed.facts.state == recording::State::deadlock) return "deadlocks";
  if (replayed.end.exit_status() == info.status) return "";
  std::string end =
      replayed.end.kind == launch::EndKind::signalled
          ? "is " + replayed.end.describe()
          : fmt::format("exits with {} instead of {}", replayed.end.status, info.status);
  if (const auto printed = InputFile::open(output)) {
    const std::string words = launch::failure_message_in(printed->bytes());
    if (!words.empty()) end += fmt::format(", saying \"{}\"", words);
  }
  return end;
}

constexpr size_t kLongestLine = 60;

Result<std::vector<std::string>> lines_printed(const Replayer& replayer, const std::string& name) {
  FORETELL_TRY(file, InputFile::open(replayer.directory().output(name)));
  std::vector<std::string> lines;
  for (std::string_view line : split(file.bytes(), '\n')) {
    std::string& text = lines.emplace_back(line.substr(0, kLongestLine));
    for (char& c : text) c = static_cast<unsigned char>(c) < ' ' ? ' ' : c;
    if (line.size() > kLongestLine) text += "...";
  }
  if (!lines.empty() && lines.back().empty()) lines.pop_back();
  return lines;
}

// The first line that is another one than in the recorded run. What is different each time that run
// is repeated, like the time of day, does not count.
Result<std::string> other_output(const Replayer& replayer, const std::string& continued,
                                 const ReplayRequest& request) {
  std::vector<std::vector<std::string>> recorded;
  FORETELL_TRY(now, lines_printed(replayer, continued));
  for (std::string_view again : {"-recorded", "-again"}) {
    ReplayRequest free = request;
    free.name += again;
    FORETELL_TRY(replayed, replayer.run_seed(replayer.info().seed, true, free));
    if (replayed.outcome != ReplayOutcome::reproduced) return "";
    FORETELL_TRY(lines, lines_printed(replayer, free.name));
    if (lines == now) return "";
    recorded.push_back(std::move(lines));
  }
  const std::vector<std::string>& then = recorded.front();
  if (recorded.back().size() != then.size()) return "";
  for (size_t i = 0; i < std::max(now.size(), then.size()); ++i) {
    if (i >= then.size()) return fmt::format("also prints \"{}\"", now[i]);
    if (recorded.back()[i] != then[i]) continue;
    if (i >= now.size()) return fmt::format("does not print \"{}\"", then[i]);
    if (now[i] != then[i]) return fmt::format("prints \"{}\" instead of \"{}\"", now[i], then[i]);
  }
  return "";
}

// A thread that checks and then uses reads twice what is recorded once: repeats are left out and no
// steps. With its access first, it is stopped between the two until the other's access has come.
Result<std::string> end_between_repeats(const Replayer& replayer,
                                        const std::vector<Continuation>& orders,
                                        const ReplayRequest& request) {
  constexpr uint64_t kMostReads = 2;
  if (replayer.info().keep_repeats || replayer.info().mode != recording::Mode::controlled)
    return "";
  for (const Continuation& order : orders) {
    if (order.first.empty()) continue;
    // Where nothing was left out, the program would only do the same again.
    const uint64_t most = std::min(kMostReads, order.repeats.value_or(kMostReads));
    for (uint64_t read = 1; read <= most; ++read) {
      ReplayRequest held = request;
      held.name += "-held";
      held.after = AfterSchedule::go_on;
      held.hold_after = order.schedule.steps() - 1;
      held.hold_reads = read;
      FORETELL_TRY(replayed, replayer.replay(order.schedule, nullptr, held));
      const std::string output = replayer.directory().output(held.name);
      const std::string end = other_end(replayed, replayer.info(), output);
      std::error_code ignored;
      std::filesystem::remove(output, ignored);
      if (end.empty()) continue;
      return fmt::format("if the other access comes between two reads of {}, the program {}",
                         order.first, end);
    }
  }
  return "";
}

}  // namespace

std::string bad_end(const ReplayResult& replayed, const launch::RunInfo& info) {
  const std::string end = other_end(replayed, info, "");
  const bool is_error = replayed.facts.state == recording::State::deadlock ||
                        replayed.end.kind == launch::EndKind::signalled ||
                        replayed.end.exit_status() != 0;
  return is_error ? end : "";
}

Result<std::string> consequence_of(const Replayer& replayer, const schedule::Schedule& schedule,
                                   const Expectation& expectation, const ReplayRequest& request) {
  std::vector<std::string> ends;
  std::vector<Continuation> orders = continuations(expectation, schedule);
  for (Continuation& order : orders) {
    ReplayRequest on = request;
    on.name += "-on";
    on.after = AfterSchedule::go_on;
    FORETELL_TRY(replayed, replayer.replay(order.schedule, nullptr, on));
    ends.push_back(other_end(replayed, replayer.info(), replayer.directory().output(on.name)));
    if (replayed.facts.state == recording::State::finished) {
      order.repeats = replayed.facts.repeated_reads;
    }
    // What the program prints is what another value is about.
    const bool is_whole = replayed.end.kind == launch::EndKind::exited && !replayed.end.interrupted;
    if (expectation.witness_end() == finding::WitnessEnd::last_read && ends.back().empty() &&
        is_whole && replayer.info().mode == recording::Mode::controlled) {
      FORETELL_TRY(output, other_output(replayer, on.name, request));
      ends.back() = std::move(output);
    }
  }
  if (ends.front() == ends.back()) {
    if (ends.front().empty()) return end_between_repeats(replayer, orders, request);
    return "the program " + ends.front();
  }
  std::string text;
  for (size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].empty()) continue;
    text += fmt::format("{}with {}'s access first, the program {}", text.empty() ? "" : "; ",
                        orders[i].first, ends[i]);
  }
  return text;
}

}  // namespace foretell::replay
