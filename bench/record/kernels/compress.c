// An LZ77 compressor with a hash table of positions; each thread compresses half of the input and
// checks it by expanding it again: single bytes, tables, unpredictable branches.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kTable = 1 << 14, kLongest = 255, kFarthest = 65535 };

struct Job {
  const uint8_t* input;
  size_t size;
  uint64_t sum;
  size_t compressed;
};

static uint32_t hash_of(const uint8_t* at) {
  return ((uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16) * 2654435761u >> 18;
}

// Tokens: 0 byte | length (3..255) distance low, high.
static size_t compress(const uint8_t* input, size_t size, uint8_t* output) {
  uint32_t* table = calloc(kTable, sizeof *table);
  size_t used = 0;
  for (size_t at = 0; at < size;) {
    size_t length = 0;
    size_t from = 0;
    if (at + 3 <= size) {
      uint32_t* entry = &table[hash_of(input + at)];
      from = *entry;
      *entry = (uint32_t)at + 1;
      if (from-- > 0 && at - from <= kFarthest) {
        while (length < kLongest && at + length < size && input[from + length] == input[at + length])
          length++;
      }
    }
    if (length >= 4) {
      output[used++] = (uint8_t)length;
      output[used++] = (uint8_t)(at - from);
      output[used++] = (uint8_t)((at - from) >> 8);
      at += length;
    } else {
      output[used++] = 0;
      output[used++] = input[at++];
    }
  }
  free(table);
  return used;
}

static size_t expand(const uint8_t* input, size_t size, uint8_t* output) {
  size_t used = 0;
  for (size_t at = 0; at < size;) {
    const size_t length = input[at++];
    if (length == 0) {
      output[used++] = input[at++];
      continue;
    }
    const size_t distance = input[at] | (size_t)input[at + 1] << 8;
    at += 2;
    for (size_t i = 0; i < length; i++, used++) output[used] = output[used - distance];
  }
  return used;
}

static void* run(void* argument) {
  struct Job* job = argument;
  uint8_t* compressed = malloc(2 * job->size);
  uint8_t* again = malloc(job->size + 1);
  job->compressed = compress(job->input, job->size, compressed);
  if (expand(compressed, job->compressed, again) != job->size ||
      memcmp(again, job->input, job->size) != 0)
    abort();
  for (size_t i = 0; i < job->compressed; i++) job->sum = job->sum * 31 + compressed[i];
  free(compressed);
  free(again);
  return NULL;
}

int main(int argc, char** argv) {
  const size_t size = argc > 1 ? (size_t)atol(argv[1]) : 16000000;
  uint8_t* input = malloc(size);
  uint32_t random = 1;
  for (size_t i = 0; i < size; i++) {
    random = random * 1664525 + 1013904223;
    const size_t back = 1 + (random >> 8) % 3000;
    input[i] = i > back && random >> 29 ? input[i - i % 40 % back] : (uint8_t)(random >> 16 & 31);
  }
  struct Job jobs[2] = {{input, size / 2, 0, 0}, {input + size / 2, size - size / 2, 0, 0}};
  pthread_t other;
  pthread_create(&other, NULL, run, &jobs[1]);
  run(&jobs[0]);
  pthread_join(other, NULL);
  printf("%zu %llx\n", jobs[0].compressed + jobs[1].compressed,
         (unsigned long long)(jobs[0].sum ^ jobs[1].sum));
  return 0;
}
