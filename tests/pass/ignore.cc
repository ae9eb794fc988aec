// Functions the user or the lockstep wants unseen are neither instrumented nor inlined.
// @expect Write4 x = 9
// @never Write4 x = 1
// @never Write4 x = 2
int x;
__attribute__((annotate("foretell_ignore"))) static void ignored() {
  x = 1;
}
static inline void foretell_lockstep_step() {
  x = 2;
}
int main() {
  ignored();
  foretell_lockstep_step();
  x = 9;
}
