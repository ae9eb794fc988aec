#!/usr/bin/env bash
# A program that closes all its descriptors, and one that has no room for another, is recorded.
source "$(dirname "$0")/../common.inc"
cat >close.c <<'C'
#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int main(int argc, char **argv) {
  (void)argv;
  for (int fd = argc > 1 ? 3 : 0; fd < 1024; fd++) close(fd);
  if (dup(0) > 3) return 3;
  for (int i = 0; i < 100000; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  return 7;
}
C
build close.c close
for mode in controlled parallel; do
  for argument in '' keep; do
    status=0
    FORETELL_OPTIONS="record=$scratch/recording:mode=$mode" ./close $argument || status=$?
    [ $status = 7 ] || fail "exit status $status"
    "$SHOW" recording >shown || fail "the recording cannot be read"
    [ "$(grep -c ' Acquire ' shown)" = 100000 ] || fail "$(grep -c ' Acquire ' shown) locks recorded"
    rm recording
  done
done
