int theirs;
void other(void) {
  theirs = 1;
}
