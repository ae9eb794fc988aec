// Does what a script says: script FILE. The file has operations as six 64-bit words each
// (tests/filter/exact makes it); a `thread` begins a thread that takes those up to the next one,
// one thread after the other. Each read and write stands in a function of its own, and those that
// interpret the script record nothing.
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "foretell/foretell.h"

#define UNSEEN __attribute__((annotate("foretell_ignore"), noinline))
#define TINY __attribute__((noinline))
typedef uint64_t v16 __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(16)));
typedef double v32 __attribute__((vector_size(32)));
typedef uint32_t loose __attribute__((aligned(1)));

_Alignas(64) unsigned char buffer[128];
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
atomic_int word;
void* block;

// Reads of each type. What a read returns goes into a register that nobody may do without.
#define USE(x) __asm__ volatile("" : : "r"(x))
#define USE_WIDE(x) __asm__ volatile("" : : "x"(x))
#define READ(name, type, use)                   \
  TINY static void read_##name(const void* p) { \
    use(*(const type*)p);                       \
  }
READ(1, uint8_t, USE)
READ(2, uint16_t, USE)
READ(4, uint32_t, USE)
READ(8, uint64_t, USE)
READ(16, v16, USE_WIDE)
READ(float, float, USE_WIDE)
READ(double, double, USE_WIDE)
READ(pointer, void*, USE)
READ(floats, floats, USE_WIDE)
READ(loose, loose, USE)
READ(volatile, volatile uint32_t, USE)
TINY static void read_32(const void* p) {
  v32 v = *(const v32*)p;
  USE_WIDE(v[0] + v[1] + v[2] + v[3]);
}
static void (*const reads[])(const void*) = {read_1,      read_2,     read_4,        read_8,
                                             read_16,     read_float, read_double,   read_pointer,
                                             read_floats, read_loose, read_volatile, read_32};

#define WRITE(size, type)                              \
  TINY static void write_##size(void* p, uint64_t v) { \
    *(type*)p = (type)v;                               \
  }
WRITE(1, uint8_t)
WRITE(2, uint16_t)
WRITE(4, uint32_t)
WRITE(8, uint64_t)
TINY static void write_16(void* p, uint64_t v) {
  *(v16*)p = (v16){v, v};
}
static void (*const writes[])(void*, uint64_t) = {write_1, write_2, write_4, write_8, write_16};

// Two reads at once.
#define PAIR(a, ta, ua, b, tb, ub)                                \
  TINY static void pair_##a##_##b(const void* p, const void* q) { \
    ta x = *(const ta*)p;                                         \
    tb y = *(const tb*)q;                                         \
    ua(x);                                                        \
    ub(y);                                                        \
  }
#define PAIRS(a, ta, ua)            \
  PAIR(a, ta, ua, 1, uint8_t, USE)  \
  PAIR(a, ta, ua, 2, uint16_t, USE) \
  PAIR(a, ta, ua, 4, uint32_t, USE) \
  PAIR(a, ta, ua, 8, uint64_t, USE) \
  PAIR(a, ta, ua, 16, v16, USE_WIDE)
PAIRS(1, uint8_t, USE)
PAIRS(2, uint16_t, USE)
PAIRS(4, uint32_t, USE)
PAIRS(8, uint64_t, USE)
PAIRS(16, v16, USE_WIDE)
#define ROW(a) {pair_##a##_1, pair_##a##_2, pair_##a##_4, pair_##a##_8, pair_##a##_16}
static void (*const pairs[5][5])(const void*, const void*) = {ROW(1), ROW(2), ROW(4), ROW(8),
                                                              ROW(16)};

TINY static void five(const uint32_t* p, int a, int b, int c, int d) {
  uint32_t sum = p[a] + p[b] * 3 + p[c] * 5 + p[d] * 7 + p[0] * 9;
  USE(sum);
}
TINY static void around(const uint32_t* p, uint32_t* q, uint64_t v) {
  uint32_t before = *p;
  *q = (uint32_t)v;
  USE(before + *p);
}
TINY static void copy(void* to, const void* from, size_t size) {
  memcpy(to, from, size);
}
TINY static uint32_t atomic_of(void* p, int what, uint32_t v) {
  _Atomic uint32_t* at = p;
  if (what == 0) return atomic_load_explicit(at, memory_order_relaxed);
  if (what == 1) return atomic_fetch_add_explicit(at, v, memory_order_acq_rel);
  atomic_store_explicit(at, v, memory_order_release);
  return 0;
}
TINY static void plain(void) {}

enum {
  thread,
  read_one,
  write_one,
  read_two,
  read_five,
  read_around,
  copies,
  atomic,
  fence,
  lock,
  unlock,
  allocate,
  release,
  user,
  ignore,
  heed,
  call,
  name
};
struct Operation {
  int64_t what, a, b, c, d, value;
};
static struct Operation operations[1 << 16];
static size_t count, next;

UNSEEN static void* interpret(void* unused) {
  (void)unused;
  for (; next < count && operations[next].what != thread; next++) {
    const struct Operation* o = &operations[next];
    unsigned char* at = buffer + o->b;
    switch (o->what) {
      case read_one:
        reads[o->a](at);
        break;
      case write_one:
        writes[o->a](at, (uint64_t)o->value);
        break;
      case read_two:
        pairs[o->a][o->c](at, buffer + o->d);
        break;
      case read_five:
        five((uint32_t*)at, (int)o->a, (int)o->c, (int)o->d, (int)o->value);
        break;
      case read_around:
        around((uint32_t*)at, (uint32_t*)(buffer + o->d), (uint64_t)o->value);
        break;
      case copies:
        copy(buffer + o->d, at, (size_t)o->c);
        break;
      case atomic:
        atomic_of(at, (int)o->a, (uint32_t)o->value);
        break;
      case fence:
        atomic_thread_fence(memory_order_seq_cst);
        break;
      case lock:
        pthread_mutex_lock(&mutex);
        break;
      case unlock:
        pthread_mutex_unlock(&mutex);
        break;
      case allocate:
        block = malloc((size_t)o->value);
        break;
      case release:
        free(block);
        break;
      case user:
        FORETELL_EVENT("mark", o->value, 0);
        break;
      case ignore:
        FORETELL_IGNORE_BEGIN();
        break;
      case heed:
        FORETELL_IGNORE_END();
        break;
      case call:
        plain();
        break;
      case name:
        FORETELL_THREAD_NAME("one of many");
        break;
    }
  }
  return NULL;
}

UNSEEN int main(int argc, char** argv) {
  const int file = argc > 1 ? open(argv[1], O_RDONLY) : -1;
  const ssize_t size = read(file, operations, sizeof operations);
  if (size <= 0) return 1;
  count = (size_t)size / sizeof *operations;
  while (next < count) {
    next++;
    pthread_t worker;
    if (pthread_create(&worker, NULL, interpret, NULL) != 0) return 1;
    pthread_join(worker, NULL);
  }
}
