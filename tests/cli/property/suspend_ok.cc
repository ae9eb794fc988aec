// SPDX-License-Identifier: Apache-2.0

// suspend.cc put right: the two calls are one critical section.
#include <mutex>
#include <thread>

std::mutex lock;

struct Client {
  int suspended = 0;
};
Client client;

void suspend(Client* c) {
  c->suspended = 1;
}
void resume(Client* c) {
  c->suspended = 0;
}

void controller() {
  std::lock_guard guard(lock);
  suspend(&client);
  resume(&client);
}

int main() {
  std::thread first(controller);
  std::thread second(controller);
  first.join();
  second.join();
}
