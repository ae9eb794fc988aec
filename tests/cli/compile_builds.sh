#!/usr/bin/env bash
# foretell cc under build systems: make, and the questions configure scripts ask.
. "$(dirname "$0")/common.inc"
bin=$(dirname "$FORETELL")

# make
printf 'int counter;\nint add(int n) { return counter += n; }\n' >add.c
printf '#include <stdio.h>\nint add(int);\nint main(void) { add(1); printf("%%d\\n", add(2)); return 0; }\n' >main.c
printf 'prog: main.o add.o\n\t$(CC) $(LDFLAGS) $^ -o $@\n%%.o: %%.c\n\t$(CC) $(CFLAGS) -Werror -Wall -MMD -c $< -o $@\n' >Makefile
run make -s CC="$FORETELL cc" CFLAGS=-O2; expect_status 0; expect_quiet
run ./prog; expect_status 0; expect_out 3

# conftest.c, the way autoconf does it.
CC=$bin/foretell-clang
conftest() { cat >conftest.c; }
conftest <<<'int main (void) { ; return 0; }'
run $CC conftest.c; expect_status 0; [ -f a.out ] || fail "no a.out"; run ./a.out; expect_status 0
run $CC -o conftest -g -O2 conftest.c; expect_status 0; expect_quiet
conftest <<<'#include <no_such_header.h>'
run $CC -E conftest.c; [ "$status" -ne 0 ] || fail "a missing header was found"
run $CC -c conftest.c; [ "$status" -ne 0 ] || fail "a missing header was found"
conftest <<<'char no_such_function_xyz (void); int main (void) { return no_such_function_xyz (); }'
run $CC -o conftest conftest.c; [ "$status" -ne 0 ] || fail "a missing function was found"
conftest <<<'char pthread_create (void); int main (void) { return pthread_create (); }'
run $CC -o conftest conftest.c; expect_status 0
conftest <<<'int f(void) { return 1; }
int main(void) { return f() - 1; }'
run $CC -o conftest -Werror -Wunknown-warning-option -Wl,-z,relro conftest.c; expect_status 0; expect_quiet
run $CC -o conftest -Werror -fno-such-option conftest.c; [ "$status" -ne 0 ] || fail "an unknown option was taken"
conftest <<<'#ifndef __GNUC__
choke me
#endif
#include <stdint.h>
static int test_array [1 - 2 * !(sizeof (long) == 8)];
int main(void) { test_array[0] = 0; return test_array[0]; }'
run $CC -c conftest.c; expect_status 0
run $CC -qversion; [ "$status" -ne 0 ] || fail "-qversion worked"
run $CC -Wl,--version -o conftest conftest.c; expect_status 0

# Everything in one archive of many members, position-independent, with LTO off.
for i in 1 2 3 4 5; do printf 'int v%s; void f%s(void) { v%s = %s; }\n' $i $i $i $i >m$i.c; $CC -fPIC -c m$i.c; done
ar rcs libm5.a m?.o
conftest <<<'void f3(void); int main(void) { f3(); return 0; }'
run $CC conftest.c -L. -lm5 -o conftest; expect_status 0; run ./conftest; expect_status 0
run $CC -shared -Wl,--whole-archive libm5.a -Wl,--no-whole-archive -o libm5.so; expect_status 0
