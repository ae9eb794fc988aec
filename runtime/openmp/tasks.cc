#include "tasks.h"

#include "../atomic_order.h"
#include "../scheduler.h"

namespace foretell::rt::openmp {

// In a list, of its team or its parent.
struct Completion {
  uint32_t task;
  Completion* next;
};

struct Dependence {
  uint64_t variable;
  bool writes;
  Dependence* next;
};

namespace {

enum class Signal : uint64_t { fork, arrival, creation, completion, suspension, chain };

constexpr uint64_t kAcquire = 2;  // as MemoryOrder in src/trace/event.h
constexpr uint64_t kRelease = 3;
constexpr uint64_t kOneByte = 1 << 8;
// Numbers repeat after N teams or tasks, which must have ended by then.
constexpr uint32_t kNumbers = 1 << 20;
// Where no memory of a program lies.
constexpr uint64_t kBase = 0x2e00'0000'0000;
constexpr unsigned kKindShift = 37;
constexpr unsigned kIndexBits = 16;

const void* place_of(Signal signal, uint64_t number) {
  const uint64_t at = kBase + (static_cast<uint64_t>(signal) << kKindShift) + number;
  return reinterpret_cast<const void*>(at);
}

const void* arrival_of(const Team* team, uint32_t index, uint32_t barrier) {
  const uint64_t within = (uint64_t{index} << 1 | (barrier & 1)) & ((1 << kIndexBits) - 1);
  return place_of(Signal::arrival, uint64_t{team->number} << kIndexBits | within);
}

const void* chain_of(uint64_t key) {
  constexpr unsigned kHashBits = 36;
  return place_of(Signal::chain, key * 0x9e3779b97f4a7c15 >> (64 - kHashBits));
}

void raise(Thread* thread, uint32_t site, const void* signal) {
  before_step(thread);
  const AtomicOrder order(signal);
  put(thread, Op::AtomicWrite, site, signal, kRelease | kOneByte, 0);
}

void see(Thread* thread, uint32_t site, const void* signal) {
  before_step(thread);
  const AtomicOrder order(signal);
  put(thread, Op::AtomicRead, site, signal, kAcquire | kOneByte, 0);
}

// lock_ protects the lists, those of teams and tasks too, and the numbers. Nobody takes a step
// while it holds it.
os::Lock lock_;
uint32_t numbers_ = 0;
Team* free_teams_ = nullptr;
Task* free_tasks_ = nullptr;
Group* free_groups_ = nullptr;
Completion* free_completions_ = nullptr;
Dependence* free_dependences_ = nullptr;

template <class T>
T* take(T*& free) {
  T* one = free;
  if (one) {
    free = one->next;
  } else {
    one = static_cast<T*>(os::allocate_small(sizeof(T)));
  }
  if (one) *one = T();
  return one;
}

template <class T>
void give_back(T*& free, T* one) {
  one->next = free;
  free = one;
}

template <class T>
void give_back_all(T*& free, T*& list) {
  while (T* one = list) {
    list = one->next;
    give_back(free, one);
  }
}

void count_running(const Task* task, int change) {
  const auto by = static_cast<uint32_t>(change);
  os::Guard guard(lock_);
  if (task->parent) task->parent->running += by;
  for (Group* group = task->group; group; group = group->outer) group->running += by;
}

void wake_waiting(const Task* task) {
  if (task->parent) wake(Wait::barrier, task->parent);
  for (const Group* group = task->group; group; group = group->outer) wake(Wait::barrier, group);
}

void add(Completion*& list, uint32_t task) {
  Completion* one = take(free_completions_);
  if (!one) return;
  *one = {task, list};
  list = one;
}

uint32_t next_number() {
  return ++numbers_ % kNumbers;
}

void let_go(Task* task) {
  while (task && --task->living == 0) {
    Task* parent = task->parent;
    if (task->implicit && --task->team->implicit_tasks == 0) {
      for (Completion*& list : task->team->completions) give_back_all(free_completions_, list);
      give_back(free_teams_, task->team);
    }
    give_back_all(free_completions_, task->children);
    give_back_all(free_dependences_, task->dependences);
    give_back(free_tasks_, task);
    task = parent;
  }
}

void see_all(Thread* thread, uint32_t site, const Completion* list) {
  for (; list; list = list->next) see(thread, site, place_of(Signal::completion, list->task));
}

uint64_t key_of(const ompt_dependence_t* place, int count) {
  uint64_t key = 1;
  for (int i = 0; i < count; i++) key = (key + place[i].variable.value) * 0x100'0000'01b3;
  return key;
}

// Of the tasks that read a variable, and of those that write it.
uint64_t key_of(const Dependence* dependence, bool writes) {
  return dependence->variable * 2 + writes;
}

}  // namespace

void precede(Thread* thread, uint32_t site, uint64_t key) {
  before_step(thread);
  const AtomicOrder order(chain_of(key));
  put(thread, Op::AtomicRmw, site, chain_of(key), kRelease | kOneByte, 0, 0);
}

void follow(Thread* thread, uint32_t site, uint64_t key) {
  see(thread, site, chain_of(key));
}

Team* new_team() {
  os::Guard guard(lock_);
  Team* team = take(free_teams_);
  if (team) team->number = next_number();
  return team;
}

Task* new_implicit_task(Team* team, uint32_t size, uint32_t index) {
  os::Guard guard(lock_);
  Task* task = take(free_tasks_);
  if (!task) return nullptr;
  if (team->size == 0) team->size = team->implicit_tasks = size;
  task->number = next_number();
  task->team = team;
  task->implicit = true;
  task->index = index;
  return task;
}

Task* new_task(Task* parent, bool untied, const void* memory) {
  os::Guard guard(lock_);
  Task* task = take(free_tasks_);
  if (!task) return nullptr;
  task->number = next_number();
  task->parent = parent;
  task->untied = untied;
  task->memory = memory;
  if (parent) {
    task->team = parent->team;
    task->group = parent->own_group ? parent->own_group : parent->group;
    parent->living++;
  }
  return task;
}

void add_dependence(Task* task, const ompt_dependence_t& dependence) {
  os::Guard guard(lock_);
  Dependence* one = take(free_dependences_);
  if (!one) return;
  const bool reads = dependence.dependence_type == ompt_dependence_type_in;
  *one = {reinterpret_cast<uint64_t>(dependence.variable.ptr), !reads, task->dependences};
  task->dependences = one;
}

void fork(Thread* thread, uint32_t site, const Team* team) {
  raise(thread, site, place_of(Signal::fork, team->number));
}

void begin_implicit(Thread* thread, uint32_t site, const Task* task) {
  see(thread, site, place_of(Signal::fork, task->team->number));
}

void end_implicit(Task* task) {
  os::Guard guard(lock_);
  let_go(task);
}

void arrive(Thread* thread, uint32_t site, const Task* task) {
  raise(thread, site, arrival_of(task->team, task->index, task->barriers));
}

void leave_barrier(Thread* thread, uint32_t site, Task* task) {
  Team* team = task->team;
  for (uint32_t i = 0; i < team->size; i++) {
    if (i != task->index) see(thread, site, arrival_of(team, i, task->barriers));
  }
  see_all(thread, site, team->completions[task->barriers & 1]);
  task->barriers++;
  os::Guard guard(lock_);
  // Everybody has come here, so nobody reads any more what completed before the last barrier.
  if (team->leavers++ == 0) {
    give_back_all(free_completions_, team->completions[task->barriers & 1]);
  }
  if (team->leavers == team->size) team->leavers = 0;
}

void create(Thread* thread, uint32_t site, const Task* task) {
  raise(thread, site, place_of(Signal::creation, task->number));
}

void begin(Thread* thread, Task* task) {
  if (task->begun) {
    if (task->untied) see(thread, recording::kNoSite, place_of(Signal::suspension, task->number));
    return;
  }
  task->begun = true;
  count_running(task, 1);
  see(thread, recording::kNoSite, place_of(Signal::creation, task->number));
  for (const Dependence* one = task->dependences; one; one = one->next) {
    follow(thread, recording::kNoSite, key_of(one, true));
    if (one->writes) follow(thread, recording::kNoSite, key_of(one, false));
  }
}

void suspend(Thread* thread, const Task* task) {
  if (task->untied) raise(thread, recording::kNoSite, place_of(Signal::suspension, task->number));
}

void complete(Thread* thread, Task* task, const Task* in) {
  for (const Dependence* one = task->dependences; one; one = one->next) {
    precede(thread, recording::kNoSite, key_of(one, one->writes));
  }
  if (task->memory) {
    before_step(thread, false);
    put(thread, Op::Free, recording::kNoSite, task->memory);
  }
  raise(thread, recording::kNoSite, place_of(Signal::completion, task->number));
  count_running(task, -1);
  if (mode == Mode::controlled) wake_waiting(task);
  os::Guard guard(lock_);
  if (task->team && in) add(task->team->completions[in->barriers & 1], task->number);
  if (task->parent) add(task->parent->children, task->number);
  let_go(task);
}

void await_running(Thread* thread, const Task* task) {
  if (mode == Mode::parallel) return;
  while (task->waits && task->running > 0) block(thread, Wait::barrier, task);
  const Group* group = task->own_group;
  while (group && group->ending && group->running > 0) block(thread, Wait::barrier, group);
}

void end_waiting(Thread* thread, uint32_t site, Task* task) {
  task->waits = false;
  Completion* children = nullptr;
  {
    os::Guard guard(lock_);
    children = task->children;
    task->children = nullptr;
  }
  see_all(thread, site, children);
  os::Guard guard(lock_);
  give_back_all(free_completions_, children);
}

void begin_group(Task* task) {
  os::Guard guard(lock_);
  Group* group = take(free_groups_);
  if (!group) return;
  group->outer = task->own_group ? task->own_group : task->group;
  group->is_outermost = !task->own_group;
  task->own_group = group;
}

void end_group(Thread* thread, uint32_t site, Task* task, const Task* in) {
  const Completion* list = nullptr;
  {
    os::Guard guard(lock_);
    if (Group* group = task->own_group) {
      task->own_group = group->is_outermost ? nullptr : group->outer;
      give_back(free_groups_, group);
    }
    if (in && in->team) list = in->team->completions[in->barriers & 1];
  }
  see_all(thread, site, list);
}

void post_iteration(Thread* thread, const ompt_dependence_t* place, int count) {
  precede(thread, recording::kNoSite, key_of(place, count));
}

void await_iteration(Thread* thread, const ompt_dependence_t* place, int count) {
  follow(thread, recording::kNoSite, key_of(place, count));
}

void forget_tasks() {
  lock_ = os::Lock();
}

}  // namespace foretell::rt::openmp
