#!/usr/bin/env bash
# OpenMP: recorded in both modes and at other levels, in C++ too; with gcc's library only as far as it can be seen.
. "$(dirname "$0")/common.inc"

cat >sum.cc <<'C'
#include <cstdio>
#include <numeric>
#include <string>
#include <vector>
int main() {
  std::vector<std::string> words(40);
  std::vector<int> lengths(words.size());
#pragma omp parallel num_threads(4)
  {
#pragma omp for schedule(dynamic, 3)
    for (int i = 0; i < 40; i++) words[i] = std::string(i, 'x');
#pragma omp for
    for (int i = 0; i < 40; i++) lengths[i] = static_cast<int>(words[39 - i].size());
  }
  int total = 0;
#pragma omp parallel for num_threads(4) reduction(+ : total)
  for (int i = 0; i < 40; i++) total += lengths[i];
  std::printf("%d\n", total);
}
C
for level in -O0 -O2; do
  "$FORETELL" c++ $level -g -fopenmp sum.cc -o sum
  for options in "" "--strategy=random --quantum=5 --seed=3" --parallel; do
    run "$FORETELL" run $options -- ./sum
    expect_status 0; expect_out 780; expect_err "no race found"
  done
done

# Its library leaves nothing in shared memory when a replay ends it early.
cat >race.c <<'C'
#include <stdio.h>
#include <unistd.h>
int hits;
int main(void) {
  dprintf(1, "process %d\n", (int)getpid());
#pragma omp parallel num_threads(2)
  hits++;
  return 0;
}
C
"$FORETELL" cc -O1 -g -fopenmp race.c -o race
run "$FORETELL" run -- ./race; expect_status 66; expect_err "data race on 'hits' [race-1, confirmed]"
process=$(sed -n 's/^process //p' .foretell/latest/outputs/race-1.txt)
[ -n "$process" ] || fail "the replay printed no process"
! ls /dev/shm | grep -q "_${process}_" || fail "the replay left a file in /dev/shm"

# gcc's library is not understood, and that is said.
gcc=$(command -v gcc-12 || command -v gcc)
lib=$(dirname "$FORETELL")/../lib/foretell
"$gcc" -g -O1 -fopenmp -fsanitize=thread -c race.c -o race.o
"$gcc" race.o -o gomp -fopenmp "$lib/libforetell_rt.so" -Wl,-rpath,"$lib"
run "$FORETELL" doctor ./gomp; expect_out "missing  OpenMP: libgomp"
run "$FORETELL" record -- ./gomp; expect_err "link it with LLVM's libomp"
# The same object with LLVM's library is.
"$FORETELL" cc race.o -o gomp -fopenmp=libomp
run "$FORETELL" run -- ./gomp; expect_status 66; expect_err "race-1, confirmed"

# A plugin brings the library along.
cat >plugin.c <<'C'
int parts[3];
int work(void) {
#pragma omp parallel num_threads(2)
#pragma omp single
  for (int i = 0; i < 3; i++) {
#pragma omp task firstprivate(i)
    parts[i] = i;
  }
  return parts[0] + parts[1] + parts[2];
}
C
cat >host.c <<'C'
#include <dlfcn.h>
#include <stdio.h>
int main(void) {
  int (*work)(void) = (int (*)(void))dlsym(dlopen("./plugin.so", RTLD_NOW | RTLD_LOCAL), "work");
  printf("%d\n", work());
  return 0;
}
C
"$FORETELL" cc -O1 -g -fopenmp -shared -fPIC plugin.c -o plugin.so
"$FORETELL" cc -O1 -g host.c -o host
run ./host; expect_status 0; expect_out 3
run "$FORETELL" run -- ./host; expect_status 0; expect_out 3; expect_err "no race found"
