// SPDX-License-Identifier: Apache-2.0
// race-free: callbacks of a driver under one lock, registered before they may run
#include <pthread.h>
#include <stdlib.h>
struct device { pthread_mutex_t lock; int users, data; };
static struct device *device;
static int open_device(struct device *d) {
  pthread_mutex_lock(&d->lock);
  d->users++;
  pthread_mutex_unlock(&d->lock);
  return 0;
}
static void write_device(struct device *d, int value) {
  pthread_mutex_lock(&d->lock);
  d->data = value;
  pthread_mutex_unlock(&d->lock);
}
static void *user(void *unused) {
  struct device *d = device;
  open_device(d);
  write_device(d, 1);
  return unused;
}
static void *interrupt(void *unused) {
  write_device(device, 2);
  return unused;
}
int main(void) {
  pthread_t a, b;
  device = malloc(sizeof *device);
  if (!device) return 1;
  pthread_mutex_init(&device->lock, 0);
  device->users = device->data = 0;
  pthread_create(&a, 0, user, 0);
  pthread_create(&b, 0, interrupt, 0);
  pthread_join(a, 0);
  pthread_join(b, 0);
  int users = device->users;
  free(device);
  return users;
}
