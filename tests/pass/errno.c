// Reads that are gathered stay behind a function that may set errno, if they may be reads of it.
// @flags -lm
#include <errno.h>
#include <math.h>

double big = 1e6, small = 1;
int x = 5;

__attribute__((noinline)) double f(int* error, double value, int* seen) {
  *error = 0;
  int before = x;
  double power = exp(value);
  *seen = *error;  // @expect Read4 *error = 34 at errno.c:@:11 in f
  return before + power;
}
// The low byte of it.
__attribute__((noinline)) double g(char* error, double value, int* seen) {
  int before = x;
  double power = exp(value);
  *seen = *error;  // @expect Read1 *error = 34 at errno.c:@:11 in g
  return before + power;
}

int main(void) {
  int seen;
  f(&errno, small, &seen);
  f(&errno, big, &seen);
  if (seen != ERANGE) return 1;
  errno = 0;
  g((char*)&errno, big, &seen);
  return seen != ERANGE;
}
