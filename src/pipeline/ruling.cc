// SPDX-License-Identifier: Apache-2.0

#include "pipeline/ruling.h"

namespace foretell::pipeline {

void Ruling::settle(const finding::Proposal& candidate, judge::JudgeOutcome word, std::string why) {
  const bool first = !is_examined;
  is_examined = true;
  if (word == judge::JudgeOutcome::witness) {
    proposal = candidate;
    outcome = word;
    reason.clear();
  } else if (first) {
    outcome = group->left_out ? judge::JudgeOutcome::gave_up : word;
    reason = std::move(why);
    if (group->left_out && word == judge::JudgeOutcome::impossible) {
      reason += "; of the events at these places only some were judged";
    }
  } else if (word == judge::JudgeOutcome::gave_up && outcome == judge::JudgeOutcome::impossible) {
    proposal = candidate;
    outcome = word;
    reason = std::move(why);
  }
}

std::vector<Ruling> open_rulings(const std::vector<ProposalGroup>& groups) {
  std::vector<Ruling> rulings;
  for (const ProposalGroup& group : groups) {
    Ruling& ruling = rulings.emplace_back();
    ruling.group = &group;
    ruling.proposal = group.candidates.front();
    ruling.reason = ruling.is_judged() ? "the time for judging ran out"
                                       : "only the lock discipline was checked";
  }
  return rulings;
}

}  // namespace foretell::pipeline
