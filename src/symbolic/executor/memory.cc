// SPDX-License-Identifier: Apache-2.0

#include "symbolic/executor/memory.h"

#include <algorithm>
#include <iterator>

namespace foretell::symbolic {
namespace {

uint64_t bytes_of(const Value& value) {
  return (uint64_t{value.width} + 7) / 8;
}

bool is_plain(const Value& value) {
  return value.kind == Value::Kind::integer && !value.term && !value.opaque;
}

using Ranges = std::map<uint64_t, uint64_t>;  // by beginning, their ends

void forget(Ranges& ranges, uint64_t from, uint64_t to) {
  auto at = ranges.lower_bound(to);
  while (at != ranges.begin()) {
    --at;
    const auto [begin, end] = *at;
    if (end <= from) return;
    at = ranges.erase(at);
    if (to < end) at = ranges.emplace(to, end).first;
    if (begin < from) at = ranges.emplace(begin, from).first;
    if (begin < from) return;
  }
}

// Neighbors become one.
void add_range(Ranges& ranges, uint64_t from, uint64_t to) {
  forget(ranges, from, to);
  const auto next = ranges.lower_bound(to);
  if (next != ranges.end() && next->first == to) {
    to = next->second;
    ranges.erase(next);
  }
  const auto at = ranges.lower_bound(from);
  if (at != ranges.begin() && std::prev(at)->second == from)
    std::prev(at)->second = to;
  else
    ranges[from] = to;
}

}  // namespace

Memory::Memory(smt::ExprContext& context) : context_(&context) {
  objects_.push_back({.name = "null"});
}

ObjectNumber Memory::add(Object object) {
  object.bytes.resize(object.size);
  objects_.push_back(std::move(object));
  return ObjectNumber{static_cast<uint32_t>(objects_.size() - 1)};
}

Value Memory::byte_of(const Object& object, uint64_t offset) const {
  Value byte = Value::integer(8, object.bytes[offset]);
  auto at = object.cells.upper_bound(offset);
  if (at == object.cells.begin()) return byte;
  --at;
  const uint64_t into = offset - at->first;
  if (into >= bytes_of(at->second)) return byte;
  const Value& cell = at->second;
  if (cell.kind == Value::Kind::integer || cell.kind == Value::Kind::real) {
    byte.bits = cell.bits >> (into * 8) & 0xff;
    byte.opaque = cell.opaque;
    if (cell.term) {
      const smt::Expr whole =
          context_->zero_extend(*cell.term, static_cast<uint32_t>(bytes_of(cell) * 8));
      byte.term = context_->extract(whole, static_cast<uint32_t>(into * 8), 8);
      if (byte.term->is_constant()) byte.term.reset();
    }
  } else {
    byte.opaque = true;  // an address has no bytes
  }
  return byte;
}

// Words of four bytes at most, at their natural places: however they are read, they are the same.
void Memory::reveal(ObjectNumber of, uint64_t from, uint64_t to) {
  Object& object = (*this)[of];
  for (uint64_t at = from; at < to && !object.unknown.empty();) {
    auto interval = object.unknown.upper_bound(at);
    if (interval == object.unknown.begin() || std::prev(interval)->second <= at) {
      if (interval == object.unknown.end() || interval->first >= to) return;
      at = interval->first;
    } else {
      --interval;
    }
    const auto [begin, end] = *interval;
    const uint64_t first = std::max(begin, at / 4 * 4), last = std::min(end, at / 4 * 4 + 4);
    const Value value = reveal_ ? reveal_(of, first, last - first)
                                : Value::integer(static_cast<uint8_t>((last - first) * 8), 0);
    store(of, first, last - first, value);
    at = last;
  }
}

// As wide as it is read: what a number was read from is one cell.
void Memory::reveal_opaque(ObjectNumber of, uint64_t from, uint64_t to) {
  Object& object = (*this)[of];
  while (!object.havocked.empty()) {
    auto interval = object.havocked.upper_bound(from);
    if (interval != object.havocked.begin() && std::prev(interval)->second > from) --interval;
    if (interval == object.havocked.end() || interval->first >= to) return;
    const uint64_t first = std::max(from, interval->first);
    const uint64_t last = std::min({to, interval->second, first + 8});
    Value value = Value::integer(static_cast<uint8_t>((last - first) * 8), 0);
    value.opaque = true;
    value.mark = new_mark();
    store(of, first, last - first, value);
    from = last;
    if (from >= to) return;
  }
}

void Memory::settle_opaque() {
  for (Object& object : objects_) {
    object.havocked.clear();
    for (auto& [offset, cell] : object.cells)
      if (cell.kind == Value::Kind::integer) cell.opaque = false;
  }
}

Value Memory::load(ObjectNumber from, uint64_t offset, uint64_t bytes) {
  if (!(*this)[from].unknown.empty()) reveal(from, offset, offset + bytes);
  if (!(*this)[from].havocked.empty()) reveal_opaque(from, offset, offset + bytes);
  const Object& object = (*this)[from];
  if (const auto cell = object.cells.find(offset);
      cell != object.cells.end() && bytes_of(cell->second) == bytes)
    return cell->second;
  Value value = Value::integer(static_cast<uint8_t>(bytes * 8), 0);
  std::optional<smt::Expr> term;
  bool symbolic = false;
  std::vector<Value> parts;
  for (uint64_t i = 0; i < bytes; i++) {
    parts.push_back(byte_of(object, offset + i));
    value.bits |= parts.back().bits << (i * 8);
    value.opaque |= parts.back().opaque;
    symbolic |= parts.back().term.has_value();
  }
  if (!symbolic || value.opaque) return value;
  for (const Value& part : parts) {
    const smt::Expr one = part.term ? *part.term : context_->constant(8, part.bits);
    term = term ? context_->concat(one, *term) : one;
  }
  if (!term->is_constant()) value.term = term;
  return value;
}

// No cell lies across the borders of [from, to) or inside it any more.
void Memory::split(Object& object, uint64_t from, uint64_t to) {
  auto at = object.cells.upper_bound(from);
  if (at != object.cells.begin()) --at;
  while (at != object.cells.end() && at->first < to) {
    const uint64_t begin = at->first, end = begin + bytes_of(at->second);
    if (end <= from) {
      ++at;
      continue;
    }
    std::vector<std::pair<uint64_t, Value>> rest;
    for (uint64_t offset = begin; offset < end; offset++)
      if (offset < from || offset >= to) rest.emplace_back(offset, byte_of(object, offset));
    at = object.cells.erase(at);
    for (const auto& [offset, byte] : rest) {
      object.bytes[offset] = static_cast<uint8_t>(byte.bits);
      if (!is_plain(byte)) object.cells.emplace(offset, byte);
    }
    at = object.cells.lower_bound(end);
  }
}

void Memory::make_unknown(ObjectNumber of, uint64_t from, uint64_t to) {
  Object& object = (*this)[of];
  split(object, from, to);
  forget(object.havocked, from, to);
  add_range(object.unknown, from, to);
}

void Memory::make_opaque(ObjectNumber of, uint64_t from, uint64_t to) {
  if (from >= to) return;
  Object& object = (*this)[of];
  split(object, from, to);
  forget(object.unknown, from, to);
  std::fill(object.bytes.begin() + static_cast<ptrdiff_t>(from),
            object.bytes.begin() + static_cast<ptrdiff_t>(to), 0);
  add_range(object.havocked, from, to);
}

void Memory::store(ObjectNumber to, uint64_t offset, uint64_t bytes, const Value& value) {
  Object& object = (*this)[to];
  split(object, offset, offset + bytes);
  if (!object.unknown.empty()) forget(object.unknown, offset, offset + bytes);
  if (!object.havocked.empty()) forget(object.havocked, offset, offset + bytes);
  for (uint64_t i = 0; i < bytes; i++)
    object.bytes[offset + i] = i < 8 ? static_cast<uint8_t>(value.bits >> (i * 8)) : 0;
  if (!is_plain(value)) object.cells[offset] = value;
}

void Memory::copy(ObjectNumber to, uint64_t to_offset, ObjectNumber from, uint64_t from_offset,
                  uint64_t bytes) {
  if (bytes == 0) return;
  if (!(*this)[from].unknown.empty()) reveal(from, from_offset, from_offset + bytes);
  if (!(*this)[from].havocked.empty()) reveal_opaque(from, from_offset, from_offset + bytes);
  const Object source = (*this)[from];
  Object& object = (*this)[to];
  split(object, to_offset, to_offset + bytes);
  for (uint64_t i = 0; i < bytes; i++) {
    const auto cell = source.cells.find(from_offset + i);
    if (cell != source.cells.end() && i + bytes_of(cell->second) <= bytes) {
      store(to, to_offset + i, bytes_of(cell->second), cell->second);
      i += bytes_of(cell->second) - 1;
      continue;
    }
    store(to, to_offset + i, 1, byte_of(source, from_offset + i));
  }
}

}  // namespace foretell::symbolic
