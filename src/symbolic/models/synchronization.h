// SPDX-License-Identifier: Apache-2.0

// Models of pthreads: when an operation can go on, what it does, and the node it leaves in the schedule.
//
// Waiting on a condition and on a barrier are two nodes each: going to sleep and waking up. A signal
// wakes who waits longest; nobody wakes by itself. Edges: an operation comes after the one before it
// on the same object, but readers of a rwlock only after the last writer, who leaves a barrier after
// all who arrived, a thread after its create, a join after the exit.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "symbolic/executor/memory.h"
#include "symbolic/schedules/schedule.h"

namespace foretell::symbolic {

enum class SyncKind : uint8_t {
#define SYNC(name, ordered) name,
#include "program/synchronization.def"
  process_exit,
  thread_return,  // the start function of a thread returns
  marker,         // of an epoch (epochs/markers.h)
};
std::optional<SyncKind> sync_kind_of(std::string_view function);
bool is_ordered(SyncKind kind);

// An operation that a thread is about to perform.
struct SyncRequest {
  SyncKind kind = SyncKind::process_exit;
  uint32_t instruction = 0;
  bool is_awake_part = false;  // the second node of a wait
  bool stops = false;          // the epoch is to end here
  // The objects it is about: mutex, condition, ...; for pthread_cond_wait the condition, then the mutex.
  std::vector<std::pair<ObjectNumber, uint64_t>> objects;
  uint64_t number = 0;  // of join the thread, of barrier_init and sem_init the count
};

struct SyncOutcome {
  int32_t result = 0;
  bool is_asleep = false;  // the awake part comes next
  std::string error;       // the program did something wrong
};

class Synchronization {
 public:
  explicit Synchronization(const Memory& memory) : memory_(&memory) {}
  // Of which memory its objects are, if it was copied with it.
  void attach(const Memory& memory) { memory_ = &memory; }

  uint32_t add_thread(std::optional<NodePlace> created_at);
  // What happened so far came before all that follows: no node is left to wait for.
  void begin_epoch();
  // A thread that was joined in an earlier epoch gives its number to the next one.
  void free_number(uint32_t thread) { free_.push_back(thread); }
  // What is held and waited for, without what led to it: equal for states that go on alike. Objects
  // are named by the caller.
  std::string state_text(const std::function<std::string(ObjectNumber)>& name) const;
  // The same state about other objects; false if one of them is not known to `renamed`.
  bool rename(const std::function<std::optional<ObjectNumber>(ObjectNumber)>& renamed);
  bool is_ready(uint32_t thread, const SyncRequest& request) const;
  SyncOutcome perform(uint32_t thread, const SyncRequest& request);
  // "thread 1 waits for mutex A, held by thread 2".
  std::string describe_wait(uint32_t thread, const SyncRequest& request) const;

  const std::vector<std::vector<Node>>& nodes() const { return nodes_; }
  const std::vector<NodePlace>& order() const { return order_; }
  bool has_exited(uint32_t thread) const { return ended_[thread]; }
  // Those that may live at once: until it is joined nothing says that a thread has ended.
  size_t live_threads() const;

 private:
  using Key = std::pair<ObjectNumber, uint64_t>;
  static constexpr uint32_t kEarlier = ~0u;
  struct Lock {
    std::optional<uint32_t> owner;  // of a mutex, or who writes
    std::vector<uint32_t> readers;
    std::optional<NodePlace> last_write;
    std::vector<NodePlace> reads;
  };
  struct Condition {
    std::vector<uint32_t> waiting;
    std::vector<uint32_t> woken;
    std::map<uint32_t, std::optional<NodePlace>> woken_by;  // nothing: in an earlier epoch
    std::optional<NodePlace> last;
  };
  struct Barrier {
    struct Generation {
      std::vector<NodePlace> arrived;  // with index kEarlier: in an earlier epoch
      uint32_t last_arriver = 0;
    };
    uint64_t count = 0;
    std::vector<NodePlace> arrived;
    std::vector<Generation> generations;   // those that are complete
    std::map<uint32_t, size_t> waits_for;  // by thread: its generation
  };
  struct Semaphore {
    uint64_t value = 0;
    bool is_known = false;
    std::optional<NodePlace> last;
  };

  Node& add_node(uint32_t thread, NodeKind kind, const SyncRequest& request);
  NodePlace last_place(uint32_t thread) const {
    return {thread, static_cast<uint32_t>(nodes_[thread].size() - 1)};
  }
  static void follow(Node& node, const std::optional<NodePlace>& before);
  SyncOutcome perform_mutex(uint32_t thread, const SyncRequest& request);
  SyncOutcome perform_rwlock(uint32_t thread, const SyncRequest& request);
  SyncOutcome perform_condition(uint32_t thread, const SyncRequest& request);
  SyncOutcome perform_barrier(uint32_t thread, const SyncRequest& request);
  SyncOutcome perform_semaphore(uint32_t thread, const SyncRequest& request);
  SyncOutcome perform_thread(uint32_t thread, const SyncRequest& request);
  void take(uint32_t thread, const Key& key, Node& node);
  std::string release(uint32_t thread, const Key& key, Node& node);
  std::string name_of(const Key& key) const;

  const Memory* memory_;
  std::vector<std::vector<Node>> nodes_;
  std::vector<NodePlace> order_;
  std::vector<std::optional<NodePlace>> created_at_, exits_;
  std::vector<bool> ended_, joined_;
  std::vector<uint32_t> free_;
  std::map<Key, Lock> locks_;
  std::map<Key, Condition> conditions_;
  std::map<Key, Barrier> barriers_;
  std::map<Key, Semaphore> semaphores_;
};

}  // namespace foretell::symbolic
