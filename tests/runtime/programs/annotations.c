// output: 3
// records: BlockBegin BlockEnd BenignRace IgnoreBegin IgnoreEnd User ThreadName LockName AtomicRmw AtomicRead
// count: BlockBegin 1
// count: IgnoreBegin 1
// count: IgnoreEnd 1
// count: User 2
// header controlled: uncontrolled=0
#include <foretell/foretell.h>
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int order[3], steps;

static void *second(void *unused) {
  FORETELL_THREAD_NAME("second");
  FORETELL_INVISIBLE_BARRIER(1, 2);
  FORETELL_HAPPENS_AFTER(&steps);
  order[steps++] = 2;
  FORETELL_INVISIBLE_BARRIER(2, 2);
  // A lock taken in an ignore region is recorded; the regions nest.
  FORETELL_IGNORE_BEGIN();
  FORETELL_IGNORE_BEGIN();
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  FORETELL_IGNORE_END();
  pthread_mutex_lock(&mutex);
  FORETELL_IGNORE_END();
  pthread_mutex_unlock(&mutex);
  return unused;
}

int main() {
  pthread_t thread;
  FORETELL_LOCK_NAME(&mutex, "the mutex");
  FORETELL_BENIGN_RACE(&steps, sizeof steps);
  pthread_create(&thread, NULL, second, NULL);
  FORETELL_ATOMIC_BEGIN("first step");
  order[steps++] = 1;
  FORETELL_ATOMIC_END("first step");
  FORETELL_HAPPENS_BEFORE(&steps);
  FORETELL_INVISIBLE_BARRIER(1, 2);
  FORETELL_INVISIBLE_BARRIER(2, 2);
  order[steps++] = 3;
  FORETELL_EVENT("done", steps, -1);
  FORETELL_USER_EVENT("done", "7");
  pthread_join(thread, NULL);
  printf("%d\n", order[0] == 1 && order[1] == 2 && order[2] == 3 ? steps : 0);
}
