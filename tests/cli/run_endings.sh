#!/usr/bin/env bash
# Runs that end badly: a real deadlock, a crash, a replay that goes another way.
. "$(dirname "$0")/common.inc"

cat >dead.c <<'C'
#include <pthread.h>
pthread_mutex_t from = PTHREAD_MUTEX_INITIALIZER, to = PTHREAD_MUTEX_INITIALIZER;
pthread_barrier_t both;
static void* f(void* p) {
  pthread_mutex_lock(&from);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&to);
  return p;
}
int main(void) {
  pthread_t t;
  pthread_barrier_init(&both, 0, 2);
  pthread_create(&t, 0, f, 0);
  pthread_mutex_lock(&to);
  pthread_barrier_wait(&both);
  pthread_mutex_lock(&from);
}
C
"$FORETELL" cc -g -pthread dead.c -o dead
run "$FORETELL" run --timeout=20 -- ./dead; expect_status 66
expect_err "error: deadlock of 2 threads [deadlock-1, confirmed]"
expect_err "holds 'from' (5:3)"; expect_err "holds 'to' (14:3)"; expect_err "-> (T1) ->"
run "$FORETELL" replay deadlock-1 --repeat=5; expect_status 66; expect_err "Reproduced 5 of 5"

cat >crash.c <<'C'
#include <assert.h>
#include <pthread.h>
int ready;
int* data;
static void* reader(void* p) {
  if (ready) assert(data != 0);
  return p;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, reader, 0);
  ready = 1;
  static int value;
  data = &value;
  pthread_join(t, 0);
  return 0;
}
C
"$FORETELL" cc -g -pthread crash.c -o crash
# main may run from the creation up to `ready = 1`, then the reader.
for steps in 3 4 5 6; do
  run "$FORETELL" run --exitcode=0 --schedule="ft1:0x$steps.1x4" -- ./crash
  [[ "$err" != *"was killed by SIGABRT"* ]] || break
done
expect_err "Assertion"; expect_err "repeats it"
run "$FORETELL" replay --schedule=.foretell/latest/schedules/recorded.ft1; expect_status 134
expect_err "Crashed: the program was killed by SIGABRT (Aborted)"

# What is not part of the schedule changes: main goes another way.
cat >chance.c <<'C'
#include <pthread.h>
#include <stdlib.h>
int x, extra, chance;
static void* f(void* p) { x = 1; return p; }
int main(int argc, char** argv) {
  pthread_t t;
  chance = getenv("CHANCE") ? 7 : 0;
  pthread_create(&t, 0, f, 0);
  if (chance == 7)
    extra = 2;
  else
    x = 2;
  pthread_join(t, 0);
  return argc + (argv == 0);
}
C
"$FORETELL" cc -g -pthread chance.c -o chance
run "$FORETELL" run --exitcode=0 -- ./chance; expect_status 0; expect_err "[race-1, confirmed]"
run env CHANCE=1 "$FORETELL" replay race-1; expect_status 65
expect_err "Diverged: replay diverged at step"; expect_err "T0 came to 'write extra' at"
expect_err "because it read 7, not 0 at"
run env CHANCE=1 "$FORETELL" replay race-1 --repeat=3; expect_status 65; expect_err "Diverged 3 of 3"
