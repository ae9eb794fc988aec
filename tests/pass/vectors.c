// Vectors of up to 8 bytes carry their value, of 16 and 32 bytes are one event without.
typedef short Small __attribute__((vector_size(8)));
typedef int Four __attribute__((vector_size(16)));
typedef double Doubles __attribute__((vector_size(32)));
Small small;
Four four;
Doubles doubles;
int main(void) {
  small = (Small){1, 2, 0, 0};  // @expect Write8 small = 131073
  four = (Four){1, 2, 3, 4};    // @expect Write16 four
  doubles = (Doubles){1};       // @expect Write32 doubles
}
