// SPDX-License-Identifier: Apache-2.0

// A deque of tasks: its owner takes from the tail, a thief from the head; the last one goes to both.
#include <assert.h>
#include <pthread.h>
#include <stdatomic.h>

enum { kTasks = 3 };
static atomic_int head, tail;
static int tasks[kTasks];
static atomic_int taken[kTasks];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void run(int task) {
  assert(atomic_fetch_add(&taken[task], 1) == 0);
}

static void push(int task) {
  const int at = atomic_load(&tail);
  tasks[at] = task;
  atomic_store(&tail, at + 1);
}

// Looks at the head before it gives up the last place: a thief may come in between.
static int pop(void) {
  const int at = atomic_load(&tail) - 1;
  if (atomic_load(&head) > at) return -1;
  atomic_store(&tail, at);
  return tasks[at];
}

static int steal(void) {
  int task = -1;
  pthread_mutex_lock(&lock);
  const int at = atomic_load(&head);
  if (at < atomic_load(&tail)) {
    atomic_store(&head, at + 1);
    task = tasks[at];
  }
  pthread_mutex_unlock(&lock);
  return task;
}

static void *own(void *unused) {
  for (int i = 0; i < kTasks; i++) push(i);
  for (int task; (task = pop()) >= 0;) run(task);
  return unused;
}

static void *thieve(void *unused) {
  for (int i = 0; i < 2; i++) {
    const int task = steal();
    if (task >= 0) run(task);
  }
  return unused;
}

int main(void) {
  pthread_t owner, thief;
  pthread_create(&owner, 0, own, 0);
  pthread_create(&thief, 0, thieve, 0);
  pthread_join(owner, 0);
  pthread_join(thief, 0);
  return 0;
}
