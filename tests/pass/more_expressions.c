// More shapes of expressions.
#include <stdlib.h>
struct Item {
  int key;
  int counts[3];
};
struct Table {
  struct Item items[4];
  struct Item* rows[4];
  char name[8];
} table;
struct Item items[5];
struct Big {
  long a[4];
};
__thread int own;
int* cells[3];
struct Item* get(void) { return &items[1]; }
__attribute__((noinline)) long shapes(struct Table* t, int i, int** pp, char* s, struct Big big) {
  items[i].key = 1;           // @expect Write4 items[i].key = 1
  items[i].counts[1] = 2;     // @expect Write4 items[i].counts[1] = 2
  items[2].counts[i] = 3;     // @expect Write4 items[2].counts[i] = 3
  t->items[i].key = 4;        // @expect Write4 t->items[i].key = 4
  t->rows[i]->key = 5;        // @expect Write4 t->rows[i]->key = 5
  t->name[2] = 6;             // @expect Write1 t->name[2] = 6
  **pp = 7;                   // @expect Read8 *pp =
  // @expect Write4 **pp = 7
  pp[1][i] = 8;               // @expect Write4 pp[1][i] = 8
  s[i] = 9;                   // @expect Write1 s[i] = 9
  s[-1] = 10;                 // @expect Write1 s[-1] = 10
  *cells[i] = 11;             // @expect Read8 cells[i] =
  // @expect Write4 *cells[i] = 11
  own = 12;                   // @expect Write4 own = 12
  items[i + 1].key = 13;      // @expect Write4 items[i+1].key = 13
  items[i - 1].key = 14;      // @expect Write4 items[i-1].key = 14
  return big.a[1];            // @expect Read8 big.a[1] = 0
}
int main(void) {
  int *p = malloc(40), *pp[] = {p, p};
  char* s = malloc(10);
  cells[2] = p;
  table.rows[2] = &table.items[0];
  struct Big big = {{0}};
  shapes(&table, 2, pp, s + 1, big);
  get()->key = 15;  // @expect(O0) Write4 get()->key = 15
  return 0;
}
