// SPDX-License-Identifier: Apache-2.0

#include "analysis/race/wcp/wcp.h"

#include <algorithm>

#include "trace/event_match.h"

namespace foretell::analysis {

void Wcp::on_event(const trace::Event& e) {
  if (is_access(e.kind)) {
    access(e);
  } else {
    sync(e);
  }
}

void Wcp::access(const trace::Event& e) {
  happens_before_.before_access(e);
  held_.on_access(e, [&](const auto&, const WcpSectionRef& earlier, bool) { rule_a(e, earlier); });
  unordered_.on_access(e, *this);
  happens_before_.after_access(e);
}

void Wcp::sync(const trace::Event& e) {
  auto clash_on_condition = [&] {
    held_.on_condition(
        e, [&](const auto&, const WcpSectionRef& earlier, bool) { rule_a(e, earlier); });
  };
  using enum trace::EventKind;
  match(
      e.kind,
      trace::Cases{
          trace::on<trace::kSectionBegins>([&] {
            happens_before_.on_event(e);
            acquire(e, e.kind == AcquireShared);
          }),
          trace::on<trace::kSectionEnds>([&] {
            if (e.kind == WaitBegin) clash_on_condition();
            release(e);
            happens_before_.on_event(e);
          }),
          trace::on<trace::kNotifies>([&] {
            clash_on_condition();
            happens_before_.on_event(e);
          }),
          trace::on<Join>([&] {
            threads_[e.other_thread()].ended = true;
            happens_before_.on_event(e);
          }),
          // From here on prune() asks what the thread has seen.
          trace::on<ThreadBegin>([&] { happens_before_.epoch(e.thread); }),
          trace::on<Fork, Fence, trace::kBarriers, trace::kSemaphores>(
              [&] { happens_before_.on_event(e); }),
          trace::ignored<trace::kAccesses, Alloc, trace::kRequests, trace::kFailedTries, ThreadEnd,
                         trace::kBlocks, trace::EventClass::remark, trace::EventClass::destruction>,
      });
}

void Wcp::rule_a(const trace::Event& e, const WcpSectionRef& earlier) {
  clocks::VectorClock& precedes = threads_[e.thread].precedes;
  // What contains the release contains all that happened before it.
  if (precedes.contains(earlier->release.head())) return;
  ++rule_a_;
  precedes.join(earlier->release);
}

void Wcp::acquire(const trace::Event& e, bool shared) {
  Thread& thread = threads_[e.thread];
  Lock& lock = locks_[e.lock()];
  thread.precedes.join(lock.precedes);
  if (!shared && lock.readers) thread.precedes.join(lock.readers->precedes);
  if (shared && !lock.readers) lock.readers = std::make_unique<Readers>();
  held_.open(e.thread, e.lock(), WcpSectionRef(happens_before_.epoch(e.thread)), shared);
}

void Wcp::release(const trace::Event& e) {
  Thread& thread = threads_[e.thread];
  Lock& lock = locks_[e.lock()];
  auto [id, shared, section] = held_.close(e.thread, e.lock());
  rule_b(thread, lock.exclusive);
  if (!shared && lock.readers) {
    auto& by_thread = lock.readers->by_thread;
    for (uint32_t t = 0; t < by_thread.size(); ++t) rule_b(thread, by_thread[ThreadId{t}]);
  }
  section->release = happens_before_.clock(e.thread);
  const bool published = section->release.head() != section->acquire;
  if (shared) {
    lock.readers->precedes.join(thread.precedes);
    if (published) lock.readers->by_thread[e.thread].push_back(std::move(section));
  } else {
    lock.precedes = thread.precedes;
    if (lock.readers) lock.readers->precedes = clocks::VectorClock();
    if (published) {
      ++listed_;
      lock.exclusive.push_back(std::move(section));
      if (lock.exclusive.size() >= lock.prune_at) prune(lock);
    }
  }
}

// The latest of the sections whose acquire is before the present event, in growing steps from the
// end: it is mostly near.
void Wcp::rule_b(Thread& thread, const Sections& sections) {
  auto is_before = [&](const WcpSectionRef& section) {
    return thread.precedes.contains(section->acquire);
  };
  const auto begin = sections.begin();
  auto high = sections.end();
  for (ptrdiff_t step = 1; high != begin; step *= 2) {
    const auto probe = high - begin > step ? high - step : begin;
    if (is_before(*probe)) {
      high = std::partition_point(probe, high, is_before);
      break;
    }
    high = probe;
  }
  if (high == begin) return;
  const WcpSection& latest = **(high - 1);
  if (thread.precedes.contains(latest.release.head())) return;
  ++rule_b_;
  thread.precedes.join(latest.release);
}

void Wcp::prune(Lock& lock) {
  Sections& sections = lock.exclusive;
  auto known = sections.end();
  for (uint32_t t = 0; t < threads_.size(); ++t) {
    const ThreadId id{t};
    if (threads_[id].ended || happens_before_.known_epoch(id).is_zero()) continue;
    known = std::partition_point(sections.begin(), known, [&](const WcpSectionRef& section) {
      return threads_[id].precedes.contains(section->release.head());
    });
  }
  forgotten_ += static_cast<uint64_t>(known - sections.begin());
  sections.erase(sections.begin(), known);
  lock.prune_at = std::max(kLeastPrune, 2 * sections.size());
}

void Wcp::report_counters(CounterSink& sink) const {
  sink.count("edge by rule (a)", rule_a_);
  sink.count("edge by rule (b)", rule_b_);
  sink.count("section listed", listed_);
  sink.count("section forgotten", forgotten_);
  sink.count("access repeated in epoch", unordered_.repeated());
  sink.count("race", unordered_.proposed());
}

}  // namespace foretell::analysis
