// SPDX-License-Identifier: Apache-2.0

#include "tiddle/cxx_operations.h"

#include <algorithm>

#include "base/check.h"

namespace foretell::tiddle {
namespace {

std::string_view order_name(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::relaxed:
      return "std::memory_order_relaxed";
    case MemoryOrder::consume:
      return "std::memory_order_consume";
    case MemoryOrder::acquire:
      return "std::memory_order_acquire";
    case MemoryOrder::release:
      return "std::memory_order_release";
    case MemoryOrder::acq_rel:
      return "std::memory_order_acq_rel";
    case MemoryOrder::seq_cst:
      return "std::memory_order_seq_cst";
  }
  CHECK(false);
}

std::string_view builtin_order_name(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::relaxed:
      return "__ATOMIC_RELAXED";
    case MemoryOrder::consume:
      return "__ATOMIC_CONSUME";
    case MemoryOrder::acquire:
      return "__ATOMIC_ACQUIRE";
    case MemoryOrder::release:
      return "__ATOMIC_RELEASE";
    case MemoryOrder::acq_rel:
      return "__ATOMIC_ACQ_REL";
    case MemoryOrder::seq_cst:
      return "__ATOMIC_SEQ_CST";
  }
  CHECK(false);
}

std::string number(uint64_t value) {
  const auto v = static_cast<int64_t>(value);
  if (v == INT64_MIN) return "INT64_MIN";
  if (v >= -INT32_MAX && v <= INT32_MAX) return fmt::format("{}", v);
  return fmt::format("INT64_C({})", v);
}

uint64_t cut(uint64_t value, uint64_t size) {
  return size >= 8 ? value : value & ((uint64_t{1} << (size * 8)) - 1);
}

bool order_fits(const trace::Event& e) {
  if (e.kind == trace::EventKind::AtomicRead) {
    return e.order != MemoryOrder::release && e.order != MemoryOrder::acq_rel;
  }
  if (e.kind == trace::EventKind::AtomicWrite) {
    return e.order == MemoryOrder::relaxed || e.order == MemoryOrder::release ||
           e.order == MemoryOrder::seq_cst;
  }
  return true;
}

}  // namespace

std::string_view CxxOperations::lock_type(const LockPlan& lock) {
  if (lock.shared) return "std::shared_mutex";
  return lock.reentrant ? "std::recursive_mutex" : "std::mutex";
}

Result<void> CxxOperations::write(size_t step) {
  const trace::Event& e = plan_.events[step];
  switch (e.kind) {
    case trace::EventKind::Read:
    case trace::EventKind::Write:
    case trace::EventKind::AtomicRead:
    case trace::EventKind::AtomicWrite:
    case trace::EventKind::AtomicRmw:
      return access(step, e);
    case trace::EventKind::Acquire:
    case trace::EventKind::Release:
    case trace::EventKind::AcquireShared:
    case trace::EventKind::ReleaseShared:
    case trace::EventKind::TryFail:
    case trace::EventKind::TryFailShared:
      lock_operation(step, e);
      return {};
    case trace::EventKind::Fork:
      fork(step, e);
      return {};
    case trace::EventKind::Join:
      out_.line("::pthread_join(foretell_lockstep_thread({}), nullptr);",
                plan_.thread(e.other_thread()).identifier);
      return {};
    case trace::EventKind::BlockBegin:
      out_.line("FORETELL_ATOMIC_BLOCK_BEGIN({});", as_literal(plan_.tables->labels[e.label()]));
      return {};
    case trace::EventKind::BlockEnd:
      out_.line("FORETELL_ATOMIC_BLOCK_END({});", as_literal(plan_.tables->labels[e.label()]));
      return {};
    case trace::EventKind::Fence:
      out_.line("std::atomic_thread_fence({});", order_name(e.order));
      return {};
    case trace::EventKind::WaitBegin:
      begin_wait(step, e);
      return {};
    case trace::EventKind::NotifyOne:
      if (auto ok = check_notify(step, e); !ok) return ok;
      out_.line("{}.notify_one();", plan_.conditions[e.object].identifier);
      return {};
    case trace::EventKind::NotifyAll:
      out_.line("{}.notify_all();", plan_.conditions[e.object].identifier);
      return {};
    case trace::EventKind::BarrierEnter:
      out_.line("foretell_arrival.emplace({}.arrive());", plan_.barriers[e.object].identifier);
      return {};
    case trace::EventKind::BarrierExit:
      out_.line("{}.wait(std::move(*foretell_arrival));", plan_.barriers[e.object].identifier);
      return {};
    case trace::EventKind::SemaphorePost:
      out_.line("{}.release();", plan_.semaphores[e.object].identifier);
      return {};
    case trace::EventKind::SemaphoreWait:
      out_.line("{}.acquire();", plan_.semaphores[e.object].identifier);
      return {};
    case trace::EventKind::Branch:
      out_.open(fmt::format("if (foretell_lockstep_opaque({}) != 0)", number(e.value)));
      out_.line("foretell_lockstep_use(1);");
      out_.close(" else {");
      out_.indent();
      out_.line("foretell_lockstep_use(0);");
      out_.close();
      return {};
    case trace::EventKind::Alloc:
      allocate(e);
      return {};
    case trace::EventKind::Free:
      out_.line("std::free(foretell_lockstep_memory({}));",
                memory_.object(e.location()).identifier);
      return {};
    case trace::EventKind::User:
      out_.line("FORETELL_USER_EVENT({}, {});",
                as_literal(plan_.tables->user_events[e.user_event()]),
                as_literal(plan_.tables->strings[e.arguments()]));
      return {};
    case trace::EventKind::Request:
    case trace::EventKind::RequestShared:
    case trace::EventKind::ThreadBegin:
    case trace::EventKind::ThreadEnd:
    case trace::EventKind::WaitEnd:
    case trace::EventKind::DestroyLock:
    case trace::EventKind::DestroyCondition:
    case trace::EventKind::DestroyBarrier:
    case trace::EventKind::DestroySemaphore:
    case trace::EventKind::FunctionEnter:
    case trace::EventKind::FunctionExit:
      // Asking for a lock is part of taking it; the others are done by the code around them.
      return {};
  }
  CHECK(false);
}

Result<void> CxxOperations::access(size_t step, const trace::Event& e) {
  if (is_atomic_access(e.kind) && !order_fits(e)) {
    return fail_at(plan_.where(step), "C++ has no atomic {} with the order '{}'",
                   e.kind == trace::EventKind::AtomicRead ? "read" : "write",
                   trace::word_of(e.order));
  }
  const Place& place = memory_.place(e.location());
  if (place.size == 0) {
    variable_access(step, e, memory_.objects()[place.object]);
  } else if (place.size == 1 || place.size == 2 || place.size == 4 || place.size == 8) {
    word_access(step, e, place);
  } else {
    bytes_access(step, e, place);
  }
  return {};
}

void CxxOperations::variable_access(size_t step, const trace::Event& e,
                                    const MemoryObject& object) {
  const std::string_view type = object.wide ? "std::int64_t" : "int";
  const std::string& x = object.identifier;
  const std::string atomic = object.plain ? fmt::format("std::atomic_ref<{}>({})", type, x) : x;
  const std::string stored = number(plan_.stored[step]);
  std::string read;
  bool known = e.has_value();
  uint64_t expected = e.value;
  if (e.kind == trace::EventKind::Read) {
    read = x;
  } else if (e.kind == trace::EventKind::AtomicRead) {
    read = fmt::format("{}.load({})", atomic, order_name(e.order));
  } else if (e.kind == trace::EventKind::AtomicRmw) {
    read = fmt::format("{}.exchange({}, {})", atomic, stored, order_name(e.order));
    known = e.has_read_value();
    expected = e.read_value();
  } else if (e.kind == trace::EventKind::AtomicWrite) {
    out_.line("{}.store({}, {});", atomic, stored, order_name(e.order));
    return;
  } else {
    out_.line("{} = {};", x, stored);
    return;
  }
  if (known) {
    out_.line("foretell_lockstep_expect({}, {}, {});", literal_text(step), read, number(expected));
  } else {
    out_.line("foretell_lockstep_use({});", read);
  }
}

std::string CxxOperations::pointer(const Place& place) const {
  const MemoryObject& object = memory_.objects()[place.object];
  std::string text = object.shape == ObjectShape::heap
                         ? fmt::format("foretell_lockstep_memory({})", object.identifier)
                         : object.identifier;
  if (place.offset > 0) text += fmt::format(" + {}", place.offset);
  return text;
}

void CxxOperations::word_access(size_t step, const trace::Event& e, const Place& place) {
  const bool atomic = is_atomic_access(e.kind);
  const std::string word = fmt::format("reinterpret_cast<foretell_{}{}*>({})",
                                       atomic ? "atomic" : "word", place.size, pointer(place));
  const uint64_t value = cut(plan_.stored[step], place.size);
  const std::string stored =
      value <= INT32_MAX ? fmt::format("{}", value) : fmt::format("UINT64_C({})", value);
  const std::string_view order = builtin_order_name(e.order);
  const std::string narrow = fmt::format("static_cast<foretell_word{}>({})", place.size, stored);
  std::string read;
  bool known = e.has_value();
  uint64_t expected = e.value;
  if (e.kind == trace::EventKind::Read) {
    read = "*" + word;
  } else if (e.kind == trace::EventKind::AtomicRead) {
    read = fmt::format("__atomic_load_n({}, {})", word, order);
  } else if (e.kind == trace::EventKind::AtomicRmw) {
    read = fmt::format("__atomic_exchange_n({}, {}, {})", word, narrow, order);
    known = e.has_read_value();
    expected = e.read_value();
  } else if (e.kind == trace::EventKind::AtomicWrite) {
    out_.line("__atomic_store_n({}, {}, {});", word, narrow, order);
    return;
  } else {
    out_.line("*{} = {};", word, narrow);
    return;
  }
  if (known) {
    out_.line("foretell_lockstep_expect({}, static_cast<std::int64_t>({}), {});",
              literal_text(step), read, number(cut(expected, place.size)));
  } else {
    out_.line("foretell_lockstep_use({});", read);
  }
}

void CxxOperations::bytes_access(size_t step, const trace::Event& e, const Place& place) {
  const uint64_t shown = std::min<uint64_t>(place.size, 8);
  out_.open("");
  if (e.kind == trace::EventKind::Write) {
    std::string bytes;
    for (uint64_t i = 0; i < shown; ++i) {
      bytes += fmt::format("{}{}", i ? ", " : "", (plan_.stored[step] >> (8 * i)) & 0xff);
    }
    out_.line("static const unsigned char bytes[{}] = {{{}}};", place.size, bytes);
    out_.line("std::memcpy({}, bytes, {});", pointer(place), place.size);
  } else {
    out_.line("static unsigned char bytes[{}];", place.size);
    out_.line("std::memcpy(bytes, {}, {});", pointer(place), place.size);
    out_.line("foretell_lockstep_use(&bytes[0]);");
    if (e.has_value()) {
      out_.line("foretell_lockstep_expect({}, foretell_lockstep_number(bytes, {}), {});",
                literal_text(step), shown, number(cut(e.value, place.size)));
    }
  }
  out_.close();
}

void CxxOperations::allocate(const trace::Event& e) {
  const MemoryObject& object = memory_.object(e.location());
  const uint64_t size =
      e.has_value() && plan_.tables->locations[e.location()].size == 0 ? e.value : object.size;
  // calloc: what nobody wrote is 0, as everywhere in a Tiddle program.
  out_.line("foretell_lockstep_keep({}, std::calloc(1, {}));", object.identifier, size);
}

void CxxOperations::fork(size_t step, const trace::Event& e) {
  const ThreadPlan& child = plan_.thread(e.other_thread());
  out_.open(fmt::format("if (::pthread_create(&{}, nullptr, {}, nullptr) != 0)", child.identifier,
                        child.body));
  out_.line("foretell_lockstep_fail({}, \"cannot create the thread\");", literal_text(step));
  out_.close();
}

void CxxOperations::lock_operation(size_t step, const trace::Event& e) {
  const std::string& lock = plan_.locks[to_index(e.lock())].identifier;
  const bool shared = e.kind == trace::EventKind::TryFailShared;
  switch (e.kind) {
    case trace::EventKind::Acquire:
      out_.line("{}.lock();", lock);
      return;
    case trace::EventKind::Release:
      out_.line("{}.unlock();", lock);
      return;
    case trace::EventKind::AcquireShared:
      out_.line("{}.lock_shared();", lock);
      return;
    case trace::EventKind::ReleaseShared:
      out_.line("{}.unlock_shared();", lock);
      return;
    default:
      break;
  }
  const std::string_view suffix = shared ? "_shared" : "";
  out_.open(fmt::format("if ({}.try_lock{}())", lock, suffix));
  if (lockstep_) {
    out_.line("foretell_lockstep_fail({}, \"the lock is free\");", literal_text(step));
  } else {
    out_.line("{}.unlock{}();", lock, suffix);
  }
  out_.close();
}

void CxxOperations::begin_wait(size_t step, const trace::Event& e) {
  const LockPlan& lock = plan_.locks[to_index(e.lock())];
  const WaitPlan& wait = plan_.waits[step];
  const std::string& condition = plan_.conditions[e.object].identifier;
  out_.open("");
  if (!lockstep_) {
    out_.line("Waiter<{}> waiter{{{}, {}}};", lock_type(lock), lock.identifier, wait.depth);
    // Nobody may be left to notify it.
    out_.line("{}.wait_for(waiter, std::chrono::seconds(1));", condition);
  } else {
    const std::string wake = wait.wake == kNever ? std::string("foretell_lockstep_never")
                                                 : fmt::format("{}", turn(wait.wake));
    out_.line("Waiter<{}> waiter{{{}, {}, {}, {}}};", lock_type(lock), lock.identifier, wait.depth,
              turn(step), wake);
    const bool spurious = wait.wake != kNever && wait.notify == kNever;
    out_.line("{}.{};", condition,
              spurious ? "wait_for(waiter, std::chrono::milliseconds(1))" : "wait(waiter)");
  }
  out_.close();
}

// Which of several waiters a condition variable wakes is its own choice.
Result<void> CxxOperations::check_notify(size_t step, const trace::Event& e) const {
  if (!lockstep_) return {};
  std::vector<size_t> waiting;
  for (size_t i = 0; i < step; ++i) {
    const trace::Event& w = plan_.events[i];
    if (w.kind != trace::EventKind::WaitBegin || w.object != e.object) continue;
    const WaitPlan& wait = plan_.waits[i];
    const bool notified = wait.notify != kNever && wait.notify < step;
    const bool over = wait.wake != kNever && wait.wake < step;
    if (!notified && !over) waiting.push_back(i);
  }
  if (waiting.size() < 2) return {};
  return fail_at(plan_.where(step),
                 "threads {} and {} both wait on condition {}: no program can force which of them "
                 "a notify wakes",
                 plan_.thread_name(plan_.events[waiting[0]]),
                 plan_.thread_name(plan_.events[waiting[1]]), plan_.conditions[e.object].name);
}

}  // namespace foretell::tiddle
