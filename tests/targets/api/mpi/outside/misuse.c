/* Calls the functions of mpi.h with arguments that they must refuse, on any number of ranks: all ranks do the same. */
#include <xt/mpi.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failed = 0;
static xt_error error = XT_INIT(xt_error);

static void check(int right, const char *what, int line) {
  if (right) return;
  printf("line %d: %s (%d: %s)\n", line, what, (int)error.status, error.message);
  failed = 1;
}
#define CHECK(condition) check(condition, #condition, __LINE__)
/* The function refuses the argument of this name. */
#define REFUSED(call, name) CHECK((call) == XT_INVALID_ARGUMENT && strcmp(error.argument, name) == 0)

static float memory[64];
static const int64_t shape[2] = {4, 4}, crossing[2] = {1, 1}, negative[2] = {-4, 1}, huge[2] = {INT64_MAX, INT64_MAX};
static const int32_t rows[1] = {0}, third[1] = {2}, twice[2] = {0, 0};

static xt_argument array(void) {
  xt_argument made = XT_INIT(xt_argument);
  made.kind = XT_ARRAY;
  made.element = XT_F32;
  made.rank = 2;
  made.data = memory;
  made.shape = shape;
  return made;
}

static void refuseHandles(xt_ranks *ranks) {
  xt_argument a = array();
  xt_exchange *exchange = NULL;
  xt_ranks *freed = NULL;
  REFUSED(xt_ranks_create(NULL, NULL, &error), "ranks");
  REFUSED(xt_ranks_all_reduce(NULL, &a, &a, XT_COMBINE_ADD, XT_ALL_RANKS, NULL, &error), "ranks");
  REFUSED(xt_exchange_wait(NULL, &error), "exchange");
  REFUSED(xt_exchange_wait((xt_exchange *)ranks, &error), "exchange");
  CHECK(strstr(error.message, "another kind") != NULL);
  CHECK(xt_ranks_rank(NULL) == -1 && xt_ranks_count(NULL) == 0 && xt_ranks_extent(NULL, 0) == 0 &&
        xt_ranks_position(NULL, 0) == -1);
  CHECK(xt_ranks_extent(ranks, -1) == 0 && xt_ranks_position(ranks, 1) == -1);
  xt_exchange_free(NULL);
  xt_ranks_free(NULL);
  CHECK(xt_ranks_all_reduce(ranks, &a, &a, XT_COMBINE_ADD, XT_ALL_RANKS, &exchange, &error) == XT_OK);
  xt_ranks_free((xt_ranks *)exchange); /* does nothing */
  CHECK(xt_exchange_wait(exchange, &error) == XT_OK && xt_exchange_wait(exchange, NULL) == XT_OK);
  xt_exchange_free(exchange);
  REFUSED(xt_exchange_wait(exchange, &error), "exchange");
  CHECK(strstr(error.message, "was freed") != NULL);
  xt_exchange_free(exchange);
  CHECK(xt_ranks_create(NULL, &freed, &error) == XT_OK); /* a second one beside the first */
  CHECK(xt_ranks_all_reduce(freed, &a, &a, XT_COMBINE_ADD, XT_ALL_RANKS, &exchange, &error) == XT_OK);
  xt_ranks_free(freed); /* before its exchange */
  CHECK(xt_exchange_wait(exchange, &error) == XT_OK);
  REFUSED(xt_ranks_mesh(freed, shape, 1, &error), "ranks");
  CHECK(xt_ranks_count(freed) == 0);
  xt_exchange_free(exchange);
}

static void refuseArrays(xt_ranks *ranks) {
  xt_argument a = array(), bad = array();
#define REDUCE(from, into) xt_ranks_all_reduce(ranks, from, into, XT_COMBINE_ADD, XT_ALL_RANKS, NULL, &error)
  REFUSED(REDUCE(NULL, &a), "from");
  REFUSED(REDUCE(&a, NULL), "into");
  bad.size = 3;
  REFUSED(REDUCE(&bad, &a), "from.size");
  bad = array(), bad.kind = XT_INTEGER;
  REFUSED(REDUCE(&bad, &a), "from");
  bad = array(), bad.kind = (xt_argument_kind)77;
  REFUSED(REDUCE(&bad, &a), "from");
  bad = array(), bad.element = (xt_element)77;
  REFUSED(REDUCE(&bad, &a), "from");
  bad = array(), bad.rank = 6;
  REFUSED(REDUCE(&bad, &a), "from");
  bad = array(), bad.rank = -1;
  REFUSED(REDUCE(&bad, &a), "from");
  bad = array(), bad.data = NULL;
  REFUSED(REDUCE(&bad, &a), "from");
  bad = array(), bad.shape = NULL;
  REFUSED(REDUCE(&bad, &a), "from");
  bad = array(), bad.shape = huge;
  REFUSED(REDUCE(&bad, &a), "from");
  bad = array(), bad.strides = huge;
  REFUSED(REDUCE(&bad, &a), "from");
  bad = array(), bad.strides = negative;
  REFUSED(REDUCE(&bad, &a), "from");
  bad = array(), bad.data = (char *)memory + 1;
  REFUSED(REDUCE(&bad, &a), "from");
  bad = array(), bad.strides = crossing;
  REFUSED(REDUCE(&a, &bad), "into");
  CHECK(REDUCE(&bad, &a) == XT_OK); /* may be read */
  bad = array(), bad.read_only = 1;
  REFUSED(REDUCE(&a, &bad), "into");
  bad = array(), bad.element = XT_I32;
  REFUSED(REDUCE(&a, &bad), "into");
  bad = array(), bad.rank = 1;
  REFUSED(REDUCE(&a, &bad), "into");
  a.element = bad.element = XT_I4, bad.rank = 2;
  REFUSED(REDUCE(&a, &bad), "kind");
}

static void refuseArguments(xt_ranks *ranks) {
  xt_argument a = array();
  const int32_t count = xt_ranks_count(ranks);
  const int64_t outside[2] = {0, 3}, extents[9] = {0}, wrong[2] = {-1, 1};
  xt_shard part = XT_INIT(xt_shard);
  xt_traffic traffic = XT_INIT(xt_traffic);
  xt_ranks_options options = XT_INIT(xt_ranks_options);
  xt_ranks *none = NULL;
  options.seconds = -1;
  REFUSED(xt_ranks_create(&options, &none, &error), "options.seconds");
  options.size = 1;
  REFUSED(xt_ranks_create(&options, &none, &error), "options.size");
  CHECK(none == NULL);
  REFUSED(xt_ranks_all_reduce(ranks, &a, &a, (xt_combine)77, XT_ALL_RANKS, NULL, &error), "kind");
  REFUSED(xt_ranks_all_reduce(ranks, &a, &a, XT_COMBINE_ADD, 1, NULL, &error), "axis");
  REFUSED(xt_ranks_all_reduce(ranks, &a, &a, XT_COMBINE_ADD, -2, NULL, &error), "axis");
  REFUSED(xt_ranks_broadcast(ranks, &a, &a, count, XT_ALL_RANKS, NULL, &error), "root");
  REFUSED(xt_ranks_shift(ranks, &a, &a, 1, 7, NULL, &error), "axis");
  REFUSED(xt_ranks_send(ranks, &a, count, NULL, &error), "to");
  REFUSED(xt_ranks_recv(ranks, &a, -2, NULL, &error), "from");
  REFUSED(xt_ranks_send(ranks, NULL, 0, NULL, &error), "array");
  REFUSED(xt_ranks_mesh(ranks, NULL, 1, &error), "extents");
  REFUSED(xt_ranks_mesh(ranks, extents, 0, &error), "axes");
  REFUSED(xt_ranks_mesh(ranks, extents, 9, &error), "axes");
  REFUSED(xt_ranks_mesh(ranks, wrong, 2, &error), "extents");
  REFUSED(xt_ranks_all_gather(ranks, &a, NULL, &a, NULL, 1, NULL, &error), "from_dims");
  REFUSED(xt_ranks_all_gather(ranks, &a, third, &a, NULL, 1, NULL, &error), "from_dims");
  REFUSED(xt_ranks_all_gather(ranks, &a, rows, &a, NULL, 2, NULL, &error), "dim_count");
  REFUSED(xt_ranks_reduce_scatter(ranks, &a, &a, third, 1, XT_COMBINE_ADD, NULL, &error), "into_dims");
  REFUSED(xt_ranks_broadcast_slice(ranks, &a, rows, 1, NULL, &a, NULL, &error), "begin");
  REFUSED(xt_ranks_broadcast_slice(ranks, &a, rows, 1, outside, &a, NULL, &error), "begin");
  REFUSED(xt_ranks_shard(ranks, &a, rows, -1, &part, &error), "dim_count");
  REFUSED(xt_ranks_shard(ranks, &a, NULL, 0, NULL, &error), "part");
  REFUSED(xt_ranks_traffic(ranks, NULL, &error), "traffic");
  traffic.size = 0;
  REFUSED(xt_ranks_traffic(ranks, &traffic, &error), "traffic.size");
  if (count > 1) {
    REFUSED(xt_ranks_all_gather(ranks, &a, rows, &a, NULL, 1, NULL, &error), "into"); /* the whole array is larger */
    REFUSED(xt_ranks_reduce_scatter(ranks, &a, &a, rows, 1, XT_COMBINE_ADD, NULL, &error), count == 3 ? "into_dims" : "into");
  }
}

int main(void) {
  xt_ranks *ranks = NULL;
  const int64_t grid[2] = {0, 1}, uneven[1] = {7};
  xt_argument row = array();
  xt_shard part = XT_INIT(xt_shard);
  if (xt_ranks_create(NULL, &ranks, &error) != XT_OK) return puts(error.message), 2;
  refuseHandles(ranks);
  refuseArrays(ranks);
  refuseArguments(ranks);
  CHECK(xt_ranks_mesh(ranks, grid, 2, &error) == XT_OK && xt_ranks_extent(ranks, 0) == xt_ranks_count(ranks));
  REFUSED(xt_ranks_shard(ranks, &row, twice, 2, &part, &error), "dims");
  row.rank = 1, row.shape = uneven, row.data = NULL;
  if (xt_ranks_count(ranks) == 4) {
    REFUSED(xt_ranks_shard(ranks, &row, rows, 1, &part, &error), "dims");
    CHECK(strstr(error.message, "the extent 7 of dimension 0 is no multiple of the 4 parts") != NULL);
  }
  if (failed == 0 && xt_ranks_rank(ranks) == 0) printf("right on %d\n", (int)xt_ranks_count(ranks));
  xt_ranks_free(ranks);
  xt_ranks_free(ranks); /* does nothing */
  REFUSED(xt_ranks_mesh(ranks, grid, 2, &error), "ranks");
  CHECK(xt_ranks_create(NULL, &ranks, &error) == XT_ENVIRONMENT && strstr(error.message, "finalized") != NULL);
  return failed;
}
