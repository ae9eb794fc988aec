// A guard is named by what it locks, also where nothing is inlined.
// @levels O0
#include <mutex>
#include <shared_mutex>
struct Account {
  std::mutex mutex;
  std::shared_mutex shared;
  int balance = 0;
};
std::mutex whole_bank;
void close(std::mutex* bank) {
  std::lock_guard<std::mutex> guard(*bank);
  // @expect call *bank at lock_holders.cc:@-1:31 in close [call]
}
void deposit(Account& account) {
  std::lock_guard<std::mutex> guard(account.mutex);
  // @expect call account.mutex at lock_holders.cc:@-1:31 in deposit [call]
  std::unique_lock<std::shared_mutex> whole(account.shared);
  // @expect call account.shared at lock_holders.cc:@-1:39 in deposit [call]
  account.balance += 1;
}
int main() {
  Account account;
  close(&whole_bank);
  deposit(account);
  std::scoped_lock both(account.mutex, account.shared);
  return account.balance == 1 ? 0 : 1;
}
