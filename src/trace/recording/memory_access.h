// SPDX-License-Identifier: Apache-2.0

// What a step does to memory, for the code that orders the steps of a parallel recording.
#pragma once

#include <cstdint>

#include "recording/record.h"
#include "trace/event.h"
#include "trace/recording/sites.h"
#include "trace/recording/translator.h"

namespace foretell::recording {

struct MemoryAccess {
  uint64_t address = 0;
  uint64_t size = 0;  // 0: the step touches no memory
  bool reads = false, writes = false;
  bool read_known = false, written_known = false;
  uint64_t read = 0, written = 0;

  bool overlaps(const MemoryAccess& other) const {
    return address < other.address + other.size && other.address < address + size;
  }
};

inline MemoryAccess access_of(Record record, const uint64_t (&extensions)[2], SiteTable& sites) {
  MemoryAccess access{.address = record.address()};
  auto reads = [&](bool known, uint64_t value) {
    access.reads = true;
    access.read_known = known;
    access.read = value;
  };
  auto writes = [&](bool known, uint64_t value) {
    access.writes = true;
    access.written_known = known;
    access.written = value;
  };
  if (const PlainOp op = plain_op(record.op()); op.size != 0) {
    access.size = op.size;
    const bool known = op.has_value && sites[record.site()].has_values;
    op.kind == trace::EventKind::Read ? reads(known, record.value())
                                      : writes(known, record.value());
    return access;
  }
  const auto atomic = AtomicValue::of(record.value());
  switch (record.op()) {
    case Op::ReadRange:
      access.size = record.value();
      reads(false, 0);
      break;
    case Op::WriteRange:
      access.size = record.value();
      writes(false, 0);
      break;
    case Op::AtomicRead:
      access.size = atomic.size == 0 ? 1 : atomic.size;
      reads(atomic.has_value(), extensions[0]);
      break;
    case Op::AtomicWrite:
      access.size = atomic.size == 0 ? 1 : atomic.size;
      writes(atomic.has_value(), extensions[0]);
      break;
    case Op::AtomicRmw:
      access.size = atomic.size == 0 ? 1 : atomic.size;
      reads(atomic.has_value(), extensions[0]);
      writes(atomic.has_value(), extensions[1]);
      break;
    default:
      break;
  }
  return access;
}

}  // namespace foretell::recording
