#!/usr/bin/env bash
# foretell cc and c++ stand in for a compiler: every way build systems call one.
. "$(dirname "$0")/common.inc"
cc="$FORETELL cc" cxx="$FORETELL c++"
bin=$(dirname "$FORETELL")
hooks() { prints ' U __foretell_check' nm "$1"; }
hooked() { hooks "$1" || fail "$1 is not instrumented"; }
needs_runtime() { prints '\[libforetell_rt.so\]' readelf -d "$1" || fail "$1 does not need the runtime"; }
first_needed() { readelf -d "$1" | awk -F'[][]' '/NEEDED/ && !n++ { print $2 }'; }

cat >a.c <<'C'
#include <stdio.h>
int counter;
int twice(int);
int main(void) { counter = twice(21); printf("%d\n", counter); return 3; }
C
printf 'int seen;\nint twice(int n) { seen = n; return 2 * n; }\n' >b.c
cat >c.cc <<'C'
#include <cstdio>
#include <stdexcept>
int counter;
int main() { try { counter = 1; throw std::runtime_error("x"); } catch (std::exception&) { std::puts("caught"); } }
C

# Without arguments: usage. By name: the same compiler.
run $cc; expect_status 64; expect_err "usage: foretell cc"
run $cxx; expect_status 64; expect_err "usage: foretell c++"
run "$bin/foretell-clang"; expect_status 64; expect_err "usage: foretell cc"
run "$bin/foretell-clang++" c.cc -o by-name; expect_status 0; expect_quiet; run ./by-name; expect_out caught

# Several files at once; the program runs by itself, with its own exit status.
run $cc a.c b.c -o both; expect_status 0; expect_quiet; needs_runtime both
[ "$(first_needed both)" = libforetell_rt.so ] || fail "the runtime is not first"
run ./both; expect_status 3; expect_out 42
# Separately; link only.
run $cc -Wall -Werror -O2 -c a.c; expect_status 0; expect_quiet; hooked a.o
run $cc -Wall -Werror -O2 -c -o b.o b.c; expect_status 0; expect_quiet; hooked b.o
run $cc -Wall -Werror a.o b.o -o linked; expect_status 0; expect_quiet; run ./linked; expect_status 3
run $cc -Wl,--as-needed a.o b.o -o needed; expect_status 0; needs_runtime needed
run $cc -Wl,--gc-sections -ffunction-sections a.c b.c -o gc; expect_status 0; run ./gc; expect_status 3
for level in -O0 -O1 -O2 -O3 -Os -Oz; do
  run $cxx $level c.cc -o c; expect_status 0; expect_quiet; run ./c; expect_out caught
done
run $cxx -fno-exceptions -fno-rtti -x c++ -c b.c -o b2.o; expect_status 0; hooked b2.o

# Languages, standard input, output kinds.
run bash -c "printf 'int x; int main(void) { x = 1; return 0; }' | $cc -x c - -o piped"; expect_status 0; expect_quiet; run ./piped; expect_status 0
run $cc -E -Werror a.c; expect_status 0; expect_out "int counter"; [ -z "$err" ] || fail "-E warned"
run $cc -M -Werror a.c; expect_status 0; expect_out "a.o: a.c"; [ -z "$err" ] || fail "-M warned"
run $cc -MM a.c; expect_status 0; expect_out "a.o: a.c"
run $cc -MMD -MF a.d -c a.c -o a.o; expect_status 0; grep -q a.c a.d || fail "no dependencies"
run $cc -S a.c -o -; expect_status 0; expect_out __foretell_check
run $cc -S -emit-llvm a.c -o -; expect_status 0; expect_out __foretell_thread
run $cc -fsyntax-only -Werror a.c; expect_status 0; expect_quiet
printf '.globl f\nf: ret\n' >f.s
run $cc -Werror -c f.s; expect_status 0; expect_quiet
printf '#define F f\n.globl F\nF: ret\n' >g.S
run $cc -Werror -c g.S; expect_status 0; expect_quiet
run $cc -save-temps -c a.c -o saved.o; expect_status 0; hooked saved.o
[ "$(nm saved.o | grep -c __foretell_constructor)" -eq 1 ] || fail "instrumented twice"

# Options of the plugin.
printf 'int x;\nint main(void) { if (x) x = 1; return 0; }\n' >if.c
run $cc -mllvm -foretell-branches -S if.c -o -; expect_status 0; expect_out __foretell_branch
run $cc -S if.c -o -; expect_status 0; ! grep -q __foretell_branch stdout || fail "branches are hooked unasked"
run $cc -mllvm -foretell-functions=some -c if.c; expect_status 1; expect_err "foretell-functions"

# Questions to the compiler.
run $cc --version; expect_status 0; expect_out "clang version 19"
run $cc -v; expect_status 0; expect_err "clang version 19"
run $cc -V; [ "$status" -ne 0 ] || fail "-V worked"
run $cc -dumpmachine; expect_status 0; expect_out linux
run $cc -print-search-dirs; expect_status 0; expect_out libraries
run $cc -print-prog-name=ld; expect_status 0
run $cc '-###' a.c; expect_status 0; expect_err foretell_pass.so
run $cc -o nothing; expect_status 1; expect_err "no input files"
run $cc missing.c; expect_status 1; expect_err "no such file or directory"
printf 'int main(void) { return nonsense; }' >bad.c
run $cc -c bad.c; expect_status 1; expect_err "undeclared identifier"

# Debug info unless the user chose.
run $cc -c a.c -o g.o; prints debug_line readelf -S g.o || fail "no line table"
run $cc -g0 -c a.c -o g0.o; ! prints debug_line readelf -S g0.o || fail "-g0 was not kept"

# Response files, with quotes, and with what decides about linking inside.
printf -- '-c "a.c"\n-o from\\ file.o' >args
run $cc @args; expect_status 0; expect_quiet; hooked "from file.o"
printf -- "a.c 'b.c' -o fromfile" >args
run $cc @args; expect_status 0; needs_runtime fromfile; run ./fromfile; expect_status 3

# Libraries.
run $cc -fPIC -shared b.c -o libb.so; expect_status 0; expect_quiet; needs_runtime libb.so
run $cc a.c -L. -lb -Wl,-rpath,. -o withlib; expect_status 0; run ./withlib; expect_status 3
run $cc -r a.o b.o -o all.o; expect_status 0; expect_quiet
run $cc all.o -o relinked; expect_status 0; run ./relinked; expect_status 3
ar rc libb.a b.o
run $cc a.o libb.a -o witharchive; expect_status 0; run ./witharchive; expect_status 3
run $cc -no-pie a.c b.c -o nopie; expect_status 0; run ./nopie; expect_status 3
run $cc -nostdlib -shared -fPIC b.c -o libbare.so; expect_status 0
run $cc -flto -O2 a.c b.c -fuse-ld=lld -o lto; expect_status 0; run ./lto; expect_status 3
run $cc -flto=thin -O2 a.c b.c -fuse-ld=lld -o thin; expect_status 0; run ./thin; expect_status 3

# What cannot work says so.
run $cc -static a.c b.c; expect_status 64; expect_err "-static: programs that Foretell records cannot be linked statically"
run $cc -static-pie a.c b.c; expect_status 64
run $cc -static -c a.c; expect_status 0
run $cc -static-libgcc a.c b.c -o sl; expect_status 0
run $cc -fsanitize=thread a.c b.c; expect_status 64; expect_err "not both"
run env FORETELL_CLANG=/no/such/clang $cc a.c; expect_status 65; expect_err "cannot run /no/such/clang"; expect_err "FORETELL_CLANG"
