#include "replay/consequence.h"

#include <fmt/format.h>

#include <vector>

#include "base/input_file.h"
#include "replay/last_words.h"

namespace foretell {
namespace {

struct Continuation {
  Schedule schedule;
  std::string first;  // the thread whose access comes first; empty: there is only this order
};

std::vector<Continuation> continuations(const Expectation& expectation, const Schedule& schedule) {
  if (expectation.kind != FindingKind::race) return {{schedule, ""}};
  const uint64_t steps = schedule.steps();
  Schedule swapped = schedule.truncated(steps - 2);
  const ThreadNumber first = schedule.truncated(steps - 1).runs.back().thread;
  swapped.append(schedule.runs.back().thread);
  swapped.append(first);
  return {{schedule, expectation.steps[0].thread}, {swapped, expectation.steps[1].thread}};
}

// How the program ended, if that is not how it ended when it was recorded. A time limit says
// nothing: the machine may be slow.
std::string other_end(const ReplayResult& replayed, const RunInfo& info,
                      const std::string& output) {
  if (replayed.end.kind == EndKind::timed_out || replayed.end.interrupted) return "";
  if (replayed.facts.state == recording::State::deadlock) return "deadlocks";
  if (replayed.end.exit_status() == info.status) return "";
  std::string end =
      replayed.end.kind == EndKind::signalled
          ? "is " + replayed.end.describe()
          : fmt::format("exits with {} instead of {}", replayed.end.status, info.status);
  if (const auto printed = InputFile::open(output)) {
    const std::string words = last_words_in(printed->bytes());
    if (!words.empty()) end += fmt::format(", saying \"{}\"", words);
  }
  return end;
}

}  // namespace

Result<std::string> consequence_of(const Replayer& replayer, const Schedule& schedule,
                                   const Expectation& expectation, const ReplayRequest& request) {
  std::vector<std::string> ends;
  const std::vector<Continuation> orders = continuations(expectation, schedule);
  for (const Continuation& order : orders) {
    ReplayRequest on = request;
    on.name += "-on";
    on.after = AfterSchedule::go_on;
    FORETELL_TRY(replayed, replayer.replay(order.schedule, nullptr, on));
    ends.push_back(other_end(replayed, replayer.info(), replayer.directory().output(on.name)));
  }
  if (ends.front() == ends.back()) {
    return ends.front().empty() ? "" : "the program " + ends.front();
  }
  std::string text;
  for (size_t i = 0; i < ends.size(); ++i) {
    if (ends[i].empty()) continue;
    text += fmt::format("{}with {}'s access first, the program {}", text.empty() ? "" : "; ",
                        orders[i].first, ends[i]);
  }
  return text;
}

}  // namespace foretell
