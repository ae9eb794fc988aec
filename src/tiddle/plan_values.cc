// SPDX-License-Identifier: Apache-2.0

// What writes store.
//
// A write with a value stores it. A write without one must still make the reads after it true: the
// bytes that a read with a value saw of it are taken over, in the order the normalizer cut them.
// What nobody saw is some value that occurs nowhere else in the trace.
#include <absl/container/flat_hash_set.h>

#include "base/check.h"
#include "tiddle/plan.h"

namespace foretell::tiddle {
namespace {

constexpr uint64_t bytes_mask(uint64_t size) {
  return size == 0 || size >= 8 ? ~uint64_t{0} : (uint64_t{1} << (size * 8)) - 1;
}

struct Inferred {
  uint64_t known = 0;  // mask of the bits that reads saw
  uint64_t bits = 0;
  size_t reader = kNever;
};

}  // namespace

Result<void> plan_values(Plan& plan, std::span<const trace::Location> cells) {
  absl::flat_hash_set<uint64_t> taken = {0};
  for (const trace::Event& e : plan.events) {
    if (is_access(e.kind) && e.has_value()) taken.insert(e.value);
    if (e.kind == trace::EventKind::AtomicRmw && e.has_read_value()) taken.insert(e.extra);
  }

  std::vector<Inferred> inferred(plan.events.size());
  std::vector<size_t> writer(cells.size(), kNever);             // by cell: step of the last write
  std::vector<uint64_t> offset_of_cell(cells.size());           // within that write
  std::vector<size_t> first_piece(plan.events.size(), kNever);  // by step: its lowest cell
  for (const trace::Event& e : plan.normal) {
    if (!is_access(e.kind) || e.kind == trace::EventKind::Free) continue;
    const size_t step = to_index(e.index);
    const size_t cell = to_index(e.location());
    if (first_piece[step] == kNever) first_piece[step] = cell;
    const bool rmw = e.kind == trace::EventKind::AtomicRmw;
    const bool value_read = rmw ? e.has_read_value() : is_read(e.kind) && e.has_value();
    const size_t source = writer[cell];
    if (value_read && source != kNever && !plan.events[source].has_value() &&
        offset_of_cell[cell] < 8) {
      const uint64_t size = cells[cell].size;
      const uint64_t shift = offset_of_cell[cell] * 8;
      const uint64_t mask = bytes_mask(size) << shift;
      const uint64_t bits = ((rmw ? e.extra : e.value) << shift) & mask;
      Inferred& in = inferred[source];
      if ((in.known & mask) == mask && (in.bits & mask) != bits) {
        return fail_at(plan.where(step),
                       "thread {} and event {} read different values of the write in event {}",
                       plan.thread_name(e), in.reader, source);
      }
      in.known |= mask;
      in.bits |= bits;
      in.reader = step;
    }
    if (is_write(e.kind)) {
      writer[cell] = step;
      offset_of_cell[cell] = cells[cell].offset - cells[first_piece[step]].offset;
    }
  }

  uint64_t next = 1;
  for (size_t step = 0; step < plan.events.size(); ++step) {
    const trace::Event& e = plan.events[step];
    if (!is_write(e.kind)) continue;
    if (e.has_value()) {
      plan.stored[step] = e.value;
      continue;
    }
    if (inferred[step].known != 0) {
      plan.stored[step] = inferred[step].bits;
      continue;
    }
    while (taken.contains(next)) ++next;
    taken.insert(next);
    plan.stored[step] = next;
  }
  return {};
}

}  // namespace foretell::tiddle
