#!/usr/bin/env bash
# The schedule of a recorded run is followed to the very end, also what the last thread does after
# its last synchronization.
. "$(dirname "$0")/common.inc"

cat >prog.c <<'C'
#include <pthread.h>
#include <stdio.h>
int numbers[100];
static void* work(void* argument) {
  for (int i = 0; i < 50; i++) numbers[i]++;
  return argument;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  pthread_join(thread, NULL);
  int sum = 0;
  for (int i = 0; i < 100; i++) numbers[i] += i;
  for (int i = 0; i < 100; i++) sum += numbers[i];
  printf("%d\n", sum);
  return 0;
}
C
"$FORETELL" cc -O1 -g -pthread prog.c -o prog
run "$FORETELL" record -- ./prog; expect_status 0; expect_out 5000
run "$FORETELL" replay --schedule=.foretell/latest/schedules/recorded.ft1
expect_status 0; expect_out 5000; expect_err Reproduced
