// The site of a finished call is not taken for the caller of a later callback.
// @more parts/callback.c
// @count 1 call -
// @expect call - at stale_call.c:14:3 in main [call]
// @expect in first [function]
// @expect enter - at stale_call.c:12:0 in callback [function]
void plain_caller(void (*)(void));
int silent(void);
int x, y;

static void first(void) { x = silent(), y = 1; }
void callback(void) { x = 3, y = 4; }
int main(void) {
  plain_caller(first);
  return 0;
}
