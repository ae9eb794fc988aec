#!/usr/bin/env bash
# When the file cannot grow any more the program goes on to its own end, says so once, and the
# recording says so too. A limit on the size of files stands for a full disk. Locks are taken at
# random, so that the file grows also if its records are encoded.
source "$(dirname "$0")/../common.inc"
cat >many.c <<'C'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t mutexes[1 << 16];
int main() {
  unsigned random = 1;
  for (int i = 0; i < 400000; i++) {
    random = random * 1664525 + 1013904223;
    pthread_mutex_lock(&mutexes[random >> 16]);
    pthread_mutex_unlock(&mutexes[random >> 16]);
  }
  puts("done");
}
C
build many.c many
for mode in controlled parallel; do
  (
    ulimit -f 4096 # KiB
    trap '' XFSZ
    FORETELL_OPTIONS="record=$scratch/recording:mode=$mode" ./many >out 2>err
  ) || fail "the program failed: $(cat err)"
  [ "$(cat out)" = done ] || fail "wrong output: $(cat out)"
  [ "$(grep -c 'recording stops here' err)" = 1 ] || fail "not one message: $(cat err)"
  "$SHOW" recording >shown || fail "the recording cannot be read"
  grep -q '# error=the file would become larger than allowed' shown || fail "the recording does not say why"
  grep -q '# dropped' shown || fail "the recording does not say that records are missing"
  grep -q 'Acquire' shown || fail "what came before is lost"
  rm recording
done
