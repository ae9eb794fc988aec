// SPDX-License-Identifier: Apache-2.0

#include "symbolic/models/synchronization.h"

#include <fmt/format.h>
#include <pthread.h>

#include <algorithm>
#include <cerrno>

namespace foretell::symbolic {

std::optional<SyncKind> sync_kind_of(std::string_view function) {
#define SYNC(name, ordered) \
  if (function == #name) return SyncKind::name;
#include "program/synchronization.def"
  return {};
}

bool is_ordered(SyncKind kind) {
  switch (kind) {
#define SYNC(name, ordered) \
  case SyncKind::name:      \
    return ordered;
#include "program/synchronization.def"
    case SyncKind::process_exit:
    case SyncKind::thread_return:
    case SyncKind::marker:
      return true;
  }
  return true;
}

uint32_t Synchronization::add_thread(std::optional<NodePlace> created_at) {
  if (!free_.empty()) {
    const uint32_t number_of = free_.front();
    free_.erase(free_.begin());
    created_at_[number_of] = created_at;
    ended_[number_of] = joined_[number_of] = false;
    exits_[number_of].reset();
    return number_of;
  }
  nodes_.emplace_back();
  created_at_.push_back(created_at);
  exits_.emplace_back();
  ended_.push_back(false);
  joined_.push_back(false);
  return static_cast<uint32_t>(nodes_.size() - 1);
}

size_t Synchronization::live_threads() const {
  return static_cast<size_t>(std::ranges::count(joined_, false));
}

bool Synchronization::is_ready(uint32_t thread, const SyncRequest& request) const {
  const auto is_free = [&](const Key& key) {
    const auto lock = locks_.find(key);
    return lock == locks_.end() || !lock->second.owner;
  };
  if (request.stops) return false;
  switch (request.kind) {
    case SyncKind::pthread_mutex_lock:
    case SyncKind::pthread_rwlock_rdlock:
      return is_free(request.objects[0]);
    case SyncKind::pthread_rwlock_wrlock: {
      const auto lock = locks_.find(request.objects[0]);
      return lock == locks_.end() || (!lock->second.owner && lock->second.readers.empty());
    }
    case SyncKind::pthread_cond_wait: {
      if (!request.is_awake_part) return true;
      const auto& woken = conditions_.at(request.objects[0]).woken;
      return std::ranges::find(woken, thread) != woken.end() && is_free(request.objects[1]);
    }
    case SyncKind::pthread_barrier_wait: {
      if (!request.is_awake_part) return true;
      const Barrier& barrier = barriers_.at(request.objects[0]);
      return barrier.waits_for.at(thread) < barrier.generations.size();
    }
    case SyncKind::sem_wait: {
      const auto semaphore = semaphores_.find(request.objects[0]);
      return semaphore != semaphores_.end() && semaphore->second.value > 0;
    }
    case SyncKind::pthread_join:
      return request.number >= ended_.size() || ended_[request.number];
    default:
      return true;
  }
}

void Synchronization::follow(Node& node, const std::optional<NodePlace>& before) {
  if (before) node.after.push_back(*before);
}

std::string Synchronization::name_of(const Key& key) const {
  const std::string& name = (*memory_)[key.first].name;
  return key.second == 0 ? name : fmt::format("{}+{}", name, key.second);
}

Node& Synchronization::add_node(uint32_t thread, NodeKind kind, const SyncRequest& request) {
  Node node{.kind = kind, .instruction = request.instruction};
  if (nodes_[thread].empty()) follow(node, created_at_[thread]);
  if (!request.objects.empty()) node.object = name_of(request.objects[0]);
  nodes_[thread].push_back(std::move(node));
  order_.push_back(last_place(thread));
  return nodes_[thread].back();
}

void Synchronization::take(uint32_t thread, const Key& key, Node& node) {
  Lock& lock = locks_[key];
  lock.owner = thread;
  follow(node, lock.last_write);
  for (const NodePlace& read : lock.reads) follow(node, read);
  lock.reads.clear();
  lock.last_write = last_place(thread);
}

std::string Synchronization::release(uint32_t thread, const Key& key, Node& node) {
  Lock& lock = locks_[key];
  if (lock.owner != thread) return fmt::format("{} is unlocked, but not held", name_of(key));
  lock.owner.reset();
  // Tries that failed meanwhile came before.
  for (const NodePlace& read : lock.reads) follow(node, read);
  lock.reads.clear();
  lock.last_write = last_place(thread);
  return "";
}

SyncOutcome Synchronization::perform(uint32_t thread, const SyncRequest& request) {
  switch (request.kind) {
    case SyncKind::pthread_mutex_init:
    case SyncKind::pthread_mutex_destroy:
    case SyncKind::pthread_rwlock_init:
    case SyncKind::pthread_rwlock_destroy:
      locks_.erase(request.objects[0]);
      return {};
    case SyncKind::pthread_cond_init:
    case SyncKind::pthread_cond_destroy:
      conditions_.erase(request.objects[0]);
      return {};
    case SyncKind::pthread_barrier_init:
      barriers_[request.objects[0]] = {.count = request.number};
      return {};
    case SyncKind::pthread_barrier_destroy:
      return {};
    case SyncKind::sem_init:
      semaphores_[request.objects[0]] = {.value = request.number, .is_known = true};
      return {};
    case SyncKind::sem_destroy:
      semaphores_.erase(request.objects[0]);
      return {};
    case SyncKind::pthread_mutex_lock:
    case SyncKind::pthread_mutex_trylock:
    case SyncKind::pthread_mutex_unlock:
      return perform_mutex(thread, request);
    case SyncKind::pthread_rwlock_rdlock:
    case SyncKind::pthread_rwlock_wrlock:
    case SyncKind::pthread_rwlock_unlock:
      return perform_rwlock(thread, request);
    case SyncKind::pthread_cond_wait:
    case SyncKind::pthread_cond_signal:
    case SyncKind::pthread_cond_broadcast:
      return perform_condition(thread, request);
    case SyncKind::pthread_barrier_wait:
      return perform_barrier(thread, request);
    case SyncKind::sem_wait:
    case SyncKind::sem_trywait:
    case SyncKind::sem_post:
      return perform_semaphore(thread, request);
    case SyncKind::pthread_create:
    case SyncKind::pthread_join:
    case SyncKind::pthread_exit:
    case SyncKind::thread_return:
    case SyncKind::process_exit:
      return perform_thread(thread, request);
    case SyncKind::marker:
      add_node(thread, NodeKind::marker, request);
      return {};
  }
  return {};
}

SyncOutcome Synchronization::perform_mutex(uint32_t thread, const SyncRequest& request) {
  const Key& key = request.objects[0];
  if (request.kind == SyncKind::pthread_mutex_lock) {
    take(thread, key, add_node(thread, NodeKind::lock, request));
    return {};
  }
  if (request.kind == SyncKind::pthread_mutex_unlock) {
    Node& node = add_node(thread, NodeKind::unlock, request);
    return {.error = release(thread, key, node)};
  }
  Node& node = add_node(thread, NodeKind::try_lock, request);
  if (!locks_[key].owner) {
    take(thread, key, node);
    return {};
  }
  node.result = EBUSY;
  follow(node, locks_[key].last_write);
  locks_[key].reads.push_back(last_place(thread));
  return {.result = EBUSY};
}

SyncOutcome Synchronization::perform_rwlock(uint32_t thread, const SyncRequest& request) {
  const Key& key = request.objects[0];
  if (request.kind == SyncKind::pthread_rwlock_wrlock) {
    take(thread, key, add_node(thread, NodeKind::write_lock, request));
    return {};
  }
  if (request.kind == SyncKind::pthread_rwlock_rdlock) {
    Node& node = add_node(thread, NodeKind::read_lock, request);
    follow(node, locks_[key].last_write);
    locks_[key].readers.push_back(thread);
    return {};
  }
  Node& node = add_node(thread, NodeKind::rw_unlock, request);
  Lock& lock = locks_[key];
  if (const auto reader = std::ranges::find(lock.readers, thread); reader != lock.readers.end()) {
    lock.readers.erase(reader);
    lock.reads.push_back(last_place(thread));
    return {};
  }
  return {.error = release(thread, key, node)};
}

SyncOutcome Synchronization::perform_condition(uint32_t thread, const SyncRequest& request) {
  Condition& condition = conditions_[request.objects[0]];
  if (request.kind == SyncKind::pthread_cond_wait && request.is_awake_part) {
    Node& node = add_node(thread, NodeKind::wake, request);
    follow(node, condition.woken_by[thread]);
    condition.woken_by.erase(thread);
    std::erase(condition.woken, thread);
    take(thread, request.objects[1], node);
    return {};
  }
  const NodeKind kind = request.kind == SyncKind::pthread_cond_wait     ? NodeKind::wait
                        : request.kind == SyncKind::pthread_cond_signal ? NodeKind::signal
                                                                        : NodeKind::broadcast;
  Node& node = add_node(thread, kind, request);
  follow(node, condition.last);
  condition.last = last_place(thread);
  if (kind == NodeKind::wait) {
    condition.waiting.push_back(thread);
    return {.is_asleep = true, .error = release(thread, request.objects[1], node)};
  }
  const size_t count = kind == NodeKind::broadcast ? condition.waiting.size()
                                                   : std::min<size_t>(1, condition.waiting.size());
  for (size_t i = 0; i < count; i++) {
    condition.woken_by[condition.waiting[i]] = last_place(thread);
    condition.woken.push_back(condition.waiting[i]);
  }
  condition.waiting.erase(condition.waiting.begin(),
                          condition.waiting.begin() + static_cast<ptrdiff_t>(count));
  return {};
}

SyncOutcome Synchronization::perform_barrier(uint32_t thread, const SyncRequest& request) {
  Barrier& barrier = barriers_[request.objects[0]];
  if (barrier.count == 0)
    return {.error = fmt::format("{} is waited at, but was not initialized",
                                 name_of(request.objects[0]))};
  if (request.is_awake_part) {
    Node& node = add_node(thread, NodeKind::leave, request);
    const Barrier::Generation& generation = barrier.generations[barrier.waits_for[thread]];
    for (const NodePlace& arrival : generation.arrived)
      if (arrival.index != kEarlier) follow(node, arrival);
    node.result = generation.last_arriver == thread ? PTHREAD_BARRIER_SERIAL_THREAD : 0;
    barrier.waits_for.erase(thread);
    return {.result = node.result};
  }
  add_node(thread, NodeKind::arrive, request);
  barrier.arrived.push_back(last_place(thread));
  barrier.waits_for[thread] = barrier.generations.size();
  if (barrier.arrived.size() == barrier.count) {
    barrier.generations.push_back({std::move(barrier.arrived), thread});
    barrier.arrived.clear();
  }
  return {.is_asleep = true};
}

SyncOutcome Synchronization::perform_semaphore(uint32_t thread, const SyncRequest& request) {
  Semaphore& semaphore = semaphores_[request.objects[0]];
  if (!semaphore.is_known)
    return {.error =
                fmt::format("{} is used, but was not initialized", name_of(request.objects[0]))};
  const NodeKind kind = request.kind == SyncKind::sem_post   ? NodeKind::post
                        : request.kind == SyncKind::sem_wait ? NodeKind::down
                                                             : NodeKind::try_down;
  Node& node = add_node(thread, kind, request);
  follow(node, semaphore.last);
  semaphore.last = last_place(thread);
  if (kind == NodeKind::post) {
    semaphore.value++;
  } else if (semaphore.value > 0) {
    semaphore.value--;
  } else {
    node.result = -1;
  }
  return {.result = node.result};
}

SyncOutcome Synchronization::perform_thread(uint32_t thread, const SyncRequest& request) {
  if (request.kind == SyncKind::pthread_create) {
    add_node(thread, NodeKind::create, request);
    const NodePlace place = last_place(thread);
    const uint32_t child = add_thread(place);
    nodes_[place.thread][place.index].result = static_cast<int32_t>(child);
    return {};
  }
  if (request.kind == SyncKind::pthread_join) {
    if (request.number >= ended_.size())
      return {.error = "pthread_join of something that is no thread"};
    Node& node = add_node(thread, NodeKind::join, request);
    follow(node, exits_[request.number]);
    joined_[request.number] = true;
    return {};
  }
  if (request.kind == SyncKind::process_exit) {
    std::vector<NodePlace> last;
    for (uint32_t other = 0; other < nodes_.size(); other++)
      if (other != thread && !nodes_[other].empty()) last.push_back(last_place(other));
    add_node(thread, NodeKind::process_exit, request).after = last;
    return {};
  }
  add_node(thread, NodeKind::thread_exit, request);
  exits_[thread] = last_place(thread);
  ended_[thread] = true;
  return {};
}

std::string Synchronization::describe_wait(uint32_t thread, const SyncRequest& request) const {
  const std::string who = fmt::format("thread {}", thread);
  switch (request.kind) {
    case SyncKind::pthread_mutex_lock:
    case SyncKind::pthread_rwlock_rdlock:
    case SyncKind::pthread_rwlock_wrlock: {
      const auto lock = locks_.find(request.objects[0]);
      const std::string holder = lock != locks_.end() && lock->second.owner
                                     ? fmt::format(", held by thread {}", *lock->second.owner)
                                     : "";
      return fmt::format("{} waits for {}{}", who, name_of(request.objects[0]), holder);
    }
    case SyncKind::pthread_cond_wait:
      return fmt::format("{} waits for a signal of {}", who, name_of(request.objects[0]));
    case SyncKind::pthread_barrier_wait:
      return fmt::format("{} waits at the barrier {}", who, name_of(request.objects[0]));
    case SyncKind::sem_wait:
      return fmt::format("{} waits for the semaphore {}", who, name_of(request.objects[0]));
    case SyncKind::pthread_join:
      return fmt::format("{} waits for thread {} to end", who, request.number);
    default:
      return who + " waits";
  }
}

}  // namespace foretell::symbolic
