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
    until [ -s recording ] && [ "$(head -c 7 recording | tr -d "\0")" = FRECORD ]; do kill -0 $pid; done
    # It is killed after some work of its own; the last time only when chunks have been written.
    for ((i = 0; i < RANDOM % 300; i++)); do kill -0 $pid; done
    if [ $attempt = 8 ]; then
      until [ "$(stat -c %s recording)" -gt 4000000 ]; do kill -0 $pid; done
    fi
    kill -KILL $pid
    wait $pid 2>/dev/null || true
    "$SHOW" recording >shown || fail "killed in $mode mode: the recording cannot be read"
    grep -q "state=0" shown || fail "a killed program has not finished"
    if [ $attempt = 8 ]; then
      grep -q "ThreadBegin" shown || fail "killed in $mode mode: the recording is empty"
    fi
    rm recording shown
  done
done
