// SPDX-License-Identifier: Apache-2.0

#include "analysis/registry.h"

#include <algorithm>

#include "analysis/atomicity/predicted/predicted.h"
#include "analysis/atomicity/sidetrack/sidetrack.h"
#include "analysis/atomicity/velodrome/velodrome.h"
#include "analysis/deadlock/lock_graph/lock_graph.h"
#include "analysis/deadlock/sync_preserving/sync_preserving_deadlocks.h"
#include "analysis/deadlock/wait_graph/wait_graph.h"
#include "analysis/determinism/exact/nondeterminism.h"
#include "analysis/race/causally_precedes/causally_precedes.h"
#include "analysis/race/djit/djit.h"
#include "analysis/race/eraser/eraser.h"
#include "analysis/race/fasttrack/fasttrack.h"
#include "analysis/race/happens_before/happens_before.h"
#include "analysis/race/hbtool/hbtool.h"
#include "analysis/race/must_before/must_before.h"
#include "analysis/race/predictable/predictable.h"
#include "analysis/race/shb/shb.h"
#include "analysis/race/sliced/sliced.h"
#include "analysis/race/sync_preserving/sync_preserving.h"
#include "analysis/race/wcp/wcp.h"
#include "base/split.h"

namespace foretell::analysis {
namespace {

template <class T>
std::unique_ptr<Analysis> make(const AnalysisOptions& options, ProposalSink& sink) {
  return std::make_unique<T>(options, sink);
}

constexpr std::optional<finding::FindingKind> kNothing;

constexpr AnalysisEntry kAnalyses[] = {
#define FORETELL_ANALYSIS(name, type, kind, finds, guarantee, judged, observed, in_default, \
                          online, needs, yields_to, cost, source)                           \
  {#name,      finding::FindingKind::kind,                                                  \
   finds,      guarantee,                                                                   \
   judged,     observed,                                                                    \
   in_default, online,                                                                      \
   needs,      yields_to,                                                                   \
   cost,       source,                                                                      \
   make<type>},
#include "analysis/registry.def"
};

std::string known_names() {
  std::string names;
  for (const AnalysisEntry& entry : kAnalyses) {
    if (!names.empty()) names += ", ";
    names += entry.name;
  }
  return names;
}

}  // namespace

std::span<const AnalysisEntry> all_analyses() {
  return kAnalyses;
}

const AnalysisEntry* find_analysis(std::string_view name) {
  const auto it = std::ranges::find(kAnalyses, name, &AnalysisEntry::name);
  return it == std::end(kAnalyses) ? nullptr : &*it;
}

Result<std::vector<const AnalysisEntry*>> select_analyses(std::string_view names) {
  std::vector<bool> chosen(std::size(kAnalyses));
  for (std::string_view name : split(names, ',')) {
    bool known = false;
    for (size_t i = 0; i < std::size(kAnalyses); ++i) {
      const bool match = name == "all" || (name == "default" && kAnalyses[i].in_default) ||
                         name == kAnalyses[i].name;
      known |= match;
      if (match) chosen[i] = true;
    }
    if (!known) {
      Diagnostic diagnostic{fmt::format("there is no analysis '{}'", name), ""};
      diagnostic.notes.push_back("known are " + known_names() + ", and default, all");
      diagnostic.exit_code = ExitCode::usage;
      return std::unexpected(std::move(diagnostic));
    }
  }
  std::vector<const AnalysisEntry*> selected;
  for (size_t i = 0; i < std::size(kAnalyses); ++i) {
    if (chosen[i]) selected.push_back(&kAnalyses[i]);
  }
  return selected;
}

}  // namespace foretell::analysis
