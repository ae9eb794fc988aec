// SPDX-License-Identifier: Apache-2.0

#include "explore/hidden_input.h"

#include <fmt/format.h>

namespace foretell::explore {
namespace {

using judge::Position;

constexpr bool may_be_address(uint64_t value) {
  constexpr uint64_t kLowest = uint64_t{1} << 32;
  return value >= kLowest;
}

std::string place_of(const judge::TraceFacts& facts, Position p) {
  const std::string site = facts.trace.tables.site_name(facts.event(p).site);
  return site.empty() ? "a place that is not known" : site;
}

}  // namespace

std::optional<std::string> HiddenInput::look_at(const ExploredRun& run) {
  const judge::TraceFacts& facts = run.facts();
  const Histories& histories = run.histories();
  std::optional<std::string> found;
  for (const Histories::Step& step : histories.steps()) {
    const auto [known, fresh] = steps_.try_emplace(step.before, step.step);
    if (!fresh && known->second != step.step && !found) {
      found = fmt::format(
          "a thread that had read the same as in another run went another way before {}",
          place_of(facts, step.position));
    }
    const trace::Event& e = facts.event(step.position);
    if (!is_access(e.kind) || !e.has_value()) continue;
    const auto [first, end] = pieces_of(facts, step.position);
    if (end - first > 1) continue;
    const uint64_t value = e.kind == trace::EventKind::AtomicRmw ? e.read_value() : e.value;
    const auto [before, is_new] = values_.try_emplace(histories.of(step.position), value);
    const bool differs = !is_new && before->second != value;
    if (differs && !(may_be_address(value) && may_be_address(before->second)) && !found) {
      found = fmt::format("the value at {} differs between runs in which the same was read before",
                          place_of(facts, step.position));
    }
  }
  return found;
}

}  // namespace foretell::explore
