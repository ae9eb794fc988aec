// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/parallel_merge.h"

#include <algorithm>

namespace foretell::recording {

ParallelMerge::ParallelMerge(const ChunkStreams& streams, const ContestedMemory& contested,
                             Translator& translator)
    : contested_(contested), translator_(translator) {
  for (const ChunkStream& stream : streams.events()) {
    lanes_.push_back({RecordCursor(streams, stream, translator.sites().compact_ops()),
                      translator.thread(stream.thread)});
    if (lanes_.back().thread == nullptr) {
      bad_thread_.message = fmt::format("a stream is of thread {}", stream.thread);
    }
  }
}

uint64_t ParallelMerge::first_offset() const {
  uint64_t first = UINT64_MAX;
  for (const Lane& lane : lanes_) first = std::min(first, lane.cursor.chunk_offset());
  return lanes_.empty() ? 0 : first;
}

Result<void> ParallelMerge::look_ahead(Lane& lane) {
  while (!lane.at_end && lane.ahead.size() < kAhead) {
    Step step{};
    const RecordCursor::Next next = lane.cursor.next(step.record, step.extensions);
    if (next == RecordCursor::Next::failed) return std::unexpected(lane.cursor.error());
    if (next == RecordCursor::Next::end) {
      lane.at_end = true;
    } else if (step.record.op() == Op::Sequence) {
      lane.number = step.record.address() + 1;
    } else if (kIsStep[static_cast<size_t>(step.record.op())] == 0) {
      translator_.note(*lane.thread, step.record, step.extensions, next_index_);
    } else {
      step.number = std::exchange(lane.number, 0);
      step.access = access_of(step.record, step.extensions, translator_.sites());
      step.is_contested = contested_.contains(step.access) || contested_.may_change(step.access);
      lane.ahead.push_back(step);
    }
  }
  return {};
}

bool ParallelMerge::is_read_certainly(const MemoryAccess& read) const {
  if (!read.read_known) return false;
  switch (memory_.match(read.address, read.size, read.read)) {
    case SimulatedMemory::Match::known:
      return true;
    case SimulatedMemory::Match::untouched:
      return contested_.must_be_initial(read);
    case SimulatedMemory::Match::unknown:
    case SimulatedMemory::Match::mismatch:
      return false;
  }
  return false;
}

ParallelMerge::Rank ParallelMerge::rank(const Lane& lane) const {
  if (lane.ahead.empty()) return Rank::none;
  const Step& step = lane.ahead.front();
  if (step.number != 0 && step.number != next_number_) return Rank::out_of_turn;
  if (!step.is_contested) return Rank::free;
  const MemoryAccess& access = step.access;
  if (access.reads && access.read_known && !is_read_certainly(access)) {
    const bool holds_another =
        memory_.match(access.address, access.size, access.read) == SimulatedMemory::Match::mismatch;
    return holds_another ? Rank::stalled : Rank::unknown_memory;
  }
  return access.writes ? rank_of_write(lane, access) : Rank::free;
}

ParallelMerge::Rank ParallelMerge::rank_of_write(const Lane& lane,
                                                 const MemoryAccess& write) const {
  bool is_awaited = false;
  for (const Lane& other : lanes_) {
    if (&other == &lane) continue;
    for (const Step& step : other.ahead) {
      const bool is_next = &step == &other.ahead.front();
      // What comes after its next synchronization may well come after the write.
      if (step.number != 0 && !is_next) break;
      if (!step.is_contested || !step.access.overlaps(write)) continue;
      const MemoryAccess& access = step.access;
      if (access.reads && access.read_known) {
        const bool served = write.written_known && access.address == write.address &&
                            access.size == write.size && access.read == write.written;
        const bool finds_it_now = is_read_certainly(access);
        if (finds_it_now && !served) return Rank::harmful_write;
        is_awaited |= is_next && served && !finds_it_now;
      }
      // What it reads later there, it has written itself.
      if (access.writes) break;
    }
  }
  return is_awaited ? Rank::awaited_write : Rank::write;
}

// Null at the end.
Result<ParallelMerge::Lane*> ParallelMerge::choose() {
  size_t best = lanes_.size();
  Rank best_rank = Rank::none;
  uint64_t lowest = UINT64_MAX;  // number of a step out of turn
  for (size_t i = 0; i < lanes_.size(); ++i) {
    const size_t place = (current_ + i) % lanes_.size();
    Lane& lane = lanes_[place];
    if (auto done = look_ahead(lane); !done) return std::unexpected(std::move(done).error());
  }
  for (size_t i = 0; i < lanes_.size(); ++i) {
    const size_t place = (current_ + i) % lanes_.size();
    const Rank found = rank(lanes_[place]);
    if (found == Rank::none || found > best_rank) continue;
    if (found == Rank::out_of_turn) {
      const uint64_t number = lanes_[place].ahead.front().number;
      if (number >= lowest) continue;
      lowest = number;
    } else if (found == best_rank) {
      continue;
    }
    best = place;
    best_rank = found;
    if (found == Rank::free) break;
  }
  if (best == lanes_.size()) return nullptr;
  current_ = best;
  return &lanes_[best];
}

Result<size_t> ParallelMerge::read(std::span<trace::Event> out) {
  if (!bad_thread_.message.empty()) return std::unexpected(bad_thread_);
  size_t count = 0;
  while (count < out.size()) {
    Lane* lane = lanes_.empty() ? nullptr : &lanes_[current_];
    // The short way: the thread that goes on anyway.
    const bool goes_on = lane != nullptr && !lane->ahead.empty() &&
                         !lane->ahead.front().is_contested && lane->ahead.front().number == 0;
    if (!goes_on) {
      FORETELL_TRY(chosen, choose());
      lane = chosen;
    }
    if (lane == nullptr) break;
    out[count].index = EventIndex{next_index_};
    if (auto done = take(*lane, out[count]); !done) return std::unexpected(std::move(done).error());
    ++next_index_;
    ++count;
  }
  return count;
}

Result<void> ParallelMerge::take(Lane& lane, trace::Event& event) {
  const Step step = lane.ahead.front();
  lane.ahead.pop_front();
  if (step.number != 0) next_number_ = step.number + 1;
  if (auto done = translator_.step(*lane.thread, step.record, step.extensions, event); !done) {
    return done;
  }
  if (step.is_contested) simulate(step, event);
  return {};
}

void ParallelMerge::simulate(const Step& step, trace::Event& event) {
  const MemoryAccess& access = step.access;
  if (access.reads) {
    if (is_read_certainly(access)) {
      memory_.store(access.address, access.size, access.read, /*written=*/false);
    } else {
      memory_.forget(access.address, access.size);
      const bool rmw = event.kind == trace::EventKind::AtomicRmw;
      event.flags &=
          static_cast<uint16_t>(~(rmw ? trace::Event::kHasReadValue : trace::Event::kHasValue));
      (rmw ? event.extra : event.value) = 0;
      event.flags |= trace::Event::kAmbiguous;
      ++ambiguous_;
    }
  }
  if (!access.writes) return;
  if (access.written_known && access.size <= 8) {
    memory_.store(access.address, access.size, access.written, /*written=*/true);
  } else {
    memory_.overwrite(access.address, access.size);
  }
}

}  // namespace foretell::recording
