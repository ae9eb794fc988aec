// SPDX-License-Identifier: Apache-2.0

// What one execution leaves behind: its schedule, the trace that slicing reads, and every place at
// which the executor did something that a reader should know of.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "program/code.h"
#include "smt/expr.h"
#include "symbolic/executor/value.h"
#include "symbolic/schedules/schedule.h"

namespace foretell::symbolic {

struct Range {
  ObjectNumber object = kNullObject;
  uint64_t begin = 0, end = 0;
};

// What a step did beyond its registers.
struct Detail {
  std::vector<Range> reads, writes;
  // Not every byte of `writes` is overwritten for certain.
  bool is_weak = false;
  // Of a branch: that it went this way. Of an access: that it went to this address.
  std::vector<smt::Expr> conditions;
  // It decided by something that no term expresses; where that could be read (Value::origin).
  std::string opaque;
  uint32_t origin = 0;
  // It synchronizes, or prepares synchronization: always in the slice, with these operands.
  bool is_kept = false;
  std::vector<uint32_t> kept_operands;
};

struct Step {
  const program::CodeInstruction* instruction = nullptr;
  uint32_t frame = 0;
  uint32_t detail = 0;  // number in Path::details, from 1; 0: none
  // Of a phi the operand it took; of a call or a create the frame it began, from 1.
  uint32_t choice = 0;
};

struct FrameRow {
  uint32_t function = 0;
  uint32_t thread = 0;
  uint32_t caller = ~0u;  // frame
};

enum class NoteKind : uint8_t { assumed, concretized, unmodeled, unknown, limited };
std::string_view name_of(NoteKind kind);

// Nothing is silent. While an open note exists nothing is called complete.
struct Note {
  NoteKind kind = NoteKind::assumed;
  bool is_open = false;
  std::string text;
  std::string place;
  auto operator<=>(const Note&) const = default;
};

// The path came to code that ends the program, and another input may not.
struct Avoidable {
  std::vector<smt::Expr> way;  // what led here
  smt::Expr condition;         // that it fails here
};

struct Path {
  Schedule schedule;
  std::vector<Step> steps;
  std::vector<Detail> details;
  std::vector<FrameRow> frames;
  std::vector<Note> notes;
  std::vector<smt::Expr> conditions;  // all, on the slice or not
  std::optional<Avoidable> avoidable;
  std::string refused;                        // what is not modeled, if that ended the path
  std::deque<program::CodeInstruction> made;  // that steps are about and the program does not have
  std::string output;                         // of printf and puts, as far as it is known
  int exit_status = 0;
  bool ran_out = false;  // of steps
};

}  // namespace foretell::symbolic
