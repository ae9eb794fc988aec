#!/usr/bin/env bash
# A file system that fills up while a program is recorded: the program goes on, and there is a report
# or an error that says so, whatever size is left.
. "$(dirname "$0")/common.inc"
status=0 out= err=
if ! unshare -m true 2>/dev/null; then
  echo "this machine has no private mounts" && exit 0
fi

cat >fill.c <<'END'
#include <pthread.h>
volatile int many[50000];
int racy;
void *fill(void *unused) {
  for (int round = 0; round < 4; round++)
    for (int i = 0; i < 50000; i++) many[i]++;
  racy++;
  return unused;
}
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, fill, 0);
  racy++;
  pthread_join(thread, 0);
  return 0;
}
END
"$FORETELL" cc -O1 -pthread fill.c -o fill
mkdir small
for kib in 64 512 1500 3000 5000 8000; do
  run unshare -m sh -c "mount -t tmpfs -o size=${kib}k none small && cd small && exec '$FORETELL' run -- ../fill"
  case $status in
    0 | 66) grep -q 'no space left\|no race found\|1 race' stderr || fail "no report with $kib KiB" ;;
    74) expect_err "No space left on device" ;;
    *) fail "a disk of $kib KiB" ;;
  esac
done
