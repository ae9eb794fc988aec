// C++: members through this, references, static members, namespaces, lambdas, containers.
#include <memory>
#include <vector>
// @expect global ns::counter size 4
// @expect global Account::total size 4
// @count 1 global hidden size 4
// @count 1 global main::seen size 4
namespace ns {
int counter;
}
namespace {
volatile int hidden;
}
struct Base {
  int id;
};
struct Account : Base {
  int balance;
  static int total;
  [[gnu::noinline]] void deposit(int n) {
    balance = n;  // @expect Write4 this->balance = 7 at expressions.cc:@:13 in Account::deposit
    id = 3;       // @expect Write4 this->id = 3
    total = 4;    // @expect Write4 Account::total = 4
  }
};
int Account::total;
[[gnu::noinline]] void by_reference(int& r, Account& account, std::vector<int>& v, int i) {
  r = 5;                // @expect Write4 r = 5
  account.balance = 6;  // @expect Write4 account.balance = 6
  v[i] = 8;             // @expect Write4 v[i] = 8
}
[[gnu::noinline]] void by_owner(std::unique_ptr<Account>& p) {
  p->balance = 11;  // @expect Write4 p->balance = 11
}
int main() {
  static volatile int seen;
  Account* account = new Account;
  account->deposit(7);
  std::vector<int> v(4);
  by_reference(ns::counter, *account, v, 2);
  std::unique_ptr<Account> owner(account);
  by_owner(owner);
  hidden = 1;  // @expect Write4 hidden = 1
  seen = 2;    // @expect Write4 main::seen = 2
  auto set = [&](int n) __attribute__((noinline)) { ns::counter = n; };
  set(seen + 7);  // @expect Write4 ns::counter = 9 at expressions.cc:@-1:
}
