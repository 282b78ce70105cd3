/* A program that uses MPI itself: xt_ranks on a part of its ranks. With an argument, MPI has no threads. */
#include <mpi.h>
#include <xt/mpi.h>

#include <stdio.h>
#include <string.h>

static int withoutThreads(void) {
  xt_error error = XT_INIT(xt_error);
  xt_ranks *ranks = NULL;
  MPI_Init(NULL, NULL);
  const xt_status status = xt_ranks_create(NULL, &ranks, &error);
  puts(status == XT_ENVIRONMENT && strstr(error.message, "MPI_THREAD_SERIALIZED") != NULL ? "refused" : error.message);
  return MPI_Finalize();
}

int main(int argc, char **argv) {
  xt_error error = XT_INIT(xt_error);
  xt_ranks_options options = XT_INIT(xt_ranks_options);
  xt_argument sum = XT_INIT(xt_argument);
  xt_ranks *ranks = NULL, *none = NULL;
  MPI_Comm half, null = MPI_COMM_NULL;
  int level = 0, rank = 0, count = 0, members = 0;
  if (argc > 1) return argv[1][0] != 0 ? withoutThreads() : 1;
  MPI_Init_thread(NULL, NULL, MPI_THREAD_SERIALIZED, &level);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  MPI_Comm_size(MPI_COMM_WORLD, &count);
  MPI_Comm_split(MPI_COMM_WORLD, rank % 2, rank, &half);
  MPI_Comm_size(half, &members);
  int64_t value = rank;
  sum.kind = XT_ARRAY;
  sum.element = XT_I64;
  sum.data = &value;
  options.communicator = &null;
  if (xt_ranks_create(&options, &none, &error) != XT_ENVIRONMENT) return puts("MPI_COMM_NULL is accepted"), 1;
  options.communicator = &half;
  if (xt_ranks_create(&options, &ranks, &error) ||
      xt_ranks_all_reduce(ranks, &sum, &sum, XT_COMBINE_ADD, XT_ALL_RANKS, NULL, &error))
    return puts(error.message), 1;
  const int right = xt_ranks_count(ranks) == members && value == members * (members - 1) + members * (rank % 2);
  xt_ranks_free(ranks); /* MPI goes on */
  int all = 0;
  MPI_Allreduce(&right, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
  if (rank == 0) printf(all == count ? "right on %d\n" : "wrong on %d\n", count);
  return MPI_Finalize();
}
