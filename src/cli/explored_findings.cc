// SPDX-License-Identifier: Apache-2.0

#include "cli/explored_findings.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/output.h"
#include "base/printable.h"
#include "cli/reported_run.h"
#include "finding/json_writer.h"
#include "launch/failure_message.h"
#include "pipeline/describer.h"
#include "trace/stream.h"

namespace foretell::cli {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

// Runs that try to show one error.
constexpr size_t kMostTries = 3;
// Of a failing run, what is shown.
constexpr uint64_t kShownSteps = 60;

// Between how a program ended and the last line it printed.
constexpr std::string_view kLastWords = ": ";

// Who only waits for the end of another thread that is stuck is no part of why it is stuck.
bool is_bystander(const finding::Finding& f, const finding::DescribedEvent& e) {
  return f.kind() == finding::FindingKind::deadlock && e.operation == trace::EventKind::Join;
}

// Two findings of different runs are the same if they are of one kind at the same lines.
std::string key_of(const finding::Finding& f) {
  std::vector<std::string> places;
  for (const finding::DescribedEvent& e : f.events) {
    if (!is_bystander(f, e)) places.push_back(e.site);
  }
  std::ranges::sort(places);
  std::string key(word_of(f.kind()));
  if (f.kind() == finding::FindingKind::property) key += f.name() + f.consequence;
  // What the program says as it ends tells its ends apart; where the last steps were does not.
  if (f.kind() == finding::FindingKind::property && f.consequence.contains(kLastWords)) return key;
  for (const std::string& place : places) key += '\n' + place;
  return key;
}

bool is_shorter(const schedule::Schedule& a, const schedule::Schedule& b) {
  return std::pair(a.switches(), a.steps()) < std::pair(b.switches(), b.steps());
}

bool succeeded(const launch::LaunchEnd& end) {
  return end.kind == launch::EndKind::exited && end.status == 0;
}

// Whether the run failed in a way that is no deadlock, and that the first one did not show.
bool has_failed(const explore::NewRun& run, const launch::LaunchEnd& usual) {
  const launch::LaunchEnd& end = run.run.end;
  if (!run.run.recorded || run.run.deadlocked() || end.interrupted) return false;
  if (end.kind == launch::EndKind::signalled) return true;
  return end.kind == launch::EndKind::exited && end.status != 0 && succeeded(usual);
}

}  // namespace

Result<std::optional<finding::Finding>> ExploredFindings::failure_of(
    const explore::NewRun& run) const {
  FORETELL_TRY(reader, run.run.trace.open());
  FORETELL_TRY(stream, trace::TraceStream::open(std::move(reader)));
  const uint64_t all = run.run.steps.steps(), begin = all > kShownSteps ? all - kShownSteps : 0;
  pipeline::EventDescriber describer(stream.tables(),
                                     [&](LocationId id) { return stream.location_name(id); });
  for (uint64_t i = begin; i < all; ++i) describer.want(EventIndex{i});
  for (;;) {
    FORETELL_TRY(batch, stream.next());
    if (batch.empty()) break;
    describer.on_events(batch);
  }
  const bool crashed = run.run.end.kind == launch::EndKind::signalled;
  finding::Finding failure{.verdict = finding::Verdict::confirmed};
  failure.details =
      finding::PropertyFinding{std::string(crashed ? replay::kNoCrash : replay::kExitStatus)};
  failure.consequence =
      fmt::format("the program {}{}{}{}", crashed ? "is " : "", run.run.info.ended,
                  run.run.last_words.empty() ? "" : kLastWords, printable(run.run.last_words));
  while (failure.consequence.ends_with('.')) failure.consequence.pop_back();
  failure.witness = finding::Witness{.prefix_end = begin};
  for (uint64_t i = begin; i < all; ++i) {
    failure.witness->steps.push_back(EventIndex{i});
    const finding::DescribedEvent& e = describer[EventIndex{i}];
    if (!e.thread.empty()) failure.witness->last_steps.push_back(e);
  }
  // A crash comes after the last step of all, an exit code from the first thread.
  for (const finding::DescribedEvent& e : failure.witness->last_steps) {
    if (!e.site.empty() && (crashed || e.thread == "T0")) failure.events = {e};
  }
  if (failure.events.empty()) return std::nullopt;
  failure.analyses = {"explore"};
  return failure;
}

// Whether a finding says already that the program ends like this, and where.
bool ExploredFindings::is_explained(const finding::Finding& failure,
                                    const explore::NewRun& run) const {
  const std::string& site = failure.events[0].site;
  const bool crashed = run.run.end.kind == launch::EndKind::signalled;
  // In the words of replay/consequence.cc.
  const std::string end =
      crashed ? run.run.info.ended : fmt::format("exits with {} ", run.run.end.status);
  std::string words = printable(launch::failure_message_in(run.run.last_words));
  if (words.empty()) words = printable(run.run.last_words);
  while (words.ends_with('.')) words.pop_back();
  return std::ranges::any_of(explained_, [&](const finding::Finding& f) {
    if (!f.consequence.contains(end)) return false;
    if (!crashed) return true;
    if (!words.empty()) return f.consequence.contains(words);
    return std::ranges::any_of(f.events, [&](const auto& e) { return e.site == site; });
  });
}

void ExploredFindings::know(const std::vector<finding::Finding>& findings) {
  for (const finding::Finding& f : findings) {
    const auto [entry, is_new] = elsewhere_.emplace(key_of(f), f.verdict);
    if (!is_new) entry->second = std::min(entry->second, f.verdict);
    if (!f.consequence.empty()) explained_.push_back(f);
  }
}

bool ExploredFindings::is_shown_elsewhere(const finding::Finding& finding,
                                          const std::string& key) const {
  const auto entry = elsewhere_.find(key);
  return entry != elsewhere_.end() && entry->second <= finding.verdict;
}

// What it wrote is of no use any more.
void ExploredFindings::forget(const Owner& owner) const {
  std::error_code ignored;
  fs::remove_all(owner.directory.path(), ignored);
}

finding::Finding* ExploredFindings::find(Owner& owner, const std::string& key) const {
  for (finding::Finding& f : owner.result.findings) {
    if (key_of(f) == key) return &f;
  }
  return nullptr;
}

Result<void> ExploredFindings::write_run(Owner& owner) const {
  if (owner.is_written) return {};
  owner.is_written = true;
  std::error_code ignored;
  fs::create_directory(directory_.path() + launch::RunDirectory::kProcesses, ignored);
  FORETELL_TRY(made, launch::RunDirectory::create("", owner.directory.path()));
  if (auto done = write_trace(owner.run.trace, made.trace()); !done) return done;
  owner.run.info.version = FORETELL_VERSION;
  return complete_run(made, owner.run);
}

Result<void> ExploredFindings::confirm(Owner& owner, finding::Finding& finding,
                                       const replay::TryOptions& options) {
  if (finding.verdict != finding::Verdict::predicted || !finding.schedule) return {};
  finding.replay = replays_.why_not(finding, replayed_, interrupted_);
  if (!finding.replay.empty()) return {};
  ++replayed_;
  finding.id = fmt::format("run-{}", owner.name);
  const replay::Replayer replayer(owner.directory, owner.run.info, owner.run.trace);
  FORETELL_TRY(outcome, try_finding(replayer, finding, options));
  interrupted_ |= outcome.end.interrupted;
  return {};
}

Result<void> ExploredFindings::consider(Owner& owner, finding::Finding finding,
                                        const std::string& key, const replay::TryOptions& options) {
  const auto elsewhere = elsewhere_.find(key);
  const bool may_be_better = elsewhere == elsewhere_.end() || finding.verdict < elsewhere->second ||
                             finding.verdict == finding::Verdict::predicted;
  if (!may_be_better || finding.verdict > finding::Verdict::predicted) {
    if (elsewhere != elsewhere_.end()) return {};
  }
  Error& error = known_[key];
  if (error.occurrences++ == 0) error.first = owner.number;
  finding::Finding* known = error.owner != nullptr ? find(*error.owner, key) : nullptr;
  if (known != nullptr) {
    const bool better =
        finding.verdict < known->verdict || (finding.verdict == finding::Verdict::predicted &&
                                             known->verdict == finding::Verdict::predicted);
    const bool shorter = finding.verdict <= finding::Verdict::predicted && known->schedule &&
                         finding.schedule && is_shorter(*finding.schedule, *known->schedule);
    if ((!better && !shorter) || error.tries >= kMostTries) return {};
  }
  ++error.tries;
  if (auto done = write_run(owner); !done) return done;
  if (auto done = confirm(owner, finding, options); !done) return done;
  if (is_shown_elsewhere(finding, key)) return {};
  if (known != nullptr) {
    if (finding.verdict > known->verdict) return {};
    if (finding.verdict == known->verdict && known->schedule && finding.schedule &&
        !is_shorter(*finding.schedule, *known->schedule)) {
      return {};
    }
    std::erase_if(error.owner->result.findings,
                  [&](const finding::Finding& f) { return key_of(f) == key; });
  }
  error.owner = &owner;
  owner.result.findings.push_back(std::move(finding));
  return {};
}

Result<void> ExploredFindings::take(explore::NewRun&& run, const replay::TryOptions& options) {
  const bool is_first = !usual_;
  if (is_first) {
    usual_ = run.run.end;
    first_ = run.result;
    first_.findings.clear();
  }
  std::vector<finding::Finding> findings = std::move(run.result.findings);
  // What is only suspected in one run of many would be noise.
  if (!is_first) {
    std::erase_if(findings, [](const finding::Finding& f) {
      return f.verdict == finding::Verdict::possible;
    });
  }
  if (has_failed(run, *usual_)) {
    FORETELL_TRY(failure, failure_of(run));
    if (failure && !is_explained(*failure, run)) findings.push_back(std::move(*failure));
  }
  if (findings.empty() && !is_first) return {};
  const std::string name = std::to_string(run.number);
  Owner& owner = owners_.emplace_back(
      Owner{run.number,
            name,
            launch::RunDirectory::planned(directory_.path() + launch::RunDirectory::kProcesses +
                                          '/' + name),
            std::move(run.run),
            {}});
  owner.result.trace = std::move(run.result.trace);
  for (finding::Finding& f : findings) {
    if (f.witness) {
      f.schedule = owner.run.steps.of_witness(f.witness->prefix_end, f.witness->steps,
                                              replay::steps_at_end(witness_end_of(f.kind())));
    }
    const std::string key = key_of(f);
    if (auto done = consider(owner, std::move(f), key, options); !done) return done;
  }
  // Runs that show nothing need not stay in memory.
  std::erase_if(owners_, [&](const Owner& o) {
    const bool shows_nothing = o.result.findings.empty() && &o != &owners_.front();
    if (shows_nothing && o.is_written) forget(o);
    return shows_nothing;
  });
  return {};
}

// Each with the run that has it.
std::vector<finding::Finding> ExploredFindings::all() const {
  std::vector<finding::Finding> all;
  for (const Owner& owner : owners_) {
    for (const finding::Finding& f : owner.result.findings) {
      const Error& error = known_.at(key_of(f));
      finding::Finding& copy = all.emplace_back(f);
      copy.occurrences = error.occurrences;
      copy.seen_in = {finding::SeenIn{.test = fmt::format("run {}", error.first),
                                      .program = fs::path(owner.run.info.program).filename(),
                                      .run = owner.folder()}};
    }
  }
  return all;
}

void ExploredFindings::add_to(std::vector<finding::Finding>& findings) {
  std::map<finding::FindingKind, size_t> named;  // until the caller names them
  for (const finding::Finding& f : findings) ++named[f.kind()];
  for (finding::Finding& f : all()) {
    const std::string key = key_of(f);
    const auto same =
        std::ranges::find_if(findings, [&](const auto& other) { return key_of(other) == key; });
    if (same != findings.end()) {
      f.id = same->id;
      *same = std::move(f);
    } else {
      f.id = fmt::format("{}-{}", word_of(f.kind()), ++named[f.kind()]);
      findings.push_back(std::move(f));
    }
  }
  replay::sort_by_verdict(findings);
}

finding::AnalysisResult ExploredFindings::merged() {
  finding::AnalysisResult result = first_;
  result.findings = all();
  replay::sort_by_verdict(result.findings);
  result.number_findings();
  return result;
}

Result<void> ExploredFindings::write(const finding::AnalysisResult& result,
                                     const std::vector<std::string>& command) {
  Json json = {{"foretell", 1}, {"command", command}};
  json["processes"] = Json::array();
  json["findings"] = Json::object();
  for (Owner& owner : owners_) {
    owner.result.findings.clear();
    for (const finding::Finding& f : result.findings) {
      if (f.seen_in.empty() || f.seen_in[0].run != owner.folder()) continue;
      finding::Finding mine = f;
      mine.seen_in.clear();
      owner.result.findings.push_back(std::move(mine));
      json["findings"][f.id] = owner.folder();
    }
    if (owner.result.findings.empty()) {
      forget(owner);
      continue;
    }
    if (auto done = write_run(owner); !done) return done;
    if (auto done = replay::add_schedules(owner.directory, owner.run, owner.result); !done) {
      return done;
    }
    if (auto done = write_text(owner.directory.findings(), to_json(owner.result)); !done) {
      return done;
    }
    json["processes"].push_back({{"run", owner.folder()}, {"command", command}});
  }
  if (json["processes"].empty() && !elsewhere_.empty()) return {};
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return write_text(directory_.path() + launch::RunDirectory::kTestFile, text);
}

std::vector<ExploredFindings::Shown> ExploredFindings::take_runs() {
  std::vector<Shown> shown;
  for (Owner& owner : owners_) {
    if (owner.result.findings.empty()) {
      forget(owner);
    } else {
      shown.push_back(
          {owner.folder(), owner.directory, std::move(owner.run), std::move(owner.result)});
    }
  }
  owners_.clear();
  return shown;
}

std::vector<ReportedTrace> ExploredFindings::traces() const {
  std::vector<ReportedTrace> traces;
  for (const Owner& owner : owners_) {
    if (owner.result.findings.empty()) continue;
    ReportedTrace trace = reported_trace(owner.directory, owner.run.info, owner.run.trace);
    trace.run = owner.folder();
    trace.result = owner.result;
    traces.push_back(std::move(trace));
  }
  return traces;
}

}  // namespace foretell::cli
