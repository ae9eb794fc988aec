// An exception leaves its thread through an exception_ptr.
// expect: none
// output: caught 5
#include <cstdio>
#include <exception>
#include <thread>

int x;
std::exception_ptr error;

int main() {
  std::thread worker([] {
    try {
      x = 1;
      throw 5;
    } catch (...) {
      error = std::current_exception();
    }
  });
  worker.join();
  try {
    if (error) std::rethrow_exception(error);
  } catch (int number) {
    printf("caught %d\n", number);
  }
}
