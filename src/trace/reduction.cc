// SPDX-License-Identifier: Apache-2.0

#include "trace/reduction.h"

namespace foretell::trace {
namespace {

// What says where a thread is and orders nothing.
bool ends_no_stretch(EventKind kind) {
  return is_plain_access(kind) || kind == EventKind::Branch || kind == EventKind::FunctionEnter ||
         kind == EventKind::FunctionExit || kind == EventKind::User;
}

}  // namespace

Reduction::Reduction(const TraceTables& tables)
    : tables_(tables), first_(tables, std::make_unique<CellMap>(tables)) {}

Result<void> Reduction::normalize(Normalizer& normalizer, const Event& raw) {
  normal_.clear();
  return normalizer.run({&raw, 1}, normal_);
}

Result<void> Reduction::look_at(const Event& raw) {
  if (auto done = normalize(first_, raw); !done) return done;
  if (raw.kind == EventKind::Join) joined_.insert(raw.other_thread());
  for (const Event& e : normal_) {
    if (!is_access(e.kind)) continue;
    Cell& cell = cells_[e.location()];
    cell.is_shared |= cell.user.value_or(e.thread) != e.thread;
    cell.is_written |= is_write(e.kind) || e.kind == EventKind::Free;
    cell.user = e.thread;
  }
  return {};
}

Reduction::Reason Reduction::reason_to_leave_out(const Event& piece) {
  const Cell& cell = cells_[piece.location()];
  if (!cell.is_shared) return Reason::one_thread;
  if (!cell.is_written) return Reason::read_only;
  const bool writes = piece.kind == EventKind::Write;
  Access& latest = second_->latest[piece.location()][piece.thread];
  const uint64_t now = second_->threads[piece.thread].stretches + 1;
  const bool is_repeated = latest.stretch == now && (latest.writes || !writes);
  latest.writes = writes || (latest.stretch == now && latest.writes);
  latest.stretch = now;
  return is_repeated ? Reason::repeated : Reason::must_stay;
}

Result<bool> Reduction::keeps(const Event& raw) {
  if (!second_) second_ = std::make_unique<SecondPass>(tables_);
  if (auto done = normalize(second_->normalizer, raw); !done) {
    return std::unexpected(std::move(done).error());
  }
  if (!ends_no_stretch(raw.kind)) ++second_->threads[raw.thread].stretches;
  auto reason = Reason::must_stay;
  if (is_plain_access(raw.kind)) {
    // Of several pieces the one with the strongest reason to stay decides; all are noted.
    auto strength = [](Reason r) { return r == Reason::must_stay ? 4 : static_cast<int>(r); };
    std::optional<Reason> strongest;
    for (const Event& piece : normal_) {
      const Reason r = reason_to_leave_out(piece);
      if (!strongest || strength(r) > strength(*strongest)) strongest = r;
    }
    reason = strongest.value_or(Reason::must_stay);
    if (!second_->threads[raw.thread].is_visible && joined_.contains(raw.thread)) {
      reason = Reason::must_stay;
    }
  }
  if (reason == Reason::must_stay) second_->threads[raw.thread].is_visible = true;
  if (raw.kind == EventKind::Fork) second_->threads[raw.other_thread()].is_visible = true;
  switch (reason) {
    case Reason::must_stay:
      ++counts_.kept;
      break;
    case Reason::one_thread:
      ++counts_.one_thread;
      break;
    case Reason::read_only:
      ++counts_.read_only;
      break;
    case Reason::repeated:
      ++counts_.repeated;
      break;
  }
  return reason == Reason::must_stay;
}

void Reduction::restart() {
  second_.reset();
  counts_ = {};
}

Event Reduction::without_values(Event raw) {
  if (!is_access(raw.kind)) return raw;
  raw.flags &= static_cast<uint16_t>(~(Event::kHasValue | Event::kHasReadValue));
  raw.value = raw.extra = 0;
  return raw;
}

}  // namespace foretell::trace
