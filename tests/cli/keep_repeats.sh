#!/usr/bin/env bash
# Reads that repeat one since the thread's last synchronization are recorded with --keep-repeats,
# and a replay then counts them too.
. "$(dirname "$0")/common.inc"

cat >prog.c <<'C'
#include <pthread.h>
#include <stdio.h>
int limit = 50;
int shared;
static void* work(void* argument) {
  for (int i = 0; i < *(int*)argument; i++) asm volatile("" : : : "memory");
  shared++;
  return NULL;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, &limit);
  work(&limit);
  pthread_join(thread, NULL);
  printf("%d\n", shared);
  return 0;
}
C
"$FORETELL" cc -O1 -g -pthread prog.c -o prog

# reads OPTION...: how often the limit was read in the recorded run.
reads() {
  "$FORETELL" record "$@" -o run.ftrace -- ./prog >/dev/null 2>&1
  "$FORETELL" dump run.ftrace | grep -c 'rd .*limit'
}
for mode in "" --parallel; do
  [ "$(reads $mode)" -eq 2 ] || fail "one read by each thread${mode:+ with $mode}"
  [ "$(reads $mode --keep-repeats)" -eq 102 ] || fail "all reads${mode:+ with $mode}"
done

run "$FORETELL" run --keep-repeats -- ./prog
expect_status 66; expect_err 'race-1, confirmed'
run "$FORETELL" replay race-1 --repeat=3
expect_err 'Reproduced 3 of 3'
run "$FORETELL" replay --schedule=.foretell/latest/schedules/recorded.ft1
expect_status 0; expect_err Reproduced
run "$FORETELL" replay --seed=1
expect_err 'the same'
