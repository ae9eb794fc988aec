// Dense double matrix product, rows split between two threads: long inner loops of 8-byte reads,
// hardly any synchronization.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static int size;
static double *left, *right, *product;  // `right` is transposed

static void* multiply(void* argument) {
  const int half = argument != NULL;
  for (int row = half * size / 2; row < (half + 1) * size / 2; row++) {
    for (int column = 0; column < size; column++) {
      double sum = 0;
      for (int k = 0; k < size; k++) sum += left[row * size + k] * right[column * size + k];
      product[row * size + column] = sum;
    }
  }
  return NULL;
}

int main(int argc, char** argv) {
  size = argc > 1 ? atoi(argv[1]) : 400;
  const size_t cells = (size_t)size * (size_t)size;
  left = malloc(cells * sizeof *left);
  right = malloc(cells * sizeof *right);
  product = malloc(cells * sizeof *product);
  for (size_t i = 0; i < cells; i++) {
    left[i] = (double)(i % 17) - 8;
    right[i] = (double)(i % 13) - 6;
  }
  pthread_t other;
  pthread_create(&other, NULL, multiply, left);
  multiply(NULL);
  pthread_join(other, NULL);
  double sum = 0;
  for (size_t i = 0; i < cells; i++) sum += product[i] * (double)(i % 7);
  printf("%.0f\n", sum);
  return 0;
}
