#include "testing/merge.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace foretell {
namespace {

using Json = nlohmann::ordered_json;

// What two processes have in common of one finding: no thread, no address, no index.
std::string key_of(const Finding& f) {
  std::vector<std::string> places;
  for (const DescribedEvent& e : f.events) {
    places.push_back(e.site.empty() ? e.function + ' ' + e.object : e.site);
  }
  std::ranges::sort(places);
  std::string key(word_of(f.kind));
  for (const std::string& place : places) key += '\n' + place;
  return key;
}

std::string folder_of(const ProcessRun& run) {
  return "processes/" + run.name;
}

std::string counted(size_t count, std::string_view noun, std::string_view plural) {
  return fmt::format("{} {}", count, count == 1 ? noun : plural);
}

// Each sentence once, with those it is about.
void add_warnings(const std::vector<ProcessRun>& runs, AnalysisResult& result) {
  std::vector<std::string> sentences;
  std::map<std::string, std::vector<std::string>> about;
  auto add = [&](const std::string& sentence, const ProcessRun& run) {
    auto& titles = about[sentence];
    if (titles.empty()) sentences.push_back(sentence);
    if (std::ranges::find(titles, run.title()) == titles.end()) titles.push_back(run.title());
  };
  for (const ProcessRun& run : runs) {
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

}  // namespace

Finding& finding_at(std::vector<ProcessRun>& runs, const MergedFinding& merged,
                    const MergedFinding::Place& place) {
  AnalysisResult& result = runs[place.run].result;
  return (merged.is_dismissed ? result.dismissed : result.findings)[place.finding];
}

std::vector<MergedFinding> merge_findings(std::vector<ProcessRun>& runs) {
  std::vector<MergedFinding> merged;
  for (const bool is_dismissed : {false, true}) {
    std::map<std::pair<std::string, size_t>, size_t> groups;  // by key and place among its equals
    for (size_t r = 0; r < runs.size(); ++r) {
      std::map<std::string, size_t> equals;
      const auto& list = is_dismissed ? runs[r].result.dismissed : runs[r].result.findings;
      for (size_t f = 0; f < list.size(); ++f) {
        const std::string key = key_of(list[f]);
        const auto [it, fresh] = groups.try_emplace({key, equals[key]++}, merged.size());
        if (fresh) merged.push_back({.is_dismissed = is_dismissed, .places = {}});
        merged[it->second].places.push_back({r, f});
      }
    }
  }
  std::map<FindingKind, size_t> last;
  for (const MergedFinding& group : merged) {
    const FindingKind kind = finding_at(runs, group, group.places[0]).kind;
    const std::string id = fmt::format("{}-{}", word_of(kind), ++last[kind]);
    for (const auto& place : group.places) finding_at(runs, group, place).id = id;
  }
  return merged;
}

MergedResult merged_result(std::vector<ProcessRun>& runs, const std::vector<MergedFinding>& merged,
                           const std::string& name) {
  MergedResult all;
  AnalysisResult& result = all.result;
  std::set<std::string> tests;
  for (const ProcessRun& run : runs) {
    if (!run.test.empty()) tests.insert(run.test);
    result.trace.events += run.result.trace.events;
    result.trace.threads += run.result.trace.threads;
    result.trace.locks += run.result.trace.locks;
    result.trace.locations += run.result.trace.locations;
  }
  result.trace.name = fmt::format("{}: {}", name, counted(runs.size(), "process", "processes"));
  if (!tests.empty()) result.trace.name += " of " + counted(tests.size(), "test", "tests");
  add_warnings(runs, result);

  for (const MergedFinding& group : merged) {
    const auto best = std::ranges::max_element(group.places, {}, [&](const auto& place) {
      const Verdict verdict = finding_at(runs, group, place).verdict;
      return verdict == Verdict::confirmed ? 2 : verdict == Verdict::predicted ? 1 : 0;
    });
    Finding finding = finding_at(runs, group, *best);
    finding.occurrences = 0;
    std::vector<MergedFinding::Place> places = group.places;
    std::ranges::rotate(places, places.begin() + (best - group.places.begin()));
    std::set<std::string> named;
    for (const auto& place : places) {
      const ProcessRun& run = runs[place.run];
      const Finding& here = finding_at(runs, group, place);
      finding.occurrences += here.occurrences;
      SeenIn seen{run.title(), run.cases.of(here), folder_of(run)};
      if (named.insert(seen.name()).second) all.tests[finding.id].push_back(std::move(seen));
    }
    (group.is_dismissed ? result.dismissed : result.findings).push_back(std::move(finding));
  }
  sort_by_verdict(result.findings);
  return all;
}

std::string to_test_json(const std::vector<ProcessRun>& runs, const FindingTests& tests,
                         const std::vector<std::string>& command, const std::string& directory) {
  Json json = {{"foretell", 1}, {"command", command}, {"directory", directory}};
  json["processes"] = Json::array();
  for (const ProcessRun& run : runs) {
    Json findings = Json::array();
    for (const Finding& f : run.result.findings) findings.push_back(f.id);
    json["processes"].push_back({{"run", folder_of(run)},
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
  for (const auto& [id, seen_in] : tests) json["findings"][id] = seen_in[0].run;
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace foretell
