// SPDX-License-Identifier: Apache-2.0

// ShadowLocation: the components W and R of PREDICT 15.2 for one location.
//
// W is the clock of the last write. R, the join of the clocks of all reads, is kept as one clock
// per reading thread, so that a read replaces its own and joins nothing, and so that a bad pair can
// name the read. After a write all earlier reads are in W; they stay, unused, until the next read.
//
// Where atomics touch a location too, the latest plain accesses are kept apart: an atomic access
// races with those only, and atomic writes since do not hide them.
#pragma once

#include <memory>
#include <vector>

#include "analysis/race/access_vector.h"
#include "analysis/race/must_before/extra_edges.h"

namespace foretell::analysis {

// An access and the clock its thread had after it.
struct ClockedAccess {
  AdjustableClock clock;
  EventIndex index = kNoEvent;
  SiteId site = kNoSite;
  trace::EventKind kind{};

  clocks::Epoch epoch() const { return clock.head(); }
  bool exists() const { return index != kNoEvent; }
  AccessEntry entry() const { return {epoch(), index, site, kind}; }
  void set(const trace::Event& e, const AdjustableClock& now) {
    clock = now;
    index = e.index;
    site = e.site;
    kind = e.kind;
  }
};
static_assert(sizeof(ClockedAccess) == 40);

class ShadowLocation {
 public:
  ClockedAccess write;  // W

  // f(ClockedAccess&) for the reads since the last write that are not before another of them.
  template <class F>
  void for_each_read(F&& f) {
    if (!overwritten_) for_each_kept_read(f);
  }

  void set_write(const trace::Event& e, const AdjustableClock& now) {
    write.set(e, now);
    overwritten_ = true;
    if (plain) [[unlikely]]
      note_plain(e, now.head());
  }

  void set_read(const trace::Event& e, const AdjustableClock& now) {
    if (overwritten_) forget_reads();
    if (readers_.empty() && (!reader_.exists() || reader_.epoch().thread() == e.thread ||
                             now.contains(reader_.epoch()))) {
      reader_.set(e, now);
    } else {
      share_read(e, now);
    }
    if (plain) [[unlikely]]
      note_plain(e, now.head());
  }

  // Whether no other thread than `thread` has read since the last write.
  bool read_only_by(ThreadId thread) const {
    return overwritten_ ||
           (readers_.empty() && (!reader_.exists() || reader_.epoch().thread() == thread));
  }

  struct PlainAccesses {
    AccessEntry write;  // none if its epoch is zero
    AccessVector reads;
  };
  std::unique_ptr<PlainAccesses> plain;  // from the first atomic access on
  void keep_plain_accesses();

  // The join of all reads, those before the last write too. For tests.
  clocks::VectorClock read_clock();

  // f(AdjustableClock&) for every clock that a later rule may use; frees the others.
  template <class F>
  void for_each_clock(F&& f) {
    if (write.exists()) f(write.clock);
    if (overwritten_) {
      forget_reads();
      readers_.shrink_to_fit();
    }
    for_each_kept_read([&](ClockedAccess& read) { f(read.clock); });
  }

 private:
  template <class F>
  void for_each_kept_read(F&& f) {
    if (reader_.exists()) f(reader_);
    for (ClockedAccess& read : readers_) f(read);
  }
  void forget_reads();
  void share_read(const trace::Event& e, const AdjustableClock& now);
  void note_plain(const trace::Event& e, clocks::Epoch epoch);

  ClockedAccess reader_;                // the only reader,
  std::vector<ClockedAccess> readers_;  // or several, by thread
  bool overwritten_ = false;            // the reads kept are all before `write`
};

}  // namespace foretell::analysis
