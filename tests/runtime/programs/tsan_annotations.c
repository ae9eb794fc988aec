// compilers: clang gcc
// compile: -fsanitize=thread
// output: ok
// records: IgnoreBegin IgnoreEnd AtomicRmw AtomicRead Request Acquire Release AcquireShared ReleaseShared BenignRace
#include <stdio.h>

void __tsan_acquire(void *);
void __tsan_release(void *);
void __tsan_mutex_pre_lock(void *, unsigned);
void __tsan_mutex_post_lock(void *, unsigned, int);
int __tsan_mutex_pre_unlock(void *, unsigned);
void __tsan_mutex_post_unlock(void *, unsigned);
void __tsan_ignore_thread_begin(void);
void __tsan_ignore_thread_end(void);
void AnnotateBenignRaceSized(const char *, int, unsigned long, unsigned long, const char *);

static int object, lock;

int main() {
  enum { kReadLock = 8 };
  __tsan_release(&object);
  __tsan_acquire(&object);
  for (unsigned flags = 0; flags <= kReadLock; flags += kReadLock) {
    __tsan_mutex_pre_lock(&lock, flags);
    __tsan_mutex_post_lock(&lock, flags, 1);
    __tsan_mutex_pre_unlock(&lock, flags);
    __tsan_mutex_post_unlock(&lock, flags);
  }
  __tsan_ignore_thread_begin();
  object++;
  __tsan_ignore_thread_end();
  AnnotateBenignRaceSized(__FILE__, __LINE__, (unsigned long)&object, sizeof object, "why not");
  puts("ok");
}
