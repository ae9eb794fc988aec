#!/usr/bin/env bash
# foretell cc keeps bitcode, and dump --facts says what the program does by it.
. "$(dirname "$0")/common.inc"
cc="$FORETELL cc" cxx="$FORETELL c++"
keeps() { prints '\.foretell_bc +PROGBITS +0+ ' readelf -SW "$1"; }
modules() { "$FORETELL" dump --facts "$1" --to=json | python3 -c '
import json, sys
print(" ".join(sorted(m["source"] for m in json.load(sys.stdin)["modules"])))'; }
has_modules() { local got; got=$(modules "$1"); [ "$got" = "$2" ] || fail "$1 has the modules $got, not $2"; }

cat >a.c <<'C'
#include <pthread.h>
#include <stdio.h>
int of_main, of_both;
void *work(void *argument) { of_both++; return argument; }
int twice(int);
int main(void) {
  pthread_t thread;
  pthread_create(&thread, NULL, work, NULL);
  of_both++;
  pthread_join(thread, NULL);
  of_main = twice(21);
  printf("%d\n", of_main);
  return 0;
}
C
printf 'int seen;\nint twice(int n) { seen = n; return 2 * n; }\n' >b.c

# Text, JSON, and a file that says the same.
run $cc -O1 -pthread a.c b.c -o prog; expect_status 0; expect_quiet; keeps prog || fail "prog has no bitcode"
run "$FORETELL" dump --facts prog; expect_status 0
expect_out "prog: 2 modules"
expect_out "global       of_main  a.c:3  (only the initial thread touches it)"
expect_out "global       of_both  a.c:3  (several threads may touch it)"
expect_out "work  a.c:4  run by any thread"
mv stdout from_program
run "$FORETELL" dump --facts prog --to=facts -o prog.facts; expect_status 0; expect_quiet
run "$FORETELL" dump --facts prog.facts; expect_status 0
diff from_program stdout || fail "the file of facts says something else"
"$FORETELL" dump --facts prog --to=json >one.json; "$FORETELL" dump --facts prog.facts --to=json >two.json
diff one.json two.json || fail "the file of facts says something else in JSON"

# The code is the same with and without, byte for byte: nothing but the section differs.
$cc -O2 -c b.c -o with.o
$cc -O2 -mllvm -foretell-keep-bitcode=false -c b.c -o without.o
keeps with.o || fail "with.o has no bitcode"
! keeps without.o || fail "without.o has bitcode"
objcopy -R .foretell_bc with.o removed.o; objcopy without.o copied.o
cmp removed.o copied.o || fail "keeping bitcode changes the object"

# However it was linked: separately, from an archive, partially, with LTO, through assembly, by make's
# temporary files; a shared library has its own.
$cc -O1 -c a.c; $cc -O1 -c b.c; ar rc libb.a b.o
$cc -pthread a.o libb.a -o from-archive; has_modules from-archive "a.c b.c"
$cc -r a.o b.o -o both.o; has_modules both.o "a.c b.c"
$cc -pthread both.o -o partially; has_modules partially "a.c b.c"
for lto in -flto -flto=thin; do
  $cc -O2 $lto -fuse-ld=lld -pthread a.c b.c -o lto; has_modules lto "a.c b.c"; run ./lto; expect_out 42
  run "$FORETELL" dump --facts lto; expect_out "of_main"
done
$cc -O1 -S a.c b.c; $cc -pthread a.s b.s -o from-assembly; has_modules from-assembly "a.c b.c"
$cc -save-temps -pthread a.c b.c -o saved; has_modules saved "a.c b.c"
$cc -fno-integrated-as -pthread a.c b.c -o gas; has_modules gas "a.c b.c"
$cc -O1 -fPIC -shared b.c -o libtwice.so; has_modules libtwice.so "b.c"
$cc -pthread a.c -L. -ltwice -Wl,-rpath,. -o shared; has_modules shared "a.c"
run "$FORETELL" dump --facts shared; expect_out "external function twice"
$cc -Wl,--gc-sections -ffunction-sections -pthread a.c b.c -o gc; has_modules gc "a.c b.c"
# strip keeps the bitcode, but then nobody can tell what else was linked in.
strip -o stripped prog; has_modules stripped "a.c b.c"
run "$FORETELL" dump --facts stripped; expect_status 0; expect_out "no symbol table"
# Code that cannot be seen.
printf '.section .note.GNU-stack,"",@progbits\n.globl inner\n.text\ninner: incl of_main(%%rip)\nret\n' >c.s
$cc -pthread a.o b.o c.s -o with-assembly
run "$FORETELL" dump --facts with-assembly; expect_out "code without bitcode inner"
expect_out "global       of_main  a.c:3  (unknown code may reach it)"

# C++: a template that two files have is one function.
printf 'template <class T> T same(T t) { static T last; last = t; return last; }\n' >t.h
printf '#include "t.h"\nint other() { return same(1); }\n' >d.cc
printf '#include "t.h"\nint other();\nint main() { return same(1) - other(); }\n' >e.cc
$cxx d.cc e.cc -o template
[ "$("$FORETELL" dump --facts template | grep -c '^  int same<int>(int)')" = 1 ] || fail "same<int> is not there once"

# What cannot work is said.
printf 'int main(void) { return 0; }\n' >plain.c; clang-19 plain.c -o plain
run "$FORETELL" dump --facts plain; expect_status 65; expect_err "plain: error: there is no bitcode in this file"
run "$FORETELL" dump --facts a.c; expect_status 65; expect_err "a.c: error: this is no ELF file"
run "$FORETELL" dump --facts nowhere; expect_status 65
run "$FORETELL" dump --facts prog --to=facts; expect_status 64; expect_err "name it with -o FILE"
run "$FORETELL" dump --facts prog --to=std; expect_status 64; expect_err "is a format of traces"
run "$FORETELL" dump prog --to=json; expect_status 64; expect_err "add --facts"
head -c 200 prog.facts >cut.facts; run "$FORETELL" dump --facts cut.facts; expect_status 65; expect_err "cut.facts: error:"
# A damaged section: every byte of its first 100 matters.
offset=$((16#$(readelf -SW prog | awk '$2 == ".foretell_bc" || $3 == ".foretell_bc" { for (i = 1; i < NF; i++) if ($i == "PROGBITS") print $(i + 2) }')))
for at in 0 9 20 40 70 200; do
  cp prog damaged; printf '\x55' | dd of=damaged bs=1 seek=$((offset + at)) conv=notrunc status=none
  run "$FORETELL" dump --facts damaged; expect_status 65; expect_err "damaged: error:"
done
exit 0
