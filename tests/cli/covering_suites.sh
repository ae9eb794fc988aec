#!/usr/bin/env bash
# Programs with the structure of benchmark suites: options, files, clocks, floating point, long loops, and barriers
# written by hand. Their sets are complete, and the constrained programs compute what the plain ones do.
. "$(dirname "$0")/common.inc"

# covers NAME SUMMARY OPTION...: enumerates NAME.c, verifies it, and builds NAME and NAME.plain.
covers() {
  local name=$1 summary=$2
  shift 2
  run "$FORETELL" schedules "$name.c" --threads=4 -o "$name.db" "$@"; expect_status 0; expect_out "$summary"; expect_out "every input is covered"
  run "$FORETELL" schedules verify "$name.db"; expect_status 0; expect_out "every input has a schedule: proved"
  run "$FORETELL" constrain --schedules="$name.db" -o "$name"; expect_status 0
  clang-19 -w -O1 -pthread "$name.c" -o "$name.plain" -lm
}

# Options by getopt, memory by pages, a clock, sines, loops of a hundred thousand rounds, a barrier of a counter under a lock.
cat > waves.c <<'END'
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/time.h>
#include <unistd.h>
struct shared { long id, arrived, cycle; pthread_mutex_t lock, id_lock; pthread_cond_t changed; unsigned long began; } *shared;
long threads = 1, size = 1 << 17, length;
double *data, *sums;
static void meet(void) {
  if (pthread_mutex_lock(&shared->lock) != 0) { printf("cannot lock\n"); exit(-1); }
  unsigned long cycle = shared->cycle;
  int old;
  if (++shared->arrived != threads) {
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &old);
    while (cycle == shared->cycle) if (pthread_cond_wait(&shared->changed, &shared->lock) != 0) break;
    pthread_setcancelstate(old, 0);
  } else {
    shared->cycle = !shared->cycle;
    shared->arrived = 0;
    pthread_cond_broadcast(&shared->changed);
  }
  pthread_mutex_unlock(&shared->lock);
}
static void *work(void *unused) {
  pthread_mutex_lock(&shared->id_lock);
  long self = shared->id++;
  pthread_mutex_unlock(&shared->id_lock);
  double sum = 0;
  for (int round = 0; round < 3; round++) {
    for (long i = self; i < size; i += threads) data[i] = data[i] * 0.5 + sin(i * 0.001 * round);
    meet();
    for (long i = self * (size / threads); i < (self + 1) * (size / threads); i++) sum += data[i] > 0.25 ? data[i] : 1;
    meet();
  }
  sums[self] = sum;
  return 0;
}
int main(int argc, char **argv) {
  int option;
  struct timeval now;
  gettimeofday(&now, 0);
  while ((option = getopt(argc, argv, "p:n:h")) != -1) switch (option) {
    case 'p': threads = atoi(optarg); if (threads < 1) exit(2); break;
    case 'n': size = atoi(optarg); break;
    default: exit(2);
  }
  length = (size * sizeof(double) + 4095) / 4096 * 4096 + 4096;
  shared = valloc(sizeof *shared);
  data = valloc(length + 4096);
  sums = calloc(threads, sizeof(double));
  if (!shared || !data || !sums) { fprintf(stderr, "no memory\n"); exit(3); }
  shared->id = shared->arrived = shared->cycle = 0;
  shared->began = now.tv_sec;
  data = (double *)((unsigned long)data + 4096 - (unsigned long)data % 4096);
  srand48(7);
  for (long i = 0; i < size; i++) data[i] = drand48();
  pthread_mutex_init(&shared->lock, 0);
  pthread_mutex_init(&shared->id_lock, 0);
  pthread_cond_init(&shared->changed, 0);
  pthread_t ids[8];
  for (long i = 1; i < threads; i++) if (pthread_create(&ids[i], 0, work, 0) != 0) exit(4);
  work(0);
  for (long i = 1; i < threads; i++) pthread_join(ids[i], 0);
  double all = 0;
  for (long i = 0; i < threads; i++) all += sums[i];
  printf("%.6f\n", all);
  exit(0);
}
END
covers waves "1 epoch, 1 constraint, 1 schedule" "--args=-p 4"
want=$(./waves.plain -p 4)
for i in 1 2 3; do run ./waves -p 4; expect_status 0; expect_out "$want"; done
run ./waves -p 3; expect_status 70

# A file says how many parts there are; so the number of threads is read after it.
cat > parts.c <<'END'
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
int threads, parts;
float *in, *out;
static void *work(void *at) {
  int self = *(int *)at, from = self * (parts / threads), to = self == threads - 1 ? parts : from + parts / threads;
  for (int i = from; i < to; i++) out[i] = sqrtf(in[i]) + (in[i] > 0.5 ? 1 : 2);
  return 0;
}
int main(int argc, char **argv) {
  if (argc != 3) return 1;
  threads = atoi(argv[1]);
  FILE *file = fopen(argv[2], "r");
  if (file == NULL) { printf("cannot open\n"); exit(1); }
  if (fscanf(file, "%i", &parts) != 1) { printf("cannot read\n"); exit(1); }
  if (threads > parts) threads = parts;
  if (threads < 1 || threads > 3) exit(1);
  in = malloc(parts * sizeof(float));
  out = malloc(parts * sizeof(float));
  for (int i = 0; i < parts; i++) if (fscanf(file, "%f", &in[i]) != 1) exit(1);
  fclose(file);
  int *selves = malloc(threads * sizeof(int));
  pthread_t *ids = malloc(threads * sizeof(pthread_t));
  for (int i = 0; i < threads; i++) { selves[i] = i; pthread_create(&ids[i], 0, work, &selves[i]); }
  for (int i = 0; i < threads; i++) pthread_join(ids[i], 0);
  float all = 0;
  for (int i = 0; i < parts; i++) all += out[i];
  printf("%.4f\n", all);
  return 0;
}
END
covers parts "epochs"
for parts in 1 2 3 9; do
  { echo $parts; seq 1 $parts; } > numbers.txt
  for threads in 1 2 3; do
    run ./parts $threads numbers.txt; expect_status 0; expect_out "$(./parts.plain $threads numbers.txt)"
  done
done
run ./parts 2 nothing.txt; expect_status 1

# What floating point and a long loop compute decides.
cat > decides.c <<'END'
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
int x, first, second;
static void *work(void *unused) {
  unsigned hash = x;
  for (int i = 0; i < 300000; i++) hash = hash * 31 + i;
  if (hash % 3 == 0) { pthread_mutex_lock(&a); first++; pthread_mutex_unlock(&a); }
  if (sqrt(x) > 2.5) { pthread_mutex_lock(&b); second++; pthread_mutex_unlock(&b); }
  return 0;
}
int main(int argc, char **argv) {
  if (argc != 2) return 1;
  x = atoi(argv[1]);
  pthread_t t;
  pthread_create(&t, 0, work, 0);
  work(0);
  pthread_join(t, 0);
  printf("%d %d\n", first, second);
  return 0;
}
END
covers decides "epochs"
for x in 0 1 2 5 6 7 8 100 -3; do run ./decides $x; expect_status 0; expect_out "$(./decides.plain $x)"; done
