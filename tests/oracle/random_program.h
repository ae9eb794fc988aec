// SPDX-License-Identifier: Apache-2.0

// RandomProgram: the state of a made-up program, and one random legal step at a time.
//
// It plays threads, locks, conditions, barriers, semaphores and memory as a real machine would, so
// whatever it has done so far is a well-formed run (every prefix is a trace), and it knows the
// values in memory, so the values it records are consistent. It shares nothing with the normalizer,
// which must accept everything it does.
#pragma once

#include <rapidcheck.h>

#include <map>
#include <optional>
#include <vector>

#include "vocabulary.h"

namespace foretell::oracle {

class Dice {
 public:
  explicit Dice(const rc::Random& random) : random_(random) {}
  uint32_t below(size_t n) { return static_cast<uint32_t>(random_.next() % n); }
  bool one_in(uint32_t n) { return below(n) == 0; }

 private:
  rc::Random random_;
};

// The size of the made-up program.
struct Shape {
  uint32_t threads = 2;
  uint32_t locks = 1;
  std::vector<uint32_t> locations = {0};  // into kLocations
  bool all_threads_exist = false;         // else some wait for a fork
  bool limits = false;                    // some waits have time limits or are tries
  bool values = false;                    // most accesses have values, and few different ones
};

class RandomProgram {
 public:
  RandomProgram(const Shape& shape, Dice& dice);

  // One step of `kind` by `thread` with random operands, or nothing if that is not possible now (or
  // the operands drawn were not).
  std::optional<trace::Event> attempt(trace::EventKind kind, uint32_t thread);

  // The only kind of step that `thread` can take now (it waits, is at a barrier, has asked for a
  // lock), if there is only one.
  std::optional<trace::EventKind> forced(uint32_t thread) const;

  // A kind of step that some blocked thread needs from another one, if there is one.
  std::optional<trace::EventKind> awaited();

 private:
  struct Wait {
    uint32_t condition = 0;
    uint32_t lock = 0;
    uint32_t depth = 0;
    bool notified = false;
    bool saw_notify = false;  // some notify of the condition came since it began
    uint64_t ticket = 0;      // of the notify that notified it; 0 if that has none
  };
  struct Request {
    uint32_t lock = 0;
    bool shared = false;
  };
  struct Thread {
    bool exists = false, forked = false, acted = false, ended = false, joined = false;
    std::optional<Wait> wait;
    std::optional<Request> request;
    std::optional<uint32_t> barrier;
    uint64_t generation = 0;  // of the barrier it is at
    std::vector<uint32_t> blocks, calls;
    std::map<uint32_t, uint32_t> exclusive, shared;  // lock -> depth
  };
  struct Barrier {
    uint32_t parties = 2;
    uint32_t entered = 0, left = 0;
    uint64_t generation = 0;
    bool explicit_generations = false;
  };
  struct Semaphore {
    uint32_t initial = 0;
    std::vector<uint64_t> posts;  // tickets; 0 without
  };

  uint32_t any_lock() { return dice_.below(shape_.locks); }
  uint32_t any_location() { return shape_.locations[dice_.below(shape_.locations.size())]; }
  uint32_t any_condition();
  uint32_t any_barrier();
  bool held_exclusively(uint32_t lock) const;
  bool held(uint32_t lock) const;

  std::optional<trace::Event> access(trace::Event e);
  std::optional<trace::Event> acquire(trace::Event e);
  std::optional<trace::Event> release(trace::Event e);
  std::optional<trace::Event> request(trace::Event e);
  std::optional<trace::Event> try_fail(trace::Event e);
  std::optional<trace::Event> fork_or_join(trace::Event e);
  std::optional<trace::Event> wait(trace::Event e);
  std::optional<trace::Event> wake(trace::Event e);
  std::optional<trace::Event> notify(trace::Event e);
  std::optional<trace::Event> enter(trace::Event e);
  std::optional<trace::Event> leave(trace::Event e);
  std::optional<trace::Event> post(trace::Event e);
  std::optional<trace::Event> down(trace::Event e);
  std::optional<trace::Event> nesting(trace::Event e);
  std::optional<trace::Event> life(trace::Event e);
  std::optional<trace::Event> exit(trace::Event e);

  std::optional<uint64_t> load(uint32_t location) const;
  void store(uint32_t location, std::optional<uint64_t> value);

  Shape shape_;
  Dice& dice_;
  std::vector<Thread> threads_;
  std::vector<bool> with_tickets_;  // by condition
  std::vector<Barrier> barriers_;
  std::vector<Semaphore> semaphores_;
  std::map<uint32_t, bool> live_;  // allocated locations
  // Bytes of ranges, words of variables; nothing if unknown, absent if still 0.
  std::map<std::pair<std::string_view, uint64_t>, std::optional<uint64_t>> memory_;
  uint64_t next_ticket_ = 1;
};

}  // namespace foretell::oracle
