// An exception that passes through a function passes its exit.
// @count 2 enter - at exceptions.cc:10:0 in thrower
// @count 2 exit - at exceptions.cc:10:0 in thrower
// @count 2 enter - at exceptions.cc:14:0 in middle
// @count 2 exit - at exceptions.cc:14:0 in middle
// @count 1 enter - at exceptions.cc:17:0 in main
// @count 1 exit - at exceptions.cc:17:0 in main
// @expect Write4 caught = 2
int caught;
[[gnu::noinline]] void thrower(int n) {
  if (n > 0) throw n;
  caught = 9;
}
[[gnu::noinline]] void middle(int n) {
  thrower(n), caught++;
}
int main() {
  middle(0);
  try {
    middle(1);
  } catch (int) {
    caught = 2;
  }
}
