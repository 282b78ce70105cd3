/* Compiles a kernel that imports a file of the installed library of kernels, and launches it. */
#include <xt/xt.h>

#include <stdio.h>

static xt_argument matrix(float *data, const int64_t *shape) {
  xt_argument argument = XT_INIT(xt_argument);
  argument.kind = XT_ARRAY;
  argument.element = XT_F32;
  argument.rank = 2;
  argument.data = data;
  argument.shape = shape;
  return argument;
}

int main(void) {
  static const char text[] = "import \"std/activations\"\n"
                             "kernel @twice(%X: memref<?x?xf32>, %Y: memref<?x?xf32>) grid (%i = 0 to dim(%X, 0) step 8) {\n"
                             "  %tx = init_tile %X[%i, 0] -> tile<8x8xf32>\n"
                             "  %x = load_tile %tx\n"
                             "  %ty = init_tile %Y[%i, 0] -> tile<8x8xf32>\n"
                             "  store_tile (%x + %x), %ty\n"
                             "}\n";
  xt_error error = XT_INIT(xt_error);
  xt_context *context = NULL;
  xt_program *program = NULL;
  xt_kernel *kernel = NULL;
  xt_compile_options options = XT_INIT(xt_compile_options);
  float x[4 * 8], y[4 * 8];
  const int64_t shape[2] = {4, 8};
  xt_argument arguments[2];
  int wrong = 0;

  options.path = "twice.xt";
  options.text = text;
  options.text_bytes = sizeof text - 1;
  for (int i = 0; i < 32; ++i) x[i] = (float)i;
  arguments[0] = matrix(x, shape);
  arguments[1] = matrix(y, shape);
  if (xt_context_create(NULL, &context, &error) || xt_compile(context, &options, &program, NULL, &error) ||
      xt_program_kernel(program, "twice", &kernel, &error) || xt_launch(kernel, arguments, 2, NULL, &error)) {
    fprintf(stderr, "%s: %s\n", xt_status_name(error.status), error.message);
    return 1;
  }
  for (int i = 0; i < 32; ++i) wrong += y[i] != 2 * x[i];
  xt_program_free(program);
  xt_context_free(context);
  printf("%d wrong\n", wrong);
  return wrong != 0;
}
