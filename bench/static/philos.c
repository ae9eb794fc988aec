// Dining philosophers, in the manner of STATICDET's philos: forks are mutexes, and each philosopher counts
// his own meals.
//
// True verdict: deterministic. Who eats when is open, but each philosopher eats kMeals times and writes only his
// own count. Forks are taken in one order, so nobody waits for ever.
// foretell: deterministic
#include <pthread.h>
#include <stdio.h>

enum { kPhilosophers = 5, kMeals = 40 };
pthread_mutex_t forks[kPhilosophers];
struct philosopher {
  int seat, meals, thoughts;
} table[kPhilosophers];

void think(struct philosopher *p, int about) {
  for (int i = 0; i < about % 7; i++) p->thoughts += i * about;
}

void eat(struct philosopher *p) { p->meals++; }

void *dine(void *argument) {
  struct philosopher *p = argument;
  int left = p->seat, right = (p->seat + 1) % kPhilosophers;
  int first = left < right ? left : right, second = left < right ? right : left;
  for (int i = 0; i < kMeals; i++) {
    think(p, i);
    pthread_mutex_lock(&forks[first]);
    pthread_mutex_lock(&forks[second]);
    eat(p);
    pthread_mutex_unlock(&forks[second]);
    pthread_mutex_unlock(&forks[first]);
  }
  return 0;
}

int main(void) {
  pthread_t threads[kPhilosophers];
  for (int i = 0; i < kPhilosophers; i++) pthread_mutex_init(&forks[i], 0);
  for (int i = 0; i < kPhilosophers; i++) {
    table[i].seat = i;
    pthread_create(&threads[i], 0, dine, &table[i]);
  }
  for (int i = 0; i < kPhilosophers; i++) pthread_join(threads[i], 0);
  for (int i = 0; i < kPhilosophers; i++) printf("%d: %d %d\n", i, table[i].meals, table[i].thoughts);
  return 0;
}
