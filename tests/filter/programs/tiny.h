// Functions with one access, which nobody can do without, and those that record nothing.
#pragma once
#include <stddef.h>

#define TINY __attribute__((noinline, unused)) static
#define UNSEEN __attribute__((annotate("foretell_ignore"), noinline))

TINY int read_one(const int* p) {
  int value = *p;
  __asm__ volatile("" : : "r"(value));
  return value;
}
TINY int read_volatile(const volatile int* p) {
  return *p;
}
TINY int read_both(const int* p, const int* q) {
  int value = *p * 8 + *q;
  __asm__ volatile("" : : "r"(value));
  return value;
}
TINY void write_one(int* p, int value) {
  *p = value;
  __asm__ volatile("");
}
