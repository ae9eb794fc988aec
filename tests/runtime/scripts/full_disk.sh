#!/usr/bin/env bash
# When the file cannot grow any more the program goes on to its own end, says so once, and the
# recording says so too. A limit on the size of files stands for a full disk.
source "$(dirname "$0")/../common.inc"
cat >many.c <<'C'
#include <pthread.h>
#include <stdio.h>
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
int main() {
  for (int i = 0; i < 400000; i++) {
    pthread_mutex_lock(&mutex);
    pthread_mutex_unlock(&mutex);
  }
  puts("done");
}
C
build many.c many
for mode in controlled parallel; do
  (
    ulimit -f 8192 # KiB
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
