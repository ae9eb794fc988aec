// An exception leaves its thread: std::terminate, with a race before it.
// expect: race x @a-@b confirmed
// expect: crash 6
#include <cstdio>
#include <exception>
#include <thread>

int x;
std::exception_ptr error;

int main() {
  std::thread worker([] {
    x = 1;  // @b
    throw 5;
  });
  x = 2;  // @a
  worker.join();
  try {
    if (error) std::rethrow_exception(error);
  } catch (int number) {
    printf("caught %d\n", number);
  }
}
