/* Multiplies two matrices of ones by the kernel of product.xt, and prints how many elements of the product are wrong. */
#include "kernels.h"
#include <stdio.h>

enum { ROWS = 40, INNER = 96, COLUMNS = 64 };
static uint16_t a[ROWS * INNER], b[INNER * COLUMNS];
static float c[ROWS * COLUMNS];

int main(void) {
  const xt_array_2_f16 of_a = {a, {ROWS, INNER}, {INNER, 1}}, of_b = {b, {INNER, COLUMNS}, {COLUMNS, 1}};
  const xt_array_2_f32 of_c = {c, {ROWS, COLUMNS}, {COLUMNS, 1}};
  char message[1000] = "";
  int status, wrong = 0;
  for (int i = 0; i < ROWS * INNER; ++i) a[i] = 0x3c00;
  for (int i = 0; i < INNER * COLUMNS; ++i) b[i] = 0x3c00;
  status = kernels_product(&of_a, &of_b, &of_c, message, sizeof message);
  if (status != 0) return printf("%d %s\n", status, message) < 0;
  for (int i = 0; i < ROWS * COLUMNS; ++i) wrong += c[i] != INNER;
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
