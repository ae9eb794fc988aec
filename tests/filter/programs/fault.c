// A read faults, and the handler fixes it and continues, or jumps out. What the handler reads does
// not count as read; what was read before still does.
//
// records: rd x 0; rd y 0; rd z 0; wr x 3; rd x 3; rd first 4; rd second 5; wr z 1; rd z 1
#include <setjmp.h>
#include <signal.h>
#include <sys/mman.h>

#include "tiny.h"

int x, y, z;
_Alignas(4096) int first[1024];
_Alignas(4096) int second[1024];
_Alignas(4096) int third[1024];
static sigjmp_buf back;

UNSEEN static void protect(void* page, int how) {
  mprotect(page, 4096, how);
}

static void repair(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  read_one(&y);
  if (info->si_addr == third) siglongjmp(back, 1);
  protect(info->si_addr, PROT_READ | PROT_WRITE);
  write_one(info->si_addr, info->si_addr == first ? 4 : 5);
  read_one(info->si_addr);
}

UNSEEN int main(void) {
  struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  protect(first, PROT_NONE);
  protect(second, PROT_NONE);
  protect(third, PROT_NONE);
  if (sigsetjmp(back, 1) == 0) {
    if (read_one(&x) != 0) return 1;
    read_one(third);
    return 2;
  }
  if (read_one(&x) + read_one(&y) + read_one(&z) != 0) return 3;
  write_one(&x, 3);
  if (read_one(&x) != 3) return 4;
  if (read_both(first, second) != 37 || read_both(first, second) != 37) return 5;
  if (read_one(&x) + read_one(&y) != 3) return 6;
  write_one(&z, 1);
  if (read_one(&z) != 1) return 7;
  return 0;
}
