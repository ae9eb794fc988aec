// SPDX-License-Identifier: Apache-2.0

#include "clocks/contended_cells.h"

#include <algorithm>

#include "trace/event_match.h"

namespace foretell::clocks {

void ContendedCells::History::add_read(const VectorClock& now) {
  if (reads) {
    reads->raise(now.head());
  } else if (now.contains(read)) {
    read = now.head();
  } else {
    reads = std::make_unique<VectorClock>(read);
    reads->raise(now.head());
  }
}

void ContendedCells::History::add_write(const VectorClock& now) {
  write = now.head();
  read = Epoch();
  reads.reset();
}

void ContendedCells::on_events(std::span<const trace::Event> events) {
  for (size_t begin = 0; begin < events.size();) {
    const trace::Event& e = events[begin];
    if (to_index(e.thread) >= first_events_.size()) {
      first_events_.resize(to_index(e.thread) + 1, kNoEvent);
    }
    EventIndex& first = first_events_[to_index(e.thread)];
    first = std::min(first, e.index);
    size_t end = begin + 1;
    if (is_access(e.kind)) {
      while (end < events.size() && events[end].index == e.index) ++end;
      access(events.subspan(begin, end - begin));
    } else {
      happens_before_.on_event(e);
      follow_hard_edges(e);
    }
    begin = end;
  }
}

void ContendedCells::access(std::span<const trace::Event> pieces) {
  if (is_atomic_access(pieces.front().kind)) {
    for (const trace::Event& e : pieces) update_atomically(e);
  } else if (pieces.front().kind == trace::EventKind::Read) {
    read(pieces);
  } else {
    write(pieces);
  }
}

// All pieces are looked at before one of them learns from its write.
void ContendedCells::read(std::span<const trace::Event> pieces) {
  const ThreadId thread = pieces.front().thread;
  for (const trace::Event& e : pieces) {
    Cell& cell = used_cell(e);
    const VectorClock& hard = hard_.clock(thread);
    const VectorClock& happens_before = happens_before_.clock(thread);
    if (!cell.hard.is_ordered_read(hard) || !cell.happens_before.is_ordered_read(happens_before) ||
        e.is_ambiguous()) {
      contend(e.location());
    }
    cell.hard.add_read(hard);
    cell.happens_before.add_read(happens_before);
  }
  for (const trace::Event& e : pieces) learn_write(e);
}

void ContendedCells::write(std::span<const trace::Event> pieces) {
  const ThreadId thread = pieces.front().thread;
  for (const trace::Event& e : pieces) {
    Cell& cell = used_cell(e);
    const VectorClock& hard = hard_.clock(thread);
    const VectorClock& happens_before = happens_before_.clock(thread);
    if (!cell.hard.is_ordered_write(hard) ||
        !cell.happens_before.is_ordered_write(happens_before)) {
      contend(e.location());
    }
    cell.hard.add_write(hard);
    cell.happens_before.add_write(happens_before);
    if (e.kind == trace::EventKind::Write) cell.wrote = hard;
    if (e.kind == trace::EventKind::Free) happens_before_.on_event(e);
  }
  // What the thread does next is not part of what a reader of this learns.
  hard_.advance(thread);
}

void ContendedCells::update_atomically(const trace::Event& e) {
  contend(e.location());
  if (is_read(e.kind)) learn_write(e);
  happens_before_.on_event(e);
  if (!is_write(e.kind)) return;
  (*cells_)[e.location()].wrote = hard_.clock(e.thread);
  hard_.advance(e.thread);
}

void ContendedCells::learn_write(const trace::Event& read) {
  const VectorClock& wrote = (*cells_)[read.location()].wrote;
  if (!wrote.is_zero() && wrote.head().thread() != read.thread) hard_.learn(read.thread, wrote);
}

ContendedCells::Cell& ContendedCells::used_cell(const trace::Event& e) {
  Cell& cell = (*cells_)[e.location()];
  if (!cell.is_used) {
    cell.is_used = true;
    cell.user = e.thread;
    if (const EventIndex alloc = allocation_of_(e.location()); alloc != kNoEvent) {
      cell.hard.write = allocations_.at(alloc);
    }
  }
  cell.is_shared |= cell.user != e.thread;
  cell.is_in_block |= blocks_[e.thread] > 0;
  if (cell.is_shared && cell.is_in_block) contend(e.location());
  return cell;
}

void ContendedCells::contend(LocationId location) {
  if (to_index(location) >= contended_.size()) {
    contended_.resize(std::max(to_index(location) + 1, 2 * contended_.size()));
  }
  contended_[to_index(location)] = true;
}

void ContendedCells::follow_hard_edges(const trace::Event& e) {
  using enum trace::EventKind;
  trace::match(e.kind,
               trace::Cases{
                   trace::on<Fork, Join, trace::kNotifies, BarrierEnter, BarrierExit, SemaphorePost,
                             SemaphoreWait>([&] { hard_.on_event(e); }),
                   trace::on<WaitBegin, WaitEnd>([&] {
                     // The lock orders nothing here: each thread waits with one of its own.
                     trace::Event without_lock = e;
                     without_lock.extra = to_index(e.thread);
                     hard_.on_event(without_lock);
                   }),
                   trace::on<Alloc>([&] { allocations_[e.index] = hard_.epoch(e.thread); }),
                   trace::on<BlockBegin>([&] { ++blocks_[e.thread]; }),
                   trace::on<BlockEnd>([&] { --blocks_[e.thread]; }),
                   trace::ignored<trace::kAtomics, Free, trace::kPlainAccesses, Acquire, Release,
                                  AcquireShared, ReleaseShared, Fence, trace::kRequests,
                                  trace::kFailedTries, ThreadBegin, ThreadEnd, FunctionEnter,
                                  FunctionExit, Branch, User, trace::EventClass::destruction>,
               });
}

}  // namespace foretell::clocks
