// SPDX-License-Identifier: Apache-2.0
// race-free: an inode and a block with busy marks, under two mutexes
#include <pthread.h>
static pthread_mutex_t m_inode = PTHREAD_MUTEX_INITIALIZER, m_busy = PTHREAD_MUTEX_INITIALIZER;
static int block, busy, inode;
static void *allocator(void *unused) {
  (void)unused;
  pthread_mutex_lock(&m_inode);
  if (inode == 0) {
    pthread_mutex_lock(&m_busy);
    busy = 1;
    pthread_mutex_unlock(&m_busy);
    inode = 1;
  }
  block = 1;
  pthread_mutex_unlock(&m_inode);
  return 0;
}
static void *deallocator(void *unused) {
  (void)unused;
  pthread_mutex_lock(&m_busy);
  if (busy == 0) block = 0;
  pthread_mutex_unlock(&m_busy);
  return 0;
}
int main(void) {
  pthread_t a, b;
  inode = busy;
  pthread_mutex_init(&m_inode, 0);
  pthread_mutex_init(&m_busy, 0);
  pthread_create(&a, 0, allocator, 0);
  pthread_create(&b, 0, deallocator, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  return 0;
}
