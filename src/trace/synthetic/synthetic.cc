// SPDX-License-Identifier: Apache-2.0

#include "trace/synthetic/synthetic.h"

#include <algorithm>
#include <limits>
#include <utility>
#include <vector>

#include "base/check.h"
#include "trace/reader.h"
#include "trace/synthetic/pcg.h"
#include "trace/synthetic/program.h"

namespace foretell::trace {

using namespace synthetic;

namespace {

constexpr uint32_t kMain = 0;
constexpr uint32_t kFree = std::numeric_limits<uint32_t>::max();  // a lock nobody holds

// What a thread will do next, decided a call ahead. Values are filled in when it happens.
struct Thread {
  std::vector<Event> plan;
  size_t done = 0;  // events of the plan that happened
  bool forked = false;
  bool at_barrier = false;
  bool leaving_barrier = false;
  bool ended = false;
};

class Run final : public SyntheticTrace {
 public:
  explicit Run(const SyntheticOptions& options)
      : options_(options),
        random_(options.seed),
        program_(options, random_),
        threads_(options.threads),
        holder_(program_.tables.locks.size(), kFree),
        memory_(options.values ? options.locations : 0),
        planned_(scaffolding(options)),
        next_barrier_(options.barrier_every) {
    threads_[kMain].forked = true;
    for (uint32_t i = 1; i < options.threads; ++i) {
      plan(kMain, EventKind::Fork, i, program_.thread_site);
      plan(i, EventKind::ThreadBegin, 0, program_.thread_site);
    }
  }

  // Events that are there whatever the threads do.
  static uint64_t scaffolding(const SyntheticOptions& options) {
    return 4 * uint64_t{options.threads - 1} +  // fork, begin, end, join
           (joins_with_lock(options) ? 2 : 0);
  }

  const TraceTables& tables() const override { return program_.tables; }

  size_t next(std::span<Event> out) override {
    size_t count = 0;
    while (count < out.size() && emitted_ < options_.events) {
      if (quantum_ == 0 || !can_run(current_)) switch_thread();
      --quantum_;
      out[count++] = step(current_);
    }
    return count;
  }

 private:
  bool can_run(uint32_t id) {
    Thread& thread = threads_[id];
    if (!thread.forked || thread.ended || thread.at_barrier) return false;
    if (thread.done == thread.plan.size() && !plan_ahead(id)) return false;
    const Event& e = thread.plan[thread.done];
    if (e.kind == EventKind::WaitEnd) {
      return waiter_ == Waiter::notified && holder_[program_.wait_lock] == kFree;
    }
    if (e.kind != EventKind::Acquire) return true;
    // Who takes several at once gets all of them or none: taken one by one they could deadlock.
    for (uint64_t i = 0; i <= e.extra; ++i) {
      const uint32_t holder = holder_[thread.plan[thread.done + i].object];
      if (holder != kFree && holder != id) return false;
    }
    return true;
  }

  // Some thread can always run: locks are taken in ascending order, and all arrive at a barrier.
  void switch_thread() {
    quantum_ = 1 + random_.below(2 * options_.quantum - 1);
    const uint32_t first = random_.below(options_.threads);
    uint32_t tried = 0;
    do {
      CHECK(tried < options_.threads);
      current_ = (first + tried++) % options_.threads;
    } while (!can_run(current_));
  }

  Event step(uint32_t id) {
    Thread& thread = threads_[id];
    Event e = thread.plan[thread.done++];
    e.index = EventIndex{emitted_++};
    if (e.kind == EventKind::Acquire) {
      for (uint64_t i = 0; i <= e.extra; ++i) holder_[thread.plan[thread.done - 1 + i].object] = id;
      e.extra = 0;
    }
    if (options_.waits > 0) follow_waits(e, id);
    if (e.kind == EventKind::Release) holder_[e.object] = kFree;
    if (e.kind == EventKind::Fork) threads_[e.object].forked = true;
    if (e.kind == EventKind::ThreadEnd) {
      thread.ended = true;
      ++ended_;
    }
    if (e.kind == EventKind::BarrierEnter) enter_barrier(thread);
    if (options_.values && (is_read(e.kind) || is_write(e.kind))) set_values(e);
    return e;
  }

  void follow_waits(const Event& e, uint32_t id) {
    if (e.kind == EventKind::SemaphorePost) ++available_[e.object];
    if (e.kind == EventKind::NotifyOne) waiter_ = Waiter::notified;
    if (e.kind == EventKind::WaitBegin) {
      waiter_ = Waiter::waits;
      holder_[program_.wait_lock] = kFree;
    }
    if (e.kind == EventKind::WaitEnd) {
      waiter_ = Waiter::none;
      holder_[program_.wait_lock] = id;
    }
  }

  void set_values(Event& e) {
    uint64_t& memory = memory_[e.object];
    const uint64_t before = memory;
    if (is_write(e.kind)) memory = random_.percent(12) ? random_.below(1 << 16) : memory + 1;
    e.value = memory;
    e.flags |= Event::kHasValue;
    if (e.kind == EventKind::AtomicRmw) {
      e.extra = before;
      e.flags |= Event::kHasReadValue;
    }
  }

  void enter_barrier(Thread& thread) {
    thread.at_barrier = true;
    if (++arrived_ < options_.threads) return;
    for (Thread& each : threads_) {
      each.at_barrier = false;
      each.leaving_barrier = true;
    }
    arrived_ = 0;
    barrier_closing_ = false;
    ++generation_;
    next_barrier_ = emitted_ + options_.barrier_every;
  }

  Event& plan(uint32_t id, EventKind kind, uint32_t object, SiteId site) {
    return threads_[id].plan.emplace_back(
        Event{.kind = kind, .thread = ThreadId{id}, .object = object, .site = site});
  }

  // Refills the plan of a thread that holds no lock. False if it must wait for others.
  bool plan_ahead(uint32_t id) {
    Thread& thread = threads_[id];
    thread.plan.clear();
    thread.done = 0;
    if (std::exchange(thread.leaving_barrier, false)) {
      plan(id, EventKind::BarrierExit, 0, program_.barrier_site).value = generation_;
      return true;
    }
    if (waiter_ == Waiter::waits) {
      plan_notify(id);
      return true;
    }
    close_barrier_if_due();
    if (barrier_closing_) {
      plan(id, EventKind::BarrierEnter, 0, program_.barrier_site).value = generation_ + 1;
      return true;
    }
    if (!full_) plan_call(id);
    if (!full_) return true;
    thread.plan.clear();
    return id == kMain ? plan_end_of_main() : plan_end(id);
  }

  void close_barrier_if_due() {
    const uint64_t size = 2 * uint64_t{options_.threads};
    if (options_.barrier_every == 0 || barrier_closing_ || full_ || emitted_ < next_barrier_)
      return;
    if (planned_ + size > options_.events) return;
    planned_ += size;
    barrier_closing_ = true;
  }

  bool plan_end(uint32_t id) {
    plan(id, EventKind::ThreadEnd, 0, program_.thread_site);
    return true;
  }

  // The main thread fills up to the wanted number of events with accesses of its own.
  bool plan_end_of_main() {
    if (planned_ < options_.events) {
      ++planned_;
      const Pool own = program_.pools[0].part(kMain, options_.threads);
      plan(kMain, EventKind::Read, own.first, program_.thread_site);
      return true;
    }
    if (ended_ + 1 < options_.threads) return false;
    const bool with_lock = joins_with_lock(options_);
    if (with_lock) plan(kMain, EventKind::Acquire, 0, program_.wait_sites[4]);
    for (uint32_t i = 1; i < options_.threads; ++i) {
      plan(kMain, EventKind::Join, i, program_.thread_site);
    }
    if (with_lock) plan(kMain, EventKind::Release, 0, program_.wait_sites[4]);
    return options_.threads > 1;
  }

  // One call of a routine, after as much synchronization as keeps the share of accesses. Sets
  // full_ if it does not fit any more.
  void plan_call(uint32_t id) {
    const int64_t balance = balance_;
    const uint64_t planned = planned_;
    const Waiter waiter = waiter_;
    const bool is_block = options_.blocks > 0 && random_.percent(options_.blocks);
    if (is_block) plan(id, EventKind::BlockBegin, 0, program_.thread_site);
    while (balance_ > 0 && plan_synchronization(id)) {
    }
    const size_t sharing = next_sharing();
    const auto& candidates = program_.routines[sharing];
    const auto count = static_cast<uint32_t>(candidates.size());
    const Routine& routine = candidates[random_.below(random_.below(count) + 1)];  // few are hot
    Pool pool = program_.pools[sharing];
    if (routine.sharing == Sharing::thread_local_data) pool = pool.part(id, options_.threads);
    chain_.clear();
    if (routine.sharing == Sharing::lock_protected) {
      const uint32_t guard = random_.below(random_.below(program_.guarded_parts) + 1);
      pool = pool.part(guard, program_.guarded_parts);
      draw_chain(guard);
    }
    for (uint32_t lock : chain_) plan_lock(id, EventKind::Acquire, lock, routine.acquire_site);
    plan_body(id, routine, pool);
    for (size_t i = chain_.size(); i-- > 0;) {
      plan_lock(id, EventKind::Release, chain_[i], routine.release_site);
    }
    if (is_block) plan(id, EventKind::BlockEnd, 0, program_.thread_site);
    const size_t size = threads_[id].plan.size();
    full_ = planned_ + size > options_.events;
    if (full_) {
      balance_ = balance;
      planned_ = planned;
      waiter_ = waiter;
    } else {
      planned_ += size;
    }
  }

  // The class that is farthest below its share.
  size_t next_sharing() const {
    size_t best = kSharingCount;
    for (size_t i = 0; i < kSharingCount; ++i) {
      if (program_.weights[i] == 0) continue;
      if (best == kSharingCount ||
          accesses_[i] * program_.weights[best] < accesses_[best] * program_.weights[i]) {
        best = i;
      }
    }
    return best;
  }

  void draw_chain(uint32_t guard) {
    chain_.push_back(guard);
    const uint32_t depth = 1 + random_.below(std::max(options_.nesting, 1u));
    while (chain_.size() < depth) chain_.push_back(random_.below(options_.locks));
    std::ranges::sort(chain_);
    chain_.erase(std::unique(chain_.begin(), chain_.end()), chain_.end());
  }

  void plan_body(uint32_t id, const Routine& routine, Pool pool) {
    uint32_t object = random_.below(random_.below(pool.size) + 1);  // few objects are hot
    const bool locked = !chain_.empty();
    uint32_t left = locked ? 8 : 1 + random_.below(6);
    for (; left > 0 && !(locked && balance_ >= 0); --left, object += routine.stride) {
      for (const Step& step : routine.steps) {
        plan(id, step.write ? EventKind::Write : EventKind::Read, pool.at(object + step.field),
             step.site);
        balance_ += 100 - options_.accesses;
        ++accesses_[static_cast<size_t>(routine.sharing)];
      }
    }
  }

  void plan_lock(uint32_t id, EventKind kind, uint32_t lock, SiteId site) {
    plan(id, kind, lock, site);
    balance_ -= options_.accesses;
  }

  // A short critical section or an atomic access. False if the options allow neither.
  bool plan_synchronization(uint32_t id) {
    if (random_.percent(options_.atomics)) {
      plan_atomic(id);
      return true;
    }
    if (options_.inversions > 0 && random_.percent(options_.inversions)) {
      plan_inversion(id);
      return true;
    }
    if (options_.waits > 0 && random_.percent(options_.waits)) {
      plan_wait(id);
      return true;
    }
    if (options_.locks == 0) return options_.atomics > 0;
    const uint32_t lock = random_.below(options_.locks);
    plan_lock(id, EventKind::Acquire, lock, program_.padding_site);
    plan_lock(id, EventKind::Release, lock, program_.padding_site);
    return true;
  }

  void plan_atomic(uint32_t id) {
    constexpr EventKind kKinds[] = {EventKind::AtomicRead, EventKind::AtomicWrite,
                                    EventKind::AtomicRmw};
    constexpr MemoryOrder kOrders[] = {MemoryOrder::acquire, MemoryOrder::release,
                                       MemoryOrder::acq_rel};
    const uint32_t i = random_.below(3);
    const uint32_t object = program_.atomics.at(random_.below(program_.atomics.size));
    plan(id, kKinds[i], object, program_.atomic_site).order =
        random_.percent(25) ? MemoryOrder::relaxed : kOrders[i];
    balance_ -= options_.accesses;
  }

  void plan_inversion(uint32_t id) {
    const Inversion& group = program_.inversions[random_.below(Inversion::kGroups)];
    const uint32_t place = random_.below(group.locks);
    const auto& [outer_site, inner_site] = group.sites[place];
    const uint32_t gate = group.first + Inversion::kMostLocks;
    const uint32_t outer = group.first + place;
    const uint32_t inner = group.first + (place + 1) % group.locks;
    const size_t begin = threads_[id].plan.size();
    if (group.is_guarded) plan_lock(id, EventKind::Acquire, gate, outer_site);
    plan_lock(id, EventKind::Acquire, outer, outer_site);
    plan_lock(id, EventKind::Acquire, inner, inner_site);
    threads_[id].plan[begin].extra = threads_[id].plan.size() - begin - 1;
    plan_lock(id, EventKind::Release, inner, inner_site);
    plan_lock(id, EventKind::Release, outer, outer_site);
    if (group.is_guarded) plan_lock(id, EventKind::Release, gate, outer_site);
  }

  // What is waited for is there already, so that no thread waits forever.
  void plan_wait(uint32_t id) {
    const auto& [post_site, down_site, wait_site, notify_site, lock_site] = program_.wait_sites;
    if (waiter_ == Waiter::none && id != kMain && random_.percent(10)) {
      waiter_ = Waiter::planned;
      planned_ += 3;  // whoever notifies
      plan_lock(id, EventKind::Acquire, program_.wait_lock, wait_site);
      plan_signal(id, EventKind::WaitBegin, 0, wait_site);
      plan_signal(id, EventKind::WaitEnd, 0, wait_site);
      plan_lock(id, EventKind::Release, program_.wait_lock, wait_site);
      return;
    }
    const uint32_t semaphore = random_.below(Program::kSemaphores);
    const bool locked = options_.locks > 0 && random_.percent(50);
    const uint32_t lock = semaphore % std::max(options_.locks, 1u);
    const bool down = available_[semaphore] > 0 && random_.percent(50);
    if (down) --available_[semaphore];
    if (locked) plan_lock(id, EventKind::Acquire, lock, lock_site);
    plan_signal(id, down ? EventKind::SemaphoreWait : EventKind::SemaphorePost, semaphore,
                down ? down_site : post_site);
    if (locked) plan_lock(id, EventKind::Release, lock, lock_site);
  }

  // Its events were counted when the wait was planned.
  void plan_notify(uint32_t id) {
    const SiteId site = program_.wait_sites[3];
    waiter_ = Waiter::served;
    plan(id, EventKind::Acquire, program_.wait_lock, site);
    plan_signal(id, EventKind::NotifyOne, 0, site);
    plan(id, EventKind::Release, program_.wait_lock, site);
  }

  void plan_signal(uint32_t id, EventKind kind, uint32_t object, SiteId site) {
    Event& e = plan(id, kind, object, site);
    e.value = Event::kUnknown;
    if (kind == EventKind::WaitBegin || kind == EventKind::WaitEnd) e.extra = program_.wait_lock;
    balance_ -= options_.accesses;
  }

  static bool joins_with_lock(const SyntheticOptions& options) {
    return options.waits > 0 && options.locks > 0 && options.threads > 1;
  }

  const SyntheticOptions options_;
  Pcg random_;
  Program program_;
  std::vector<Thread> threads_;
  std::vector<uint32_t> holder_;  // by lock
  std::vector<uint64_t> memory_;  // by location: what the last write stored
  uint64_t emitted_ = 0;
  uint64_t planned_;   // emitted, in plans, or scaffolding still to come
  bool full_ = false;  // no more calls: the threads end
  uint32_t ended_ = 0;
  uint32_t current_ = kMain;
  uint32_t quantum_ = 0;
  int64_t balance_ = 0;  // above 0: too many accesses for the wanted share
  std::array<uint64_t, kSharingCount> accesses_{};
  std::vector<uint32_t> chain_;  // locks of the call being planned
  // At most one thread waits for the condition, and the next one to plan something notifies it.
  enum class Waiter : uint8_t { none, planned, waits, served, notified };
  Waiter waiter_ = Waiter::none;
  std::array<uint32_t, Program::kSemaphores> available_{};  // posted, and promised to nobody
  uint64_t next_barrier_;
  bool barrier_closing_ = false;  // every thread goes to the barrier next
  uint32_t arrived_ = 0;
  uint64_t generation_ = 0;
};

}  // namespace

Result<std::unique_ptr<SyntheticTrace>> SyntheticTrace::create(const SyntheticOptions& options) {
  auto bad = [](std::string message) {
    return std::unexpected(
        Diagnostic{.message = std::move(message), .where = "", .exit_code = ExitCode::usage});
  };
  if (options.threads == 0 || options.quantum == 0) {
    return bad("a synthetic trace needs at least one thread and a quantum of one");
  }
  if (options.locations < uint64_t{options.threads} + kSharingCount + 1) {
    return bad(fmt::format("a synthetic trace of {} threads needs at least {} locations",
                           options.threads, options.threads + kSharingCount + 1));
  }
  if (options.events < Run::scaffolding(options)) {
    return bad(fmt::format("to fork and join {} threads takes {} events", options.threads,
                           Run::scaffolding(options)));
  }
  if (options.accesses > 100 || options.reads > 100 || options.atomics > 100 ||
      options.blocks > 100) {
    return bad("a share of more than 100 percent");
  }
  if (options.inversions > 100 || options.waits > 100) {
    return bad("a share of more than 100 percent");
  }
  if (options.waits > 0 && options.barrier_every > 0) {
    return bad("a synthetic trace has waits or barriers, not both");
  }
  if (options.accesses == 0) return bad("a synthetic trace needs accesses");
  return std::make_unique<Run>(options);
}

Result<void> generate_synthetic(
    const SyntheticOptions& options,
    const std::function<Result<void>(std::span<const Event>, const TraceTables&)>& sink) {
  FORETELL_TRY(trace, SyntheticTrace::create(options));
  std::vector<Event> batch(kBatchSize);
  while (const size_t count = trace->next(batch)) {
    if (auto done = sink(std::span(batch).first(count), trace->tables()); !done) return done;
  }
  return {};
}

}  // namespace foretell::trace
