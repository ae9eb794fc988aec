// One after the other: nothing to find.
#include <thread>

#include "bank.h"

int main() {
  Account from(100), to(0);
  std::thread clerk([&] {
    from.deposit(-50);
    to.deposit(50);
  });
  clerk.join();
  return from.balance() == 50 && to.balance() == 50 ? 0 : 1;
}
