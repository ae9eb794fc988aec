// Expressions are rebuilt from addresses: fields, pointers, indices, nested structures.
#include <stdlib.h>
struct Node {
  int value;
  struct Node* next;
};
struct Queue {
  struct Node* head;
  int counts[4];
  struct { int x, y; } at;
  union { int i; float f; } either;
} queue;
int buf[10], grid[3][4];
__attribute__((noinline)) void fill(int* p, int i, struct Queue* q) {
  *p = 1;                    // @expect Write4 *p = 1 at expressions.c:@:
  p[2] = 2;                  // @expect Write4 p[2] = 2
  p[i] = 3;                  // @expect Write4 p[i] = 3
  p[i + 1] = 4;              // @expect Write4 p[i+1] = 4
  buf[i] = 5;                // @expect Write4 buf[i] = 5
  buf[3] = 6;                // @expect Write4 buf[3] = 6
  grid[1][2] = 7;            // @expect Write4 grid[1][2] = 7
  grid[i][2] = 8;            // @expect Write4 grid[i][2] = 8
  grid[1][i] = 9;            // @expect Write4 grid[1][i] = 9
  q->head->value = 10;       // @expect Read8 q->head =
  // @expect Write4 q->head->value = 10
  q->head->next->value = 11; // @expect Read8 q->head->next =
  // @expect Write4 q->head->next->value = 11
  q->counts[i] = 12;         // @expect Write4 q->counts[i] = 12
  q->counts[1] = 13;         // @expect Write4 q->counts[1] = 13
  q->at.y = 14;              // @expect Write4 q->at.y = 14
  q->either.i = 15;          // @expect Write4 q->either.i = 15
  queue.at.x = 16;           // @expect Write4 queue.at.x = 16
}
int main(void) {
  int* p = malloc(100);
  struct Node* a = malloc(sizeof *a);
  struct Node* b = malloc(sizeof *b);
  a->next = b;
  queue.head = a;
  fill(p, 2, &queue);
  free(p);
}
