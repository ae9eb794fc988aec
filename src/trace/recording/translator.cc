// SPDX-License-Identifier: Apache-2.0

#include "trace/recording/translator.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <utility>

#include "trace/recording/lock_rules.h"
#include "trace/waiting.h"

namespace foretell::recording {
namespace {

// Tickets of recording and trace begin at 1. 0 means that none is known: threads that run at once
// cannot tell who woke whom, and the normalizer infers it.
uint64_t ticket_of(uint64_t recorded, uint64_t none) {
  if (recorded == 0) return trace::Event::kUnknown;
  return recorded == kNoTicket ? none : recorded + 1;
}

uint16_t limit_of(const Record& record) {
  return record.value() & recording::kLimited ? trace::kLimited : 0;
}

// By Synchronizer.
constexpr std::array kSynchronizers = {
    std::pair(SyncKind::lock, trace::EventKind::DestroyLock),
    std::pair(SyncKind::condition, trace::EventKind::DestroyCondition),
    std::pair(SyncKind::barrier, trace::EventKind::DestroyBarrier),
    std::pair(SyncKind::semaphore, trace::EventKind::DestroySemaphore)};
static_assert(kSynchronizers.size() == std::size(recording::kSynchronizerWords));

// The kind of event that has the name of an op, by op; that of the others means nothing.
constexpr auto kNamesakes = [] {
  constexpr std::string_view kOps[] = {
#define FORETELL_RECORD(op, step, size, extensions, text) #op,
#include "recording/record.def"
  };
  constexpr std::string_view kKinds[] = {
#define FORETELL_EVENT(kind, ...) #kind,
#include "trace/event.def"
  };
  std::array<trace::EventKind, kOpCount> kinds{};
  for (size_t op = 0; op < kOpCount; ++op) {
    const auto* found = std::ranges::find(kKinds, kOps[op]);
    if (found != std::end(kKinds)) kinds[op] = static_cast<trace::EventKind>(found - kKinds);
  }
  return kinds;
}();

std::string name_from(const uint64_t (&extensions)[2]) {
  char bytes[16];
  std::memcpy(bytes, extensions, sizeof bytes);
  return {bytes, ::strnlen(bytes, sizeof bytes)};
}

}  // namespace

Translator::Thread* Translator::thread(uint64_t number) {
  if (number >= kNoThread) return nullptr;
  auto [it, fresh] = by_number_.try_emplace(number, nullptr);
  if (fresh) {
    Thread& added = threads_.emplace_back();
    added.number = number;
    added.id = tables_.threads.intern(fmt::format("T{}", number));
    it->second = &added;
  }
  return it->second;
}

Result<void> Translator::step(Thread& thread, Record r, const uint64_t (&extensions)[2],
                              trace::Event& e) {
  const EventIndex index = e.index;
  e = trace::Event{.thread = thread.id, .index = index};
  e.site = sites_.seen_from(r.site(), thread.user_call());
  switch (r.op()) {
    case Op::Read1:
    case Op::Read2:
    case Op::Read4:
    case Op::Read8:
    case Op::Write1:
    case Op::Write2:
    case Op::Write4:
    case Op::Write8:
    case Op::Read16:
    case Op::Read32:
    case Op::Write16:
    case Op::Write32:
      plain(thread, r, plain_op(r.op()), e);
      break;
    case Op::ReadRange:
      range(thread, r, trace::EventKind::Read, e);
      break;
    case Op::WriteRange:
      range(thread, r, trace::EventKind::Write, e);
      break;
    case Op::AtomicRead:
    case Op::AtomicWrite:
    case Op::AtomicRmw:
    case Op::Fence:
      return atomic(r, extensions, kNamesakes[to_index(r.op())], e);
    case Op::ThreadBegin:
    case Op::Fork:
    case Op::Join:
      return other_thread(thread, r, kNamesakes[to_index(r.op())], e);
    case Op::ThreadEnd:
      e.kind = trace::EventKind::ThreadEnd;
      break;
    case Op::Request:
    case Op::RequestShared:
    case Op::Acquire:
    case Op::AcquireShared:
    case Op::Release:
    case Op::ReleaseShared:
    case Op::TryFail:
    case Op::TryFailShared:
      lock(thread, r, kNamesakes[to_index(r.op())], e);
      break;
    case Op::WaitBegin:
      wait_begin(thread, r, e);
      break;
    case Op::WaitEnd:
      wait_end(thread, r, extensions[0], e);
      break;
    case Op::NotifyOne:
    case Op::NotifyAll:
      e.kind = kNamesakes[to_index(r.op())];
      e.object = objects_[object(SyncKind::condition, r.address(), thread, r)].id;
      e.value = ticket_of(extensions[0], trace::Event::kUnknown);
      break;
    case Op::BarrierEnter:
      barrier_enter(thread, r, e);
      break;
    case Op::BarrierExit:
      barrier_exit(thread, r, e);
      break;
    case Op::SemaphorePost:
    case Op::SemaphoreWait:
      semaphore(thread, r, extensions[0], e);
      break;
    case Op::FunctionEnter:
      enter(thread, r, e);
      break;
    case Op::FunctionExit:
      exit(thread, r, e);
      break;
    case Op::Branch:
      e.kind = trace::EventKind::Branch;
      e.flags = trace::Event::kHasValue;
      e.value = r.address();
      break;
    case Op::Alloc:
      allocate(r, e);
      break;
    case Op::Free:
      free(r, e);
      break;
    case Op::Destroy:
      return destroy(thread, r, e);
    case Op::BlockBegin:
    case Op::BlockEnd:
      block(thread, r, kNamesakes[to_index(r.op())], e);
      break;
    case Op::User:
      if (r.address() != 0) e.site = sites_.seen_from(site_number(r.address()), thread.user_call());
      user(r, extensions, e);
      break;
    case Op::None:
    case Op::Switch:
    case Op::Sequence:
    case Op::ThreadName:
    case Op::LockName:
    case Op::PcSite:
    case Op::BenignRace:
    case Op::IgnoreBegin:
    case Op::IgnoreEnd:
    case Op::External:
    case Op::Blocked:
    case Op::Stack:
    case Op::Misuse:
      return fail("a record that is no step was taken for one");
  }
  return {};
}

void Translator::note(Thread& thread, Record r, const uint64_t (&extensions)[2], uint64_t index) {
  if (r.op() == Op::ThreadName) {
    thread_names_[r.address()] = name_from(extensions);
  } else if (r.op() == Op::LockName) {
    objects_.name_lock(r.address(), name_from(extensions));
  } else if (r.op() == Op::BenignRace && r.value() > 0) {
    benign_.begin(r.address(), locations_.make(r.address(), r.value()), EventIndex{index});
  } else if (r.op() == Op::Blocked) {
    wait_for(thread, r, index);
  } else if (r.op() == Op::Misuse) {
    misuse(thread, r, extensions[0], index);
  } else if (r.op() == Op::Stack) {
    const std::string_view name = tables_.threads[thread.id];
    if (locations_.begin_stack(name, r.address(), r.value())) sites_.forget_last_locations();
    objects_.end_lives(r.address(), r.value());
  }
}

void Translator::wait_for(Thread& thread, Record r, uint64_t index) {
  Waiting& waiting = waiting_[thread.number];
  waiting = {.index = index,
             .awaited = static_cast<Awaited>(r.value()),
             .site = sites_.seen_from(r.site(), thread.user_call())};
  switch (waiting.awaited) {
    case Awaited::semaphore: {
      const uint32_t place = object(SyncKind::semaphore, r.address(), thread, r);
      waiting.object = tables_.semaphores[SemaphoreId{objects_[place].id}];
      break;
    }
    case Awaited::thread:
      waiting.object = fmt::format("T{}", r.address());
      break;
    case Awaited::futex:
    case Awaited::once:
      waiting.object = tables_.location_name(locations_.make(r.address(), 4));
      break;
  }
}

void Translator::range(Thread& thread, Record r, trace::EventKind kind, trace::Event& e) {
  e.kind = kind;
  if (r.value() > 0) {
    e.object = static_cast<uint32_t>(locations_.find(r.address(), r.value()));
    return;
  }
  const std::string name = fmt::format("no bytes of T{}", thread.number);
  e.object = static_cast<uint32_t>(tables_.intern_variable(name));
}

Result<void> Translator::atomic(Record r, const uint64_t (&extensions)[2], trace::EventKind kind,
                                trace::Event& e) {
  constexpr uint64_t kLargestSize = 64;
  const auto atomic = AtomicValue::of(r.value());
  const auto [order, size] = atomic;
  if (!atomic.has_known_order() || size > kLargestSize) {
    return fail("an atomic operation has memory order {} and size {}", static_cast<uint32_t>(order),
                size);
  }
  e.kind = kind;
  e.order = order;
  if (kind == trace::EventKind::Fence) return {};
  e.object = static_cast<uint32_t>(locations_.find(r.address(), size == 0 ? 1 : size));
  if (!atomic.has_value()) return {};
  e.flags = trace::Event::kHasValue;
  e.value = extensions[kind == trace::EventKind::AtomicRmw ? 1 : 0] & mask(size);
  if (kind == trace::EventKind::AtomicRmw) {
    e.flags |= trace::Event::kHasReadValue;
    e.extra = extensions[0] & mask(size);
  }
  return {};
}

Result<void> Translator::other_thread(Thread& thread, Record r, trace::EventKind kind,
                                      trace::Event& e) {
  const Thread* other = this->thread(r.address());
  if (other == nullptr) return fail("a record names thread {}", r.address());
  e.kind = kind;
  if (kind != trace::EventKind::ThreadBegin) {
    e.object = static_cast<uint32_t>(other->id);
    if (kind == trace::EventKind::Fork) parents_[other->number] = thread.number;
    if (kind == trace::EventKind::Join) e.flags = limit_of(r);
    return {};
  }
  if (other != &thread) {
    return fail("thread {} begins in the records of thread {}", other->number, thread.number);
  }
  if (r.value() < kNoThread) parents_.try_emplace(thread.number, r.value());
  return {};
}

uint32_t Translator::object(SyncKind kind, uint64_t address, const Thread& thread, Record r) {
  return objects_.find(kind, address, thread.id, [&]() -> std::string_view {
    if (!sites_[r.site()].is_library) return sites_.expression(r.site());
    return thread.user_call() == kNoSite ? "" : sites_.expression(thread.user_call());
  });
}

void Translator::become_stand_in(SyncObject& lock, trace::Event& e) {
  lock.is_broken = true;
  e.kind = trace::EventKind::AtomicRmw;
  e.object = static_cast<uint32_t>(objects_.stand_in(lock));
  e.flags = 0;
  e.value = e.extra = 0;
}

void Translator::become_branch(trace::Event& e) {
  e.kind = trace::EventKind::Branch;
  e.object = 0;
}

void Translator::lock(Thread& thread, Record r, trace::EventKind kind, trace::Event& e) {
  SyncObject& lock = objects_[object(SyncKind::lock, r.address(), thread, r)];
  const LockVerdict verdict = follow_lock(lock, thread.id, kind);
  e.kind = kind;
  e.object = lock.id;
  if (may_wait(kind)) e.flags = limit_of(r);
  if (verdict == LockVerdict::broken) become_stand_in(lock, e);
}

void Translator::wait_begin(Thread& thread, Record r, trace::Event& e) {
  const uint32_t condition = object(SyncKind::condition, r.address(), thread, r);
  // The lock's name comes from where it was locked.
  const uint32_t place =
      objects_.find(SyncKind::lock, r.value(), thread.id, [] { return std::string_view(); });
  SyncObject& lock = objects_[place];
  if (lock.is_broken || !lock.held || lock.holder != thread.id) return become_stand_in(lock, e);
  e.kind = trace::EventKind::WaitBegin;
  e.object = objects_[condition].id;
  e.extra = lock.id;
  thread.is_waiting = true;
  thread.wait_condition = condition;
  thread.wait_lock = place;
  thread.wait_depth = lock.depth;
  lock.held = false;
}

void Translator::wait_end(Thread& thread, Record r, uint64_t ticket, trace::Event& e) {
  if (!thread.is_waiting) {
    const uint32_t place = objects_.find(SyncKind::lock, r.value() & ~kLimited, thread.id,
                                         [] { return std::string_view(); });
    return become_stand_in(objects_[place], e);
  }
  SyncObject& lock = objects_[thread.wait_lock];
  e.kind = trace::EventKind::WaitEnd;
  e.object = objects_[thread.wait_condition].id;
  e.extra = lock.id;
  e.value = ticket_of(ticket, trace::Event::kNoPartner);
  e.flags = limit_of(r);
  lock.held = true;
  lock.holder = thread.id;
  lock.depth = thread.wait_depth;
  thread.is_waiting = false;
}

// A generation that somebody has left already is one of a new barrier at the same address.
void Translator::barrier_enter(Thread& thread, Record r, trace::Event& e) {
  uint32_t place = object(SyncKind::barrier, r.address(), thread, r);
  if (r.value() < objects_[place].opened) {
    place = objects_.create(SyncKind::barrier, r.address(), thread.id, sites_.expression(r.site()));
  }
  e.kind = trace::EventKind::BarrierEnter;
  e.object = objects_[place].id;
  e.value = r.value() + 1;
  thread.at_barrier = true;
  thread.barrier = e.barrier();
}

void Translator::barrier_exit(Thread& thread, Record r, trace::Event& e) {
  if (!thread.at_barrier) return become_branch(e);
  thread.at_barrier = false;
  SyncObject& barrier = objects_[object(SyncKind::barrier, r.address(), thread, r)];
  if (BarrierId{barrier.id} == thread.barrier) {
    barrier.opened = std::max(barrier.opened, r.value() + 1);
  }
  e.kind = trace::EventKind::BarrierExit;
  e.object = static_cast<uint32_t>(thread.barrier);
  e.value = r.value() + 1;
}

void Translator::semaphore(Thread& thread, Record r, uint64_t ticket, trace::Event& e) {
  const bool posts = r.op() == Op::SemaphorePost;
  e.kind = kNamesakes[to_index(r.op())];
  e.object = objects_[object(SyncKind::semaphore, r.address(), thread, r)].id;
  e.value = ticket_of(ticket, posts ? trace::Event::kUnknown : trace::Event::kNoPartner);
  if (!posts) e.flags = limit_of(r);
}

void Translator::enter(Thread& thread, Record r, trace::Event& e) {
  const uint32_t call = site_number(r.address());
  const bool by_user = call != kNoSite && !sites_[call].is_library;
  thread.frames.push_back({r.site(), by_user ? call : thread.user_call()});
  e.kind = trace::EventKind::FunctionEnter;
  e.object = static_cast<uint32_t>(sites_.function(r.site()));
  e.site = sites_.seen_from(r.site(), thread.user_call());
}

// longjmp and killed threads leave functions without a word: the exit of one they were called from
// ends them too.
void Translator::exit(Thread& thread, Record r, trace::Event& e) {
  auto& frames = thread.frames;
  auto from = std::ranges::find(frames.rbegin(), frames.rend(), r.site(), &Thread::Frame::function);
  if (from == frames.rend()) return become_branch(e);
  frames.erase(from.base() - 1, frames.end());
  e.kind = trace::EventKind::FunctionExit;
  e.object = static_cast<uint32_t>(sites_.function(r.site()));
}

void Translator::block(Thread& thread, Record r, trace::EventKind kind, trace::Event& e) {
  const std::string_view text = sites_.expression(site_number(r.address()));
  const LabelId label = tables_.labels.intern(text.empty() ? "block" : text);
  if (kind == trace::EventKind::BlockBegin) {
    thread.blocks.push_back(label);
  } else {
    if (thread.blocks.empty() || thread.blocks.back() != label) return become_branch(e);
    thread.blocks.pop_back();
  }
  e.kind = kind;
  e.object = static_cast<uint32_t>(label);
}

void Translator::allocate(Record r, trace::Event& e) {
  const LocationId location = blocks_.allocate(r.address(), r.value());
  objects_.end_lives(r.address(), tables_.locations[location].size);
  e.kind = trace::EventKind::Alloc;
  e.object = static_cast<uint32_t>(location);
}

void Translator::free(Record r, trace::Event& e) {
  const auto [location, is_first] = blocks_.free(r.address());
  e.kind = trace::EventKind::Free;
  e.object = static_cast<uint32_t>(location);
  if (is_first) benign_.end_within(r.address(), tables_.locations[location].size, e.index);
}

Result<void> Translator::destroy(Thread& thread, Record r, trace::Event& e) {
  if (r.value() >= kSynchronizers.size()) {
    return fail("a record destroys an object of kind {}", r.value());
  }
  const auto& [sync, kind] = kSynchronizers[r.value()];
  e.kind = kind;
  e.object = objects_[object(sync, r.address(), thread, r)].id;
  return {};
}

void Translator::misuse(Thread& thread, Record r, uint64_t other, uint64_t index) {
  const uint64_t how = r.value() & 0xff, what = r.value() >> 8;
  if (how >= std::size(recording::kMisuseWords) || what >= kSynchronizers.size()) return;
  const SyncKind kind = kSynchronizers[what].first;
  const Thread* concerned = this->thread(other);
  misuses_.push_back({.how = static_cast<Misuse>(how),
                      .index = EventIndex{index},
                      .object = objects_.name(object(kind, r.address(), thread, r)),
                      .other = concerned ? std::string(tables_.threads[concerned->id]) : ""});
}

// Pointers are objects, so that memory that is allocated again is another object.
std::string Translator::value_text(uint64_t value, ValueType type) {
  switch (type) {
    case ValueType::integer:
      return std::to_string(static_cast<int64_t>(value));
    case ValueType::real:
      return fmt::format("{}", std::bit_cast<double>(value));
    case ValueType::unknown:
      return "?";
    case ValueType::pointer:
      break;
  }
  if (value == 0) return "0";
  std::string name = tables_.location_name(locations_.make(value, 1));
  name.resize(std::min(name.rfind(':'), name.size()));
  if (name.ends_with("+0")) name.resize(name.size() - 2);
  const bool quoted = name.find_first_of(" \"") != name.npos;
  std::erase(name, '"');
  return quoted ? '"' + name + '"' : name;
}

void Translator::user(Record r, const uint64_t (&extensions)[2], trace::Event& e) {
  const std::string_view name = sites_.expression(r.site());
  std::string arguments;
  const uint64_t count = std::min<uint64_t>(UserValue::count_of(r.value()), 2);
  for (uint64_t i = 0; i < count; ++i) {
    if (i > 0) arguments += ' ';
    if (r.value() & UserValue::kResult && i + 1 == count) arguments += "-> ";
    arguments += value_text(extensions[i], UserValue::type_of(r.value(), static_cast<unsigned>(i)));
  }
  e.kind = trace::EventKind::User;
  e.object = static_cast<uint32_t>(tables_.user_events.intern(name.empty() ? "event" : name));
  e.extra = to_index(tables_.strings.intern(arguments));
}

void Translator::rewind() {
  objects_.rewind();
  locations_.rewind();
  sites_.forget_last_locations();
  for (Thread& thread : threads_) {
    Thread fresh;
    fresh.number = thread.number;
    fresh.id = thread.id;
    thread = std::move(fresh);
  }
  blocks_.rewind();
  benign_.clear();
  waiting_.clear();
  misuses_.clear();
}

}  // namespace foretell::recording
