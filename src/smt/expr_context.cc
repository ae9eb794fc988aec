#include "smt/expr_context.h"

#include <algorithm>

#include "base/check.h"
#include "smt/operators.h"

namespace foretell::smt {
namespace {

// A fixed mixing function: structural hashes order operands, so they must be the same in every run.
uint64_t mix(uint64_t hash, uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15 + (hash << 6) + (hash >> 2);
  hash *= 0xff51afd7ed558ccd;
  return hash ^ (hash >> 33);
}

uint64_t mix_text(uint64_t hash, std::string_view text) {
  for (char c : text) hash = mix(hash, static_cast<unsigned char>(c));
  return mix(hash, text.size());
}

}  // namespace

bool ExprContext::SameNode::operator()(Expr e, const Shape& s) const {
  if (e.kind() != s.kind || e.sort() != s.sort || e.low() != s.low) return false;
  if (s.value != nullptr) return e.value() == *s.value;
  if (s.kind == ExprKind::variable) return e.name() == s.name;
  return std::ranges::equal(e.operands(), s.operands);
}

Expr ExprContext::intern(Shape shape) {
  uint64_t hash = mix(static_cast<uint64_t>(shape.kind), static_cast<uint64_t>(shape.sort.kind));
  hash = mix(mix(mix(hash, shape.sort.width), shape.sort.index_width), shape.low);
  for (Expr operand : shape.operands) hash = mix(hash, operand.structural_hash());
  if (shape.value != nullptr) {
    for (size_t i = 0; i < shape.value->word_count(); ++i) hash = mix(hash, shape.value->word(i));
  }
  shape.hash = mix_text(hash, shape.name);
  if (auto found = nodes_.find(shape); found != nodes_.end()) return *found;

  std::pmr::polymorphic_allocator<> allocator(&memory_);
  Expr* operands = nullptr;
  if (!shape.operands.empty()) {
    operands = static_cast<Expr*>(
        allocator.allocate_bytes(shape.operands.size() * sizeof(Expr), alignof(Expr)));
    std::uninitialized_copy(shape.operands.begin(), shape.operands.end(), operands);
  }
  SortsUsed sorts = sorts_used(shape.operands);
  sorts.add(shape.sort);
  auto* node = allocator.new_object<Expr::Node>(
      Expr::Node{.kind = shape.kind,
                 .sorts_used = sorts,
                 .sort = shape.sort,
                 .id = static_cast<uint32_t>(nodes_.size()),
                 .low = shape.low,
                 .operand_count = static_cast<uint32_t>(shape.operands.size()),
                 .hash = shape.hash,
                 .operands = operands,
                 .value = shape.value == nullptr ? nullptr : &values_.emplace_back(*shape.value),
                 .name = nullptr});
  if (shape.kind == ExprKind::variable) node->name = &names_.emplace_back(shape.name);
  return *nodes_.insert(Expr(node)).first;
}

Expr ExprContext::make(ExprKind kind, Sort sort, std::initializer_list<Expr> operands,
                       uint32_t low) {
  return intern({.kind = kind,
                 .sort = sort,
                 .low = low,
                 .operands = std::span(operands.begin(), operands.size())});
}

Expr ExprContext::fold(ExprKind kind, Sort sort, std::initializer_list<Expr> operands,
                       uint32_t low) {
  if (!std::ranges::all_of(operands, &Expr::is_constant)) return make(kind, sort, operands, low);
  std::vector<const Bits*> values;
  for (Expr operand : operands) values.push_back(&operand.value());
  const Bits result = apply(kind, sort, low, values);
  return sort.kind == SortKind::boolean ? boolean(result.is_true()) : constant(result);
}

Expr ExprContext::variable(std::string_view name, Sort sort) {
  auto found = variables_.find(name);
  if (found != variables_.end()) {
    CHECK(found->second.sort() == sort);
    return found->second;
  }
  const Expr made = intern({.kind = ExprKind::variable, .sort = sort, .name = name});
  variables_.emplace(made.name(), made);
  return made;
}

Expr ExprContext::constant(const Bits& value) {
  return intern({.kind = ExprKind::constant, .sort = Sort::bits(value.width()), .value = &value});
}

Expr ExprContext::boolean(bool value) {
  const Bits bit = Bits::of(value);
  return intern({.kind = ExprKind::constant, .sort = Sort::boolean(), .value = &bit});
}

Expr ExprContext::substitute(Expr e, const absl::flat_hash_map<Expr, Expr>& replacements) {
  absl::flat_hash_map<Expr, Expr> done;
  std::vector<Expr> operands;
  for (Expr part : post_order({&e, 1})) {
    if (auto found = replacements.find(part); found != replacements.end()) {
      CHECK(part.kind() == ExprKind::variable && part.sort() == found->second.sort());
      done.emplace(part, found->second);
      continue;
    }
    operands.clear();
    for (Expr operand : part.operands()) operands.push_back(done.at(operand));
    const bool is_same = std::ranges::equal(operands, part.operands());
    done.emplace(part, is_same ? part : rebuild(part, operands));
  }
  return done.at(e);
}

Expr ExprContext::rebuild(Expr e, std::span<const Expr> o) {
  switch (e.kind()) {
    case ExprKind::variable:
    case ExprKind::constant:
      return e;
    case ExprKind::negation:
      return negation(o[0]);
    case ExprKind::complement:
      return complement(o[0]);
    case ExprKind::add:
      return add(o[0], o[1]);
    case ExprKind::subtract:
      return subtract(o[0], o[1]);
    case ExprKind::multiply:
      return multiply(o[0], o[1]);
    case ExprKind::udiv:
      return udiv(o[0], o[1]);
    case ExprKind::urem:
      return urem(o[0], o[1]);
    case ExprKind::sdiv:
      return sdiv(o[0], o[1]);
    case ExprKind::srem:
      return srem(o[0], o[1]);
    case ExprKind::bit_and:
      return bit_and(o[0], o[1]);
    case ExprKind::bit_or:
      return bit_or(o[0], o[1]);
    case ExprKind::bit_xor:
      return bit_xor(o[0], o[1]);
    case ExprKind::shl:
      return shl(o[0], o[1]);
    case ExprKind::lshr:
      return lshr(o[0], o[1]);
    case ExprKind::ashr:
      return ashr(o[0], o[1]);
    case ExprKind::concat:
      return concat(o[0], o[1]);
    case ExprKind::extract:
      return extract(o[0], e.low(), e.width());
    case ExprKind::zero_extend:
      return zero_extend(o[0], e.width());
    case ExprKind::sign_extend:
      return sign_extend(o[0], e.width());
    case ExprKind::ult:
      return ult(o[0], o[1]);
    case ExprKind::slt:
      return slt(o[0], o[1]);
    case ExprKind::equal:
      return equal(o[0], o[1]);
    case ExprKind::before:
      return before(o[0], o[1]);
    case ExprKind::logical_not:
      return logical_not(o[0]);
    case ExprKind::logical_and:
      return logical_and(o);
    case ExprKind::logical_or:
      return logical_or(o);
    case ExprKind::ite:
      return ite(o[0], o[1], o[2]);
    case ExprKind::constant_array:
      return constant_array(e.sort().index_width, o[0]);
    case ExprKind::select:
      return select(o[0], o[1]);
    case ExprKind::store:
      return store(o[0], o[1], o[2]);
  }
  CHECK(false);
  return e;
}

}  // namespace foretell::smt
