// SPDX-License-Identifier: Apache-2.0

// libforetell_constrained.a: makes a program follow the schedule that its input selects (COVER 6.2).
//
// Every call of a synchronizing function of the program comes here, with the number of its
// instruction. The thread's next node says what it waits for: nodes of other threads, each of which
// counts the nodes it has done. That order is all there is: mutexes, conditions, barriers and
// semaphores themselves are not touched, since the schedule says who comes when. Threads are real.
//
// done[t]   written by thread t alone; others wait until it is large enough
// A schedule may end in an epoch (COVER 2.1): every thread that lives waits where its nodes end, the last
// one to come, or to exit, selects the schedule of the epoch that follows, by what memory and the shadows of
// registers hold, and all go on.
//
// A node out of turn is a divergence: a data race in the program, or an error of ours. The program
// stops there, with status 70.

#include <errno.h>
#include <linux/futex.h>
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>

#include "constrained/schedule_tables.h"

extern "C" int foretell_program_main(int argc, char** argv, char** environment);
// Where the thread's registers are copied to, for selectors.
extern "C" __thread uint64_t* foretell_shadow_row;
__thread uint64_t* foretell_shadow_row = nullptr;

namespace {

enum NodeKind : uint32_t {
#define NODE(name, word) k_##name,
#include "symbolic/schedules/node_kinds.def"
};
enum EndKind : uint32_t { exited, deadlock, thread_limit, failed, marker };

constexpr uint32_t kMostThreads = 4096;
constexpr int kStopped = 70, kFinding = 66;

struct alignas(64) Done {
  std::atomic<uint32_t> count{0};
  std::atomic<uint32_t> sleepers{0};
};

Done done[kMostThreads];
const ForetellSchedule* schedule;
std::atomic<uint32_t> stuck{0};
std::atomic<uint32_t> arrived{0};  // at the end of the epoch
std::atomic<uint32_t> epochs{0};   // that have ended
bool prints_schedules = false;
thread_local uint32_t self = 0;

[[noreturn]] void stop(int status, const char* message, const char* a = "", const char* b = "") {
  char text[1024];
  const int length = snprintf(text, sizeof text, message, a, b);
  if (length > 0)
    (void)!write(
        2, text,
        static_cast<size_t>(length) < sizeof text ? static_cast<size_t>(length) : sizeof text);
  _exit(status);
}

void wait_for(const ForetellEdge& edge) {
  Done& other = done[edge.thread];
  for (int spins = 0; spins < 200; spins++)
    if (other.count.load(std::memory_order_acquire) > edge.index) return;
  other.sleepers.fetch_add(1);
  for (uint32_t seen; (seen = other.count.load()) <= edge.index;)
    syscall(SYS_futex, &other.count, FUTEX_WAIT_PRIVATE, seen, nullptr, nullptr, 0);
  other.sleepers.fetch_sub(1);
}

uint32_t threads_that_never_exit() {
  uint32_t count = schedule->participants;
  for (uint32_t t = 0; t < schedule->thread_count; t++) {
    const ForetellThread& thread = schedule->threads[t];
    const uint32_t last = thread.count == 0 ? k_marker : thread.nodes[thread.count - 1].kind;
    if (last == k_thread_exit || last == k_process_exit) count--;
  }
  return count;
}

void use_schedule(int selected) {
  if (selected < 0)
    stop(kStopped, "foretell: no schedule covers this input: this is an error of Foretell\n");
  schedule = &foretell_schedules[selected];
  if (!prints_schedules) return;
  if (schedule->epoch != 0)
    fprintf(stderr, "foretell: epoch %u, ", schedule->epoch + 1);
  else
    fprintf(stderr, "foretell: ");
  fprintf(stderr, "schedule %u of %u\n", schedule->number, schedule->out_of);
}

// Counts the thread in; the last one begins the next epoch. Nobody else looks at the schedule meanwhile:
// all others wait, or have exited.
void arrive_at_the_end() {
  if (arrived.fetch_add(1) + 1 < schedule->participants) return;
  arrived.store(0);
  for (uint32_t t = 0; t < schedule->thread_count; t++) done[t].count.store(0);
  use_schedule(foretell_select_in(schedule->end_epoch));
  epochs.fetch_add(1);
  syscall(SYS_futex, &epochs, FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
}

void wait_for_the_next_epoch() {
  const uint32_t now = epochs.load();
  arrive_at_the_end();
  for (int spins = 0; spins < 200; spins++)
    if (epochs.load() != now) return;
  while (epochs.load() == now)
    syscall(SYS_futex, &epochs, FUTEX_WAIT_PRIVATE, now, nullptr, nullptr, 0);
}

// Behind the last node of a thread: somebody else ends the program, or nobody does.
[[noreturn]] void wait_for_the_end() {
  if (schedule->end == thread_limit)
    stop(kStopped, "foretell: %s: the schedules were enumerated for fewer\n", schedule->end_text);
  if (stuck.fetch_add(1) + 1 == threads_that_never_exit() && schedule->end == deadlock)
    stop(kFinding, "foretell: deadlock: %s\n", schedule->end_text);
  for (;;) pause();
}

const ForetellNode* next_node() {
  const ForetellThread& thread = schedule->threads[self];
  const uint32_t index = done[self].count.load(std::memory_order_relaxed);
  return self < schedule->thread_count && index < thread.count ? &thread.nodes[index] : nullptr;
}

// The node that comes next, in this epoch or a later one.
const ForetellNode& node_in_time() {
  for (;;) {
    if (const ForetellNode* node = next_node()) return *node;
    if (schedule->end != marker) wait_for_the_end();
    wait_for_the_next_epoch();
  }
}

void follow(const ForetellNode& node) {
  for (uint32_t i = 0; i < node.edge_count; i++) wait_for(schedule->edges[node.first_edge + i]);
}

const ForetellNode& begin(uint32_t instruction) {
  const ForetellNode* node = &node_in_time();
  if (node->instruction != instruction)
    stop(kStopped,
         "foretell: the program left its schedule: it is at %s, and the schedule at %s\n"
         "foretell: this is a data race in the program, or an error of Foretell\n",
         foretell_place(instruction), foretell_place(node->instruction));
  follow(*node);
  return *node;
}

void end() {
  Done& mine = done[self];
  mine.count.store(mine.count.load(std::memory_order_relaxed) + 1);
  if (mine.sleepers.load() != 0)
    syscall(SYS_futex, &mine.count, FUTEX_WAKE_PRIVATE, 0x7fffffff, nullptr, nullptr, 0);
}

int pass(uint32_t instruction) {
  const int32_t result = begin(instruction).result;
  end();
  return result;
}

// After its last node nobody waits for the thread, but at the end of its epoch it is counted.
void exit_of_thread() {
  const bool is_counted = schedule->end == marker;
  end();
  if (is_counted) arrive_at_the_end();
}

struct Start {
  void* (*function)(void*);
  void* argument;
  uint32_t number;
};

void* run_thread(void* given) {
  const Start start = *static_cast<Start*>(given);
  free(given);
  self = start.number;
  foretell_shadow_row = foretell_shadows + self * foretell_shadow_width;
  void* const result = start.function(start.argument);
  const ForetellNode* node = &node_in_time();
  if (node->kind != k_thread_exit)
    stop(kStopped, "foretell: a thread ended, and its schedule goes on at %s\n",
         foretell_place(node->instruction));
  follow(*node);
  exit_of_thread();
  return result;
}

// exit() and the return of main. A program may end earlier than its schedule (COVER 4.1.1).
void before_exit() {
  const ForetellNode* node = next_node();
  if (node && node->kind == k_process_exit) follow(*node);
}

}  // namespace

extern "C" {

int foretell_cover_pthread_create(uint32_t at, pthread_t* handle, const pthread_attr_t* attributes,
                                  void* (*function)(void*), void* argument) {
  const ForetellNode& node = begin(at);
  auto* start = static_cast<Start*>(malloc(sizeof(Start)));
  *start = {function, argument, static_cast<uint32_t>(node.result)};
  const int error = pthread_create(handle, attributes, run_thread, start);
  if (error != 0) stop(kStopped, "foretell: cannot create a thread: %s\n", strerror(error));
  end();
  return 0;
}

int foretell_cover_pthread_join(uint32_t at, pthread_t thread, void** result) {
  begin(at);
  const int error = pthread_join(thread, result);
  end();
  return error;
}

void foretell_cover_marker(uint32_t at) {
  const ForetellNode* node = next_node();
  if (!node) {
    if (schedule->end != marker) wait_for_the_end();
    return wait_for_the_next_epoch();
  }
  if (node->kind != k_marker || node->instruction != at)
    stop(
        kStopped,
        "foretell: the program left its schedule: it is at the loop at %s, and the schedule at %s\n"
        "foretell: this is a data race in the program, or an error of Foretell\n",
        foretell_place(at), foretell_place(node->instruction));
  follow(*node);
  end();
}

void foretell_cover_pthread_exit(uint32_t at, void* result) {
  begin(at);
  exit_of_thread();
  pthread_exit(result);
}

int foretell_cover_pthread_mutex_init(uint32_t, pthread_mutex_t*, const pthread_mutexattr_t*) {
  return 0;
}
int foretell_cover_pthread_mutex_destroy(uint32_t, pthread_mutex_t*) {
  return 0;
}
int foretell_cover_pthread_mutex_lock(uint32_t at, pthread_mutex_t*) {
  return pass(at);
}
int foretell_cover_pthread_mutex_trylock(uint32_t at, pthread_mutex_t*) {
  return pass(at);
}
int foretell_cover_pthread_mutex_unlock(uint32_t at, pthread_mutex_t*) {
  return pass(at);
}

int foretell_cover_pthread_rwlock_init(uint32_t, pthread_rwlock_t*, const pthread_rwlockattr_t*) {
  return 0;
}
int foretell_cover_pthread_rwlock_destroy(uint32_t, pthread_rwlock_t*) {
  return 0;
}
int foretell_cover_pthread_rwlock_rdlock(uint32_t at, pthread_rwlock_t*) {
  return pass(at);
}
int foretell_cover_pthread_rwlock_wrlock(uint32_t at, pthread_rwlock_t*) {
  return pass(at);
}
int foretell_cover_pthread_rwlock_unlock(uint32_t at, pthread_rwlock_t*) {
  return pass(at);
}

int foretell_cover_pthread_cond_init(uint32_t, pthread_cond_t*, const pthread_condattr_t*) {
  return 0;
}
int foretell_cover_pthread_cond_destroy(uint32_t, pthread_cond_t*) {
  return 0;
}
// Going to sleep and waking up are two nodes.
int foretell_cover_pthread_cond_wait(uint32_t at, pthread_cond_t*, pthread_mutex_t*) {
  pass(at);
  return pass(at);
}
int foretell_cover_pthread_cond_signal(uint32_t at, pthread_cond_t*) {
  return pass(at);
}
int foretell_cover_pthread_cond_broadcast(uint32_t at, pthread_cond_t*) {
  return pass(at);
}

int foretell_cover_pthread_barrier_init(uint32_t, pthread_barrier_t*, const pthread_barrierattr_t*,
                                        unsigned) {
  return 0;
}
int foretell_cover_pthread_barrier_destroy(uint32_t, pthread_barrier_t*) {
  return 0;
}
int foretell_cover_pthread_barrier_wait(uint32_t at, pthread_barrier_t*) {
  pass(at);
  return pass(at);
}

int foretell_cover_sem_init(uint32_t, sem_t*, int, unsigned) {
  return 0;
}
int foretell_cover_sem_destroy(uint32_t, sem_t*) {
  return 0;
}
int foretell_cover_sem_wait(uint32_t at, sem_t*) {
  return pass(at);
}
int foretell_cover_sem_trywait(uint32_t at, sem_t*) {
  const int result = pass(at);
  if (result != 0) errno = EAGAIN;
  return result;
}
int foretell_cover_sem_post(uint32_t at, sem_t*) {
  return pass(at);
}

}  // extern "C"

int main(int argc, char** argv, char** environment) {
  if (const char* why = foretell_refuse(argc, argv)) stop(kStopped, "foretell: %s\n", why);
  const char* options = getenv("FORETELL_OPTIONS");
  prints_schedules = options && strstr(options, "print_schedule=1");
  foretell_shadow_row = foretell_shadows;
  use_schedule(foretell_select(argc, argv));
  atexit(before_exit);
  return foretell_program_main(argc, argv, environment);
}
