#!/usr/bin/env bash
# What .foretell holds is listed and can be removed; `latest` always names a run that is there.
. "$(dirname "$0")/common.inc"

run "$FORETELL" runs
expect_status 0
expect_out "there are no runs in .foretell"

cat >racy.c <<'END'
#include <pthread.h>
int x;
void *work(void *unused) { x++; return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, work, 0);
  x++;
  return pthread_join(thread, 0);
}
END
"$FORETELL" cc -O1 -pthread racy.c -o racy
for i in 1 2 3; do run "$FORETELL" run --no-replay -- ./racy; done
newest=$(readlink .foretell/latest)

# A program that records nothing does not steal the name.
run "$FORETELL" run -- /bin/true
[ "$(readlink .foretell/latest)" = "$newest" ] || fail "latest was stolen by a run without a recording"

mkdir .foretell/20200101-000000-001 .foretell/notes
run "$FORETELL" runs
expect_status 0
expect_out "* $newest         1"
expect_out "./racy"
expect_out "(unfinished)"
expect_out "5 runs"
if grep -q notes stdout; then fail "a folder that is no run is listed"; fi

run "$FORETELL" runs clean ../racy
expect_status 65
expect_err "'../racy' is not the name of a run"
run "$FORETELL" runs clean 20200101-000000-002
expect_status 65
expect_err "there is no run"

# The newest goes by name: `latest` moves on to the newest one that is left.
run "$FORETELL" runs clean "$newest"
expect_status 0
expect_out "removed 1 run, "
[ -d ".foretell/$(readlink .foretell/latest)" ] || fail "latest dangles"

run "$FORETELL" runs clean --keep=1
expect_status 0
[ -d .foretell/20200101-000000-001 ] || fail "an unfinished run was removed unasked"
run "$FORETELL" runs clean --keep=0 --unfinished
expect_status 0
[ ! -e .foretell/latest ] || fail "latest names a run that is gone"
[ -d .foretell/notes ] || fail "a folder that is no run was removed"
run "$FORETELL" runs
expect_out "there are no runs"
