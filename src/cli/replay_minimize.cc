// SPDX-License-Identifier: Apache-2.0

#include "cli/replay_minimize.h"

#include "base/output.h"
#include "schedule/minimize.h"

namespace foretell::cli {

Result<void> minimize_replay(const replay::Replayer& replayer, const ReplaySubject& subject,
                             const replay::ReplayResult& first, const MinimizeLimits& limits) {
  const bool shows = subject.finding ? first.outcome == replay::ReplayOutcome::reproduced
                                     : first.outcome == replay::ReplayOutcome::crashed ||
                                           first.facts.state == recording::State::deadlock;
  if (!shows) {
    say(fmt::format("foretell: {}: nothing to minimize: {}: {}\n", subject.name,
                    word_of(first.outcome), first.explanation));
    return {};
  }
  std::optional<Diagnostic> failure;
  auto still_reproduces = [&](const schedule::Schedule& candidate) {
    if (failure) return false;
    std::optional<replay::Expectation> expectation;
    if (subject.finding) {
      expectation = replay::expectation_of(*subject.finding);
      // A rearranged witness is none any more; the sites still say what must be reached.
      expectation->witness = nullptr;
    }
    // A block may have to go on, and the intruder before it, to show what they do.
    const bool to_the_end = !subject.finding || subject.ends(finding::WitnessEnd::in_order);
    auto replayed = replayer.replay(
        candidate, expectation ? &*expectation : nullptr,
        {.name = subject.name,
         .after = to_the_end ? replay::AfterSchedule::go_on : replay::AfterSchedule::stop,
         .time_limit = limits.time_limit,
         .only_exactly = !subject.finding || !to_the_end});
    if (!replayed) {
      failure = replayed.error();
      return false;
    }
    if (subject.finding) return replayed->outcome == replay::ReplayOutcome::reproduced;
    return replayed->outcome == first.outcome && replayed->end.status == first.end.status &&
           replayed->facts.state == first.facts.state;
  };
  const bool race = subject.ends(finding::WitnessEnd::at_once);
  const schedule::Minimized smallest =
      minimize(*subject.schedule, still_reproduces,
               {.most_tries = limits.most_tries, .pinned_steps = race ? 2u : 0u});
  if (failure) return std::unexpected(*failure);
  const std::string file = replayer.directory().schedule(subject.name + "-minimized");
  auto written =
      write_text(file, smallest.schedule.to_file(fmt::format("{}, minimized", subject.name)));
  if (!written) return std::unexpected(std::move(written).error());
  say(fmt::format("foretell: {}: {} thread switches instead of {} ({} replays{})\n  {}\n",
                  subject.name, smallest.schedule.switches(), subject.schedule->switches(),
                  smallest.tries, smallest.cut_short ? ", cut short: --tries allows more" : "",
                  file));
  const std::string text = smallest.schedule.to_string();
  constexpr size_t kLongestShown = 200;
  if (text.size() <= kLongestShown) say("  " + text + "\n");
  return {};
}

}  // namespace foretell::cli
