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
  const uint64_t words = extent ? (*extent + word_ - 1) / word_ : 0;
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
  // What has escaped or been widened late leaves no trace of the order of the waves.
  for (uint32_t node = 0; node < rows_.size(); node++) {
    if (rows_[node].parent != node || node == find(kEscaped)) continue;
    Bits set = rows_[node].set;
    drop_narrower(set, rows_[node].set);
    rows_[node].set = std::move(set);
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
    if (node != escaped) drop_narrower(fresh, rows_[node].set);
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

// Who may point to any byte of an object need not be told of single bytes, and who may point to the
// unknown need not be told of what has escaped.
void Solver::drop_narrower(Bits& fresh, const Bits& set) const {
  Bits narrower;
  const bool has_unknown =
      set.contains(number(kUnknownTarget)) || fresh.contains(number(kUnknownTarget));
  fresh.for_each([&](uint32_t target) {
    if (has_unknown && objects_[number(targets_[TargetId{target}].object)].has_escaped) {
      narrower.insert(target);
      return;
    }
    const std::optional<TargetId> wider = targets_.wider(TargetId{target});
    if (wider && (set.contains(number(*wider)) || fresh.contains(number(*wider))))
      narrower.insert(target);
  });
  if (!narrower.empty()) fresh.remove(narrower);
}

// --- What new targets mean ----------------------------------------------------------------------

void Solver::use(uint32_t node, const Bits& news) {
  if (node == find(kEscaped)) escape(news);
  if (!rows_[node].uses) return;
  // Listeners may add constraints, which are applied to the new targets when they are added.
  const Uses& uses = *rows_[node].uses;
  const size_t shifts = uses.shifts.size(), loads = uses.loads.size(), stores = uses.stores.size(),
               copies = uses.copies.size(), watchers = uses.watchers.size();
  for (size_t i = 0; i < shifts; i++) use_shift(Shifted(uses.shifts[i]), news);
  news.for_each([&](uint32_t number) {
    const TargetId target{number};
    for (size_t i = 0; i < loads; i++) use_load(Access(uses.loads[i]), target);
    for (size_t i = 0; i < stores; i++) use_store(Access(uses.stores[i]), target);
    for (size_t i = 0; i < copies; i++) use_copy(Copied(uses.copies[i]), target);
    for (size_t i = 0; i < watchers; i++)
      listener_.reached(uint32_t{uses.watchers[i]}, targets_[target].object);
  });
}

// The cells an access touches.
template <class F>
void Solver::for_each_cell(TargetId target, Extent extent, F visit) {
  const Target at = targets_[target];
  const uint64_t bytes = std::max<uint64_t>(extent.value_or(0), 1);
  const uint64_t first = at.offset / word_, last = (at.offset + bytes - 1) / word_;
  if (!extent || at.stride % word_ != 0 || last - first >= kMaxCopiedWords)
    return visit(Place{at.object, any_cell(at.object)});
  const uint32_t stride = at.stride / word_;
  for (uint64_t word = first; word <= last; word++) {
    const auto residue = static_cast<uint32_t>(stride == 0 ? word : word % stride);
    visit(Place{at.object, cell(at.object, residue, stride)});
  }
}

void Solver::use_shift(Shifted shift, const Bits& news) {
  Bits moved;
  news.for_each(
      [&](uint32_t target) { moved.insert(number(targets_.shifted(TargetId{target}, shift.by))); });
  if (!moved.empty()) add_targets(find(shift.to), moved);
}

void Solver::use_load(const Access& load, TargetId target) {
  if (is_open_to_all(target)) return add_edge(kUnknown, Node{load.other});
  for_each_cell(target, load.extent, [&](Place place) { add_edge(read(place), Node{load.other}); });
}

void Solver::use_store(const Access& store, TargetId target) {
  if (is_open_to_all(target)) return add_edge(Node{store.other}, kEscaped);
  for_each_cell(target, store.extent,
                [&](Place place) { add_edge(Node{store.other}, written(place)); });
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
  if (is_open_to_all(target)) {
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
  const bool is_aligned = at.offset % word_ == 0 && at.stride % word_ == 0;
  if (is_whole || !is_aligned) {
    for (uint32_t word : words)
      if (word != kNone) connect(Node{word}, {object, any_cell(object)});
    return;
  }
  const uint32_t first = at.offset / word_, stride = at.stride / word_;
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
