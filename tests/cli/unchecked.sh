#!/usr/bin/env bash
# Where nothing was seen, nothing is called clean.
. "$(dirname "$0")/common.inc"
cat >plain.c <<'C'
#include <pthread.h>
int x;
static void* work(void* unused) { x++; return unused; }
int main(void) {
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  x++;
  pthread_join(t, 0);
  return 0;
}
C
cc -pthread plain.c -o plain
run "$FORETELL" run -- ./plain; expect_status 0; expect_err "./plain: nothing was checked: nothing was recorded"
run "$FORETELL" run --strict -- ./plain; expect_status 69
run "$FORETELL" test -- ./plain; expect_status 0; expect_err "nothing was checked: nothing was recorded"
run "$FORETELL" test --strict -- ./plain; expect_status 69
run "$FORETELL" doctor ./plain; expect_status 65; expect_out "not instrumented"
if cc -static -pthread plain.c -o static 2>/dev/null; then
  run "$FORETELL" run -- ./static; expect_status 0; expect_err "the program is static"
  run "$FORETELL" doctor ./static; expect_status 65
fi
# Linked with the runtime, but compiled without it: threads are seen, and no access.
runtime=$(dirname "$FORETELL")/../lib/foretell
cc -pthread plain.c -L"$runtime" -Wl,-rpath,"$runtime" -Wl,--no-as-needed -lforetell_rt -o half
run "$FORETELL" run -- ./half; expect_status 0; expect_err "nothing was checked: no memory access was recorded"
run "$FORETELL" run --strict -- ./half; expect_status 69
run "$FORETELL" doctor ./half; expect_status 65
"$FORETELL" cc -g -pthread plain.c -o instrumented
run "$FORETELL" doctor ./instrumented; expect_status 0
run "$FORETELL" run --strict -- ./instrumented; expect_status 66
# One of its files is not instrumented: the report says which.
cat >part.c <<'C'
int n;
void hit(void) { n++; }
C
cat >main.c <<'C'
#include <pthread.h>
void hit(void);
static void* work(void* unused) { hit(); return unused; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, work, 0);
  pthread_create(&b, 0, work, 0);
  pthread_join(a, 0);
  return pthread_join(b, 0);
}
C
cc -c part.c -o part.o
"$FORETELL" cc -g -pthread main.c part.o -o partly
run "$FORETELL" run --runs=1 -- ./partly; expect_status 0; expect_err "not built with 'foretell cc': part.c"
run "$FORETELL" run --runs=1 --strict -- ./partly; expect_status 69
run "$FORETELL" doctor ./partly; expect_status 0; expect_out "not instrumented: part.c"
run "$FORETELL" explore --runs=20 -- ./partly; expect_err "not covered: what was not built with 'foretell cc': part.c"
# A file without anything to record is instrumented all the same.
echo 'int seven(void) { return 7; }' >nothing.c
"$FORETELL" cc -g -pthread main.c part.c nothing.c -o wholly
run "$FORETELL" run --runs=1 -- ./wholly; expect_status 66
[[ $err != *"not built with"* ]] || fail 'everything was instrumented'
