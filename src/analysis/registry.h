// SPDX-License-Identifier: Apache-2.0

// The analyses there are, by name (analysis/registry.def).
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/analysis.h"
#include "base/diagnostic.h"

namespace foretell::analysis {

struct AnalysisEntry {
  std::string_view name;
  finding::FindingKind kind;
  std::string_view finds;
  std::string_view guarantee;
  bool judged;
  bool observed;  // its races are unordered in the recorded run
  bool in_default;
  bool online;
  std::string_view needs;                         // names separated by "|"
  std::optional<finding::FindingKind> yields_to;  // its findings explain those of this analysis
  std::string_view cost;
  std::string_view source;
  std::unique_ptr<Analysis> (*make)(const AnalysisOptions&, ProposalSink&);
};

std::span<const AnalysisEntry> all_analyses();
// Null if there is none of this name.
const AnalysisEntry* find_analysis(std::string_view name);

// "default", "all", or names separated by commas; in registry order, each once.
Result<std::vector<const AnalysisEntry*>> select_analyses(std::string_view names);

}  // namespace foretell::analysis
