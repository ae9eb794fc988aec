// SPDX-License-Identifier: Apache-2.0

#include "symbolic/epochs/join.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>

#include "symbolic/executor/thread_handles.h"

namespace foretell::symbolic {
namespace {

uint64_t size_of(const Value& value) {
  return (uint64_t{value.width} + 7) / 8;
}

// More differing places of one object than this are not told apart before they are read.
constexpr size_t kMostPlaces = 64;

class Joiner {
 public:
  Joiner(const program::Code& code, const Markers& markers, smt::ExprContext& context,
         Inputs& inputs, uint32_t epoch, const ProgramState* known, ProgramState& end,
         const Stability& stability)
      : code_(code),
        markers_(markers),
        context_(context),
        inputs_(inputs),
        epoch_(epoch),
        first_(known == nullptr),
        known_(known ? *known : end),
        end_(end),
        stability_(stability),
        joined_{.state = known ? *known : end} {}

  Joined run();

 private:
  struct Region {
    uint64_t begin = 0, end = 0;
    bool unknown = false;
    size_t known_cells = 0, end_cells = 0;
  };

  void join_objects();
  void match_thread(uint32_t t);
  void match_frame(uint32_t t, size_t f);
  std::vector<bool> readable_registers(const Frame& frame, bool at_marker, bool at_reading) const;
  std::string name_of(uint32_t function, uint32_t reg) const;
  static bool is_undefined(const Value& value) { return value.width == 0 && !value.is_address(); }
  // True if they correspond.
  bool match(ObjectNumber known, ObjectNumber end, const ObjectPlace& place);
  void join_object(ObjectNumber known, ObjectNumber end);
  std::vector<Region> regions_of(ObjectNumber known, ObjectNumber end) const;
  void join_region(ObjectNumber known, ObjectNumber end, const Region& region);
  void join_plain(ObjectNumber known, ObjectNumber end, uint64_t from, uint64_t to);
  void join_bytes(ObjectNumber known, ObjectNumber end, uint64_t from, uint64_t to);
  // Nothing: it is not known.
  std::optional<Value> joined(const Value& a, const Value& b, const ObjectPlace& place);
  std::optional<Value> joined_terms(const Value& a, const Value& b, const ObjectPlace& place);
  Value variable(const Value& like, const ObjectPlace& place);
  smt::Expr term_of(const Value& value) const {
    return value.term ? *value.term
                      : context_.constant(value.width, value.bits & mask_of(value.width));
  }
  static bool same(const Value& a, const Value& b) {
    return a.kind == b.kind && a.opaque == b.opaque && a.object == b.object && a.term == b.term &&
           (a.term || a.bits == b.bits);
  }

  const program::Code& code_;
  const Markers& markers_;
  smt::ExprContext& context_;
  Inputs& inputs_;
  const uint32_t epoch_;
  const bool first_;
  ProgramState known_;  // a copy: reading may make cells
  ProgramState& end_;
  const Stability& stability_;
  Joined joined_;
  std::map<uint32_t, uint32_t> to_end_, to_known_;
  std::deque<std::pair<ObjectNumber, ObjectNumber>> open_;
  std::map<std::pair<smt::Expr, smt::Expr>, Value, decltype([](const auto& a, const auto& b) {
             return std::pair(a.first.structural_hash(), a.second.structural_hash()) <
                    std::pair(b.first.structural_hash(), b.second.structural_hash());
           })>
      classes_;
};

Joined Joiner::run() {
  joined_.changed = first_;
  for (uint32_t i = 0; i < known_.globals.size(); i++)
    match(known_.globals[i], end_.globals[i],
          {code_.globals[i].name, code_.globals[i].is_thread_local || code_.globals[i].is_constant
                                      ? std::nullopt
                                      : std::optional(Access{.global = i, .offsets = {0}})});
  // First what globals lead to: these are names that people know.
  join_objects();
  for (uint32_t t = 0; t < known_.threads.size(); t++) match_thread(t);
  join_objects();
  // What is held and waited for is the same, if the objects are.
  Synchronization of_end = end_.synchronization;
  joined_.failed = !of_end.rename([&](ObjectNumber object) -> std::optional<ObjectNumber> {
    const auto at = to_known_.find(number(object));
    if (at == to_known_.end()) return {};
    return ObjectNumber{at->second};
  });
  return std::move(joined_);
}

void Joiner::join_objects() {
  while (!open_.empty()) {
    const auto [a, b] = open_.front();
    open_.pop_front();
    join_object(a, b);
  }
}

void Joiner::match_thread(uint32_t t) {
  const Thread& a = known_.threads[t];
  const Thread& b = end_.threads[t];
  if (a.is_done && a.is_joined) return;
  for (uint32_t i = 0; i < a.own_globals.size(); i++)
    match(a.own_globals[i], b.own_globals[i],
          {fmt::format("{} of T{}", code_.globals[i].name, t), {}});
  if (a.exit_object != kNullObject)
    match(a.exit_object, b.exit_object, {fmt::format("the result of T{}", t), {}});
  for (size_t f = 0; f < a.frames.size(); f++) match_frame(t, f);
  for (size_t i = 0; i < a.request.objects.size(); i++)
    if (!match(a.request.objects[i].first, b.request.objects[i].first,
               {fmt::format("what T{} waits for, {}", t, i), {}}))
      joined_.failed = true;
}

// Those that are defined on every way to where the frame is.
std::vector<bool> Joiner::readable_registers(const Frame& frame, bool at_marker,
                                             bool at_reading) const {
  const program::CodeFunction& code = code_.functions[frame.function];
  std::vector<bool> readable(code.registers);
  for (uint32_t p = 0; p < code.parameters; p++) readable[p] = true;
  for (uint32_t b = 0; b < code.blocks.size(); b++) {
    const bool dominates = markers_.dominates(frame.function, b, frame.block);
    const auto& instructions = code.blocks[b].instructions;
    for (uint32_t i = 0; dominates && i < instructions.size(); i++) {
      if (instructions[i].result == program::kNoRegister) continue;
      const bool is_phi = instructions[i].operation == program::Operation::phi;
      // The call at which it is has no result yet.
      readable[instructions[i].result] =
          b != frame.block || is_phi || (!at_marker && i + (at_reading ? 0 : 1) < frame.next);
    }
  }
  return readable;
}

// Several registers hold the same variable of the source, one after the other.
std::string Joiner::name_of(uint32_t function, uint32_t reg) const {
  const program::CodeFunction& code = code_.functions[function];
  const std::string name = code.name_of(reg);
  int earlier = 0;
  for (uint32_t r = 0; r < reg; r++) earlier += code.name_of(r) == name;
  return earlier == 0 ? name : fmt::format("{}.{}", name, earlier);
}

void Joiner::match_frame(uint32_t t, size_t f) {
  const Frame& a = known_.threads[t].frames[f];
  const Frame& b = end_.threads[t].frames[f];
  Frame& to = joined_.state.threads[t].frames[f];
  const bool is_top = f + 1 == known_.threads[t].frames.size();
  const uint32_t site =
      is_top ? known_.threads[t].request_call->id : known_.threads[t].frames[f + 1].call->id;
  const std::string& function = code_.functions[a.function].name;
  const bool at_marker = is_top && known_.threads[t].request.kind == SyncKind::marker &&
                         !markers_.reading(known_.threads[t].request.instruction);
  const bool at_reading =
      is_top && !at_marker && known_.threads[t].request.kind == SyncKind::marker;
  const std::vector<bool> is_readable = readable_registers(a, at_marker, at_reading);
  for (uint32_t r = 0; r < a.registers.size(); r++) {
    // Names are identities: every place has one of its own.
    ObjectPlace place{fmt::format("{}.{} of T{}", function, name_of(a.function, r), t), {}};
    if (markers_.is_recursive(a.function))
      place.name += fmt::format(" at depth {}", f);
    else
      place.access = Access{.is_register = true, .thread = t, .site = site, .reg = r};
    Value& result = to.registers[r];
    // What was computed in an earlier round cannot be read again before it is computed again.
    if (!is_readable[r] || is_undefined(a.registers[r]) || is_undefined(b.registers[r])) {
      result = {};
      continue;
    }
    const bool stable = stability_.is_stable(b.serial, r);
    std::optional<Value> value;
    if (stable) value = joined(a.registers[r], b.registers[r], place);
    if (!value) {
      const Value& like = a.registers[r];
      if (like.is_address() || b.registers[r].is_address()) {
        value = Value::unknown_address(false);
      } else if (like.kind == Value::Kind::real) {
        value = like;
        value->opaque = true;
      } else {
        value = variable(like, place);
      }
    }
    joined_.changed |= !same(*value, a.registers[r]);
    result = *value;
  }
  for (size_t s = 0; s < a.slots.size() && s < b.slots.size(); s++)
    match(a.slots[s], b.slots[s],
          {fmt::format("local {} of {} in T{} at depth {}", s, function, t, f), {}});
}

bool Joiner::match(ObjectNumber a, ObjectNumber b, const ObjectPlace& place) {
  if (a == kNullObject || b == kNullObject) return a == b;
  const auto known = to_end_.find(number(a));
  if (known != to_end_.end()) {
    if (known->second != number(b)) return false;
    // A way that can be followed is worth more than one that cannot.
    ObjectPlace& before = joined_.places[number(a)];
    if (!before.access && place.access) before = place;
    return true;
  }
  if (to_known_.contains(number(b))) return false;
  const Object& x = known_.memory[a];
  const Object& y = end_.memory[b];
  if (x.size != y.size || x.is_freed != y.is_freed || x.argument != y.argument ||
      x.abstract != y.abstract)
    return false;
  to_end_[number(a)] = number(b);
  to_known_[number(b)] = number(a);
  joined_.places[number(a)] = place;
  open_.emplace_back(a, b);
  return true;
}

Value Joiner::variable(const Value& like, const ObjectPlace& place) {
  Value value = like;
  value.opaque = false;
  value.term = inputs_.find_state(epoch_, place.name, like.width, place.access);
  return value;
}

std::optional<Value> Joiner::joined_terms(const Value& a, const Value& b,
                                          const ObjectPlace& place) {
  if (a.width != b.width || a.width == 0) return {};
  const smt::Expr x = term_of(a), y = term_of(b);
  if (x == y && x.is_constant()) return a;
  // The number of a thread is not what the program sees.
  if ((!a.term && thread_of(a.bits)) || (!b.term && thread_of(b.bits))) {
    Value value = a;
    value.term.reset();
    value.opaque = true;
    return value;
  }
  const auto [at, is_new] = classes_.try_emplace({x, y});
  if (is_new) at->second = variable(a, place);
  Value value = a;
  value.term = at->second.term;
  return value;
}

std::optional<Value> Joiner::joined(const Value& a, const Value& b, const ObjectPlace& place) {
  if (a.opaque || b.opaque) {
    // Copies of one value are equal, whatever it is.
    if (a.kind != Value::Kind::integer || b.kind != Value::Kind::integer ||
        (a.opaque && a.mark == 0) || (b.opaque && b.mark == 0))
      return {};
    Value x = a, y = b;
    for (Value* value : {&x, &y})
      if (value->opaque) {
        value->opaque = false;
        value->term = context_.variable(
            fmt::format("{} opaque {} of {}", value->width, value->mark, value == &x ? "a" : "b"),
            smt::Sort::bits(value->width));
      }
    auto made = joined_terms(x, y, place);
    if (made) made->origin = made->mark = 0;
    return made;
  }
  if (a.kind == Value::Kind::function || b.kind == Value::Kind::function) {
    if (a.kind == b.kind && a.object == b.object) return a;
    return {};
  }
  if (a.kind == Value::Kind::real || b.kind == Value::Kind::real) {
    if (a.kind == b.kind && a.bits == b.bits) return a;
    return {};
  }
  if (a.kind != Value::Kind::pointer && b.kind != Value::Kind::pointer)
    return joined_terms(a, b, place);
  if (a.object == kNullObject && b.object == kNullObject) return joined_terms(a, b, place);
  if (a.kind != b.kind || a.term || b.term || a.bits != b.bits) return {};
  ObjectPlace target{"*" + place.name, place.access};
  if (target.access) target.access->offsets.push_back(-static_cast<int64_t>(a.bits));
  if (!match(a.object, b.object, target)) return {};
  return a;
}

std::vector<Joiner::Region> Joiner::regions_of(ObjectNumber a, ObjectNumber b) const {
  const Object& x = known_.memory[a];
  const Object& y = end_.memory[b];
  std::vector<Region> all;
  for (const auto& [offset, cell] : x.cells)
    all.push_back({offset, offset + size_of(cell), false, 1, 0});
  for (const auto& [offset, cell] : y.cells)
    all.push_back({offset, offset + size_of(cell), false, 0, 1});
  for (const auto& [begin, end] : x.unknown) all.push_back({begin, end, true});
  for (const auto& [begin, end] : y.unknown) all.push_back({begin, end, true});
  for (const auto* ranges : {&x.havocked, &y.havocked})
    for (const auto& [begin, end] : *ranges) all.push_back({begin, end, true});
  if (const Intervals* unstable = stability_.unstable_bytes(b))
    for (const auto& [begin, end] : unstable->all()) all.push_back({begin, end, true});
  std::ranges::sort(all, {}, [](const Region& r) { return std::pair(r.begin, r.end); });
  std::vector<Region> joined;
  for (const Region& region : all) {
    if (joined.empty() || region.begin >= joined.back().end) {
      joined.push_back(region);
      continue;
    }
    Region& last = joined.back();
    last.end = std::max(last.end, region.end);
    last.unknown |= region.unknown;
    last.known_cells += region.known_cells;
    last.end_cells += region.end_cells;
  }
  return joined;
}

void Joiner::join_object(ObjectNumber a, ObjectNumber b) {
  if (known_.memory[a].is_constant || known_.memory[a].argument) return;
  uint64_t at = 0;
  for (const Region& region : regions_of(a, b)) {
    join_plain(a, b, at, region.begin);
    join_region(a, b, region);
    at = region.end;
  }
  join_plain(a, b, at, known_.memory[a].size);
}

void Joiner::join_region(ObjectNumber a, ObjectNumber b, const Region& region) {
  const uint64_t bytes = region.end - region.begin;
  std::optional<Value> value;
  Value before;
  if (!region.unknown) {
    if (bytes > 8 || (region.known_cells > 1 && region.end_cells > 1))
      return join_bytes(a, b, region.begin, region.end);
    before = known_.memory.load(a, region.begin, bytes);
    value = joined(before, end_.memory.load(b, region.begin, bytes),
                   place_in(joined_.places[number(a)], region.begin));
  }
  if (value) {
    joined_.changed |= !same(*value, before);
    joined_.state.memory.store(a, region.begin, bytes, *value);
    return;
  }
  const auto& unknown = known_.memory[a].unknown;
  const auto already = unknown.find(region.begin);
  joined_.changed |= already == unknown.end() || already->second != region.end;
  joined_.state.memory.make_unknown(a, region.begin, region.end);
}

void Joiner::join_bytes(ObjectNumber a, ObjectNumber b, uint64_t from, uint64_t to) {
  for (uint64_t at = from; at < to; at++) {
    const Value before = known_.memory.load(a, at, 1);
    const auto value =
        joined(before, end_.memory.load(b, at, 1), place_in(joined_.places[number(a)], at));
    joined_.changed |= !value || !same(*value, before);
    if (value)
      joined_.state.memory.store(a, at, 1, *value);
    else
      joined_.state.memory.make_unknown(a, at, at + 1);
  }
}

// Bytes that are known in both. Where they differ, words of four are compared.
void Joiner::join_plain(ObjectNumber a, ObjectNumber b, uint64_t from, uint64_t to) {
  std::vector<std::pair<uint64_t, uint64_t>> differ;
  const auto& x = known_.memory[a].bytes;
  const auto& y = end_.memory[b].bytes;
  for (uint64_t at = from; at < to;) {
    if (x[at] == y[at]) {
      at++;
      continue;
    }
    // A handle of a thread is one word of eight.
    const uint64_t wide = at / 8 * 8;
    bool is_handle = false;
    if (wide >= from && wide + 8 <= to)
      for (Memory* memory : {&known_.memory, &end_.memory})
        is_handle |=
            thread_of(memory->load(memory == &known_.memory ? a : b, wide, 8).bits).has_value();
    const uint64_t begin = is_handle ? wide : std::max(from, at / 4 * 4);
    const uint64_t end = is_handle ? wide + 8 : std::min(to, at / 4 * 4 + 4);
    differ.emplace_back(begin, end);
    at = end;
  }
  joined_.changed |= !differ.empty();
  if (differ.size() > kMostPlaces) {
    for (const auto& [begin, end] : differ) joined_.state.memory.make_unknown(a, begin, end);
    return;
  }
  for (const auto& [begin, end] : differ) {
    const auto value =
        joined(known_.memory.load(a, begin, end - begin), end_.memory.load(b, begin, end - begin),
               place_in(joined_.places[number(a)], begin));
    if (value)
      joined_.state.memory.store(a, begin, end - begin, *value);
    else
      joined_.state.memory.make_unknown(a, begin, end);
  }
}

}  // namespace

Joined join_states(const program::Code& code, const Markers& markers, smt::ExprContext& context,
                   Inputs& inputs, uint32_t epoch, const ProgramState* known, ProgramState& end,
                   const Stability& stability) {
  return Joiner(code, markers, context, inputs, epoch, known, end, stability).run();
}

}  // namespace foretell::symbolic
