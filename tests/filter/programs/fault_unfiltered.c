// Two reads at once of which the second faults, with the filter switched off: both are recorded,
// once each time, after the handler has fixed it.
//
// records: rd x 0; rd first 4; rd second 5; rd first 4; rd second 5; rd x 0
#include <signal.h>
#include <sys/mman.h>

#include "tiny.h"

enum { kTrial = 1 << 13 };  // as in runtime/filter.cc
int x, many[2 * kTrial];
_Alignas(4096) int first[1024];
_Alignas(4096) int second[1024];

UNSEEN static void repair(int number, siginfo_t* info, void* context) {
  (void)number, (void)context;
  mprotect(info->si_addr, 4096, PROT_READ | PROT_WRITE);
  write_one(info->si_addr, info->si_addr == first ? 4 : 5);
  read_one(&x);
}

UNSEEN int main(void) {
  struct sigaction action = {.sa_sigaction = repair, .sa_flags = SA_SIGINFO};
  sigaction(SIGSEGV, &action, NULL);
  mprotect(first, 4096, PROT_NONE);
  mprotect(second, 4096, PROT_NONE);
  read_one(&x);
  for (int i = 1; i < kTrial + 100; i++) read_one(many + i);
  if (read_both(first, second) != 37 || read_both(first, second) != 37) return 1;
  return read_one(&x);
}
