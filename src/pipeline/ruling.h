// SPDX-License-Identifier: Apache-2.0

// Ruling: the judge's decision about one merged proposal.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "finding/result.h"
#include "judge/judge.h"
#include "pipeline/collector.h"
#include "pipeline/recorded_order.h"

namespace foretell::pipeline {

// Two accesses that nothing orders in the recorded run, although no interleaving brings them
// together: only weak atomics lie between them.
struct Unordered {
  finding::Proposal race;
  // The atomic write and the read of its value that should be release and acquire, or kNoEvent.
  EventIndex write = kNoEvent, read = kNoEvent;
};

struct Ruling {
  const ProposalGroup* group = nullptr;
  finding::Proposal proposal;  // the one that stands for the group
  judge::JudgeOutcome outcome = judge::JudgeOutcome::gave_up;
  std::optional<finding::Witness> witness;
  trace::ReadDemand reads = trace::ReadDemand::same_writer;  // what the witness keeps
  std::string reason;
  bool is_examined = false;
  std::optional<OrderWatch> watch;
  std::optional<Unordered> unordered;
  EventIndex recorded_write = kNoEvent;  // nondeterminism: what the read saw in the trace

  bool is_race() const { return proposal.kind == finding::FindingKind::race; }
  bool is_judged() const { return group->judged_by != 0; }
  bool is_refuted() const { return is_judged() && outcome == judge::JudgeOutcome::impossible; }

  // Takes the judge's word on one candidate. A witness settles the group; it is refuted only if all
  // its candidates are, and none was left out.
  void settle(const finding::Proposal& candidate, judge::JudgeOutcome word, std::string why);
};

std::vector<Ruling> open_rulings(const std::vector<ProposalGroup>& groups);

}  // namespace foretell::pipeline
