// SPDX-License-Identifier: Apache-2.0

#include "test_runs/merge.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "report/fingerprint.h"

namespace foretell::test_runs {
namespace {

using Json = nlohmann::ordered_json;
using Group = MergedRuns::Group;
using Occurrence = MergedRuns::Occurrence;

// A number behind a fingerprint counts its equals within one process; lines tell them apart in all.
std::string key_of(const finding::Finding& f) {
  std::vector<std::string> places;
  for (const finding::DescribedEvent& e : f.events) places.push_back(file_name(e.site));
  std::ranges::sort(places);
  std::string key = f.fingerprint.substr(0, f.fingerprint.find('-'));
  for (const std::string& place : places) key += '\n' + place;
  return key;
}

std::vector<Group> group(std::vector<ProcessRun>& runs,
                         std::vector<finding::Finding> finding::AnalysisResult::* list) {
  std::vector<Group> groups;
  // By key and by place among the equals of one process.
  std::map<std::pair<std::string, size_t>, size_t> known;
  for (ProcessRun& run : runs) {
    std::map<std::string, size_t> equals;
    for (finding::Finding& finding : run.result.*list) {
      const std::string key = key_of(finding);
      const auto [it, fresh] = known.try_emplace({key, equals[key]++}, groups.size());
      if (fresh) groups.emplace_back();
      groups[it->second].push_back({&run, &finding});
    }
  }
  return groups;
}

std::string counted(size_t count, std::string_view noun, std::string_view plural) {
  return fmt::format("{} {}", count, count == 1 ? noun : plural);
}

// Those of which every process came to its end and was recorded and analyzed to it.
std::vector<finding::RanTest> tests_that_ran(const std::vector<ProcessRun>& runs) {
  std::map<std::string, std::set<std::string>> ran;
  std::set<std::string> incomplete;
  for (const ProcessRun& run : runs) {
    if (run.explored) continue;
    if (!run.came_to_its_end() || !run.run.facts.error.empty()) incomplete.insert(run.title());
    ran[run.title()].insert(run.cases.names().begin(), run.cases.names().end());
  }
  std::vector<finding::RanTest> tests;
  for (const auto& [test, cases] : ran) {
    if (!incomplete.contains(test)) tests.push_back({test, {cases.begin(), cases.end()}});
  }
  return tests;
}

finding::TraceSummary summary_of(const std::vector<ProcessRun>& runs, const std::string& command) {
  finding::TraceSummary summary;
  std::set<std::string> tests, programs;
  size_t processes = 0;
  for (const ProcessRun& run : runs) {
    if (run.explored) continue;
    ++processes;
    if (!run.test.empty()) tests.insert(run.test);
    if (!run.run.info.program.empty()) programs.insert(run.run.info.program);
    summary.events += run.result.trace.events;
    summary.threads += run.result.trace.threads;
    summary.locks += run.result.trace.locks;
    summary.locations += run.result.trace.locations;
  }
  summary.name = fmt::format("{}: {}", command, counted(processes, "process", "processes"));
  if (!tests.empty()) summary.name += " of " + counted(tests.size(), "test", "tests");
  summary.programs.assign(programs.begin(), programs.end());
  summary.tests = tests_that_ran(runs);
  return summary;
}

// Each sentence once, with those it is about.
void add_warnings(const std::vector<ProcessRun>& runs, finding::AnalysisResult& result) {
  std::vector<std::string> sentences;
  std::map<std::string, std::vector<std::string>> about;
  auto add = [&](const std::string& sentence, const ProcessRun& run) {
    auto& titles = about[sentence];
    if (titles.empty()) sentences.push_back(sentence);
    if (std::ranges::find(titles, run.title()) == titles.end()) titles.push_back(run.title());
  };
  for (const ProcessRun& run : runs) {
    if (run.explored) continue;
    if (const std::string trouble = run.trouble(); !trouble.empty()) add(trouble, run);
    if (run.outlived) add("was still running when the command had ended", run);
    for (const std::string& warning : run.run.warnings) add(warning, run);
    for (const Diagnostic& warning : run.result.warnings) add(warning.message, run);
  }
  for (const std::string& sentence : sentences) {
    const auto& titles = about[sentence];
    std::string who = titles[0];
    if (titles.size() > 1) who += fmt::format(" and {} more", titles.size() - 1);
    result.warnings.push_back({sentence, who});
  }
}

// Functions that nothing violates in any process; what one process has not called says nothing.
std::vector<finding::InferredBlock> inferred_in_all(const std::vector<ProcessRun>& runs) {
  std::vector<finding::InferredBlock> blocks;
  std::set<std::string> violated;
  for (const ProcessRun& run : runs) {
    for (const finding::Finding& f : run.result.findings) {
      const auto* violation = f.as<finding::AtomicityFinding>();
      if (violation != nullptr) violated.insert(violation->blocks.begin(), violation->blocks.end());
    }
    for (const finding::InferredBlock& block : run.result.inferred) {
      const auto known =
          std::ranges::find(blocks, block.function, &finding::InferredBlock::function);
      if (known == blocks.end()) {
        blocks.push_back(block);
      } else {
        known->calls += block.calls;
        known->shared += block.shared;
      }
    }
  }
  std::erase_if(blocks,
                [&](const finding::InferredBlock& b) { return violated.contains(b.function); });
  return blocks;
}

// The processes of a group, each test once; the one that knows most first.
finding::Finding merge(Group group) {
  const auto best =
      std::ranges::min_element(group, {}, [](const Occurrence& o) { return o.finding->verdict; });
  std::ranges::rotate(group, best);
  finding::Finding merged = *group[0].finding;
  merged.occurrences = 0;
  std::set<std::string> named;
  for (const auto& [run, finding] : group) {
    merged.occurrences += finding->occurrences;
    finding::SeenIn seen{run->title(), run->cases.of(*finding), file_name(run->run.info.program),
                         run->folder()};
    if (named.insert(seen.name()).second) merged.seen_in.push_back(std::move(seen));
  }
  return merged;
}

void put_merged(const std::vector<Group>& groups, std::vector<finding::Finding>& findings) {
  findings.clear();
  for (const Group& group : groups) findings.push_back(merge(group));
}

}  // namespace

MergedRuns::MergedRuns(std::vector<ProcessRun>& runs, const std::string& command)
    : found_(group(runs, &finding::AnalysisResult::findings)),
      dismissed_(group(runs, &finding::AnalysisResult::dismissed)) {
  result_.trace = summary_of(runs, command);
  add_warnings(runs, result_);
  result_.inferred = inferred_in_all(runs);
  put_merged(found_, result_.findings);
  put_merged(dismissed_, result_.dismissed);
  result_.number_findings();
  share_results();
}

void MergedRuns::share_results() {
  auto spread = [](const std::vector<finding::Finding>& findings,
                   const std::vector<Group>& groups) {
    for (size_t i = 0; i < groups.size(); ++i) {
      for (const Occurrence& o : groups[i]) {
        o.finding->id = findings[i].id;
        o.finding->fingerprint = findings[i].fingerprint;
        o.finding->suppressed = findings[i].suppressed;
        o.finding->baseline = findings[i].baseline;
      }
    }
  };
  spread(result_.findings, found_);
  spread(result_.dismissed, dismissed_);
}

void MergedRuns::take_best() {
  put_merged(found_, result_.findings);
  put_merged(dismissed_, result_.dismissed);
  replay::sort_by_verdict(result_.findings);
}

std::string to_test_json(const std::vector<ProcessRun>& runs, const finding::AnalysisResult& result,
                         const std::vector<std::string>& command, const std::string& directory) {
  Json json = {{"foretell", 1}, {"command", command}, {"directory", directory}};
  json["processes"] = Json::array();
  for (const ProcessRun& run : runs) {
    Json findings = Json::array();
    for (const finding::Finding& f : run.result.findings) findings.push_back(f.id);
    json["processes"].push_back({{"run", run.folder()},
                                 {"test", run.test},
                                 {"cases", run.cases.names()},
                                 {"command", run.process.self.command},
                                 {"directory", run.process.self.directory},
                                 {"forked", run.process.forked},
                                 {"events", run.result.trace.events},
                                 {"ended", run.run.info.ended},
                                 {"failure", run.failure},
                                 {"findings", std::move(findings)}});
  }
  json["findings"] = Json::object();
  for (const auto* list : {&result.findings, &result.dismissed}) {
    for (const finding::Finding& f : *list) json["findings"][f.id] = f.seen_in[0].run;
  }
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace foretell::test_runs
