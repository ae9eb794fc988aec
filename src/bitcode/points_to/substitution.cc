// SPDX-License-Identifier: Apache-2.0

#include "bitcode/points_to/substitution.h"

#include <algorithm>

namespace foretell::bitcode {

void Substitution::run() {
  const size_t count = solver_.rows_.size();
  collect_sources();
  states_.resize(count);
  labels_.resize(count);
  for (uint32_t node = 0; node < count; node++) label_from(node);
  absl::flat_hash_map<Label, uint32_t> first = {{kEmpty, number(kNothing)}};
  for (uint32_t node = 0; node < count; node++) {
    if (node == number(kNothing)) continue;
    const auto [at, is_new] = first.try_emplace(labels_[node], node);
    if (is_new) continue;
    solver_.unite(at->second, node);
    solver_.counters_.substituted++;
  }
  // What is asked of nothing has no answer.
  Solver::Row& nothing = solver_.rows_[number(kNothing)];
  nothing.edges.clear();
  nothing.uses.reset();
}

void Substitution::collect_sources() {
  const std::vector<Solver::Row>& rows = solver_.rows_;
  sources_.resize(rows.size());
  for (uint32_t node = 0; node < rows.size(); node++) {
    for (uint32_t to : rows[node].edges)
      if (!rows[to].is_open) sources_[to].push_back({node, {}});
    if (!rows[node].uses) continue;
    for (const Solver::Shifted& shift : rows[node].uses->shifts)
      if (!rows[shift.to].is_open) sources_[shift.to].push_back({node, shift.by});
  }
}

// Depth first, sources before what is made of them. A node that is its own source is as good as
// open: the cycle is collapsed by the first wave.
void Substitution::label_from(uint32_t root) {
  if (states_[root] != State::unseen) return;
  std::vector<std::pair<uint32_t, size_t>> path = {{root, 0}};
  states_[root] = State::open;
  while (!path.empty()) {
    auto& [node, next] = path.back();
    if (next < sources_[node].size()) {
      const uint32_t source = sources_[node][next++].node;
      if (states_[source] == State::unseen) {
        states_[source] = State::open;
        path.emplace_back(source, 0);
      }
      continue;
    }
    labels_[node] = label_of(node);
    states_[node] = State::done;
    path.pop_back();
  }
}

Substitution::Label Substitution::label_of(uint32_t node) {
  if (node == number(kNothing)) return kEmpty;
  const Solver::Row& row = solver_.rows_[node];
  if (row.is_open) return Label{next_++};
  std::vector<Label> parts;
  for (const Source& source : sources_[node]) {
    if (states_[source.node] != State::done) return Label{next_++};
    parts.push_back(shifted(labels_[source.node], source.by));
  }
  row.fresh.for_each([&](uint32_t target) {
    const auto [at, is_new] = of_target_.try_emplace(target, Label{next_});
    if (is_new) next_++;
    parts.push_back(at->second);
  });
  std::erase(parts, kEmpty);
  std::ranges::sort(parts);
  parts.erase(std::unique(parts.begin(), parts.end()), parts.end());
  if (parts.empty()) return kEmpty;
  if (parts.size() == 1) return parts.front();
  const auto [at, is_new] = of_union_.try_emplace(std::move(parts), Label{next_});
  if (is_new) next_++;
  return at->second;
}

Substitution::Label Substitution::shifted(Label from, Shift by) {
  if (from == kEmpty || by == Shift{}) return from;
  const auto [at, is_new] = of_shift_.try_emplace({from, by.offset, by.stride}, Label{next_});
  if (is_new) next_++;
  return at->second;
}

}  // namespace foretell::bitcode
