#include "replay/finding_file.h"

#include <nlohmann/json.hpp>

#include "base/input_file.h"

namespace foretell {
namespace {

using Json = nlohmann::json;

FindingKind kind_of(const std::string& word) {
  using enum FindingKind;
  for (FindingKind kind : {race, deadlock, atomicity, nondeterminism, property}) {
    if (word == word_of(kind)) return kind;
  }
  return race;
}

Verdict verdict_of(const std::string& word) {
  using enum Verdict;
  for (Verdict verdict : {confirmed, predicted}) {
    if (word == word_of(verdict)) return verdict;
  }
  return possible;
}

Finding finding_of(const Json& json) {
  Finding finding;
  json.at("id").get_to(finding.id);
  finding.kind = kind_of(json.at("kind"));
  finding.verdict = verdict_of(json.at("verdict"));
  json.at("location").get_to(finding.location);
  finding.reason = json.value("reason", "");
  for (const Json& event : json.at("events")) {
    DescribedEvent& e = finding.events.emplace_back();
    e.index = EventIndex{event.at("index").get<uint64_t>()};
    event.at("thread").get_to(e.thread);
    event.at("op").get_to(e.operation);
    e.object = event.value("object", "");
    e.site = event.value("site", "");
    e.expression = event.value("expression", "");
  }
  if (json.at("witness").is_null()) return finding;
  Witness& witness = finding.witness.emplace();
  witness.prefix_end = json.value("witness_prefix", uint64_t{0});
  for (const Json& index : json.at("witness")) {
    witness.steps.push_back(EventIndex{index.get<uint64_t>()});
  }
  return finding;
}

}  // namespace

Result<Finding> read_finding(const std::string& path, const std::string& id) {
  FORETELL_TRY(file, InputFile::open(path));
  // nlohmann reports by exceptions; none leaves this function.
  try {
    const Json json = Json::parse(file.bytes());
    if (json.at("foretell") != 1) {
      return fail("{} is in a form that this Foretell does not know", path);
    }
    std::string known;
    for (const Json& finding : json.at("findings")) {
      if (finding.at("id") == id) return finding_of(finding);
      if (!known.empty()) known += ", ";
      known += finding.at("id").get<std::string>();
    }
    Diagnostic diagnostic{fmt::format("there is no finding '{}' in {}", id, path), ""};
    diagnostic.notes.push_back(known.empty() ? "that run has no findings" : "it has " + known);
    return std::unexpected(std::move(diagnostic));
  } catch (const Json::exception& error) {
    return fail("{} is damaged: {}", path, error.what());
  }
}

}  // namespace foretell
