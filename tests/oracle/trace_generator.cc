// SPDX-License-Identifier: Apache-2.0

#include "trace_generator.h"

#include <initializer_list>
#include <numeric>

#include "semantics.h"

namespace foretell::oracle {
namespace {

using enum trace::EventKind;
using Kinds = std::vector<trace::EventKind>;

// Kinds that are left out together.
const std::vector<Kinds>& groups() {
  static const std::vector<Kinds> kGroups = {
      {AtomicRead, AtomicWrite, AtomicRmw, Fence},
      {Acquire, Release, TryFail, Request, WaitBegin},
      {AcquireShared, ReleaseShared, RequestShared, TryFailShared},
      {Request, RequestShared},
      {TryFail, TryFailShared},
      {Fork, Join},
      {WaitBegin, NotifyOne, NotifyAll},
      {BarrierEnter},
      {SemaphorePost, SemaphoreWait},
      {BlockBegin, BlockEnd},
      {FunctionEnter, FunctionExit, Branch, User, ThreadBegin, ThreadEnd},
      {Alloc, Free},
  };
  return kGroups;
}

std::array<uint8_t, trace::kEventKindCount> weights_of_trace(const Profile& profile, Dice& dice) {
  auto weight = profile.weight;
  if (!profile.swarm) return weight;
  for (const Kinds& group : groups()) {
    if (!dice.one_in(3)) continue;
    for (trace::EventKind kind : group) weight[static_cast<size_t>(kind)] = 0;
  }
  return weight;
}

trace::EventKind draw(const std::array<uint8_t, trace::kEventKindCount>& weight, Dice& dice) {
  uint32_t n = dice.below(std::accumulate(weight.begin(), weight.end(), size_t{0}));
  uint8_t kind = 0;
  while (n >= weight[kind]) n -= weight[kind++];
  return trace::EventKind{kind};
}

Events generate(const Profile& profile, const rc::Random& random) {
  Dice dice(random);
  const uint32_t threads =
      profile.least_threads + dice.below(profile.most_threads - profile.least_threads + 1);
  const size_t length =
      profile.least_events + dice.below(profile.most_events - profile.least_events + 1);
  const auto weight = weights_of_trace(profile, dice);
  Shape shape{.threads = threads,
              .locks = 1 + dice.below(profile.locks),
              .locations = {},
              .all_threads_exist = weight[static_cast<size_t>(Fork)] == 0,
              .limits = profile.limits,
              .values = profile.values};
  // Few locations each time, so that accesses meet.
  const uint32_t locations = 1 + dice.below(3);
  while (shape.locations.size() < locations) {
    shape.locations.push_back(profile.locations[dice.below(profile.locations.size())]);
  }

  RandomProgram program(shape, dice);
  Events events;
  // A program can get stuck: all threads wait, have asked for a held lock, or have ended.
  for (uint32_t attempts = 0; events.size() < length && attempts < 400; ++attempts) {
    const uint32_t thread = dice.below(threads);
    trace::EventKind kind = draw(weight, dice);
    if (const auto awaited = program.awaited(); awaited && dice.one_in(3)) kind = *awaited;
    kind = program.forced(thread).value_or(kind);
    if (const auto e = program.attempt(kind, thread)) events.push_back(*e);
  }
  // A block left open says nothing about atomicity; most are closed.
  for (uint32_t thread = 0; thread < threads && !dice.one_in(4); ++thread) {
    while (const auto e = program.attempt(BlockEnd, thread)) events.push_back(*e);
  }
  return events;
}

Events without(const Events& events, size_t from, size_t count) {
  Events rest(events.begin(), events.begin() + static_cast<ptrdiff_t>(from));
  rest.insert(rest.end(), events.begin() + static_cast<ptrdiff_t>(from + count), events.end());
  return rest;
}

}  // namespace

Profile race_profile() {
  Profile p{.name = "races", .most_threads = 3, .most_events = 12, .locations = {0, 1, 2}};
  weigh(p, 6, {Read, Write});
  weigh(p, 5, {Acquire, Release});
  weigh(p, 1, {Fork, Join});
  return p;
}

Profile lock_profile() {
  Profile p{.name = "locks", .most_threads = 3, .locks = 3, .most_events = 14, .locations = {0, 1}};
  weigh(p, 4, {Read, Write, AcquireShared, ReleaseShared});
  weigh(p, 8, {Acquire});
  weigh(p, 6, {Release});
  weigh(p, 2, {Request, RequestShared, TryFail, TryFailShared, Fork, Join});
  p.swarm = true;
  return p;
}

Profile sync_profile() {
  Profile p{.name = "sync", .most_threads = 4, .most_events = 14, .locations = {0, 1}};
  weigh(p, 4, {Read, Write, SemaphoreWait, SemaphorePost});
  weigh(p, 8, {Acquire, Release});
  weigh(p, 12, {WaitBegin});
  weigh(p, 3, {BarrierEnter});
  weigh(p, 1, {NotifyOne, NotifyAll});
  weigh(p, 2, {Fork, Join});
  p.swarm = true;
  return p;
}

Profile block_profile() {
  Profile p{.name = "blocks", .most_threads = 3, .most_events = 8, .locations = {0, 1}};
  weigh(p, 12, {Write});
  weigh(p, 6, {Read});
  weigh(p, 3, {BlockBegin});
  weigh(p, 1, {BlockEnd, Fork, Join});
  weigh(p, 2, {Acquire, Release, AtomicRmw, AtomicRead, SemaphorePost, SemaphoreWait});
  p.swarm = true;
  return p;
}

Profile everything_profile() {
  Profile p{.name = "everything", .most_threads = 4, .locks = 3, .most_events = 14};
  p.locations.resize(kLocations.size());
  std::iota(p.locations.begin(), p.locations.end(), 0u);
  p.weight.fill(3);
  weigh(p, 8, {Read, Write});
  weigh(p, 7, {Acquire, AcquireShared});
  weigh(p, 5, {Release, ReleaseShared});
  weigh(p, 10, {WaitBegin});
  weigh(p, 6, {FunctionExit, TryFailShared});
  weigh(p, 2, {FunctionEnter});
  weigh(p, 1, {Fence, Branch, User, ThreadEnd});
  weigh(p, 1, {DestroyLock, DestroyCondition, DestroyBarrier, DestroySemaphore});
  p.swarm = true;
  return p;
}

Profile value_profile() {
  Profile p{.name = "values",
            .most_threads = 3,
            .locks = 2,
            .most_events = 14,
            .locations = {0, 0, 1, 3, 4, 5}};
  weigh(p, 8, {Read, Write});
  weigh(p, 5, {Acquire, Release});
  weigh(p, 2, {AtomicRead, AtomicWrite, AtomicRmw});
  weigh(p, 1, {Fork, Join, TryFail, WaitBegin, NotifyOne, SemaphorePost, SemaphoreWait});
  p.swarm = true;
  p.values = true;
  return p;
}

std::vector<Profile> all_profiles() {
  return {race_profile(), lock_profile(), sync_profile(), block_profile(), everything_profile()};
}

std::optional<trace::Trace> well_formed(const Events& events) {
  auto normal = normalize(to_trace(events));
  if (!normal || !Semantics(*normal).is_reordering_of_itself()) return {};
  return std::move(*normal);
}

std::vector<Events> smaller(const Events& events) {
  std::vector<Events> candidates;
  auto consider = [&](Events fewer) {
    if (well_formed(fewer)) candidates.push_back(std::move(fewer));
  };
  for (size_t length = events.size() / 2; length > 0; length /= 2) {
    for (size_t from = 0; from + length <= events.size(); ++from) {
      consider(without(events, from, length));
    }
  }
  for (size_t i = 0; i < events.size(); ++i) {
    for (size_t j = i + 2; j < events.size(); ++j) consider(without(without(events, j, 1), i, 1));
  }
  return candidates;
}

rc::Gen<Events> traces(const Profile& profile) {
  return rc::Gen<Events>([profile](const rc::Random& random, int) {
    return rc::shrinkable::shrinkRecur(generate(profile, random), [](const Events& events) {
      return rc::seq::fromContainer(smaller(events));
    });
  });
}

}  // namespace foretell::oracle
