// SPDX-License-Identifier: Apache-2.0

// How the events of a chunk become columns of bytes.
//
// A program runs the same few places again and again. So what an event shares with all events of
// its place is stored once per chunk, as a *template*: kind, memory order, flags, site, and which
// operand fields are not 0. An event is then the number of its template and whatever its template
// does not say. Each of these goes to a column of its own, because bytes of one meaning compress
// well together and decode in a tight loop:
//
//   threads      varint id of every thread of the chunk, in order of first event
//   templates    u32 shape (see Shape), u32 site of every template, in order of first event
//   runs         varint place in `threads`, for every run of events of one thread
//   run lengths  varint
//   low, high    the template of each event, a 16-bit number cut in two: 0 if it is the one that
//                followed the last time after the one its thread had before (0 at the start; a
//                thread begins as if it had had template 0), or else 1 + its place in `templates`
//   objects      one code byte for each event with an object:
//                  0 .. 231    zigzag difference to the object its template had last
//                  232 .. 239  the object its thread named N steps ago (RecentObjects)
//                  253         a zigzag difference of 16 bits follows in `wide objects`
//                  255         the object itself follows there, 32 bits
//   wide objects (see above)
//   values       one code byte for each `extra`, then each `value`, that is not 0:
//                  0 .. 247    zigzag difference to the prediction (ValuePredictor)
//                  248 .. 255  a zigzag difference of 1 .. 8 bytes follows in `value bytes`
//   value bytes  (see above)
//
// All predictions start afresh in every chunk, so chunks decode independently. Encoder and decoder
// hold the same state and update it the same way; that state is what this file defines.
//
// Cost: about 40 ns per event to encode and 14 ns to decode, zstd included (bench/bench_trace).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "trace/event.h"

namespace foretell::trace::ftrace {

enum Column : uint8_t {
  kThreads,
  kTemplates,
  kRuns,
  kRunLengths,
  kLow,
  kHigh,
  kObjects,
  kWideObjects,
  kValues,
  kValueBytes,
  kColumnCount,
};

inline constexpr uint32_t kMaxTemplates = (1 << 16) - 1;

inline constexpr uint8_t kObjectDeltas = 232;
inline constexpr uint8_t kRecentCount = 8;
inline constexpr uint8_t kObjectDelta16 = 253;
inline constexpr uint8_t kObjectAbsolute = 255;
inline constexpr uint8_t kValueDeltas = 248;

// Kind, order, flags, and which of object, value, extra are stored, as one integer.
class Shape {
 public:
  static constexpr uint32_t kObject = 1u << 18, kValue = 1u << 19, kExtra = 1u << 20;
  static constexpr uint32_t kAmbiguous = 1u << 21;  // since version 2

  explicit constexpr Shape(uint32_t bits) : bits_(bits) {}
  static constexpr Shape of(const Event& e) {
    return Shape(static_cast<uint32_t>(e.kind) | static_cast<uint32_t>(e.order) << 8 |
                 static_cast<uint32_t>(e.flags & 3) << 16 | (e.object != 0 ? kObject : 0) |
                 (e.value != 0 ? kValue : 0) | (e.extra != 0 ? kExtra : 0) |
                 (e.is_ambiguous() ? kAmbiguous : 0));
  }

  constexpr uint32_t bits() const { return bits_; }
  constexpr bool has(uint32_t field) const { return bits_ & field; }
  constexpr EventKind kind() const { return EventKind{static_cast<uint8_t>(bits_)}; }
  constexpr MemoryOrder order() const { return MemoryOrder{static_cast<uint8_t>(bits_ >> 8)}; }
  // The first bytes of an Event of this shape: kind, order, flags.
  constexpr uint32_t head() const {
    return (bits_ & (kObject - 1)) | (has(kAmbiguous) ? uint32_t{Event::kAmbiguous} << 16 : 0);
  }

  // A shape read from a file may name no kind, no order, or bits of a later version.
  constexpr bool valid() const {
    return static_cast<uint8_t>(kind()) < kEventKindCount && order() <= MemoryOrder::seq_cst &&
           bits_ >> 22 == 0;
  }

 private:
  uint32_t bits_;
};
static_assert(offsetof(Event, kind) == 0 && offsetof(Event, order) == 1 &&
              offsetof(Event, flags) == 2 && offsetof(Event, thread) == 4);
static_assert((Event::kHasValue | Event::kHasReadValue) == 3 && Event::kAmbiguous == 4,
              "flags take two bits of a shape, and one above the fields");

// The last objects a thread named that were not what their template had last. An object named
// again keeps its place.
struct RecentObjects {
  // Twice what is remembered, so that the decoder may store to the next place without looking.
  std::array<uint32_t, size_t{2} * kRecentCount> objects{};
  uint32_t next = 0;

  uint32_t operator[](uint32_t steps_ago) const {
    return objects[(next - 1 - steps_ago) % objects.size()];
  }
  uint32_t& next_place() { return objects[next % objects.size()]; }
  void push(uint32_t object) {
    next_place() = object;
    ++next;
  }
};

// A read mostly returns what was last seen at its location, a counter moves by little, tickets
// count up: the prediction is the last number seen for the object. Objects share slots; a clash
// costs bytes, never correctness.
class ValuePredictor {
 public:
  static constexpr size_t kSlots = 4096;

  // Accesses of one location share a slot whatever their kind. The value read by an AtomicRmw is
  // the location's too; any other `extra` is a different thing than the value.
  static uint16_t value_salt(Operands operands) {
    switch (operands) {
      case Operands::Access:
      case Operands::Atomic:
      case Operands::AtomicRmw:
        return 0;
      case Operands::Wake:
      case Operands::Notify:
        return 1024;
      case Operands::Post:
      case Operands::Down:
        return 1280;
      case Operands::Barrier:
        return 1536;
      case Operands::None:
      case Operands::Order:
      case Operands::Lock:
      case Operands::Thread:
      case Operands::Label:
      case Operands::Wait:
      case Operands::Function:
      case Operands::Branch:
      case Operands::Alloc:
      case Operands::Free:
      case Operands::User:
        return 1792;
    }
    return 0;
  }
  static uint16_t extra_salt(Operands operands) {
    return operands == Operands::AtomicRmw ? 0 : 2048;
  }

  uint64_t& slot(uint32_t object, uint32_t salt) { return slots_[(object ^ salt) % kSlots]; }
  void reset() { slots_.assign(kSlots, 0); }

 private:
  std::vector<uint64_t> slots_ = std::vector<uint64_t>(kSlots);
};

}  // namespace foretell::trace::ftrace
