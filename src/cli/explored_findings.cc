// SPDX-License-Identifier: Apache-2.0

#include "cli/explored_findings.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/output.h"
#include "base/printable.h"
#include "cli/reported_run.h"
#include "finding/json_writer.h"
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

// Two findings of different runs are the same if they are of one kind at the same lines.
std::string key_of(const finding::Finding& f) {
  std::vector<std::string> places;
  for (const finding::DescribedEvent& e : f.events) places.push_back(e.site);
  std::ranges::sort(places);
  std::string key(word_of(f.kind()));
  if (f.kind() == finding::FindingKind::property) key += f.name() + f.consequence;
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
                  run.run.last_words.empty() ? "" : ": ", printable(run.run.last_words));
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

finding::Finding* ExploredFindings::find(Owner& owner, const std::string& key) const {
  for (finding::Finding& f : owner.result.findings) {
    if (key_of(f) == key) return &f;
  }
  return nullptr;
}

Result<void> ExploredFindings::write_run(Owner& owner) const {
  if (owner.is_written) return {};
  owner.is_written = true;
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
    if (failure) findings.push_back(std::move(*failure));
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
  std::erase_if(
      owners_, [&](const Owner& o) { return o.result.findings.empty() && &o != &owners_.front(); });
  return {};
}

finding::AnalysisResult ExploredFindings::merged() {
  finding::AnalysisResult result = first_;
  for (Owner& owner : owners_) {
    for (finding::Finding& f : owner.result.findings) {
      const Error& error = known_.at(key_of(f));
      f.occurrences = error.occurrences;
      finding::Finding copy = f;
      copy.seen_in = {
          finding::SeenIn{.test = fmt::format("run {}", error.first), .run = owner.folder()}};
      result.findings.push_back(std::move(copy));
    }
  }
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
      std::error_code ignored;
      fs::remove_all(owner.directory.path(), ignored);
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
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
  return write_text(directory_.path() + launch::RunDirectory::kTestFile, text);
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
