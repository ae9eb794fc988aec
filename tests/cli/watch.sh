#!/usr/bin/env bash
# run --watch and record --watch: only contended memory is recorded, and the findings are the same.
. "$(dirname "$0")/common.inc"

cat >shared.c <<'C'
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
long racy, ordered[100];
static void* work(void* p) {
  long* mine = p;
  for (int i = 0; i < 1000; i++) mine[0] += ordered[i % 100];
  racy++;
  return p;
}
int main(int argc, char** argv) {
  char line[80] = "nothing\n";
  if (argc > 1 && !fgets(line, sizeof line, stdin)) return 1;
  long* sums = calloc(32, sizeof *sums);
  for (int i = 0; i < 100; i++) ordered[i] = i;
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, sums + 16 * i);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  printf("%ld %ld %s", racy, sums[0] + sums[16], line);
  free(sums);
  return 0;
}
C
"$FORETELL" cc -O1 -g -pthread shared.c -o shared

# The same race as without, confirmed; what the program prints is shown once.
run "$FORETELL" run --format=text,json:whole.json -- ./shared; expect_status 66
whole=$out
run "$FORETELL" run --watch --format=text,json:watched.json -- ./shared; expect_status 66
[ "$out" = "$whole" ] || fail "printed something else than without --watch"
expect_err "data race on 'racy' [race-1, confirmed]"
count() { grep -o '"events": *[0-9]*' .foretell/latest/run.json | grep -o '[0-9]*'; }
[ "$(count)" -lt 60 ] || fail "accesses that matter to nobody were recorded"
# racy, and nothing else.
[ "$(grep -c '^global ' .foretell/latest/contended)" = 1 ] || fail "not one contended global"
[ "$(wc -l <.foretell/latest/contended)" = 2 ] || fail "more is called contended than is"

# Its schedules count other steps than those of a run in which everything is recorded.
grep -q '^ft2:' .foretell/latest/schedules/race-1.ft1 || fail "the schedule is not marked"
run "$FORETELL" replay race-1 --repeat=3; expect_status 66; expect_err "Reproduced 3 of 3"
run "$FORETELL" replay --schedule=.foretell/latest/schedules/recorded.ft1; expect_err "was followed"
run "$FORETELL" replay --schedule=ft1:0x3; expect_err "counts all accesses"
run "$FORETELL" run --schedule=.foretell/latest/schedules/race-1.ft1 -- ./shared
expect_status 65; expect_err "counts the steps of a run with --watch"
run "$FORETELL" replay race-1 --export-test=tests; expect_status 65; expect_err "without --watch"

# Every run reads the same input.
echo from a file >input
run "$FORETELL" record --watch -- ./shared in <input
expect_status 0; expect_out "from a file"; expect_err "only contended memory was recorded, after 2 runs"
run sh -c 'echo from a pipe | "$0" record --watch -- ./shared in' "$FORETELL"
expect_status 0; expect_out "from a pipe"; expect_err "standard input is a pipe"

# Nothing is contended: one run is enough.
cat >alone.c <<'C'
int n;
int main(void) { for (int i = 0; i < 1000; i++) *(volatile int*)&n += i; return 0; }
C
"$FORETELL" cc -O1 -g alone.c -o alone
run "$FORETELL" record --watch -- ./alone; expect_status 0; expect_err "after 1 run"

# A loop that waits for a plain variable ends.
cat >spin.c <<'C'
#include <pthread.h>
volatile int flag;
static void* set(void* p) { flag = 1; return p; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, set, 0);
  while (!flag) {}
  return pthread_join(t, 0);
}
C
"$FORETELL" cc -O1 -g -pthread spin.c -o spin
run "$FORETELL" run --watch -- ./spin; expect_status 66; expect_err "data race on 'flag'"
# A damaged list is no empty one.
echo nonsense >list
status=0
FORETELL_OPTIONS=record=r:watch=1:contended=list ./alone 2>stderr || status=$?
out='' err=$(<stderr)
expect_status 65; expect_err "cannot read the list of contended memory"
