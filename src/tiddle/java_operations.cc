// SPDX-License-Identifier: Apache-2.0

#include "tiddle/java_operations.h"

#include "base/check.h"

namespace foretell::tiddle {
namespace {

std::string number(uint64_t value, bool wide) {
  return fmt::format("{}{}", static_cast<int64_t>(value), wide ? "L" : "");
}

std::string_view read_method(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::relaxed:
      return "getOpaque";
    case MemoryOrder::consume:
    case MemoryOrder::acquire:
      return "getAcquire";
    case MemoryOrder::release:
    case MemoryOrder::acq_rel:
    case MemoryOrder::seq_cst:
      return "getVolatile";
  }
  CHECK(false);
}

std::string_view write_method(MemoryOrder order) {
  if (order == MemoryOrder::relaxed) return "setOpaque";
  return order == MemoryOrder::release ? "setRelease" : "setVolatile";
}

std::string_view exchange_method(MemoryOrder order) {
  if (order == MemoryOrder::release) return "getAndSetRelease";
  const bool acquires = order == MemoryOrder::acquire || order == MemoryOrder::consume;
  return acquires ? "getAndSetAcquire" : "getAndSet";
}

std::string_view fence_method(MemoryOrder order) {
  switch (order) {
    case MemoryOrder::relaxed:
      return "";
    case MemoryOrder::consume:
    case MemoryOrder::acquire:
      return "acquireFence";
    case MemoryOrder::release:
      return "releaseFence";
    case MemoryOrder::acq_rel:
    case MemoryOrder::seq_cst:
      return "fullFence";
  }
  CHECK(false);
}

}  // namespace

bool JavaOperations::leaves_lockstep(const Plan& plan, size_t step) {
  const WaitPlan& wait = plan.waits[step];
  return plan.events[step].kind == trace::EventKind::WaitBegin &&
         (wait.wake == kNever || wait.notify != kNever);
}

void JavaOperations::write(size_t step) {
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
      return lock_operation(step, e);
    case trace::EventKind::Fork:
      return out_.line("{}.start();", plan_.thread(e.other_thread()).identifier);
    case trace::EventKind::Join: {
      const std::string& child = plan_.thread(e.other_thread()).identifier;
      if (!lockstep_) out_.line("awaitStart({});", child);
      return out_.line("{}.join();", child);
    }
    case trace::EventKind::BlockBegin:
      return out_.line("/* @atomic {} begins */", as_comment(plan_.tables->labels[e.label()]));
    case trace::EventKind::BlockEnd:
      return out_.line("/* @atomic {} ends */", as_comment(plan_.tables->labels[e.label()]));
    case trace::EventKind::Fence:
      if (e.order != MemoryOrder::relaxed) out_.line("VarHandle.{}();", fence_method(e.order));
      return;
    case trace::EventKind::WaitBegin:
      return wait(step, e);
    case trace::EventKind::NotifyOne:
      return out_.line("{}.signal();", plan_.conditions[e.object].identifier);
    case trace::EventKind::NotifyAll:
      return out_.line("{}.signalAll();", plan_.conditions[e.object].identifier);
    case trace::EventKind::BarrierEnter:
      return out_.line("{} = {}.arrive();", plan_.thread(e.thread).arrival,
                       plan_.barriers[e.object].identifier);
    case trace::EventKind::BarrierExit:
      return out_.line("{}.awaitAdvance({});", plan_.barriers[e.object].identifier,
                       plan_.thread(e.thread).arrival);
    case trace::EventKind::SemaphorePost:
      return out_.line("{}.release();", plan_.semaphores[e.object].identifier);
    case trace::EventKind::SemaphoreWait:
      return out_.line("{}.acquire();", plan_.semaphores[e.object].identifier);
    case trace::EventKind::Branch:
      out_.line("_z = {}L;", static_cast<int64_t>(e.value));
      out_.open("if (_z != 0)");
      out_.line("_z = 1;");
      out_.close(" else {");
      out_.indent();
      out_.line("_z = 0;");
      return out_.close();
    case trace::EventKind::User:
      return out_.line("/* @event {} {} */", as_comment(plan_.tables->user_events[e.user_event()]),
                       as_comment(plan_.tables->strings[e.arguments()]));
    case trace::EventKind::Alloc:
    case trace::EventKind::Free:
      CHECK(false);
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
      return;
  }
}

void JavaOperations::access(size_t step, const trace::Event& e) {
  const JavaField& field = objects_.fields.at(e.location());
  const std::string& x = field.identifier;
  const std::string_view type = field.wide ? "long" : "int";
  const std::string stored = number(plan_.stored[step], field.wide);
  const bool by_handle = field.handle && is_atomic_access(e.kind);
  std::string read = x;
  bool known = e.has_value();
  uint64_t expected = e.value;
  if (e.kind == trace::EventKind::AtomicRmw) {
    read = fmt::format("({}) {}.{}({})", type, field.handle_identifier, exchange_method(e.order),
                       stored);
    known = e.has_read_value();
    expected = e.read_value();
  } else if (e.kind == trace::EventKind::AtomicRead && by_handle) {
    read = fmt::format("({}) {}.{}()", type, field.handle_identifier, read_method(e.order));
  } else if (is_write(e.kind)) {
    if (by_handle) {
      return out_.line("{}.{}({});", field.handle_identifier, write_method(e.order), stored);
    }
    return out_.line("{} = {};", x, stored);
  }
  if (known) {
    out_.line("expect({}, {}, {});", literal_text(step), read, number(expected, true));
  } else {
    out_.line("_z = {};", read);
  }
}

void JavaOperations::lock_operation(size_t step, const trace::Event& e) {
  const std::string& lock = plan_.locks[to_index(e.lock())].identifier;
  const JavaLock shape = objects_.locks[to_index(e.lock())];
  const bool shared = e.kind == trace::EventKind::AcquireShared ||
                      e.kind == trace::EventKind::ReleaseShared ||
                      e.kind == trace::EventKind::TryFailShared;
  const std::string object = shape == JavaLock::read_write
                                 ? fmt::format("{}.{}()", lock, shared ? "readLock" : "writeLock")
                                 : lock;
  if (shape == JavaLock::synchronized_block) {
    if (e.kind == trace::EventKind::Acquire) {
      out_.open(fmt::format("synchronized ({})", lock));
    } else {
      out_.close();
    }
  } else if (e.kind == trace::EventKind::Acquire || e.kind == trace::EventKind::AcquireShared) {
    out_.line("{}.lock();", object);
  } else if (e.kind == trace::EventKind::Release || e.kind == trace::EventKind::ReleaseShared) {
    out_.line("{}.unlock();", object);
  } else {
    out_.open(fmt::format("if ({}.tryLock())", object));
    if (lockstep_) {
      out_.line("fail({}, \"the lock is free\");", literal_text(step));
    } else {
      out_.line("{}.unlock();", object);
    }
    out_.close();
  }
}

void JavaOperations::wait(size_t step, const trace::Event& e) {
  const std::string& condition = plan_.conditions[e.object].identifier;
  if (!lockstep_) {
    // Nobody may be left to notify it.
    out_.line("{}.await(1, TimeUnit.SECONDS);", condition);
  } else if (leaves_lockstep(plan_, step)) {
    out_.line("blocking = {};", step);
    out_.line("{}.await();", condition);
  } else {
    out_.line("{}.await(1, TimeUnit.MILLISECONDS);", condition);
  }
}

}  // namespace foretell::tiddle
