#!/usr/bin/env bash
# foretell.h in a program that is not linked with the runtime: everything is there and does nothing.
source "$(dirname "$0")/../common.inc"
for compiler in "$CC" "$GCC"; do
  for standard in c99 c11; do
    printf '#include <foretell/foretell.h>\nint x;\nint main(void) {\n  FORETELL_ATOMIC_BEGIN("a");\n  FORETELL_EVENT("e", 1, 2);\n  FORETELL_IGNORE_BEGIN();\n  FORETELL_IGNORE_END();\n  FORETELL_HAPPENS_BEFORE(&x);\n  FORETELL_BENIGN_RACE(&x, sizeof x);\n  FORETELL_LOCK_NAME(&x, "x");\n  FORETELL_INVISIBLE_BARRIER(1, 2);\n  FORETELL_ATOMIC_END("a");\n  return 0;\n}\n' >use.c
    "$compiler" -std=$standard -Wall -Wextra -Werror -I"$ROOT/include" use.c -o use
    ./use
  done
  printf '#include <foretell/foretell.h>\nint main() {\n  FORETELL_ATOMIC_BLOCK("a");\n  FORETELL_THREAD_NAME("t");\n  return 0;\n}\n' >use.cc
  "${compiler/%gcc*/g++}" -x c++ -std=c++17 -Wall -Wextra -Werror -I"$ROOT/include" use.cc -o use -lstdc++
  ./use
done
