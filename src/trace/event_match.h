// SPDX-License-Identifier: Apache-2.0

// Sets of event kinds, and a match over kinds that leaves none out.
//
//   match(e.kind, Cases{
//                     on<kAccesses>([&] { access(e); }),
//                     on<EventKind::Acquire, EventKind::WaitEnd>([&] { take(e); }),
//                     ignored<kNotifies, kRemarks>,
//                 });
//
// Each kind must be in exactly one of the cases, or the build breaks. The sets come from the class
// column of trace/event.def. So a new kind of a class is handled wherever the class is named, and
// has to be decided wherever single kinds of it are.
#pragma once

#include <bit>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

#include "trace/event.h"

namespace foretell::trace {

// Kinds that are mostly treated alike.
enum class EventClass : uint8_t {
  plain_access,
  atomic_access,
  memory,  // begin and end of the life of a range
  acquire,
  release,
  request,
  failed_try,
  wait,  // begin and end of one
  notify,
  thread,       // what one thread does to another
  thread_life,  // what a thread says of itself
  barrier,
  semaphore,
  fence,
  block,
  function,
  remark,
  destruction,  // end of the life of a lock, condition, ...; touches and waits for nothing
};

struct EventSet {
  uint64_t bits = 0;

  constexpr EventSet() = default;
  constexpr EventSet(EventKind kind) : bits(uint64_t{1} << static_cast<unsigned>(kind)) {}
  constexpr EventSet(EventClass of_class) {
#define FORETELL_EVENT(kind, word, operands, event_class, ...) \
  if (of_class == EventClass::event_class) bits |= EventSet(EventKind::kind).bits;
#include "trace/event.def"
  }

  constexpr bool contains(EventKind kind) const { return bits >> static_cast<unsigned>(kind) & 1; }
  constexpr int size() const { return std::popcount(bits); }
  friend constexpr EventSet operator|(EventSet a, EventSet b) {
    a.bits |= b.bits;
    return a;
  }
  bool operator==(const EventSet&) const = default;
};
static_assert(kEventKindCount <= 64, "one bit for each kind");

// Touch a location (is_access).
inline constexpr EventSet kPlainAccesses = EventClass::plain_access;
inline constexpr EventSet kAtomics = EventClass::atomic_access;
inline constexpr EventSet kAccesses = kPlainAccesses | kAtomics | EventKind::Free;
// Locks. A wait gives its lock up, and a wake takes it again.
inline constexpr EventSet kRequests = EventClass::request;
inline constexpr EventSet kFailedTries = EventClass::failed_try;
inline constexpr EventSet kReleases = EventClass::release;
inline constexpr EventSet kSectionBegins = EventSet(EventClass::acquire) | EventKind::WaitEnd;
inline constexpr EventSet kSectionEnds = kReleases | EventKind::WaitBegin;
// Messages between threads.
inline constexpr EventSet kNotifies = EventClass::notify;
inline constexpr EventSet kBarriers = EventClass::barrier;
inline constexpr EventSet kSemaphores = EventClass::semaphore;
inline constexpr EventSet kForksAndJoins = EventClass::thread;
// What begins and ends in nesting: atomic blocks, functions.
inline constexpr EventSet kBlocks = EventSet(EventClass::block) | EventClass::function;
// Say where a thread is; they touch nothing and wait for nothing.
inline constexpr EventSet kRemarks =
    kBlocks | EventClass::thread_life | EventClass::remark | EventClass::destruction;

// Whether the sets are all kinds, each once.
template <EventSet... Sets>
constexpr bool is_each_kind_once() {
  return (Sets | ... | EventSet()).size() == static_cast<int>(kEventKindCount) &&
         (0 + ... + Sets.size()) == static_cast<int>(kEventKindCount);
}

template <EventSet Kinds, class Handler>
struct EventCase {
  static constexpr EventSet kKinds = Kinds;
  Handler handle;
};

template <EventSet... Sets, class Handler>
constexpr auto on(Handler handle) {
  return EventCase<(Sets | ...), Handler>{std::move(handle)};
}

struct NothingToDo {
  constexpr void operator()() const {}
};
template <EventSet... Sets>
inline constexpr EventCase<(Sets | ...), NothingToDo> ignored = {};

// In braces with a comma after the last one, so that each stands on a line of its own.
template <class First, class... Others>
struct Cases {
  std::tuple<First, Others...> all;

  constexpr Cases(First first, Others... others) : all(std::move(first), std::move(others)...) {
    static_assert(is_each_kind_once<First::kKinds, Others::kKinds...>(),
                  "each kind of event must be in exactly one case");
  }
  using Value = std::invoke_result_t<decltype(First::handle)>;
};

// Returns what the handler of the kind returns, as the type that the first one has.
template <class... All>
constexpr auto match(EventKind kind, const Cases<All...>& cases) {
  using Value = typename Cases<All...>::Value;
  if constexpr (std::is_void_v<Value>) {
    auto handled = [&](const auto& one) {
      if (!one.kKinds.contains(kind)) return false;
      one.handle();
      return true;
    };
    std::apply([&](const auto&... one) { (void)(handled(one) || ...); }, cases.all);
  } else {
    Value value{};
    auto handled = [&](const auto& one) {
      if (!one.kKinds.contains(kind)) return false;
      value = one.handle();
      return true;
    };
    std::apply([&](const auto&... one) { (void)(handled(one) || ...); }, cases.all);
    return value;
  }
}

}  // namespace foretell::trace
