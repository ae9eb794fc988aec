// RaceFreedom: whether the assumption of SideTrack holds in the analyzed run.
//
// SideTrack ignores reads and writes and assumes that there are no data races (PREDICT 18, 20). So
// a precise detector (the document names FastTrack) runs with it: one that was selected anyway,
// otherwise an additional one.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/registry.h"
#include "pipeline/collector.h"

namespace foretell {

class RaceFreedom {
 public:
  // Does nothing unless sidetrack is one of the analyses.
  RaceFreedom(const std::vector<const AnalysisEntry*>& analyses, const AnalysisOptions& options);

  void on_events(std::span<const Event> batch);
  // The first pass is over.
  void finish() { detector_.reset(); }

  // One sentence; nothing if sidetrack does not run. `collector` has what the analyses proposed.
  std::optional<std::string> remark(ProposalCollector& collector) const;

 private:
  class Count final : public ProposalSink {
   public:
    void propose(const RaceProposal&) override { ++races; }
    uint64_t races = 0;
  };

  bool is_wanted_ = false;
  std::string_view name_ = "fasttrack";  // of the detector
  std::optional<uint32_t> selected_;     // its place, if it is one of the analyses
  Count count_;
  std::unique_ptr<Analysis> detector_;
};

}  // namespace foretell
