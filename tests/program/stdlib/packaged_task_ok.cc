// The task's exception reaches main through the future, and everything before it.
// expect: none
// output: caught 5
#include <cstdio>
#include <future>
#include <thread>

int log_length;

int main() {
  std::packaged_task<void()> task([] {
    log_length = 1;  // @write
    throw 5;
  });
  auto future = task.get_future();
  std::thread worker(std::move(task));
  try {
    future.get();
  } catch (int number) {
    printf("caught %d\n", number);
  }
  if (log_length > 1) puts("never");
  worker.join();
}
