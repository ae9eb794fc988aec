// SPDX-License-Identifier: Apache-2.0

// What objects hold, by words: see solver.h.

#include <numeric>

#include "bitcode/points_to/solver.h"

namespace foretell::bitcode {
namespace {

// Whether two cells, each a word or the words of a residue, have a word in common.
bool overlap(uint32_t word, uint32_t stride, uint32_t other_word, uint32_t other_stride) {
  const uint32_t common = std::gcd(stride, other_stride);
  if (common == 0) return word == other_word;
  return word % common == other_word % common;
}

}  // namespace

uint32_t Solver::cell(ObjectId object, uint32_t word, uint32_t stride) {
  Object& row = objects_[number(object)];
  const auto known = row.places.find({word, stride});
  if (known != row.places.end()) return known->second;
  if (stride != 1 && row.cells.size() >= kMaxCells) return cell(object, 0, 1);
  const auto place = static_cast<uint32_t>(row.cells.size());
  row.cells.push_back({.word = word, .stride = stride});
  row.places.emplace(std::pair{word, stride}, place);
  return place;
}

Node Solver::written(Place place) {
  const auto [object, at] = place;
  const auto row = [&]() -> Object& { return objects_[number(object)]; };
  if (row().cells[at].written == kNone) {
    const Node node = add_node();
    row().cells[at].written = number(node);
    const Cell here = row().cells[at];
    for (size_t i = 0; i < row().cells.size(); i++) {
      const Cell& other = row().cells[i];
      if (other.read != kNone && overlap(here.word, here.stride, other.word, other.stride))
        add_edge(node, Node{other.read});
    }
    for (size_t i = 0; i < row().clones.size(); i++) {
      const ObjectId clone = row().clones[i];
      add_edge(node, written({clone, cell(clone, here.word, here.stride)}));
    }
  }
  return Node{row().cells[at].written};
}

Node Solver::read(Place place) {
  const auto [object, at] = place;
  const auto row = [&]() -> Object& { return objects_[number(object)]; };
  if (row().cells[at].read == kNone) {
    const Node node = add_node();
    row().cells[at].read = number(node);
    const Cell here = row().cells[at];
    for (size_t i = 0; i < row().cells.size(); i++) {
      const Cell& other = row().cells[i];
      if (other.written != kNone && overlap(here.word, here.stride, other.word, other.stride))
        add_edge(Node{other.written}, node);
    }
  }
  return Node{row().cells[at].read};
}

}  // namespace foretell::bitcode
