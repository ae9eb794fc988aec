// As code that was not instrumented would do it.
void callback(void);
__attribute__((annotate("foretell_ignore"))) int silent(void) {
  return 1;
}
__attribute__((annotate("foretell_ignore"))) void plain_caller(void (*first)(void)) {
  first();
  callback();
}
