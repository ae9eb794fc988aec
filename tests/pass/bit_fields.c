// A bit-field is accessed with the ones beside it; alone in its unit it has its name.
struct Flags {
  unsigned a : 3, b : 4;
} both;
struct One {
  unsigned a : 3;
  int next;
} one;
int main(void) {
  both.b = 1;  // @expect Read1 both = 0
  // @expect Write1 both = 8
  one.a = 1;   // @expect Write1 one.a = 1
}
