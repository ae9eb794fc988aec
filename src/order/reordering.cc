#include "order/reordering.h"

#include "order/checker.h"
#include "order/machine.h"

namespace foretell {
namespace {

std::optional<Violation> run(Machine& machine, size_t trace_size, std::span<const Position> order) {
  for (size_t i = 0; i < order.size(); ++i) {
    if (order[i] >= trace_size) return Violation{i, "there is no such event"};
    if (auto reason = machine.why_not(order[i])) return Violation{i, std::move(*reason)};
    machine.apply(order[i]);
  }
  return {};
}

}  // namespace

std::optional<Violation> check_reordering(const TraceFacts& facts,
                                          std::span<const Position> order) {
  Machine machine(facts);
  return run(machine, facts.size(), order);
}

std::optional<Violation> check_race_witness(const TraceFacts& facts,
                                            std::span<const Position> order) {
  if (order.size() < 2) return Violation{0, "a race needs two accesses"};
  const size_t prefix = order.size() - 2;
  Machine machine(facts);
  if (auto violation = run(machine, facts.size(), order.first(prefix))) return violation;
  const Position a = order[prefix], b = order[prefix + 1];
  if (a >= facts.size() || b >= facts.size()) return Violation{prefix, "there is no such event"};
  if (auto reason = machine.why_no_race(a, b)) return Violation{prefix, std::move(*reason)};
  return {};
}

std::optional<Violation> check_reordering(const Trace& trace, std::span<const Position> order) {
  return check_reordering(TraceFacts(trace), order);
}

std::optional<Violation> check_race_witness(const Trace& trace, std::span<const Position> order) {
  return check_race_witness(TraceFacts(trace), order);
}

}  // namespace foretell
