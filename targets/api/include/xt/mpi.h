/* libxt_mpi: divides arrays among the ranks of an MPI program, and communicates between them.
 *
 *   xt_ranks *ranks;   xt_ranks_create(NULL, &ranks, &error);
 *   xt_ranks_shard(ranks, &whole, dims, 1, &part, &error);              // the part of an array that this rank holds
 *   xt_ranks_all_reduce(ranks, &array, &array, XT_COMBINE_ADD, XT_ALL_RANKS, NULL, &error);
 *
 * Errors, structures, handles, threads and texts are as in xt.h. Freed handles are errors until a few thousand others have been freed.
 * Compiling this needs no header of MPI, and the library needs neither libxt nor a compiler: a program whose kernels run on the parts
 * links both.
 *
 * Ranks. Each process of the program is a rank, from 0 on. They form a grid, the mesh, numbered along its last axis first; at first it has
 * one axis with all ranks. An `axis` of an operation restricts it to ranks that differ along that axis only; XT_ALL_RANKS: all of them.
 *
 * Order. All ranks call the same operations (xt_ranks_mesh and those below) in the same order, with the same arguments apart from the
 * memory, and those that take no part in a message call xt_ranks_send and xt_ranks_recv as well. Before data moves, each rank tells the
 * others what it is about to do, so a difference is an error on all ranks.
 *
 * Arrays are memory of the host, described by an xt_argument of the kind XT_ARRAY, with any strides that are not negative; arrays that are
 * not contiguous are packed. Memory of a device has to be copied first (xt_buffer_read). `from` is read and `into` is written; they may
 * be the same array or overlap. No two indices of `into` may have the same element. `from` is not changed if it is another array.
 *
 * Operations that go on. With `exchange` NULL an operation returns when it is done on this rank. Otherwise it is only started: a thread
 * of the library carries out operations one after another, in the order of their calls, and xt_exchange_wait waits for one. Until then
 * the memory of `from` must not be changed, that of `into` not be used, and both must exist.
 *
 * Failures. An operation that fails fails on all ranks, and the next one works again:
 *   XT_INVALID_ARGUMENT with an `argument`: this rank has refused it. The call returns when all ranks have learnt that.
 *   XT_STOPPED: another rank has refused it; the message has its reason.
 *   XT_INVALID_ARGUMENT without an `argument`: the ranks call different operations, or the same one with other types, shapes or arguments;
 *   or a message that is received has not been sent, or has another type or shape.
 *   XT_ENVIRONMENT: a rank has been silent for too long, or the network failed. From then on all operations are XT_ENVIRONMENT. The same
 *   holds after a rank has freed its handle while others go on; the first operation then is XT_INVALID_ARGUMENT.
 * A failure drops messages that have been sent and not received. `into` then has any content. A NULL or freed `ranks` is refused without
 * word to the others, which wait until their time is over.
 *
 * MPI calls. The library calls MPI in threads of its own, one at a time, and only from the begin of an operation to its end. A program
 * that calls MPI itself while operations go on needs MPI_THREAD_MULTIPLE. */
#ifndef XT_MPI_H
#define XT_MPI_H

#include <xt/xt.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct xt_ranks xt_ranks;       /* the ranks of the program, with their mesh */
typedef struct xt_exchange xt_exchange; /* an operation that goes on */

#define XT_ALL_RANKS (-1)
#define XT_NO_RANK (-1)
#define XT_NOT_DIVIDED (-1)
#define XT_MAX_AXES 8

typedef enum xt_combine {
  XT_COMBINE_ADD = 1,
  XT_COMBINE_MUL = 2,
  XT_COMBINE_MAX = 3, /* NaN if one value is NaN */
  XT_COMBINE_MIN = 4, /* the same */
  XT_COMBINE_LIMIT = 0x7fffffff /* no kind, as XT_STATUS_MAX is no status */
} xt_combine;

typedef struct xt_ranks_options {
  size_t size;
  const void *communicator; /* an MPI_Comm *, of which a duplicate is used; NULL: that of MPI_COMM_WORLD */
  double seconds; /* how long a rank waits in an operation until the silence of another one is an error; 0: 600 */
} xt_ranks_options;

/* --- ranks -------------------------------------------------------------------------------------------------------------------- */

/* All ranks of the communicator call this. Initialises MPI with MPI_THREAD_SERIALIZED, if the program has not. If it has, that must have
 * been with this level or a higher one. `options`: NULL stands for zeros. XT_ENVIRONMENT: MPI is not usable; an MPI that has been
 * finalized cannot begin again. */
XT_API xt_status xt_ranks_create(const xt_ranks_options *options, xt_ranks **ranks, xt_error *error);
/* All ranks call this. Waits for operations that go on, and for the other ranks, unless they no longer answer. Where the library has
 * initialised MPI, it finalizes it with the last xt_ranks, and that stays until its exchanges are freed too; after a rank has been silent
 * it does not, and mpirun ends the program when this process ends. */
XT_API void xt_ranks_free(xt_ranks *ranks);

/* The number of this rank, from 0; -1 for an invalid handle. */
XT_API int32_t xt_ranks_rank(const xt_ranks *ranks);
/* The number of ranks; 0 for an invalid handle. */
XT_API int32_t xt_ranks_count(const xt_ranks *ranks);

/* An operation: arranges the ranks in a grid of 1 to XT_MAX_AXES axes. The product of the extents is the number of ranks; extents of 0 are
 * chosen as equal as possible, the first one largest. Drops messages that have not been received. */
XT_API xt_status xt_ranks_mesh(xt_ranks *ranks, const int64_t *extents, int32_t axes, xt_error *error);
/* The number of ranks along an axis of the mesh, and the place of this rank along it; 0 and -1 for an invalid handle or axis. */
XT_API int32_t xt_ranks_extent(const xt_ranks *ranks, int32_t axis);
XT_API int32_t xt_ranks_position(const xt_ranks *ranks, int32_t axis);

/* The part of an array that this rank holds. */
typedef struct xt_shard {
  size_t size;
  int32_t rank; /* of the array */
  void *data; /* its first element; NULL if that of the whole array is */
  int64_t shape[XT_MAX_RANK], strides[XT_MAX_RANK]; /* in elements; the strides are those of the whole array */
  int64_t begin[XT_MAX_RANK]; /* the index in the whole array of the part's first element */
} xt_shard;

/* Finds this rank's part of an array, without communication. `dims` says how the array is divided: for each axis of the mesh the dimension
 * that the axis divides, or XT_NOT_DIVIDED; axes at the end may be left out. Ranks that differ only along other axes hold the same
 * part. The data of `whole` may be NULL, for the shape of the part alone. XT_INVALID_ARGUMENT if an extent is no multiple of the
 * number of parts; the message has the nearest ones. */
XT_API xt_status xt_ranks_shard(const xt_ranks *ranks, const xt_argument *whole, const int32_t *dims, int32_t dim_count,
                                xt_shard *part, xt_error *error);

/* --- operations --------------------------------------------------------------------------------------------------------------- */

/* Combines arrays of one shape, element by element in the order of the ranks, and gives the result to all of them. Elements have 8 bits
 * or more; sums and products of floats of 16 and 8 bits are taken in f32 and rounded once. Each rank sends 2 (n - 1) / n of the array. */
XT_API xt_status xt_ranks_all_reduce(xt_ranks *ranks, const xt_argument *from, const xt_argument *into, xt_combine kind,
                                     int32_t axis, xt_exchange **exchange, xt_error *error);

/* Gives each rank the parts that it lacks of an array that is divided as `from_dims` says, of which it holds `from`. `into` is the part
 * that `into_dims` says, or the whole array where that is NULL; both have `dim_count` numbers, as in xt_ranks_shard. The shape of
 * the whole array follows from the parts. `from` may be the shard of `into`. */
XT_API xt_status xt_ranks_all_gather(xt_ranks *ranks, const xt_argument *from, const int32_t *from_dims,
                                     const xt_argument *into, const int32_t *into_dims, int32_t dim_count,
                                     xt_exchange **exchange, xt_error *error);

/* Combines arrays of one shape, as xt_ranks_all_reduce does for all ranks, and gives each rank its part of the result, `into`, which is
 * divided as `into_dims` says. Each rank sends (n - 1) / n of the array, if all ranks have parts of their own. */
XT_API xt_status xt_ranks_reduce_scatter(xt_ranks *ranks, const xt_argument *from, const xt_argument *into,
                                         const int32_t *into_dims, int32_t dim_count, xt_combine kind, xt_exchange **exchange,
                                         xt_error *error);

/* Gives what the rank at place `root` of the axis holds in `from` to the others along the axis, in `into`, which has the same shape. */
XT_API xt_status xt_ranks_broadcast(xt_ranks *ranks, const xt_argument *from, const xt_argument *into, int32_t root,
                                    int32_t axis, xt_exchange **exchange, xt_error *error);

/* Gives all ranks a slice of an array that is divided as `from_dims` says, of which each holds `from`. The slice begins at the index `begin`
 * of the whole array (a number for each dimension) and has the shape of `into`. */
XT_API xt_status xt_ranks_broadcast_slice(xt_ranks *ranks, const xt_argument *from, const int32_t *from_dims, int32_t dim_count,
                                          const int64_t *begin, const xt_argument *into, xt_exchange **exchange,
                                          xt_error *error);

/* Gives what each rank holds in `from` to the rank that is `by` places further along the axis, in `into`, around a ring. `by` may be
 * negative. */
XT_API xt_status xt_ranks_shift(xt_ranks *ranks, const xt_argument *from, const xt_argument *into, int64_t by, int32_t axis,
                                xt_exchange **exchange, xt_error *error);

/* Sends an array to the rank `to`, which receives it by a later xt_ranks_recv, or to itself. All ranks call this; those that send nothing
 * give XT_NO_RANK, and their array may be NULL. The array is copied: it may be changed when the operation is done. */
XT_API xt_status xt_ranks_send(xt_ranks *ranks, const xt_argument *array, int32_t to, xt_exchange **exchange, xt_error *error);
/* Receives the first array that the rank `from` has sent to this one and that has not been received; type and shape are the same. All
 * ranks call this; those that receive nothing give XT_NO_RANK, and their array may be NULL. */
XT_API xt_status xt_ranks_recv(xt_ranks *ranks, const xt_argument *array, int32_t from, xt_exchange **exchange,
                               xt_error *error);

/* Waits for the end of an operation and returns its status; later calls return the same. */
XT_API xt_status xt_exchange_wait(xt_exchange *exchange, xt_error *error);
/* Waits for the end of the operation. */
XT_API void xt_exchange_free(xt_exchange *exchange);

/* --- traffic ------------------------------------------------------------------------------------------------------------------ */

/* What this rank has moved since xt_ranks_create. Descriptions of operations are not counted: they take 0.6 KB per rank and operation. */
typedef struct xt_traffic {
  size_t size;
  int64_t operations, messages; /* messages that were sent */
  int64_t sent, received; /* bytes of data */
} xt_traffic;

/* Waits for the operations that go on. `traffic` is versioned: its size is set by the caller. */
XT_API xt_status xt_ranks_traffic(xt_ranks *ranks, xt_traffic *traffic, xt_error *error);

#ifdef __cplusplus
}
#endif

#endif
