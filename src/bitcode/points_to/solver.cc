// SPDX-License-Identifier: Apache-2.0

#include "bitcode/points_to/solver.h"

#include "base/check.h"
#include "bitcode/points_to/substitution.h"

namespace foretell::bitcode {

Solver::Solver() {
  for (int i = 0; i < 3; i++) add_node();
  objects_.emplace_back();  // the unknown
  Bits unknown;
  unknown.insert(number(kUnknownTarget));
  add_targets(number(kUnknown), unknown);
}

Node Solver::add_node(NodeKind kind) {
  const auto id = static_cast<uint32_t>(rows_.size());
  rows_.push_back({.parent = id, .is_open = kind == NodeKind::open});
  return Node{id};
}

ObjectId Solver::add_object(std::optional<uint64_t> size) {
  objects_.emplace_back();
  return targets_.add_object(size);
}

void Solver::add_clone(ObjectId original, ObjectId clone) {
  objects_[number(original)].clones.push_back(clone);
  for (uint32_t i = 0; i < objects_[number(original)].cells.size(); i++) {
    const Cell cell_there = objects_[number(original)].cells[i];
    if (cell_there.written == kNone) continue;
    const uint32_t here = cell(clone, cell_there.word, cell_there.stride);
    add_edge(Node{cell_there.written}, written({clone, here}));
  }
}

uint32_t Solver::find(uint32_t node) const {
  while (rows_[node].parent != node) {
    rows_[node].parent = rows_[rows_[node].parent].parent;
    node = rows_[node].parent;
  }
  return node;
}

Solver::Uses& Solver::uses_of(uint32_t node) {
  if (!rows_[node].uses) rows_[node].uses = std::make_unique<Uses>();
  return *rows_[node].uses;
}

// --- Constraints --------------------------------------------------------------------------------
//
// One that is added while solving is applied at once to the targets that were processed before.

void Solver::point(Node node, ObjectId object, uint64_t offset) {
  Bits one;
  one.insert(number(targets_.at(object, offset)));
  add_targets(find(node), one);
}

void Solver::shift(Node from, Node to, Shift by) {
  if (by == Shift{}) return add_edge(from, to);
  const uint32_t source = find(from);
  if (source == number(kNothing)) return;
  uses_of(source).shifts.push_back({number(to), by});
  use_shift({number(to), by}, Bits(rows_[source].set));
}

void Solver::load(Node pointer, Node to, Extent extent) {
  const uint32_t source = find(pointer);
  if (source == number(kNothing) || find(to) == number(kNothing)) return;
  const Access access{number(to), extent};
  uses_of(source).loads.push_back(access);
  Bits(rows_[source].set).for_each([&](uint32_t target) { use_load(access, TargetId{target}); });
}

void Solver::store(Node pointer, Node value, Extent extent) {
  const uint32_t target_node = find(pointer);
  if (target_node == number(kNothing) || find(value) == number(kNothing)) return;
  const Access access{number(value), extent};
  uses_of(target_node).stores.push_back(access);
  Bits(rows_[target_node].set).for_each([&](uint32_t target) {
    use_store(access, TargetId{target});
  });
}

void Solver::copy_memory(Node to, Node from, Extent extent) {
  if (find(to) == number(kNothing) || find(from) == number(kNothing)) return;
  const uint64_t words = extent ? (*extent + 7) / 8 : 0;
  const bool is_whole = !extent || words > kMaxCopiedWords;
  auto buffer = std::make_shared<std::vector<uint32_t>>();
  for (uint64_t i = 0; i < (is_whole ? 1 : words); i++) buffer->push_back(number(add_node()));
  // A buffer of one word is not one for all words.
  if (is_whole) buffer->push_back(kNone);
  for (const bool is_source : {true, false}) {
    const uint32_t node = find(is_source ? from : to);
    const Copied copied{buffer, is_source};
    uses_of(node).copies.push_back(copied);
    Bits(rows_[node].set).for_each([&](uint32_t target) { use_copy(copied, TargetId{target}); });
  }
}

void Solver::watch(Node node, uint32_t watcher) {
  const uint32_t watched = find(node);
  uses_of(watched).watchers.push_back(watcher);
  Bits(rows_[watched].set).for_each([&](uint32_t target) {
    listener_.reached(watcher, targets_[TargetId{target}].object);
  });
}

void Solver::make_pending(uint32_t node) {
  if (rows_[node].is_pending) return;
  rows_[node].is_pending = true;
  pending_.push_back(node);
}

void Solver::add_targets(uint32_t node, const Bits& targets) {
  if (node == number(kNothing)) return;
  Row& row = rows_[node];
  if (row.fresh.add_new(targets, row.set)) make_pending(node);
}

void Solver::add_edge(Node from, Node to) {
  const uint32_t source = find(from), sink = find(to);
  if (source == sink || source == number(kNothing) || sink == number(kNothing)) return;
  CHECK(!is_solving_ || rows_[sink].is_open);
  if (!edges_.insert(uint64_t{source} << 32 | sink).second) return;
  counters_.edges++;
  rows_[source].edges.push_back(sink);
  if (!rows_[source].set.empty()) add_targets(sink, rows_[source].set);
}

void Solver::unite(uint32_t into, uint32_t from) {
  Row& kept = rows_[into];
  Row& gone = rows_[from];
  gone.parent = into;
  kept.is_open |= gone.is_open;
  // What only one of them has processed is new to the edges of the other.
  kept.fresh.add(gone.fresh);
  kept.fresh.add(kept.set);
  kept.fresh.add(gone.set);
  kept.set.keep_common(gone.set);
  kept.fresh.remove(kept.set);
  kept.edges.insert(kept.edges.end(), gone.edges.begin(), gone.edges.end());
  if (gone.uses) {
    Uses& all = uses_of(into);
    const auto append = [](auto& to, auto& list) { to.insert(to.end(), list.begin(), list.end()); };
    append(all.shifts, gone.uses->shifts);
    append(all.loads, gone.uses->loads);
    append(all.stores, gone.uses->stores);
    append(all.copies, gone.uses->copies);
    append(all.watchers, gone.uses->watchers);
  }
  gone.set = {};
  gone.fresh = {};
  gone.edges = {};
  gone.uses.reset();
  if (!kept.fresh.empty()) make_pending(into);
}

Bits Solver::contents_of(ObjectId object) const {
  Bits all;
  for (const Cell& cell : objects_[number(object)].cells)
    if (cell.written != kNone) all.add(targets_of(Node{cell.written}));
  return all;
}

Solver::Counters Solver::counters() const {
  Counters counters = counters_;
  counters.nodes = rows_.size();
  return counters;
}

// --- Waves --------------------------------------------------------------------------------------

void Solver::solve(Listener listener) {
  listener_ = std::move(listener);
  Substitution(*this).run();
  is_solving_ = true;
  std::vector<std::pair<uint32_t, Bits>> news;
  while (!pending_.empty()) {
    counters_.waves++;
    propagate(order_and_collapse(), news);
    for (const auto& [node, targets] : news) use(find(node), targets);
    news.clear();
  }
}

// Tarjan's components of what can be reached from the pending nodes. Each becomes one node. Returns
// them with every node before those it has edges to.
std::vector<uint32_t> Solver::order_and_collapse() {
  struct Frame {
    uint32_t node;
    size_t next = 0;
  };
  absl::flat_hash_map<uint32_t, uint32_t> low;  // kNone once it is done
  std::vector<uint32_t> order, stack;
  std::vector<Frame> path;
  uint32_t time = 0;
  const std::vector<uint32_t> roots = std::move(pending_);
  pending_.clear();
  for (uint32_t root : roots) rows_[root].is_pending = false;
  for (uint32_t one : roots) {
    const uint32_t root = find(one);
    if (low.contains(root)) continue;
    path.push_back({root});
    std::vector<uint32_t> numbers;  // by depth
    numbers.push_back(time);
    low[root] = time++;
    stack.push_back(root);
    while (!path.empty()) {
      Frame& frame = path.back();
      const uint32_t node = frame.node;
      if (frame.next < rows_[node].edges.size()) {
        const uint32_t next = find(rows_[node].edges[frame.next++]);
        const auto [at, is_new] = low.try_emplace(next, time);
        if (is_new) {
          path.push_back({next});
          numbers.push_back(time++);
          stack.push_back(next);
        } else if (at->second != kNone) {
          low[node] = std::min(low[node], at->second);
        }
        continue;
      }
      const uint32_t begin = numbers.back(), lowest = low[node];
      path.pop_back();
      numbers.pop_back();
      if (!path.empty()) low[path.back().node] = std::min(low[path.back().node], lowest);
      if (lowest != begin) continue;
      // A component ends here.
      for (;;) {
        const uint32_t member = stack.back();
        stack.pop_back();
        low[member] = kNone;
        if (member == node) break;
        unite(node, member);
        counters_.collapsed++;
      }
      order.push_back(node);
    }
  }
  std::ranges::reverse(order);
  return order;
}

void Solver::propagate(const std::vector<uint32_t>& order,
                       std::vector<std::pair<uint32_t, Bits>>& news) {
  const uint32_t escaped = find(kEscaped);
  for (uint32_t node : order) {
    if (rows_[node].fresh.empty()) continue;
    Bits fresh = std::move(rows_[node].fresh);
    rows_[node].fresh = {};
    rows_[node].set.add(fresh);
    // Edges into what was collapsed lead to the same node.
    std::vector<uint32_t>& edges = rows_[node].edges;
    size_t kept = 0;
    for (uint32_t edge : edges) {
      const uint32_t to = find(edge);
      if (to == node) continue;
      edges[kept++] = to;
      rows_[to].fresh.add_new(fresh, rows_[to].set);
    }
    edges.resize(kept);
    if (rows_[node].uses || node == escaped) news.emplace_back(node, std::move(fresh));
  }
  // Collapsing has made nodes pending that have been visited since.
  std::erase_if(pending_, [&](uint32_t node) {
    rows_[node].is_pending = !rows_[node].fresh.empty();
    return !rows_[node].is_pending;
  });
}

// --- What new targets mean ----------------------------------------------------------------------

void Solver::use(uint32_t node, const Bits& news) {
  if (node == find(kEscaped)) escape(news);
  if (!rows_[node].uses) return;
  // The lists may grow while they are walked, and then know of the new targets already.
  const Uses uses = *rows_[node].uses;
  for (const Shifted& one : uses.shifts) use_shift(one, news);
  news.for_each([&](uint32_t target) {
    for (const Access& one : uses.loads) use_load(one, TargetId{target});
    for (const Access& one : uses.stores) use_store(one, TargetId{target});
    for (const Copied& one : uses.copies) use_copy(one, TargetId{target});
    for (uint32_t watcher : uses.watchers)
      listener_.reached(watcher, targets_[TargetId{target}].object);
  });
}

void Solver::use_shift(Shifted shift, const Bits& news) {
  Bits moved;
  news.for_each(
      [&](uint32_t target) { moved.insert(number(targets_.shifted(TargetId{target}, shift.by))); });
  if (!moved.empty()) add_targets(find(shift.to), moved);
}

void Solver::use_load(const Access& load, TargetId target) {
  if (target == kUnknownTarget) return add_edge(kUnknown, Node{load.other});
  for (const Place& place : cells_at(target, load.extent)) add_edge(read(place), Node{load.other});
}

void Solver::use_store(const Access& store, TargetId target) {
  if (target == kUnknownTarget) return add_edge(Node{store.other}, kEscaped);
  for (const Place& place : cells_at(target, store.extent))
    add_edge(Node{store.other}, written(place));
}

void Solver::use_copy(const Copied& copied, TargetId target) {
  const std::vector<uint32_t>& words = *copied.words;
  const bool is_whole = words.back() == kNone;
  const Target& at = targets_[target];
  const auto connect = [&](Node word, Place place) {
    if (copied.is_source)
      add_edge(read(place), word);
    else
      add_edge(word, written(place));
  };
  if (target == kUnknownTarget) {
    for (uint32_t word : words) {
      if (word == kNone) break;
      if (copied.is_source)
        add_edge(kUnknown, Node{word});
      else
        add_edge(Node{word}, kEscaped);
    }
    return;
  }
  const ObjectId object = at.object;
  const bool is_aligned = at.offset % 8 == 0 && at.stride % 8 == 0;
  if (is_whole || !is_aligned) {
    for (uint32_t word : words)
      if (word != kNone) connect(Node{word}, {object, any_cell(object)});
    return;
  }
  const uint32_t first = at.offset / 8, stride = at.stride / 8;
  for (uint32_t i = 0; i < words.size(); i++) {
    const uint32_t word = stride == 0 ? first + i : (first + i) % stride;
    connect(Node{words[i]}, {object, cell(object, word, stride)});
  }
}

void Solver::escape(const Bits& news) {
  news.for_each([&](uint32_t target) {
    const ObjectId object = targets_[TargetId{target}].object;
    if (object == kUnknownObject || objects_[number(object)].has_escaped) return;
    objects_[number(object)].has_escaped = true;
    const Place any{object, any_cell(object)};
    add_edge(read(any), kEscaped);
    add_edge(kUnknown, written(any));
    listener_.escaped(object);
  });
}

}  // namespace foretell::bitcode
