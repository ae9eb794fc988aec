// Every width carries its value; 16 bytes are one event without, odd sizes are ranges.
#include <stdbool.h>
char c;
short s;
int i;
long long l, m;
float f;
double d;
bool b;
void* p;
long double x;
__int128 h;
struct Three {
  char a, b, c;
} three, other;
volatile long long big;
int main(void) {
  c = 7;                         // @expect Write1 c = 7
  s = -2;                        // @expect Write2 s = 65534
  i = -2;                        // @expect Write4 i = 4294967294
  l = 0x7fffffffffff;            // @expect Write8 l = 140737488355327
  m = big;                       // @expect Read8 big = 0
  big = 0x800000000000;          // @expect Write8 big = 140737488355328
  big = big + 1;                 // @expect Read8 big = 140737488355328
  // @expect Write8 big = 140737488355329
  big = -1;                      // @expect Write8 big = -1
  f = 1.0f;                      // @expect Write4 f = 1065353216
  d = 1.0;                       // @expect Write8 d = 4607182418800017408
  b = true;                      // @expect Write1 b = 1
  p = (void*)16;                 // @expect Write8 p = 16
  x = 1;                         // @expect WriteRange x size
  h = 1;                         // @expect Write16 h
  three = other;                 // @expect size
}
