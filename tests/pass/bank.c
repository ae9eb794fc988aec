// Fields of a global are named as they are written; values travel; += is a read and a write.
// @expect global acc size 12 fields '0=balance;4=open;8=mode' zeroed
// @expect global total size 8 fields ''
struct Account {
  int balance;
  int open;
  signed char mode;
} acc;
long total;
__attribute__((noinline)) static void deposit(int n) {
  acc.balance += n;
}
int main(void) {
  acc.balance = 5;  // @expect Write4 acc.balance = 5 at bank.c:@:15 in main
  deposit(10);
  // @expect Read4 acc.balance = 5 at bank.c:11:15 in deposit
  // @expect Write4 acc.balance = 15 at bank.c:11:15 in deposit
  acc.mode = -1;  // @expect Write1 acc.mode = 255 at bank.c:@:12 in main
  total = -3;     // @expect Write8 total = -3 at bank.c:@:9 in main
}
