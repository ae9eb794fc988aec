// SPDX-License-Identifier: Apache-2.0

// NeededAnalyses: what selected analyses need of others (analysis/registry.def, `needs`).
//
// If one of the analyses that would do was selected anyway, its proposals are taken; else the first
// one runs besides, and its proposals are only counted.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "analysis/registry.h"
#include "pipeline/collector.h"

namespace foretell::pipeline {

class NeededAnalyses {
 public:
  NeededAnalyses(std::span<const analysis::AnalysisEntry* const> selected,
                 const analysis::AnalysisOptions& options);

  void on_events(std::span<const trace::Event> batch);
  // After each pass.
  void finish();
  bool wants_another_pass() const;

  // For the i-th selected analysis; nothing if it needs none. `collector` has what the selected
  // ones proposed.
  std::optional<analysis::NeededResult> result_for(size_t analysis,
                                                   ProposalCollector& collector) const;

 private:
  class Count final : public analysis::ProposalSink {
   public:
    void propose(finding::Proposal) override { ++proposals; }
    uint64_t proposals = 0;
  };
  struct Need {
    size_t of;  // which of the selected analyses has it
    std::string_view name;
    std::optional<size_t> selected = {};  // its place, if it was selected
    // Else:
    std::unique_ptr<Count> count = {};
    std::unique_ptr<analysis::Analysis> running = {};  // until it has seen enough
  };

  std::vector<Need> needs_;
};

}  // namespace foretell::pipeline
