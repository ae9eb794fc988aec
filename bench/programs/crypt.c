// crypt: encrypts and decrypts a text with IDEA (Lai and Massey), blocks of 8 bytes shared out to
// threads. The keys are made before the threads start.
//
// usage: crypt [BYTES [THREADS]]
// test: 64 2
// speed: 400000 4
//
// Self-check: what is decrypted is the text, what is encrypted is not, and a known block comes out
// as published.
//
// No bugs: tools must be silent.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kMostThreads = 16, kRounds = 8, kKeys = 6 * kRounds + 4 };

// Multiplication modulo 2^16 + 1, in which 0 stands for 2^16.
static uint16_t multiply(uint16_t a, uint16_t b) {
  const uint64_t product = (uint64_t)(a ? a : 65536) * (b ? b : 65536) % 65537;
  return (uint16_t)product;
}

// By Fermat: a^(p-2) for the prime p = 65537.
static uint16_t inverse(uint16_t a) {
  uint16_t result = 1;
  for (int bit = 15; bit >= 0; bit--) {
    result = multiply(result, result);
    if (65535 >> bit & 1) result = multiply(result, a);
  }
  return result;
}

static void expand(const uint16_t key[8], uint16_t keys[kKeys]) {
  // Each group of eight is the 128 bits of the one before, rotated by 25.
  memcpy(keys, key, 8 * sizeof *keys);
  for (int i = 8; i < kKeys; i++) {
    const int group = i / 8 * 8 - 8, k = i % 8;
    keys[i] = (uint16_t)(keys[group + (k + 1) % 8] << 9 | keys[group + (k + 2) % 8] >> 7);
  }
}

static void invert(const uint16_t keys[kKeys], uint16_t inverted[kKeys]) {
  for (int round = 0; round <= kRounds; round++) {
    const uint16_t* from = keys + 6 * (kRounds - round);
    uint16_t* to = inverted + 6 * round;
    const int outer = round == 0 || round == kRounds;
    to[0] = inverse(from[0]);
    to[1] = (uint16_t)-from[outer ? 1 : 2];
    to[2] = (uint16_t)-from[outer ? 2 : 1];
    to[3] = inverse(from[3]);
    if (round == kRounds) break;
    to[4] = from[-2];
    to[5] = from[-1];
  }
}

static void apply(const uint16_t* keys, const uint8_t in[8], uint8_t out[8]) {
  uint16_t x[4];
  for (int i = 0; i < 4; i++) x[i] = (uint16_t)(in[2 * i] << 8 | in[2 * i + 1]);
  for (int round = 0; round < kRounds; round++, keys += 6) {
    x[0] = multiply(x[0], keys[0]);
    x[1] = (uint16_t)(x[1] + keys[1]);
    x[2] = (uint16_t)(x[2] + keys[2]);
    x[3] = multiply(x[3], keys[3]);
    const uint16_t left = multiply((uint16_t)(x[0] ^ x[2]), keys[4]);
    const uint16_t right = multiply((uint16_t)((x[1] ^ x[3]) + left), keys[5]);
    const uint16_t sum = (uint16_t)(left + right);
    const uint16_t middle = (uint16_t)(x[1] ^ sum);
    x[0] ^= right;
    x[1] = (uint16_t)(x[2] ^ right);
    x[2] = middle;
    x[3] ^= sum;
  }
  const uint16_t y[4] = {multiply(x[0], keys[0]), (uint16_t)(x[2] + keys[1]),
                         (uint16_t)(x[1] + keys[2]), multiply(x[3], keys[3])};
  for (int i = 0; i < 4; i++) {
    out[2 * i] = (uint8_t)(y[i] >> 8);
    out[2 * i + 1] = (uint8_t)y[i];
  }
}

struct Job {
  const uint16_t* keys;
  const uint8_t* in;
  uint8_t* out;
  long begin, end;  // in blocks
};

static void* run(void* argument) {
  const struct Job* job = argument;
  for (long i = job->begin; i < job->end; i++) apply(job->keys, job->in + 8 * i, job->out + 8 * i);
  return NULL;
}

static void apply_all(const uint16_t* keys, const uint8_t* in, uint8_t* out, long blocks,
                      int threads) {
  pthread_t all[kMostThreads];
  struct Job jobs[kMostThreads];
  for (int i = 0; i < threads; i++) {
    jobs[i] = (struct Job){keys, in, out, blocks * i / threads, blocks * (i + 1) / threads};
    pthread_create(&all[i], NULL, run, &jobs[i]);
  }
  for (int i = 0; i < threads; i++) pthread_join(all[i], NULL);
}

int main(int argc, char** argv) {
  const long blocks = (argc > 1 ? atol(argv[1]) : 16000) / 8;
  const int threads = argc > 2 ? atoi(argv[2]) : 4;
  if (blocks < 1 || threads < 1 || threads > kMostThreads) return 2;

  // The example of the cipher's authors: key 1 to 8, text 0 to 3.
  const uint16_t key[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  const uint8_t example[8] = {0, 0, 0, 1, 0, 2, 0, 3};
  const uint8_t published[8] = {0x11, 0xfb, 0xed, 0x2b, 0x01, 0x98, 0x6d, 0xe5};
  uint16_t keys[kKeys], inverted[kKeys];
  uint8_t seen[8];
  expand(key, keys);
  invert(keys, inverted);
  apply(keys, example, seen);
  if (memcmp(seen, published, 8) != 0) return 1;

  const size_t size = (size_t)blocks * 8;
  uint8_t *text = malloc(size), *secret = malloc(size), *back = malloc(size);
  for (size_t i = 0; i < size; i++) text[i] = (uint8_t)(i * 31 + i / 7);
  apply_all(keys, text, secret, blocks, threads);
  apply_all(inverted, secret, back, blocks, threads);
  uint32_t sum = 0;
  for (size_t i = 0; i < size; i++) sum = sum * 33 + secret[i];
  const int good = memcmp(text, back, size) == 0 && memcmp(text, secret, size) != 0;
  printf("crypt: %ld blocks, checksum %08x\n", blocks, sum);
  free(text);
  free(secret);
  free(back);
  return good ? 0 : 1;
}
