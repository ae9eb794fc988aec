#!/usr/bin/env bash
# Watching: only contended memory is recorded, and the findings are the same. A long run is watched without being asked.
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

# What is handed on through a queue belongs to whoever took the pointer: of the blocks nothing is recorded.
cat >queue.cc <<'C'
#include <cstdio>
#include <deque>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>
using Block = std::vector<int>;
static std::mutex lock;
static std::deque<std::unique_ptr<Block>> queue;
int main() {
  std::thread maker([] {
    for (int i = 0; i < 8; i++) {
      auto block = std::make_unique<Block>(600, i);
      std::lock_guard guard(lock);
      queue.push_back(std::move(block));
    }
  });
  long sum = 0;
  for (int left = 8; left > 0;) {
    std::unique_ptr<Block> block;
    {
      std::lock_guard guard(lock);
      if (!queue.empty()) {
        block = std::move(queue.front());
        queue.pop_front();
      }
    }
    if (!block) continue;
    left--;
    for (int one : *block) sum += one;
  }
  maker.join();
  std::printf("%ld\n", sum);
}
C
"$FORETELL" c++ -std=c++20 -O2 -g -pthread queue.cc -o queue
run "$FORETELL" run --watch -- ./queue; expect_status 0; expect_out 16800
[ "$(awk '$1 == "heap" { n += $NF } END { print n + 0 }' .foretell/latest/contended)" -lt 1000 ] ||
  fail "the blocks are called contended"
run "$FORETELL" run --watch --format=text,json:watched.json -- ./shared; expect_status 66

# Its schedules count other steps than those of a run in which everything is recorded.
grep -q '^ft2:' .foretell/latest/schedules/race-1.ft1 || fail "the schedule is not marked"
run "$FORETELL" replay race-1 --repeat=3; expect_status 66; expect_err "Reproduced 3 of 3"
run "$FORETELL" replay --schedule=.foretell/latest/schedules/recorded.ft1; expect_err "was followed"
run "$FORETELL" replay --schedule=ft1:0x3; expect_err "counts all accesses"
race=$PWD/.foretell/latest/schedules/race-1.ft1 memory=$PWD/.foretell/latest/contended
run "$FORETELL" run --schedule=$race -- ./shared
expect_status 65; expect_err "counts accesses of contended memory, and it is not known which that is"
# With the list of the run that it is from, the schedule can be followed anywhere; with another it is left aside.
run "$FORETELL" record -o followed --schedule=$race --schedule-memory=$memory -- ./shared; expect_status 0
grep -q "^$(grep -v '^#' $race)" followed/schedules/recorded.ft1 || fail "the schedule was not followed"
grep -v ^global $memory >other
run "$FORETELL" run -o aside --schedule=$race --schedule-memory=other -- ./shared; expect_status 66
expect_err "other memory is contended than when the schedule was written"; expect_err "data race on 'racy'"
run "$FORETELL" replay race-1 --export-test=tests; expect_status 0
cmp tests/race-1.contended $memory || fail "the exported test lacks the list"
grep -q 'schedule-memory=.*race-1.contended' tests/race-1.cmake || fail "the exported test does not use the list"

# Every run reads the same input; replays too.
echo from a file >input
rm -r .foretell
run "$FORETELL" record --watch -- ./shared in <input
expect_status 0; expect_out "from a file"; expect_err "only contended memory was recorded, in 2 runs"
rm -r .foretell
run sh -c 'echo from a pipe | "$0" run --watch -- ./shared in' "$FORETELL"
expect_status 66; expect_out "from a pipe"; [ "$(wc -l <stdout)" = 1 ] || fail "the output was shown more than once"
run "$FORETELL" replay race-1; expect_status 66; expect_out "from a pipe"

# What is contended is remembered: one run is enough, with another seed too.
run "$FORETELL" record --watch --seed=2 --strategy=random -- ./shared; expect_err "in 1 run of the program (what is contended was remembered)"
# A damaged memory is none.
for file in .foretell/contended/*; do echo nonsense >$file; done
run "$FORETELL" record --watch -- ./shared; expect_status 0; expect_err "recorded, in 2 runs of"

# A run that becomes long is made again, without a word to the program's user; --whole records all of it.
cat >long.c <<'C'
#include <pthread.h>
#include <stdio.h>
long racy;
static long cells[2][4096];
static void* work(void* p) {
  volatile long* mine = p;
  for (int i = 0; i < 3000000; i++) mine[i * 7 % 4096] += i;
  racy++;
  return p;
}
int main(void) {
  pthread_t t[2];
  for (int i = 0; i < 2; i++) pthread_create(&t[i], 0, work, cells[i]);
  for (int i = 0; i < 2; i++) pthread_join(t[i], 0);
  puts("done");
  return 0;
}
C
"$FORETELL" cc -O1 -g -pthread long.c -o long
run "$FORETELL" run --format=text -- ./long; expect_status 66
[ "$out" = done ] || fail "the output was shown more than once"
expect_err "data race on 'racy' [race-1, confirmed]"
[ "$(count)" -lt 60 ] || fail "accesses that matter to nobody were recorded"
[ "$(grep -c warning stderr)" = 0 ] || fail "watching is nothing to warn of"
run "$FORETELL" record --whole --disk-limit=24M -- ./long; expect_status 0
[ "$(count)" -gt 10000 ] || fail "--whole did not record everything"

# Cells that are accessed in declared blocks are recorded although everything is ordered.
cat >block.c <<'C'
#include <foretell/foretell.h>
#include <pthread.h>
#include <semaphore.h>
long x;
sem_t go, done;
static void* other(void* p) {
  sem_wait(&go);
  x = 2;
  sem_post(&done);
  return p;
}
int main(void) {
  sem_init(&go, 0, 0);
  sem_init(&done, 0, 0);
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  FORETELL_ATOMIC_BEGIN("both");
  x = 1;
  sem_post(&go);
  sem_wait(&done);
  x++;
  FORETELL_ATOMIC_END("both");
  return pthread_join(t, 0);
}
C
"$FORETELL" cc -O0 -g -pthread block.c -o block
run "$FORETELL" record --watch -o block.ftrace -- ./block; expect_status 0
[ "$("$FORETELL" dump block.ftrace | grep -c ' x\b')" = 4 ] || fail "not all accesses of x: $("$FORETELL" dump block.ftrace)"

# A program that is ended is recorded once more, up to there; what it can be asked to say is known by then.
cat >endless.c <<'C'
#include <pthread.h>
volatile long racy;
static void* work(void* p) {
  for (;;) {
    racy++;
    for (int i = 0; i < 10000; i++) __asm__ volatile("");
  }
  return p;
}
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
}
C
"$FORETELL" cc -O1 -g -pthread endless.c -o endless
run "$FORETELL" run --watch --quantum=20 --timeout=4 --no-replay -- ./endless; expect_status 66; expect_err "data race on 'racy'"

# Nothing is contended: one run is enough.
cat >alone.c <<'C'
int n;
int main(void) { for (int i = 0; i < 1000; i++) *(volatile int*)&n += i; return 0; }
C
"$FORETELL" cc -O1 -g alone.c -o alone
run "$FORETELL" record --watch -- ./alone; expect_status 0; expect_err "in 1 run of the program"

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
