// Every way to get memory is an Alloc, every way to give it back a Free.
// output: ok
// records: Alloc Free
#include <malloc.h>
#include <sys/mman.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

static bool fine = true;

static void check(void* memory, size_t alignment = 16) {
  if (!memory || reinterpret_cast<uintptr_t>(memory) % alignment != 0) fine = false;
}

static void use_all() {
  void* a = malloc(100);
  check(a);
  memset(a, 1, 100);
  a = realloc(a, 100000);
  check(a);
  if (static_cast<char*>(a)[99] != 1) fine = false;
  a = reallocarray(a, 10, 10);
  check(a);
  free(a);
  auto* zero = static_cast<char*>(calloc(10, 10));
  for (int i = 0; i < 100; i++) fine &= zero[i] == 0;
  free(zero);
  a = aligned_alloc(64, 128);
  check(a, 64);
  free(a);
  if (posix_memalign(&a, 256, 10) != 0) fine = false;
  check(a, 256);
  free(a);
  a = memalign(32, 10);
  check(a, 32);
  free(a);
  a = valloc(10);
  check(a, 4096);
  free(a);
  free(nullptr);
  a = mmap(nullptr, 8192, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  check(a, 4096);
  a = mremap(a, 8192, 1 << 20, MREMAP_MAYMOVE);
  check(a, 4096);
  fine &= munmap(a, 1 << 20) == 0;
  fine &= mmap(nullptr, 0, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED;
  fine &= malloc(size_t(-1) / 2) == nullptr;
  char* copy = strdup("text");
  fine &= strcmp(copy, "text") == 0;
  free(copy);
  auto number = std::make_unique<int>(7);
  std::vector<int> many(1000, *number);
  fine &= many[999] == 7;
}

int main() {
  use_all();
  std::thread thread(use_all);
  thread.join();
  std::puts(fine ? "ok" : "wrong");
}
