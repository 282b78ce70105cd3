/* Calls every function of the library made of kernels.xt; prints what is wrong, and the number of it. With -DGPU, of one for GPUs. */
#include "kernels.h"
#include "second.h"

#include <pthread.h>
#include <stdio.h>
#include <string.h>

static int wrong = 0;

static void expect(int good, const char *what) {
  if (good) return;
  printf("wrong: %s\n", what);
  ++wrong;
}

enum { ROWS = 150, DEPTH = 77, COLUMNS = 131, PITCH = 140 };

static int product(float seed) {
  static _Thread_local float a[ROWS][DEPTH], b[DEPTH][PITCH], c[ROWS][PITCH];
  const xt_array_2_f32 of_a = {a[0], {ROWS, DEPTH}, {DEPTH, 1}}, of_b = {b[0], {DEPTH, COLUMNS}, {PITCH, 1}},
                       of_c = {c[0], {ROWS, COLUMNS}, {PITCH, 1}};
  int bad = 0;
  for (int i = 0; i < ROWS; ++i)
    for (int k = 0; k < DEPTH; ++k) a[i][k] = (float)((i + 3 * k) % 7) - seed;
  for (int k = 0; k < DEPTH; ++k)
    for (int j = 0; j < PITCH; ++j) b[k][j] = (float)((2 * k + j) % 5) - 2;
  memset(c, 0xff, sizeof c);
  if (kernels_product(&of_a, &of_b, &of_c, NULL, 0) != 0) return 1;
  for (int i = 0; i < ROWS; ++i)
    for (int j = 0; j < COLUMNS; ++j) {
      float sum = 0;
      for (int k = 0; k < DEPTH; ++k) sum += a[i][k] * b[k][j];
      bad += sum != c[i][j];
    }
  return bad + (c[0][COLUMNS] == c[0][COLUMNS]); /* what is between the rows stays NaN */
}

static void *launches(void *result) {
  for (int round = 0; round < 5; ++round) *(int *)result += product((float)round);
  return NULL;
}

static void threads(void) {
  pthread_t all[8];
  int bad[8] = {0};
  for (int t = 0; t < 8; ++t) pthread_create(&all[t], NULL, launches, &bad[t]);
  for (int t = 0; t < 8; ++t) {
    pthread_join(all[t], NULL);
    expect(bad[t] == 0, "products of eight threads");
  }
}

static void scalars(void) {
  double out[4];
  const xt_array_1_f64 of = {out, {4}, {1}};
  expect(kernels_scalars(&of, 0.5f, -1e300, -128, 65535, NULL, 0) == 0, "status of scalars");
  expect(out[0] == 0.5 && out[1] == -1e300 && out[2] == -128 && out[3] == 65535, "scalars");
}

static void grids(void) {
  for (int64_t rows = 0; rows < 9; ++rows)
    for (int64_t from = 0; from < 3; ++from)
      for (int64_t step = 1; step < 4; ++step) {
        int64_t n[9][2];
        const xt_array_2_i64 of = {n[0], {rows, 2}, {2, 1}};
        memset(n, 0xff, sizeof n);
        expect(kernels_visited(&of, from, step, NULL, 0) == 0, "status of a grid");
        for (int64_t i = 0; i < 9; ++i)
          for (int64_t j = 0; j < 2; ++j) {
            int visited = i >= from && i < rows - 1 && (i - from) % step == 0 && j < rows;
            expect(n[i][j] == (visited ? i * 10 + j : -1), "workgroups of a grid");
          }
      }
}

static void failures(void) {
  char message[1000]; // with the path of the sources
  float a[4] = {0};
  int64_t n[2] = {0};
  uint16_t half[2] = {0x3c00, 0x4000}, twice[2] = {0};
  const xt_array_2_f32 good = {a, {2, 2}, {2, 1}};
  xt_array_2_f32 bad = good;
  const xt_array_2_f16 of_half = {half, {1, 2}, {2, 1}}, of_twice = {twice, {1, 2}, {2, 1}};
  const xt_array_2_i64 of_n = {n, {1, 2}, {2, 1}};
  const xt_array_1_i64 keyword = {n, {2}, {1}};

  expect(kernels_positive(1, message, sizeof message) == 0 && message[0] == 0, "an assert that holds");
  expect(kernels_positive(-1, message, sizeof message) == 5, "status of a failed assert");
  expect(strstr(message, "n is \"not\" positive") != NULL, message);
  expect(kernels_product(&good, NULL, &good, message, sizeof message) == 1 && strstr(message, "`B`"),
         "an argument that is NULL");
  bad.data = NULL;
  expect(kernels_product(&good, &bad, &good, message, sizeof message) == 1 && strstr(message, "`B`"), "an array that is NULL");
  bad = good, bad.sizes[1] = -2;
  expect(kernels_product(&bad, &good, &good, message, sizeof message) == 1 && strstr(message, "negative"), "a negative extent");
  bad = good, bad.sizes[0] = 1;
  expect(kernels_product(&good, &bad, &good, message, sizeof message) == 1 &&
             strcmp(message, "@product requires dim(%B, 0) == dim(%A, 1), but the sides are 1 and 2") == 0,
         "extents that differ");
  expect(kernels_positive(77, message, sizeof message) == 1 &&
             strcmp(message, "@positive requires %n < 1000 and %n != 77, but it does not hold") == 0,
         "a requirement of a kernel without a grid");
  bad = good, bad.strides[1] = 2;
  expect(kernels_product(&good, &good, &bad, message, sizeof message) == 1 && strstr(message, "stride"), "a wrong stride");
  bad = good, bad.strides[0] = 0;
  expect(kernels_product(&good, &good, &bad, message, sizeof message) == 1 && strstr(message, "several"), "shared elements");
  bad = good, bad.data = (float *)((char *)a + 1);
  expect(kernels_product(&good, &good, &bad, message, 5) == 1 && strcmp(message, "argu") == 0, "a message that is cut");
  expect(kernels_visited(&of_n, 0, 0, message, sizeof message) == 1 && strstr(message, "step"), "a step of 0");
  expect(kernels_halves(&of_half, &of_twice, NULL, 0) == 0 && twice[0] == 0x4000 && twice[1] == 0x4400, "f16 by its bits");
  expect(kernels_register(&keyword, NULL, 0) == 0 && n[1] == 1, "a parameter that is a keyword of C");
}

static void stacks(void) {
  int32_t a[4] = {5, 6, 7, 8}, b[4] = {0}, few[2] = {0, 0};
  float x[16], y[16];
  const xt_array_1_i32 of_a = {a, {4}, {1}}, of_b = {b, {4}, {1}}, of_few = {few, {2}, {1}};
  const xt_array_1_f32 of_x = {x, {16}, {1}}, of_y = {y, {16}, {1}};
  char message[1000];
  int bad = 0;
  for (int i = 0; i < 16; ++i) x[i] = (float)i, y[i] = 0;
  expect(kernels_reversed(&of_a, &of_b, NULL, 0) == 0 && b[0] == 8 && b[1] == 7 && b[2] == 6 && b[3] == 5, "subgroups");
  expect(kernels_summed(&of_x, &of_y, NULL, 0) == 0, "status of lanes");
  for (int i = 0; i < 16; ++i) bad += y[i] != 120;
  expect(bad == 0, "lanes");
  expect(kernels_stuck(&of_few, NULL, 0) == 0, "a barrier that all reach");
  few[1] = 1;
  expect(kernels_stuck(&of_few, message, sizeof message) == 5, "status of a deadlock");
#ifdef GPU
  expect(strstr(message, "barrier") != NULL, message);
#else
  expect(strcmp(message, "the subgroups of workgroup 0 of @stuck wait for each other forever") == 0, message);
#endif
  few[1] = 0;
  expect(kernels_stuck(&of_few, NULL, 0) == 0, "after a deadlock");
}

int main(void) {
  expect(product(3) == 0, "a product");
  threads();
#ifndef GPU
  kernels_set_threads(1);
  expect(product(2) == 0, "a product on one thread");
#endif
  scalars();
  stacks();
  grids();
  failures();
  expect(second_positive(2, NULL, 0) == 0, "a second library in one program");
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
