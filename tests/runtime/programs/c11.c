// output: 6 3 5 1 2 1
// records: Fork Join Acquire Release WaitBegin WaitEnd NotifyAll TryFail
#include <stdio.h>
#include <threads.h>
#include <time.h>

static mtx_t mutex;
static cnd_t condition;
static int ready, sum;

static int wait_then_add(void *argument) {
  mtx_lock(&mutex);
  while (!ready) cnd_wait(&condition, &mutex);
  sum += *(int *)argument;
  mtx_unlock(&mutex);
  return *(int *)argument;
}

static int leave(void *unused) {
  (void)unused;
  thrd_exit(5);
}

static int try_it(void *unused) {
  (void)unused;
  return mtx_trylock(&mutex);
}

int main() {
  mtx_init(&mutex, mtx_timed);
  cnd_init(&condition);
  thrd_t threads[3];
  int numbers[3] = {1, 2, 3};
  for (int i = 0; i < 3; i++) thrd_create(&threads[i], wait_then_add, &numbers[i]);
  mtx_lock(&mutex);
  ready = 1;
  cnd_broadcast(&condition);
  mtx_unlock(&mutex);
  int result = 0;
  for (int i = 0; i < 3; i++) thrd_join(threads[i], &result);
  printf("%d %d ", sum, result);
  thrd_create(&threads[0], leave, NULL);
  thrd_join(threads[0], &result);
  printf("%d ", result);
  mtx_lock(&mutex);
  thrd_create(&threads[0], try_it, NULL);
  thrd_join(threads[0], &result);
  printf("%d ", result == thrd_busy);
  struct timespec until;
  timespec_get(&until, TIME_UTC);
  printf("%d ", cnd_timedwait(&condition, &mutex, &until) == thrd_timedout ? 2 : 0);
  thrd_create(&threads[0], try_it, NULL);
  printf("%d\n", thrd_detach(threads[0]) == thrd_success);
}
