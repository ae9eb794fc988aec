// SPDX-License-Identifier: Apache-2.0

#include "replay/regression.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/input_file.h"

namespace foretell::replay {
namespace {

using Json = nlohmann::ordered_json;

std::string file_of(const std::string& site) {
  const std::string path = site.substr(0, site.find(':'));
  return path.substr(path.rfind('/') + 1);
}

}  // namespace

KnownBug bug_of(const finding::Finding& finding) {
  KnownBug bug{.name = finding.id, .kind = finding.kind()};
  for (const finding::DescribedEvent& e : finding.events) {
    bug.places.push_back(fmt::format("{}: {}", e.function.empty() ? file_of(e.site) : e.function,
                                     e.expression.empty() ? e.object : e.expression));
  }
  std::ranges::sort(bug.places);
  return bug;
}

bool KnownBug::is(const finding::Finding& finding) const {
  const KnownBug other = bug_of(finding);
  if (kind != other.kind) return false;
  return kind == finding::FindingKind::deadlock ? std::ranges::includes(other.places, places)
                                                : other.places == places;
}

std::string to_json(const KnownBug& bug) {
  const Json json = {
      {"foretell_bug", 1}, {"name", bug.name}, {"kind", word_of(bug.kind)}, {"places", bug.places}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Result<KnownBug> read_bug(const std::string& path) {
  FORETELL_TRY(file, InputFile::open(path));
  // nlohmann reports by exceptions; none leaves this function.
  try {
    const Json json = Json::parse(file.bytes());
    if (json.at("foretell_bug") != 1) {
      return fail("{} is in a form that this Foretell does not know", path);
    }
    const auto kind = finding::finding_kind(json.at("kind").get<std::string>());
    if (!kind) return fail("{} is of a kind that this Foretell does not know", path);
    KnownBug bug{.name = json.at("name"), .kind = *kind};
    json.at("places").get_to(bug.places);
    return bug;
  } catch (const Json::exception& error) {
    return fail("{} describes no bug: {}", path, error.what());
  }
}

}  // namespace foretell::replay
