#include "bank.h"

void Account::deposit(int amount) {
  std::lock_guard<std::mutex> guard(mutex_);
  balance_ += amount;
}
