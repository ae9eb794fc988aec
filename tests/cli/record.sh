#!/usr/bin/env bash
# record: what is kept of a run, and that the program hardly notices.
. "$(dirname "$0")/common.inc"

# Programs that are not instrumented run as they are; the user is told.
run "$FORETELL" record -- sh -c 'cat; exit 3' <<<"from the pipe"
expect_status 3; expect_out "from the pipe"; expect_err "nothing was recorded"
run "$FORETELL" record -- sh -c 'kill -SEGV $$'; expect_status 139
run "$FORETELL" record --timeout=0.3 -- sleep 100; expect_status 137
run "$FORETELL" record; expect_status 64; expect_err "foretell record -- ./program"
run "$FORETELL" record -- ./no-such-program; expect_status 65; expect_err "cannot run ./no-such-program"
run "$FORETELL" record --schedule=ft3:0x1 -- true; expect_status 65; expect_err "does not support"
run "$FORETELL" record --schedule=ft1:0y1 -- true; expect_status 65; expect_err "'0y1' is not a run"

cat >count.c <<'C'
#include <pthread.h>
#include <stdio.h>
int hits;
static void* hit(void* p) { hits++; return p; }
int main(int argc, char** argv) {
  pthread_t t;
  pthread_create(&t, 0, hit, 0);
  pthread_join(t, 0);
  printf("%s %d\n", argc > 1 ? argv[1] : "none", hits);
  return 5;
}
C
"$FORETELL" cc -g -pthread count.c -o count
run "$FORETELL" record --seed=3 -- ./count "a b"
expect_status 5; [ "$out" = "a b 1" ] || fail "the program's output changed"
expect_err "of 2 threads in .foretell/"; expect_err "./count exited with 5"
[ -L .foretell/latest ] || fail "no .foretell/latest"
[ ! -e .foretell/latest/recording ] || fail "the raw recording was kept"
grep -q '"a b"' .foretell/latest/run.json || fail "run.json lacks the command"
run "$FORETELL" dump --check .foretell/latest/trace.ftrace; expect_status 0; expect_out "fork T0 T1"

# The recorded schedule has as many steps as the trace has events.
events=$("$FORETELL" dump .foretell/latest/trace.ftrace | wc -l)
steps=$(grep -v '^#' .foretell/latest/schedules/recorded.ft1 | tr -d '\n' | sed 's/^ft1://' | tr '.' '\n' |
  awk -Fx '{ sum += $2 } END { print sum }')
[ "$events" = "$steps" ] || fail "$events events, $steps steps"

run "$FORETELL" record -o one.ftrace -- ./count; expect_status 5
run "$FORETELL" dump --summary one.ftrace; expect_status 0; expect_out "2 threads"
[ "$(ls -d one.ftrace*)" = one.ftrace ] || fail "files beside one.ftrace are left"
run "$FORETELL" record -o kept --keep-recording -- ./count; expect_status 5
[ -e kept/recording ] || fail "--keep-recording kept nothing"
