// SPDX-License-Identifier: Apache-2.0

// Random well-formed raw traces, as rapidcheck generators.
//
// A trace is the log of a RandomProgram. Which kinds of events it tends to have is a profile;
// within a profile each trace leaves out some groups of kinds at random, so that the rest meet more
// often than they would if every trace had a little of everything.
//
// Shrinking drops events: halves, quarters, ... single ones, and pairs (a lock's acquire and
// release go together). What is left must still be a run.
#pragma once

#include <rapidcheck.h>

#include <array>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string_view>
#include <vector>

#include "random_program.h"
#include "vocabulary.h"

namespace foretell::oracle {

struct Profile {
  std::string_view name;
  uint32_t least_threads = 2, most_threads = 3;
  uint32_t locks = 1;
  uint32_t least_events = 4, most_events = 12;
  std::vector<uint32_t> locations;                       // into kLocations
  std::array<uint8_t, trace::kEventKindCount> weight{};  // how often a kind is tried
  bool swarm = false;                                    // leave out groups of kinds at random
  bool limits = false;                                   // some waits have time limits or are tries
  bool values = false;                                   // reads and writes with few values
};

inline void PrintTo(const Profile& profile, std::ostream* out) {
  *out << profile.name;
}

inline void weigh(Profile& profile, uint8_t weight, std::initializer_list<trace::EventKind> kinds) {
  for (trace::EventKind kind : kinds) profile.weight[static_cast<size_t>(kind)] = weight;
}

Profile race_profile();        // reads, writes, one lock, threads
Profile lock_profile();        // nested, shared and requested locks, failed tries
Profile sync_profile();        // conditions, barriers, semaphores, fork and join
Profile block_profile();       // atomic blocks over few variables and a lock
Profile everything_profile();  // every kind of event
Profile value_profile();       // reads and writes of two values, of whole and split locations
std::vector<Profile> all_profiles();

rc::Gen<Events> traces(const Profile& profile);

// The normalized trace of `events`. Nothing if it is no run: the normalizer refuses it, or it is
// not a correct reordering of itself.
std::optional<trace::Trace> well_formed(const Events& events);

// What to try in place of `events` when they fail a property: well-formed and with fewer events.
std::vector<Events> smaller(const Events& events);

}  // namespace foretell::oracle
