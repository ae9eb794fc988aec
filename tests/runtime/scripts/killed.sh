#!/usr/bin/env bash
# Killed at any moment, a program leaves everything up to its last record, whole and readable.
source "$(dirname "$0")/../common.inc"
cat >busy.c <<'C'
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static void *work(void *unused) {
  for (;;) {
    pthread_mutex_lock(&mutex);
    free(malloc(16));
    pthread_mutex_unlock(&mutex);
  }
  return unused;
}
int main() {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  work(NULL);
}
C
build busy.c busy
for mode in controlled parallel; do
  for attempt in 1 2 3 4 5 6 7 8; do
    FORETELL_OPTIONS="record=$scratch/recording:mode=$mode:quantum=50" ./busy &
    pid=$!
    # It is killed once it has recorded something, and then after some more work of its own.
    until [ -s recording ] && "$SHOW" recording 2>/dev/null | grep -q ThreadBegin; do kill -0 $pid; done
    for ((i = 0; i < RANDOM % 300; i++)); do kill -0 $pid; done
    kill -KILL $pid
    wait $pid 2>/dev/null || true
    "$SHOW" recording >shown || fail "killed in $mode mode: the recording cannot be read"
    grep -q "state=0" shown || fail "a killed program has not finished"
    grep -q "ThreadBegin" shown || fail "killed in $mode mode: the recording is empty"
    rm recording shown
  done
done
