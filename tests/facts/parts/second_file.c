int theirs;
static int mine;
void *second(void *argument) {
  mine++;
  theirs += mine;
  return argument;
}
