#!/usr/bin/env bash
# Epochs: programs that synchronize as often as their input says have few schedules, and follow them.
. "$(dirname "$0")/common.inc"

# covers NAME THREADS SUMMARY: enumerates NAME.c, verifies it and builds NAME.
covers() {
  run "$FORETELL" schedules "$1.c" --threads="$2" -o "$1.db"; expect_status 0; expect_out "$3; every input is covered"
  run "$FORETELL" schedules verify "$1.db"; expect_status 0; expect_out "every input has a schedule: proved"
  run "$FORETELL" constrain "$1.c" --schedules="$1.db" -o "$1"; expect_status 0
}

# lu's shape: threads in lock step between barriers. One schedule to the loop, a round, the end.
cp "$ROOT/examples/lockstep.c" .
covers lockstep 3 "2 epochs, 5 constraints, 3 schedules"
run "$FORETELL" schedules verify lockstep.db; expect_out "they had 3 of 3 schedules"
clang-19 -w -pthread lockstep.c -o plain
for input in "1 1" "3 64" "40 9"; do
  want=$(./plain $input)
  run ./lockstep $input; expect_status 0; expect_out "$want"
done
run ./lockstep 0 4; expect_status 1
run ./lockstep 4; expect_status 1

# 1..X and 1..Y of section 2.1, with the locks of section 3.3: Foo and Bar are given the same one.
cat > both.c <<'END'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
pthread_mutex_t the_lock = PTHREAD_MUTEX_INITIALIZER;
int X, Y, sum;
static void foo(pthread_mutex_t *a) { for (int i = 1; i <= X; i++) { pthread_mutex_lock(a); sum += 100; pthread_mutex_unlock(a); } }
static void bar(pthread_mutex_t *b) { for (int k = 1; k <= Y; k++) { pthread_mutex_lock(b); sum += 1; pthread_mutex_unlock(b); } }
static void *run_bar(void *unused) { bar(&the_lock); return 0; }
int main(int argc, char **argv) {
  if (argc != 3) return 1;
  X = atoi(argv[1]);
  Y = atoi(argv[2]);
  pthread_t t;
  pthread_create(&t, 0, run_bar, 0);
  foo(&the_lock);
  pthread_join(t, 0);
  printf("sum %d\n", sum);
  return 0;
}
END
covers both 1 "4 epochs, 9 constraints, 9 schedules"
for input in "0 0 0" "1 3 103" "5 0 500" "0 2 2" "30 31 3031" "-4 -5 0"; do
  set -- $input
  run ./both $1 $2; expect_status 0; expect_out "sum $3"
done
# More rounds in one epoch are more schedules.
run "$FORETELL" schedules both.c --threads=1 --unroll=2 -o unrolled.db; expect_status 0; expect_out "every input is covered"
[ "$(wc -l < unrolled.db/journal.jsonl)" -gt "$(wc -l < both.db/journal.jsonl)" ] || fail "--unroll changes nothing"

# What a thread returns decides, through a pointer that is no address.
cat > result.c <<'END'
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x;
static void *work(void *unused) { int v = x & 15; return (void *)(long)v; }
int main(int argc, char **argv) {
  if (argc != 2) return 1;
  x = atoi(argv[1]);
  pthread_t t;
  void *result;
  pthread_create(&t, 0, work, 0);
  pthread_join(t, &result);
  if ((long)result > 3) { pthread_mutex_lock(&m); pthread_mutex_unlock(&m); }
  return 0;
}
END
covers result 1 "1 epoch, 2 constraints, 2 schedules"
for input in 0 3 4 15 16 -1; do run ./result $input; expect_status 0; done

# A deadlock in a later round: a thread that leaves the loop alone never comes to the barrier.
cat > alone.c <<'END'
#include <pthread.h>
#include <stdlib.h>
pthread_barrier_t together;
int rounds[2];
static void work(int self) { for (int i = 0; i < rounds[self]; i++) pthread_barrier_wait(&together); }
static void *run(void *unused) { work(1); return 0; }
int main(int argc, char **argv) {
  if (argc != 3) return 1;
  rounds[0] = atoi(argv[1]);
  rounds[1] = atoi(argv[2]);
  pthread_barrier_init(&together, 0, 2);
  pthread_t t;
  pthread_create(&t, 0, run, 0);
  work(0);
  pthread_join(t, 0);
  return 0;
}
END
run "$FORETELL" schedules alone.c --threads=1 -o alone.db; expect_status 0; expect_out "with a deadlock"
run "$FORETELL" schedules verify alone.db; expect_status 66; expect_out "deadlock: "
run "$FORETELL" constrain alone.c --schedules=alone.db -o alone; expect_status 0
run ./alone 3 3; expect_status 0
run timeout 10 ./alone 3 2; expect_status 66; expect_err "foretell: deadlock: "
