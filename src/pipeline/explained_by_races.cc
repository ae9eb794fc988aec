// SPDX-License-Identifier: Apache-2.0

#include "pipeline/explained_by_races.h"

#include <algorithm>
#include <set>
#include <string>
#include <utility>

namespace foretell::pipeline {
namespace {

// Where an event is, or which one it is if its place has no name.
std::string place_of(const finding::DescribedEvent& e) {
  return e.site.empty() ? std::to_string(to_index(e.index)) : e.site;
}

using Places = std::pair<std::string, std::string>;

Places places_of(const finding::DescribedEvent& a, const finding::DescribedEvent& b) {
  Places places{place_of(a), place_of(b)};
  if (places.second < places.first) std::swap(places.first, places.second);
  return places;
}

// Findings of `kind` that one of the kind `cause` explains.
void drop_explained(finding::FindingKind kind, finding::FindingKind cause,
                    std::vector<finding::Finding>& findings) {
  std::set<Places> causes;
  for (const finding::Finding& f : findings) {
    if (f.kind() == cause && f.verdict != finding::Verdict::possible) {
      causes.insert(places_of(f.events[0], f.events[1]));
    }
  }
  std::erase_if(findings, [&](const finding::Finding& f) {
    if (f.kind() != kind) return false;
    const auto* read = f.as<finding::NondeterminismFinding>();
    std::vector<const finding::DescribedEvent*> accesses;
    accesses.reserve(f.events.size() + 1);
    for (const finding::DescribedEvent& e : f.events) accesses.push_back(&e);
    if (read->seen_write) accesses.push_back(&*read->seen_write);
    for (size_t i = 0; i < accesses.size(); ++i) {
      for (size_t j = 0; j < i; ++j) {
        if (causes.contains(places_of(*accesses[i], *accesses[j]))) return true;
      }
    }
    return false;
  });
}

}  // namespace

void drop_explained(std::span<const analysis::AnalysisEntry* const> analyses,
                    std::vector<finding::Finding>& findings) {
  std::set<std::pair<finding::FindingKind, finding::FindingKind>> rules;
  for (const analysis::AnalysisEntry* entry : analyses) {
    if (entry->yields_to) rules.emplace(entry->kind, *entry->yields_to);
  }
  for (const auto& [kind, cause] : rules) drop_explained(kind, cause, findings);
}

}  // namespace foretell::pipeline
