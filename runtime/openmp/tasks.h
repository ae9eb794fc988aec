// Teams and tasks of OpenMP, and the order that they bring.
//
// OpenMP's library synchronizes threads with its own atomics, which are not recorded. What it
// reports to tools (tool.cc) is recorded instead, as artificial atomics: a *signal* is written
// once, with release, by the thread that does something, and read, with acquire, by the threads
// that rely on it.
//
//   fork         written by the thread that begins a parallel region; read by each of the team
//   arrival      written by each thread of the team at a barrier; read by all when they leave it
//   creation     written by the thread that creates a task; read by the one that begins it
//   completion   written at the end of a task; read at the end of a taskwait of its parent, of a
//                taskgroup, and of the next barrier of the team
//   suspension   written by the thread that leaves an untied task; read by the one that resumes it
//
// Each has an address of its own, so arrivals and completions may come in any order. Dependences of
// tasks are read-modify-writes of a word for each variable. Their order is assumed to be required:
// that may hide findings, but never invents any.
#pragma once

#include <omp-tools.h>

#include "../thread.h"

namespace foretell::rt::openmp {

struct Completion;
struct Dependence;

// Of a parallel region with more than one thread.
struct Team {
  uint32_t number = 0;
  uint32_t size = 0;
  uint32_t implicit_tasks = 0;  // that have not ended
  uint32_t leavers = 0;         // of the barrier that everybody has come to
  // Of explicit tasks, before the barriers with an even and with an odd number.
  Completion* completions[2] = {};
  Team* next = nullptr;
};

// A taskgroup: the tasks created in it, and theirs.
struct Group {
  Group* outer = nullptr;
  bool is_outermost = false;  // of those that its task has begun
  bool ending = false;        // its task waits for the others
  uint32_t running = 0;
  Group* next = nullptr;
};

struct Task {
  uint32_t number = 0;
  Team* team = nullptr;
  Task* parent = nullptr;
  bool implicit = false;
  bool begun = false;
  bool untied = false;
  uint32_t index = 0;              // implicit: of the thread in its team
  uint32_t barriers = 0;           // implicit: that it has left
  uint32_t living = 1;             // itself, and children that have not completed
  uint32_t running = 0;            // children that have begun and not completed
  Group* group = nullptr;          // it belongs to
  Group* own_group = nullptr;      // that it has begun and not ended, the innermost
  const void* memory = nullptr;    // what it was given and shares; the library uses it again
  bool waits = false;              // for its children
  Completion* children = nullptr;  // that have completed since the last taskwait
  Dependence* dependences = nullptr;
  Task* outer = nullptr;  // implicit: of the same thread
  Task* next = nullptr;
};

Team* new_team();
Task* new_implicit_task(Team* team, uint32_t size, uint32_t index);
Task* new_task(Task* parent, bool untied, const void* memory);
void add_dependence(Task* task, const ompt_dependence_t& dependence);

// Each of these takes steps of the calling thread, and frees what nobody needs any more.
void fork(Thread* thread, uint32_t site, const Team* team);
void begin_implicit(Thread* thread, uint32_t site, const Task* task);
void end_implicit(Task* task);
void arrive(Thread* thread, uint32_t site, const Task* task);
void leave_barrier(Thread* thread, uint32_t site, Task* task);
void create(Thread* thread, uint32_t site, const Task* task);
void begin(Thread* thread, Task* task);
void suspend(Thread* thread, const Task* task);
// `in` is the implicit task of the thread.
void complete(Thread* thread, Task* task, const Task* in);
void end_waiting(Thread* thread, uint32_t site, Task* task);
void begin_group(Task* task);
void end_group(Thread* thread, uint32_t site, Task* task, const Task* in);
// Controlled mode: a thread that waits for tasks and finds none to run never lets others run. So it
// goes to the library only when those that others run are over.
void await_running(Thread* thread, const Task* task);
// Of an iteration of an ordered loop.
void post_iteration(Thread* thread, const ompt_dependence_t* place, int count);
void await_iteration(Thread* thread, const ompt_dependence_t* place, int count);

// An order that is a chain: everything after `follow` comes after what was before each `precede`.
void precede(Thread* thread, uint32_t site, uint64_t key);
void follow(Thread* thread, uint32_t site, uint64_t key);

void forget_tasks();

}  // namespace foretell::rt::openmp
