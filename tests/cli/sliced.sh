#!/usr/bin/env bash
# Races by sliced causality: with facts from the program's own code, and what is said without them.
. "$(dirname "$0")/common.inc"
cat >figure1.c <<'END'
#include <pthread.h>
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y;
static void *first(void *p) {
  y = y + 1;
  pthread_mutex_lock(&m);
  x = x + 1;
  pthread_mutex_unlock(&m);
  return p;
}
static void *second(void *p) {
  pthread_mutex_lock(&m);
  x = x + 1;
  pthread_mutex_unlock(&m);
  y = y + 1;
  return p;
}
int main(void) {
  pthread_t s, t;
  pthread_create(&s, 0, first, 0);
  pthread_create(&t, 0, second, 0);
  pthread_join(s, 0);
  pthread_join(t, 0);
  return 0;
}
END
run "$FORETELL" cc -g -pthread figure1.c -o figure1; expect_status 0
# In this run the first thread is through before the second one begins.
run "$FORETELL" run --seed=1 --analysis=fasttrack --no-replay -- ./figure1; expect_status 0
run "$FORETELL" run --seed=1 --analysis=sliced -- ./figure1; expect_status 66
expect_err "data race on 'y' [race-1, confirmed]"

# Nothing is known of the code.
printf 'rd 1 x wr 1 y rd 2 y wr 2 x\n' >plain.tiddle
run "$FORETELL" analyze plain.tiddle --analysis=sliced --stats; expect_out "nothing is known of the code"

# A line about a site that stands there twice, and one that says nothing.
printf 'statement @a scope @b\nstatement @a\nrd 1 x @a\n' >twice.tiddle
run "$FORETELL" analyze twice.tiddle; expect_status 65; expect_err "two 'statement' lines about 'a'"
printf 'statement scope @b\nrd 1 x @a\n' >nothing.tiddle
run "$FORETELL" analyze nothing.tiddle; expect_status 65; expect_err "'statement' needs a site"
# Facts survive the way through .ftrace.
printf 'statement @a scope @b uses @a changes x\nrd 1 x @a\nwr 1 y @b\n' >facts.tiddle
run "$FORETELL" dump facts.tiddle --to=ftrace -o facts.ftrace; expect_status 0
run "$FORETELL" dump facts.ftrace; expect_out "statement @a scope @b uses @a changes x"

# A race that needs a read to return another value: by what is known of the code it does not matter.
cat >free.tiddle <<'END'
statement @f.c:1 uses @f.c:1 contained
statement @f.c:2
statement @f.c:3 uses @f.c:3 contained
statement @f.c:4
rd 1 y @f.c:1 wr 1 y @f.c:1
acq 1 m @f.c:2 rd 1 x @f.c:3 wr 1 x @f.c:3 rel 1 m @f.c:4
acq 2 m @f.c:2 rd 2 x @f.c:3 wr 2 x @f.c:3 rel 2 m @f.c:4
rd 2 y @f.c:1 wr 2 y @f.c:1
END
run "$FORETELL" analyze free.tiddle --analysis=sliced --possible; expect_status 0
expect_out "[race-1, possible]"
expect_out "reads may have to return other values ('x' at f.c:3,"
run "$FORETELL" dump free.tiddle --to=ftrace -o free.ftrace; expect_status 0
run "$FORETELL" dump free.ftrace; expect_out "statement @f.c:3 uses @f.c:3 contained"
run "$FORETELL" analyze free.ftrace --analysis=sliced --possible --format=json; expect_status 0
expect_out '"reads": "free"'
# What the second thread has read decides whether it comes to y.
sed 's/^statement @f.c:3 .*/statement @f.c:3 uses @f.c:3 scope @f.c:1 contained/' free.tiddle >decides.tiddle
run "$FORETELL" analyze decides.tiddle --analysis=sliced --possible --format=json; expect_status 0
! grep -qF '"reads": "free"' stdout || fail "a read that decides is free"
