// SPDX-License-Identifier: Apache-2.0
// Two threads fill halves of a grid, and both the column in the middle: loops that are checked once for
// all their rounds find it, and what is recorded of it is the accesses of both.
// expect: race * @a-@b confirmed
#include <pthread.h>

enum { kRows = 1, kColumns = 64 };
long grid[kRows][kColumns];
static volatile int rows = kRows;

static void *fill_left(void *argument) {
  const int end = rows;
  for (int i = 0; i < end; i++)
    for (int j = 0; j <= kColumns / 2; j++)
      grid[i][j] = i + j;  // @a
  return argument;
}

static void *fill_right(void *argument) {
  const int end = rows;
  for (int i = 0; i < end; i++)
    for (int j = kColumns - 1; j >= kColumns / 2; j--)
      grid[i][j] = i - j;  // @b
  return argument;
}

int main(void) {
  pthread_t left, right;
  pthread_create(&left, 0, fill_left, 0);
  pthread_create(&right, 0, fill_right, 0);
  pthread_join(left, 0);
  pthread_join(right, 0);
  return 0;
}
