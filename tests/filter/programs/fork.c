// The child of a fork records anew what its parent has read; if it does not record, it runs as
// ever.
//
// records: rd x 0
// child records: rd x 0; wr x 1; rd x 1
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tiny.h"

int x;

UNSEEN int main(void) {
  // Large enough for memory that no filter has cells for.
  const size_t size = 1 << 27;
  int* far = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (far == MAP_FAILED) return 1;
  if (read_one(&x) + read_one(&x) != 0) return 2;
  const pid_t child = fork();
  if (child == 0) {
    if (read_one(far + size / 8) + read_one(&x) + read_one(&x) != 0) _exit(1);
    write_one(&x, 1);
    _exit(read_one(&x) + read_one(&x) == 2 ? 7 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return !WIFEXITED(status) || WEXITSTATUS(status) != 7;
}
