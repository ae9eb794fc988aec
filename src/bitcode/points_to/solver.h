// SPDX-License-Identifier: Apache-2.0

// Inclusion constraints between sets of targets, and their smallest solution (Andersen, "Program
// analysis and specialization for the C programming language", 1994).
//
// A node is a variable whose set grows: a register of the program, or what a part of an object
// holds. Constraints say that one set contains another, if necessary by way of memory: `load` and
// `store` relate a node to whatever the targets of a pointer hold.
//
// What objects hold is kept in cells of 8 bytes, since a pointer may be copied byte by byte. A cell
// is a word of the object, or the words of one residue, as targets are. Cells overlap; so each has
// a set of what is written there and a set of what is read there, and what is written to a cell is
// read from all that overlap it. An access at an unknown offset does not collapse the object.
//
// The unknown is a single target that stands for all objects that have escaped. The members of
// `escaped` are those objects. What they hold escapes, and code nobody can see may have written a
// pointer to any of them there. (The idea: Krogstie and others, "PIP: making Andersen's
// points-to analysis sound and practical for incomplete C programs", CGO 2026.)
//
// Solving is by waves (Pereira, Berlin, "Wave propagation and deep propagation for pointer
// analysis", CGO 2009): collapse cycles, send what is new along the edges in topological order, then
// look at what the new targets mean for loads, stores, shifts and calls, which adds edges. Both look
// only at what has changed. Before that, nodes whose sets are the same for certain become one
// (substitution.h).
#pragma once

#include <absl/container/flat_hash_map.h>
#include <absl/container/flat_hash_set.h>

#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "bitcode/points_to/bits.h"
#include "bitcode/points_to/targets.h"

namespace foretell::bitcode {

enum class Node : uint32_t {};
// The node of values that are no pointers. Its set stays empty.
inline constexpr Node kNothing{0};

constexpr uint32_t number(Node node) {
  return static_cast<uint32_t>(node);
}

// How many bytes an access touches; nothing means from its target to anywhere.
using Extent = std::optional<uint64_t>;

// Whether constraints on what the node contains may still be added while solving.
enum class NodeKind : uint8_t { open, closed };

class Solver {
 public:
  Solver();
  // Bytes of a pointer; before anything is added.
  void set_word(uint32_t bytes) { word_ = bytes; }

  Node add_node(NodeKind kind = NodeKind::open);
  ObjectId add_object(std::optional<uint64_t> size);
  // Whatever `original` holds, `clone` holds at the same place.
  void add_clone(ObjectId original, ObjectId clone);

  void point(Node node, ObjectId object, uint64_t offset = 0);
  void copy(Node from, Node to) { add_edge(from, to); }
  void shift(Node from, Node to, Shift by);
  void load(Node pointer, Node to, Extent extent);
  void store(Node pointer, Node value, Extent extent);
  void copy_memory(Node to, Node from, Extent extent);
  // `reached` is told of every object the node may point to.
  void watch(Node node, uint32_t watcher);

  // Pointers that code nobody can see may hold.
  Node escaped() const { return kEscaped; }
  // A node that points to the unknown.
  Node unknown() const { return kUnknown; }

  struct Listener {
    std::function<void(uint32_t watcher, ObjectId object)> reached;
    std::function<void(ObjectId object)> escaped;
  };
  void solve(Listener listener);

  const Bits& targets_of(Node node) const { return rows_[find(node)].set; }
  // Nodes with one representative have one set.
  Node representative(Node node) const { return Node{find(node)}; }
  const Targets& targets() const { return targets_; }
  bool has_escaped(ObjectId object) const { return objects_[number(object)].has_escaped; }
  // All that is written into the object.
  Bits contents_of(ObjectId object) const;

  struct Counters {
    uint64_t nodes = 0, substituted = 0, collapsed = 0, edges = 0, waves = 0;
  };
  Counters counters() const;

 private:
  friend class Substitution;

  static constexpr Node kEscaped{1}, kUnknown{2};
  static constexpr uint32_t kNone = ~uint32_t{0};
  // An object with more cells than this has one more, which is any of its words.
  static constexpr size_t kMaxCells = 256;
  // Structures of more words are copied as a whole.
  static constexpr uint64_t kMaxCopiedWords = 64;

  struct Shifted {
    uint32_t to;
    Shift by;
  };
  struct Access {
    uint32_t other;  // the node loaded into, or stored
    Extent extent;
  };
  // A copy of memory goes through nodes of its own, one for each word, or one for all.
  struct Copied {
    std::shared_ptr<const std::vector<uint32_t>> words;
    bool is_source;
  };
  // What new targets of a node mean.
  struct Uses {
    std::vector<Shifted> shifts;
    std::vector<Access> loads, stores;
    std::vector<Copied> copies;
    std::vector<uint32_t> watchers;
  };
  struct Row {
    mutable uint32_t parent = 0;  // shortened by find
    bool is_open = false;
    bool is_pending = false;
    Bits set;    // processed
    Bits fresh;  // not yet; has no member of `set`
    std::vector<uint32_t> edges;
    std::unique_ptr<Uses> uses;
  };
  struct Cell {
    uint32_t word = 0, stride = 0;
    uint32_t written = kNone, read = kNone;  // nodes
  };
  struct Object {
    std::vector<Cell> cells;
    absl::flat_hash_map<std::pair<uint32_t, uint32_t>, uint32_t> places;
    std::vector<ObjectId> clones;
    bool has_escaped = false;
  };
  using Place = std::pair<ObjectId, uint32_t>;  // of a cell

  uint32_t find(Node node) const { return find(number(node)); }
  uint32_t find(uint32_t node) const;
  Uses& uses_of(uint32_t node);
  void unite(uint32_t into, uint32_t from);
  void add_edge(Node from, Node to);
  void add_targets(uint32_t node, const Bits& targets);
  void make_pending(uint32_t node);

  // One wave.
  std::vector<uint32_t> order_and_collapse();
  void propagate(const std::vector<uint32_t>& order, std::vector<std::pair<uint32_t, Bits>>& news);
  void drop_narrower(Bits& fresh, const Bits& set) const;
  void use(uint32_t node, const Bits& news);
  void use_shift(Shifted shift, const Bits& news);
  // What has escaped may hold whatever has, and what is stored there escapes: no need to ask where,
  // except for clones that have not.
  bool is_open_to_all(TargetId target) const {
    const Object& object = objects_[number(targets_[target].object)];
    return target == kUnknownTarget || (object.has_escaped && object.clones.empty());
  }
  void use_load(const Access& load, TargetId target);
  void use_store(const Access& store, TargetId target);
  void use_copy(const Copied& copied, TargetId target);
  void escape(const Bits& news);

  // Cells
  uint32_t cell(ObjectId object, uint32_t word, uint32_t stride);
  uint32_t any_cell(ObjectId object) { return cell(object, 0, 1); }
  template <class F>
  void for_each_cell(TargetId target, Extent extent, F visit);
  Node written(Place place);
  Node read(Place place);

  uint32_t word_ = 8;
  Targets targets_;
  std::vector<Row> rows_;
  std::vector<Object> objects_;
  std::vector<uint32_t> pending_;
  absl::flat_hash_set<uint64_t> edges_;
  Listener listener_;
  bool is_solving_ = false;
  Counters counters_;
};

}  // namespace foretell::bitcode
