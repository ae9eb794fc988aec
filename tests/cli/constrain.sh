#!/usr/bin/env bash
# foretell constrain: programs follow the schedule that their input selects, and compute what they
# compute without Foretell.
. "$(dirname "$0")/common.inc"

run "$FORETELL" schedules "$ROOT/examples/which_lock.c" --threads=2 -o which.db
expect_status 0; expect_out "1 epoch, 2 constraints, 2 schedules; every input is covered"
run "$FORETELL" schedules verify which.db; expect_status 0; expect_out "every input has a schedule: proved"
run "$FORETELL" constrain "$ROOT/examples/which_lock.c" --schedules=which.db -o which; expect_status 0
export FORETELL_OPTIONS=print_schedule=1
for x in 0 1 -1 7 2147483647 -2147483648 00 x; do
  run ./which "$x"; expect_status 0
  [ "$x" != 00 ] && [ "$x" != x ] && [ "$x" != 0 ] && want=2 || want=1
  expect_err "foretell: schedule $want of 2"
done
# The program ends itself early, whatever schedule was selected.
run ./which; expect_status 2
run ./which 1 2 3; expect_status 2
# More arguments than were enumerated.
run ./which 1 2 3 4 5 6; expect_status 70; expect_err "at most 4 arguments"
unset FORETELL_OPTIONS

# A bounded buffer with a condition, a barrier, a semaphore: what is printed is what the program prints.
cat > buffer.c <<'END'
#include <pthread.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
pthread_cond_t c = PTHREAD_COND_INITIALIZER;
pthread_barrier_t both;
sem_t items;
int count, total, mode;
void *consumer(void *unused) {
  if (mode > 2) {
    for (int i = 0; i < 2; i++) { sem_wait(&items); pthread_mutex_lock(&m); total += count--; pthread_mutex_unlock(&m); }
  } else {
    pthread_mutex_lock(&m);
    while (count == 0) pthread_cond_wait(&c, &m);
    total += count;
    pthread_mutex_unlock(&m);
  }
  pthread_barrier_wait(&both);
  return 0;
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  mode = atoi(argv[1]);
  sem_init(&items, 0, 0);
  pthread_barrier_init(&both, 0, 2);
  pthread_t t;
  pthread_create(&t, 0, consumer, 0);
  if (mode > 2) {
    for (int i = 0; i < 2; i++) { pthread_mutex_lock(&m); count++; pthread_mutex_unlock(&m); sem_post(&items); }
  } else {
    pthread_mutex_lock(&m); count = 5; pthread_cond_signal(&c); pthread_mutex_unlock(&m);
  }
  pthread_barrier_wait(&both);
  pthread_join(t, 0);
  printf("%d\n", mode > 2 ? count : total);
  return 0;
}
END
run "$FORETELL" schedules buffer.c --threads=1 -o buffer.db; expect_status 0; expect_out "2 schedules; every input is covered"
run "$FORETELL" schedules verify buffer.db; expect_status 0
run "$FORETELL" constrain buffer.c --schedules=buffer.db -o buffer; expect_status 0
for mode in 1 2 3 9; do
  run ./buffer $mode; expect_status 0
  [ $mode -gt 2 ] && expect_out 0 || expect_out 5
done

# A deadlock is a schedule, with the input that leads to it.
cat > dead.c <<'END'
#include <pthread.h>
#include <stdlib.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
void *other(void *unused) { pthread_mutex_lock(&b); pthread_mutex_lock(&a); pthread_mutex_unlock(&a); pthread_mutex_unlock(&b); return 0; }
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int x = atoi(argv[1]);
  pthread_t t;
  pthread_create(&t, 0, other, 0);
  if (x == 42) { pthread_mutex_lock(&a); pthread_mutex_lock(&b); pthread_mutex_unlock(&b); pthread_mutex_unlock(&a); }
  pthread_join(t, 0);
  return 0;
}
END
run "$FORETELL" schedules dead.c --threads=1 -o dead.db; expect_status 0; expect_out "with a deadlock"
run "$FORETELL" schedules verify dead.db; expect_status 66; expect_out "as in ./program 42"
run "$FORETELL" constrain dead.c --schedules=dead.db -o dead; expect_status 0
run ./dead 41; expect_status 0
run timeout 10 ./dead 42; expect_status 66; expect_err "foretell: deadlock: "

# What is not modeled is refused by name; mistakes are explained.
printf '#include <math.h>\n#include <stdlib.h>\nint main(int n, char **v) { return n > 1 && tgamma(atoi(v[1])) > 2; }\n' > gamma.c
run "$FORETELL" schedules gamma.c --threads=1 -o gamma.db; expect_status 65; expect_err "tgamma() is not modeled"
run "$FORETELL" schedules gamma.c -o gamma.db; expect_status 64; expect_err "--threads=N"
run "$FORETELL" schedules show nowhere.db; expect_status 65; expect_err "this is no database of schedules"
sed -i 's/X == 0/X == 1/' "$(cp "$ROOT/examples/which_lock.c" changed.c; echo changed.c)"
run "$FORETELL" constrain changed.c --schedules=which.db -o changed; expect_status 65; expect_err "of another program"

# A search that was cut short goes on, and ends as if nothing had happened.
run "$FORETELL" schedules "$ROOT/examples/which_lock.c" --threads=2 -o part.db --max-schedules=1
expect_status 0; expect_out "INCOMPLETE: stopped by --max-schedules=1"
run "$FORETELL" constrain --schedules=part.db -o part; expect_status 65; expect_err "do not cover every input"
run "$FORETELL" schedules "$ROOT/examples/which_lock.c" --threads=2 -o part.db; expect_status 0; expect_out "every input is covered"
cmp part.db/journal.jsonl which.db/journal.jsonl
