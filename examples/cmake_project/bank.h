#pragma once
#include <mutex>

class Account {
 public:
  explicit Account(int balance) : balance_(balance) {}
  void deposit(int amount);
  int balance() const { return balance_; }

 private:
  std::mutex mutex_;
  int balance_;
};
