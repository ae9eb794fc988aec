#!/usr/bin/env bash
# --contended leaves accesses out and changes no verdict; a schedule made without them still works on the program.
. "$(dirname "$0")/common.inc"

cat >phases.cc <<'END'
#include <cstdio>
#include <mutex>
#include <pthread.h>
#include <thread>
int table[64], partial[2], hidden;
std::mutex m;
bool is_open;
pthread_barrier_t barrier;
void work(int self) {
  for (int round = 0; round < 4; round++) {
    for (int i = self; i < 64; i += 2) table[i] += round + i;
    pthread_barrier_wait(&barrier);
    for (int i = 0; i < 64; i++) partial[self] += table[i];
    pthread_barrier_wait(&barrier);
  }
  // As in race.cpp: one side writes before it locks, the other reads after it has unlocked.
  if (self == 0) hidden = 1;
  {
    std::lock_guard hold(m);
    is_open = true;
  }
  for (int i = self; i < 64; i += 2) table[i]++;
  if (self == 1) std::printf("%d\n", hidden != 7);
}
int main() {
  pthread_barrier_init(&barrier, nullptr, 2);
  std::thread a(work, 0), b(work, 1);
  a.join();
  b.join();
}
END
run "$FORETELL" c++ -O1 -g -pthread phases.cc -o phases; expect_status 0
# The race must be confirmed on the program: the schedule has all steps, also those the analysis did not see.
run "$FORETELL" run --contended --stats --format=text,json:contended.json -- ./phases; expect_status 66
expect_err "data race on 'hidden' [race-1, confirmed]"
expect_err "find contended locations"
run "$FORETELL" run --format=json:whole.json -- ./phases; expect_status 66
python3 - <<'END' || fail "verdicts differ"
import json
def verdicts(path):
    return [(f["kind"], f["location"], f["verdict"]) for f in json.load(open(path))["findings"] if f["verdict"] != "possible"]
assert verdicts("contended.json") == verdicts("whole.json") != [], (verdicts("contended.json"), verdicts("whole.json"))
END

# Every analysis on every trace of the tests: what has a witness has one without the other accesses, and nothing else has.
cat >compare.py <<'END'
import glob, json, os, subprocess, sys
def found(path, *options):
    done = subprocess.run([os.environ["FORETELL"], "analyze", path, "--analysis=all", "--all", "--format=json:-", *options],
                          capture_output=True, text=True)
    if done.returncode not in (0, 66):
        return None
    return {(f["kind"], tuple(sorted(e["index"] for e in f["events"])))
            for f in json.loads(done.stdout)["findings"] if f["verdict"] == "predicted"}
compared = 0
for path in sorted(glob.glob(sys.argv[1] + "/**/*.tiddle", recursive=True))[int(sys.argv[2])::int(sys.argv[3])]:
    whole = found(path)
    if whole is None:
        continue  # It is about something that is no run.
    compared += 1
    contended = found(path, "--contended")
    if whole != contended:
        sys.exit(f"{path}: {whole ^ contended if contended is not None else 'failed'}")
print(compared, "traces compared")
END
python3 compare.py "$ROOT/tests/regress" 0 1 || fail "verdicts differ on tests/regress"
python3 compare.py "$ROOT/tests/trace" 0 3 || fail "verdicts differ on tests/trace"

run "$FORETELL" analyze --contended --atomic=functions "$ROOT/examples/bank.tiddle"; expect_status 64
expect_err "cannot be combined with --atomic"
