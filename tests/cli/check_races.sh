#!/usr/bin/env bash
# foretell check --races: what it prints, and what it refuses.
. "$(dirname "$0")/common.inc"

cat >counter.c <<'C'
#include <pthread.h>
int x;
void *add(void *unused) { x++; return unused; }
int main(void) {
  pthread_t a, b;
  pthread_create(&a, 0, add, 0);
  pthread_create(&b, 0, add, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return x;
}
C
run "$FORETELL" check --races counter.c; expect_status 66
expect_out "counter.c:3:28: warning: possible data race on 'x'"
expect_out "by T1 (add), holding no lock"
expect_out "counter.c: not proved race-free"

sed 's/x++/__atomic_fetch_add(\&x, 1, __ATOMIC_SEQ_CST)/' counter.c >atomic.c
run "$FORETELL" check --races atomic.c; expect_status 0
expect_out "atomic.c: race-free: no schedule and no input has a data race"

# Several files are one program; options of the compiler stand after --.
printf 'void *add(void *unused) {\n#ifdef ONE\n  return unused;\n#else\n  extern int x; x++; return unused;\n#endif\n}\n' >add.c
sed '/^void \*add/c void *add(void *);' counter.c >main.c
run "$FORETELL" check --races main.c add.c; expect_status 66; expect_out "add.c:5"
run "$FORETELL" check --races main.c add.c -- -DONE; expect_status 0

# Bitcode, for 32 bits too.
clang-19 -c -emit-llvm -g counter.c -o counter.bc
run "$FORETELL" check --races counter.bc; expect_status 66; expect_out "on 'x'"
run "$FORETELL" check --races -m32 atomic.c; [ "$status" = 0 ] || [ "$status" = 65 ] || fail "-m32: $status"

# What nobody can see into is named, and assumed only on demand.
printf 'void other(void);\nint main(void) { other(); return 0; }\n' >unknown.c
run "$FORETELL" check --races unknown.c; expect_status 66
expect_out "function 'other' has no body here"
expect_out "note: --assume=other accepts it"
run "$FORETELL" check --races --assume=other unknown.c; expect_status 0; expect_out "assumed, as you asked: other"
printf 'int main(void) { __asm__("nop"); return 0; }\n' >assembly.c
run "$FORETELL" check --races assembly.c; expect_status 66; expect_out "inline assembly may do anything"
printf '#include <setjmp.h>\njmp_buf b;\nint main(void) { return setjmp(b); }\n' >jump.c
run "$FORETELL" check --races jump.c; expect_status 66; expect_out "jump.c:3"

# Bad input.
printf 'int f(void) { return 0; }\n' >no_main.c
run "$FORETELL" check --races no_main.c; expect_status 65; expect_err "there is no function 'main'"
run "$FORETELL" check --races --entry=f no_main.c; expect_status 0
run "$FORETELL" check --races missing.c; expect_status 65; expect_err "missing.c"
printf 'int main(void) { return }\n' >broken.c
run "$FORETELL" check --races broken.c; expect_status 65; expect_err "clang could not compile it"
printf 'BC\xc0\xde garbage' >damaged.bc
run "$FORETELL" check --races damaged.bc; expect_status 65; expect_err "damaged.bc"
