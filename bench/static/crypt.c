// A block cipher over a text, in the manner of the Java Grande benchmark: each thread enciphers and deciphers a part
// of its own, with keys that all of them read.
//
// True verdict: deterministic. Keys are ready before the threads start, and each thread writes its own part.
// foretell: deterministic
#include <pthread.h>
#include <stdio.h>

enum { kThreads = 3, kPart = 64, kRounds = 8 };
typedef unsigned short word;
word keys[kRounds + 1][4];
struct part {
  word plain[kPart], secret[kPart], again[kPart];
  int wrong;
} parts[kThreads];

word rotate(word x, int by) { return (word)((x << by) | (x >> (16 - by))); }

void encipher(const word in[4], word out[4]) {
  word a = in[0], b = in[1], c = in[2], d = in[3];
  for (int round = 0; round < kRounds; round++) {
    a = (word)(a + keys[round][0]);
    b ^= keys[round][1];
    c = (word)(c + (word)(a ^ keys[round][2]));
    d ^= (word)(rotate(b, 5) + keys[round][3]);
    word kept = a;
    a = rotate(b, 3), b = rotate(c, 7), c = d, d = kept;
  }
  out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

void decipher(const word in[4], word out[4]) {
  word a = in[0], b = in[1], c = in[2], d = in[3];
  for (int round = kRounds - 1; round >= 0; round--) {
    word kept = d;
    d = c, c = rotate(b, 9), b = rotate(a, 13), a = kept;
    d ^= (word)(rotate(b, 5) + keys[round][3]);
    c = (word)(c - (word)(a ^ keys[round][2]));
    b ^= keys[round][1];
    a = (word)(a - keys[round][0]);
  }
  out[0] = a, out[1] = b, out[2] = c, out[3] = d;
}

void *work(void *argument) {
  struct part *part = argument;
  for (int i = 0; i < kPart; i += 4) encipher(part->plain + i, part->secret + i);
  for (int i = 0; i < kPart; i += 4) decipher(part->secret + i, part->again + i);
  for (int i = 0; i < kPart; i++) part->wrong += part->plain[i] != part->again[i];
  return 0;
}

int main(void) {
  unsigned state = 1;
  for (int i = 0; i <= kRounds; i++)
    for (int j = 0; j < 4; j++) keys[i][j] = (word)((state = state * 1103515245 + 12345) >> 16);
  pthread_t threads[kThreads];
  for (int t = 0; t < kThreads; t++) {
    for (int i = 0; i < kPart; i++) parts[t].plain[i] = (word)(t * 1000 + i * i);
    pthread_create(&threads[t], 0, work, &parts[t]);
  }
  for (int t = 0; t < kThreads; t++) pthread_join(threads[t], 0);
  for (int t = 0; t < kThreads; t++) printf("%d %d\n", parts[t].secret[9], parts[t].wrong);
  return 0;
}
