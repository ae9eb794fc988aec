#!/usr/bin/env bash
# A finding has one name in all runs of a build, whatever is found first.
. "$(dirname "$0")/common.inc"
cat >three.c <<'END'
#include <pthread.h>
int a, b, c;
void *up(void *unused) { a = 1; b = 1; c = 1; return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, up, 0);
  c = 2;
  b = 2;
  a = 2;
  return pthread_join(thread, 0);
}
END
"$FORETELL" cc -O0 -pthread three.c -o three
# names OPTIONS...: "a race-1", one line for each race.
names() {
  "$FORETELL" run --no-replay --format=json:report.json "$@" -- ./three 2>/dev/null || true
  python3 -c '
import json
for f in json.load(open("report.json"))["findings"]:
    print(f["fingerprint"], f["id"])' | sort
}
names --seed=1 >first
[ "$(wc -l <first)" -ge 3 ] || { echo "too few races" && cat first && exit 1; }
for seed in 2 3 4 5; do
  names --strategy=random --quantum=2 --seed=$seed >again
  join first again | awk '$2 != $3 { print "seed '$seed' renames " $0; bad = 1 } END { exit bad }'
done

# Analyzed once more, with other analyses: the trace belongs to the run.
"$FORETELL" run --no-replay --strategy=random --quantum=2 --seed=9 -- ./three >/dev/null 2>&1 || true
"$FORETELL" analyze .foretell/latest/trace.ftrace --format=json:report.json >/dev/null 2>&1 || true
python3 -c '
import json
for f in json.load(open("report.json"))["findings"]:
    print(f["fingerprint"], f["id"])' | sort >again
join first again | awk '$2 != $3 { print "analyze renames " $0; bad = 1 } END { exit bad }'
"$FORETELL" explain --trace=.foretell/latest/trace.ftrace "$(awk '$2 ~ /race/ { print $2; exit }' again)" >/dev/null

# In test runs, too, whichever process comes first.
"$FORETELL" cc -O0 -pthread -DOTHER -x c - -o other <<'END'
#include <pthread.h>
int x;
void *set(void *unused) { x = 1; return unused; }
int main(void) {
  pthread_t thread;
  pthread_create(&thread, 0, set, 0);
  x = 2;
  return pthread_join(thread, 0);
}
END
test_names() {
  "$FORETELL" test --no-replay --format=json:report.json -- sh -c "$1" >/dev/null 2>&1 || true
  python3 -c '
import json
for f in json.load(open("report.json"))["findings"]:
    print(f["fingerprint"], f["id"])' | sort
}
test_names './three; ./other' >first
test_names './other; ./three' >again
[ "$(wc -l <first)" -ge 4 ] || { echo "too few races" && cat first && exit 1; }
join first again | awk '$2 != $3 { print "a test run renames " $0; bad = 1 } END { exit bad }'
