// SPDX-License-Identifier: Apache-2.0
// race-free: the lock and the data are found from a field between them
#include <pthread.h>
#include <stdlib.h>
extern int __VERIFIER_nondet_int(void);
typedef struct {
  pthread_mutex_t m_;
} pm;
struct device {
  int d;
};
struct A {
  int a;
  int b;
};
struct my_data {
  pthread_mutex_t lock;
  struct device dev;
  struct A shared;
};
#define offsetof_(T, m) ((unsigned long)&((T*)0)->m)
#define container_of(ptr, type, member)               \
  ({                                                  \
    const typeof(((type*)0)->member)* __mptr = (ptr); \
    (type*)((char*)__mptr - offsetof_(type, member)); \
  })
void* ldv_malloc(unsigned long size) {
  if (__VERIFIER_nondet_int()) {
    return malloc(size);
  } else {
    return 0;
  }
}
void* my_callback(void* arg) {
  struct device* dev = (struct device*)arg;
  struct my_data* data;
  data = container_of(dev, struct my_data, dev);
  pthread_mutex_lock(&data->lock);
  data->shared.a = 1;
  data->shared.b = data->shared.b + 1;
  pthread_mutex_unlock(&data->lock);
  return 0;
}
int my_drv_probe(struct my_data* data) {
  struct device* d = &data->dev;
  pthread_t t1, t2;
  pthread_mutex_init(&data->lock, NULL);
  data->shared.a = 0;
  data->shared.b = 0;
  int res = __VERIFIER_nondet_int();
  if (res) goto exit;
  pthread_create(&t1, NULL, my_callback, (void*)d);
  pthread_create(&t2, NULL, my_callback, (void*)d);
  pthread_join(t1, 0);
  pthread_join(t2, 0);
  return 0;
exit:
  pthread_mutex_destroy(&data->lock);
  return -1;
}
int main(void) {
  struct my_data data;
  int ret = 0, probe_ret;
  probe_ret = my_drv_probe(&data);
  if (probe_ret == 0) {
  }
  return 0;
}
