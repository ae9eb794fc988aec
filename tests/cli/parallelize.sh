#!/usr/bin/env bash
# foretell parallelize: which loops can run in parallel, why others cannot, and the change.
. "$(dirname "$0")/common.inc"

# Every loop says in a comment what is true of it: yes, no, or unproved (it could, but no rule shows it).
cat >loops.c <<'C'
#include <math.h>
#include <stdio.h>
enum { N = 1000 };
double a[N], b[N], m[64][64], v[64], r[64];
int counts[16], keys[N], total;
struct cell { int value, other; } cells[N];
int twice(int x) { return x * 2; }
int main(void) {
  int t, i, j;
  for (i = 0; i < N; i++) a[i] = i * 0.5;                       // yes
  for (i = 0; i < N; i++) {                                     // yes
    t = twice(i);
    b[i] = sqrt(a[i]) + t;
  }
  for (i = 1; i < N; i++) a[i] = a[i - 1] + b[i];               // no
  for (i = 0; i < N - 1; i++) b[i] = a[i + 1];                  // yes
  int sum = 0, most = 0;
  for (int k = 0; k < N; k++) sum += keys[k];                   // yes
  for (i = 0; i < 64; i++) {                                    // yes
    double s = 0;
    for (j = 0; j < 64; j++)
      s += m[i][j] * v[j];
    r[i] = s;
  }
  for (int k = 0; k < N; k++) counts[keys[k] & 15]++;           // no
  for (int k = 0; k < N; k++) total += keys[k];                 // unproved
  for (int k = 0; k < N; k++) {                                 // no
    if (keys[k] == 7) break;
    keys[k] = 1;
  }
  for (int k = 0; k < N; k++) {                                 // unproved
    keys[k] = k;
    k++;
  }
  for (int k = 0; k < 10; k++) printf("%d\n", keys[k]);         // no
  double f = 0;
  for (int k = 0; k < N; k++) f += a[k];                        // no
  for (int k = 0; k < 63; k++)                                  // no
    for (int l = 0; l < 64; l++)
      m[k][l] = m[k + 1][l];
  for (int k = 0; k < 64; k++)                                  // yes
    for (int l = 0; l < 64; l++)
      m[k][l] = k * l;
  for (int k = 0; k < 63; k++)                                  // no
    for (int l = 0; l <= 64; l++)
      m[k][l] = k * l;
  for (int k = 0; k < N; k++) cells[k].value = cells[k].other;  // yes
  for (int k = 0; k < N - 1; k++) cells[k].value = cells[k + 1].value;  // no
  for (int k = 0; k < N; k++) {                                 // yes
    int own[4] = {k, 1, 2, 3};
    keys[k] = own[k & 3];
  }
  int last = 0;
  for (int k = 0; k < N; k++) last = keys[k];                   // no
  for (int k = 0; k < N; k++) {                                 // no
    if (keys[k] > 3) most = keys[k];
    keys[k] = most;
  }
  printf("%d %d %d %g %g %g %d %d\n", sum, most, last, b[5], r[3], f, total, counts[1]);
  return 0;
}
C
run "$FORETELL" parallelize loops.c; expect_status 0
while IFS=: read -r line text; do
  said=${text##*// }
  verdict=$(grep -m1 "^loops.c:$line:[0-9]*: loop in 'main'" <<<"$out") || fail "no loop in line $line"
  case $said in
    yes) [[ $verdict == *"': parallelizable"* ]] || fail "line $line: $verdict" ;;
    *) [[ $verdict == *"': not parallelizable"* ]] || fail "line $line: $verdict" ;;
  esac
done < <(grep -n '^  for .*// ' loops.c)
expect_out "with private copies of 'i', 't'"
expect_out "with 'sum' as reduction (+)"
expect_out "what it reads may be written by another iteration in line"
expect_out "the order of calls of 'printf' counts"
expect_out "differ by rounding"

# The changed program computes the same, on threads, and foretell run finds nothing in it.
cp "$ROOT/examples/stencil.c" .
clang-19 -O1 stencil.c -o before 2>/dev/null || fail "stencil.c"
./before >expected
run "$FORETELL" parallelize --diff stencil.c; expect_status 0
expect_out "+++ stencil.c"
expect_out "#pragma omp parallel for reduction(+:hot)"
expect_out "#pragma omp parallel for private(left)"
printf '%s\n' "$out" >change.diff
patch -s -p0 <change.diff || fail "the diff does not apply"
[ "$(grep -c 'pragma omp' stencil.c)" = 5 ] || fail "$(cat stencil.c)"
clang-19 -O1 -fopenmp stencil.c -o after 2>/dev/null || fail "stencil.c, changed"
OMP_NUM_THREADS=4 ./after >printed
cmp expected printed || fail "another result"
# Fewer events to record.
sed -i "s/kSize = 100000/kSize = 300/" stencil.c
run "$FORETELL" cc -O1 -g -fopenmp stencil.c -o recorded; expect_status 0
OMP_NUM_THREADS=2 run "$FORETELL" run -- ./recorded; expect_status 0

printf '#include <pthread.h>\nvoid *f(void *p) { return p; }\nint main(void) { pthread_t t; pthread_create(&t, 0, f, 0); return 0; }\n' >threads.c
run "$FORETELL" parallelize threads.c; expect_status 65; expect_err "has threads already"
run "$FORETELL" parallelize missing.c; expect_status 65
