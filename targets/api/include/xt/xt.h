/* libxt: compiles kernels of .xt files and runs them on arrays of the calling program.
 *
 *   xt_context *context;     xt_context_create(NULL, &context, &error);
 *   xt_program *program;     xt_compile(context, &options, &program, NULL, &error);
 *   xt_kernel *kernel;       xt_program_kernel(program, "gemm", &kernel, &error);
 *   xt_launch(kernel, arguments, 3, NULL, &error);
 *
 * Errors. Functions that can fail return an xt_status and, where `error` is not NULL, describe the failure there. After a failure
 * all other outputs are unchanged, unless their description says otherwise. No function ends the process, throws an exception, or
 * writes to a standard stream. A memory fault inside a kernel is XT_ENVIRONMENT: for this, launches on the CPU handle SIGSEGV and
 * SIGBUS, and pass on faults that are not theirs to the handlers that were installed before.
 *
 * Structures. A structure whose first member is `size` is versioned: the caller sets it to the size of the structure that it was
 * compiled with (XT_INIT does); later versions only add members at the end, for which 0 stands for the behaviour without them.
 * In structures that the library returns, `size` says which members exist.
 *
 * Handles. An object belongs to whoever created it, and is freed by the function of its kind; freeing NULL does nothing. Objects
 * may be freed in any order: what is still needed stays until its last user is freed. NULL and a handle of another kind are
 * errors. A handle that was freed is an error as well while its context exists, until a few thousand others have been freed.
 *
 * Callbacks must not throw exceptions or leave by longjmp.
 *
 * Threads. Functions may be called by several threads at once, with the same handles too, except that nothing else may use a
 * handle while it is freed. Launches of one program run one after another, each on all threads of the program; so do those of
 * programs on one GPU, if they have the same native objects or none. A child of fork() may launch on the CPU if no launch ran during
 * the fork, and creates streams of its own; drivers of GPUs do not work in such a child.
 *
 * Texts are UTF-8 and end with a zero byte. Texts and arrays in returned structures belong to the object that returned them. */
#ifndef XT_XT_H
#define XT_XT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
template <class T> inline T xt_init() {
  T made = T();
  made.size = sizeof(T);
  return made;
}
extern "C" {
#endif

#define XT_API __attribute__((visibility("default")))
#define XT_VERSION_MAJOR 0
#define XT_VERSION_MINOR 1

/* Initialises a versioned structure to zeros and its size: `xt_error error = XT_INIT(xt_error);` */
#ifdef __cplusplus
#define XT_INIT(type) xt_init<type>()
#else
#define XT_INIT(type) {.size = sizeof(type)}
#endif

typedef struct xt_context xt_context;         /* settings of compilations */
typedef struct xt_program xt_program;         /* the compiled kernels of one file */
typedef struct xt_kernel xt_kernel;           /* belongs to its program, and is freed with it */
typedef struct xt_prepared xt_prepared;       /* a kernel with arguments that have been checked */
typedef struct xt_diagnostics xt_diagnostics; /* the messages of one compilation */
typedef struct xt_buffer xt_buffer;           /* memory of the device that runs a program */
typedef struct xt_stream xt_stream;           /* work that runs in order while the program goes on */
typedef struct xt_event xt_event;             /* a point between the work of a stream */
typedef struct xt_import xt_import;           /* receives the text of an imported file; valid in xt_read_import only */

typedef enum xt_status {
  XT_OK = 0,
  XT_INVALID_ARGUMENT = 1, /* of a function or a kernel; xt_error.argument names it */
  XT_COMPILE_FAILED = 2,   /* the program is wrong; the diagnostics say where */
  XT_NOT_FOUND = 3,        /* there is no such kernel, target, device, test, import or tune file */
  XT_UNSUPPORTED = 4,      /* the target cannot run the kernel */
  XT_KERNEL_FAILED = 5,    /* a failed assert, a deadlock, an access that the target reports */
  XT_ENVIRONMENT = 6, /* no memory, a file that is absent or unreadable, a driver that fails, an array at an invalid address */
  XT_INTERNAL = 7, /* a bug of xt. The objects of the call must not be used any more */
  XT_STOPPED = 8, /* the caller ended the call, or its time was over */
  XT_STATUS_MAX = 0x7fffffff /* no status: gives the type 32 bits, so that every number that a caller passes is a value of it */
} xt_status;

typedef struct xt_error {
  size_t size;
  xt_status status;
  int32_t index; /* of the wrong argument of a kernel, from 0; -1: not an argument of a kernel */
  char argument[120]; /* the parameter of the kernel or function that is wrong: "A", "options.path"; "": none */
  char message[1024]; /* one or several lines; for positions in a source, it begins with FILE:LINE:COLUMN */
} xt_error;

/* "xt 0.1.0 (1f0c2a9b3d4e)"; never freed. */
XT_API const char *xt_version(void);
/* "XT_INVALID_ARGUMENT"; "?" for a value that is no status. */
XT_API const char *xt_status_name(xt_status status);
/* The name of the n-th target, which xt_compile_options.target takes; NULL from the number of targets on. */
XT_API const char *xt_target_name(size_t n);
/* What the n-th target is, in one line; NULL from the number of targets on. */
XT_API const char *xt_target_summary(size_t n);

/* A device that a target may run on. Later versions may add members. */
typedef struct xt_device {
  size_t size;
  const char *name;
  const char *driver; /* "Level Zero 1.3.24595"; "" if there is none */
  const char *choice; /* the xt_compile_options.device that selects it; NULL: it is the target's only one */
  const char *hardware; /* the name of what kernels are compiled for, "xe-pvc"; "": the target decides */
  const char *problem; /* why it cannot be used; "" if it can be */
  int64_t memory_bytes; /* 0: not known */
  int32_t software; /* not 0: it is a program */
} xt_device;
/* Receives a device, which exists until the function returns. */
typedef void (*xt_found_device)(void *user, const xt_device *device);
/* Calls `found` for each device of a target, which may start its driver. `target`: NULL stands for "cpu". XT_NOT_FOUND: there is no such
 * target. XT_ENVIRONMENT: the driver does not say. */
XT_API xt_status xt_target_devices(const char *target, xt_found_device found, void *user, xt_error *error);

/* --- contexts ----------------------------------------------------------------------------------------------------------------- */

typedef struct xt_context_options {
  size_t size;
  /* Where compiled code is kept for later processes. NULL: as the environment says (XT_CACHE_DIR, XDG_CACHE_HOME, HOME). "":
   * nowhere. A directory that other users can write to is not used. */
  const char *cache_directory;
} xt_context_options;

/* `options`: NULL stands for zeros. */
XT_API xt_status xt_context_create(const xt_context_options *options, xt_context **context, xt_error *error);
/* After this call the handle is invalid in a way that later calls cannot detect. */
XT_API void xt_context_free(xt_context *context);

/* --- compilations ------------------------------------------------------------------------------------------------------------- */

typedef struct xt_define { /* of `-D NAME=VALUE`; not versioned */
  const char *name, *value; /* "BM" without $, "128" */
} xt_define;

/* Gives the text of an import: calls xt_import_text and returns XT_OK, or returns XT_NOT_FOUND, or another status if the file exists
 * and cannot be read. An import is looked up under several paths; XT_NOT_FOUND leads to the next one. Called by the thread that
 * compiles. */
typedef xt_status (*xt_read_import)(void *user, const char *path, xt_import *import);
/* Sets the text of the import. The bytes are copied. Does nothing outside of the call that got the import, and on other
 * threads. */
XT_API void xt_import_text(xt_import *import, const char *text, size_t bytes);

/* Receives what kernels print, in whole lines; called by the thread that launches, or by that of the stream. It must not launch the same
 * program, use its buffers, or wait for a stream that runs it. */
typedef void (*xt_print)(void *user, const char *text, size_t bytes);

typedef struct xt_compile_options {
  size_t size;
  const char *path; /* the file that is compiled; with `text`, its name in messages, from whose folder imports start */
  const char *text; /* compiled instead of the file's content, if not NULL: `text_bytes` bytes */
  size_t text_bytes;
  const char *target; /* NULL: "cpu" */
  const char *device; /* of a GPU target: "gpu", "soft", "opencl"; NULL: the first available one */
  const xt_define *defines; /* values of the file's parameters */
  size_t define_count;
  xt_read_import read_import; /* NULL: imports are files. Otherwise only the standard library (std/…) is, where it returns
                                 XT_NOT_FOUND */
  void *read_import_user;
  xt_print print; /* NULL: prints of kernels are dropped */
  void *print_user;
  int32_t threads; /* that run a launch on the CPU, with the calling one; 0: one per processor; at most 1024 are used */
  int32_t remarks; /* not 0: the diagnostics contain remarks, which say what layouts cost and how ops are computed */
  int32_t skip_optimiser; /* not 0: compiles faster to code that runs slower, with the same results */
  /* A file that `xtrun --tune` or xt_tune has written: launches use the fastest values of parameters that it has for the nearest
   * sizes. NULL: `path` with .tune behind it, if that is there and `text` is NULL. "": none. */
  const char *tuning;
  /* Objects of a GPU's driver that belong to the caller and must exist as long as the program and what is made of it: launches then run in
   * this context, behind the work that is in this queue, to which nothing else may add work while a launch runs. Level Zero: a ze_context_handle_t, a ze_device_handle_t, and an immediate command
   * list or NULL. CUDA: a CUcontext, the number of its CUdevice as a pointer, and a CUstream or NULL. */
  void *native_context, *native_device, *native_queue;
  /* NULL, or a number that another thread sets to stop the compilation: it ends with XT_STOPPED before its next step. */
  const int32_t *stop;
} xt_compile_options;

/* Compiles the kernels of a file. `diagnostics` (may be NULL) receives the messages whenever the front end ran, that is also after
 * XT_COMPILE_FAILED; otherwise it receives NULL. `error` holds the first error as text, with its excerpt of the source. */
XT_API xt_status xt_compile(xt_context *context, const xt_compile_options *options, xt_program **program,
                            xt_diagnostics **diagnostics, xt_error *error);
XT_API void xt_program_free(xt_program *program);

/* --- tuning --------------------------------------------------------------------------------------------------------------------- */

/* Receives a line on the state of a search, as text, and each result, as a JSON object with the members that `xtrun --tune --json`
 * prints for a test; `bytes` without the zero byte behind them. A result other than 0 ends the search: what it has found is kept. */
typedef int32_t (*xt_tune_text)(void *user, const char *text, size_t bytes);

typedef struct xt_tune_options {
  size_t size;
  const char *path; /* a file with tests that have checks */
  const char *target, *device; /* as in xt_compile_options */
  const xt_define *defines; /* parameters that keep these values */
  size_t define_count;
  const char *const *tests; /* names of tests; NULL: all */
  size_t test_count;
  double seconds; /* longest time for each test; 0: 60 */
  int32_t threads; /* that run a launch on the CPU; 0: one per processor */
  int32_t small_sizes; /* not 0: the small sizes of tests are timed */
  const char *output; /* the file that receives the results; NULL: `path` with .tune behind it */
  xt_tune_text progress, report; /* may be NULL */
  void *user;
} xt_tune_options;

/* Finds the fastest values of a file's parameters, among those that `param ... in [...]` lists. Each combination is checked before it
 * is timed. Writes what it finds after each test. XT_NOT_FOUND: no test has one of the names. */
XT_API xt_status xt_tune(xt_context *context, const xt_tune_options *options, xt_error *error);

/* --- diagnostics -------------------------------------------------------------------------------------------------------------- */

typedef enum xt_severity { XT_SEVERITY_ERROR = 0, XT_SEVERITY_WARNING = 1, XT_SEVERITY_REMARK = 2 } xt_severity;

/* The structures of diagnostics are read-only and not versioned, except xt_diagnostic. */
typedef struct xt_range {
  const char *file; /* "" if the message is about no place */
  uint32_t begin, end; /* bytes of the file's text, half open */
  uint32_t line, column; /* of the begin, from 1; columns count code points */
  uint32_t end_line, end_column;
} xt_range;
typedef struct xt_label {
  xt_range range;
  const char *text;
} xt_label;
typedef struct xt_edit { /* replaces a range */
  xt_range range;
  const char *replacement;
} xt_edit;
typedef struct xt_fix {
  const char *title;
  const xt_edit *edits; /* from the last position to the first, so that applying one does not move the others */
  size_t edit_count;
} xt_fix;
typedef struct xt_diagnostic {
  size_t size;
  xt_severity severity;
  const char *code; /* "XT0412"; explained by `xtc --explain` */
  const char *message; /* one line */
  xt_range range; /* the smallest range that is wrong */
  const char *label; /* what the message says at the range; may be "" */
  const char *picture; /* lines of preformatted text, such as who owns what; may be "" */
  const char *text; /* all of it as xtc prints it, with excerpts of the source */
  const xt_label *labels; /* other places */
  size_t label_count;
  const char *const *notes;
  size_t note_count;
  const xt_fix *fixes; /* at most two, each of which compiles */
  size_t fix_count;
} xt_diagnostic;

/* The number of messages; 0 for an invalid handle. They are in the order of the source. */
XT_API size_t xt_diagnostics_count(const xt_diagnostics *diagnostics);
/* NULL for an invalid handle, and from the number of messages on. */
XT_API const xt_diagnostic *xt_diagnostics_at(const xt_diagnostics *diagnostics, size_t n);
XT_API void xt_diagnostics_free(xt_diagnostics *diagnostics);

/* --- kernels ------------------------------------------------------------------------------------------------------------------ */

/* Element types. In memory XT_I1, XT_I4, XT_U4 and XT_F4E2M1 take a byte each, XT_TF32 four bytes, XT_INDEX eight. */
typedef enum xt_element {
  XT_I1 = 1,
  XT_I4 = 2,
  XT_I8 = 3,
  XT_I16 = 4,
  XT_I32 = 5,
  XT_I64 = 6,
  XT_U8 = 7,
  XT_U16 = 8,
  XT_U32 = 9,
  XT_U64 = 10,
  XT_INDEX = 11,
  XT_F64 = 12,
  XT_F32 = 13,
  XT_TF32 = 14,
  XT_F16 = 15,
  XT_BF16 = 16,
  XT_F8E4M3 = 17,
  XT_F8E5M2 = 18,
  XT_U4 = 19,
  XT_F4E2M1 = 20,
  XT_F8E8M0 = 21,
  XT_ELEMENT_MAX = 0x7fffffff /* no type, as XT_STATUS_MAX is no status */
} xt_element;
/* "bf16"; NULL for a value that is no element type. */
XT_API const char *xt_element_name(xt_element element);
/* Bytes of an element in memory; 0 for a value that is no element type. */
XT_API size_t xt_element_bytes(xt_element element);

#define XT_DYNAMIC INT64_MIN /* an extent or stride that the launch determines */

typedef struct xt_parameter {
  size_t size;
  const char *name; /* without % */
  const char *type; /* "memref<?x128xf32>" */
  xt_element element;
  int32_t is_array;
  int32_t rank;
  const int64_t *shape,
      *strides; /* of an array: `rank` numbers each, in elements; XT_DYNAMIC where the type leaves them open */
  int32_t reads, writes; /* whether the kernel may read and write the array */
} xt_parameter;

typedef struct xt_kernel_info {
  size_t size;
  const char *name; /* without @ */
  const char *signature; /* the kernel's header as text */
  const xt_parameter *const *parameters;
  size_t parameter_count;
  int32_t grid_rank; /* variables of the kernel's own grid; 0: the launch gives the grid */
  const char *json; /* grid, layouts, shared local memory, operations and bytes: as `xtrun --describe --json` prints them */
} xt_kernel_info;

/* The number of kernels of a program; 0 for an invalid handle. Imported kernels are not among them. */
XT_API size_t xt_program_kernel_count(const xt_program *program);
/* The n-th kernel in the order of the file. NULL for an invalid handle, and from the number of kernels on. */
XT_API xt_kernel *xt_program_kernel_at(xt_program *program, size_t n);
/* The kernel of this name, with or without @. XT_NOT_FOUND lists the kernels. */
XT_API xt_status xt_program_kernel(xt_program *program, const char *name, xt_kernel **kernel, xt_error *error);
/* What a kernel takes; valid as long as its program. NULL for an invalid handle. */
XT_API const xt_kernel_info *xt_kernel_describe(const xt_kernel *kernel);

/* --- launches ----------------------------------------------------------------------------------------------------------------- */

typedef enum xt_argument_kind {
  XT_ARRAY = 1,
  XT_INTEGER = 2,
  XT_FLOAT = 3,
  XT_ARGUMENT_KIND_MAX = 0x7fffffff
} xt_argument_kind;
#define XT_MAX_RANK 5

/* An argument of a launch. Arrays are not copied on the CPU: a kernel reads and writes the caller's memory during the launch. On a GPU this
 * holds for memory that the device sees, as that of xt_buffer_data, zeMemAllocDevice, zeMemAllocShared or cuMemAlloc is; other arrays are
 * copied to the device and back. Work of other queues that writes such memory has to be done before the launch begins, except that on
 * NVIDIA's GPUs a launch without native objects runs behind the work of CUDA's default stream. */
typedef struct xt_argument {
  size_t size;
  xt_argument_kind kind;
  xt_element element; /* of an array */
  int32_t rank; /* of an array: 0 to XT_MAX_RANK */
  int32_t read_only; /* not 0: an array that the kernel may write is refused */
  void *data; /* element [0, …, 0], at a multiple of the element's bytes; may be NULL if the array is empty */
  const int64_t *shape; /* `rank` extents */
  const int64_t *strides; /* `rank` strides in elements, not negative; NULL: row-major without gaps */
  int64_t integer; /* of XT_INTEGER, for an integer or a float parameter; for u64 its bits */
  double number; /* of XT_FLOAT, rounded to the parameter's type */
} xt_argument;

typedef struct xt_launch_options {
  size_t size;
  /* Workgroups in x, y and z, for a kernel without a grid of its own; grid_rank 0: one workgroup. */
  int32_t grid_rank;
  int64_t grid[3];
  /* When to end the launch with XT_STOPPED: NULL, or a number that another thread sets, which must exist in each run; seconds from the begin
   * of the run, 0: no limit. No workgroup, and no part of one that is divided among threads, begins then; what has begun ends.
   * XT_UNSUPPORTED except on the CPU. */
  const int32_t *stop;
  double seconds;
  /* NULL, or what receives the seconds that the kernel ran, by the clock of the device if it has one, without copies; it must exist in each
   * run. */
  double *kernel_seconds;
} xt_launch_options;

/* Runs a kernel on its arguments, in the order of its parameters, and waits for the end. `options`: NULL stands for zeros. Nothing
 * runs if an argument is wrong: shape, strides, element type, alignment, rank, a read-only array that the kernel writes, an array
 * that the kernel writes and in which several indices have the same element. After XT_KERNEL_FAILED, XT_ENVIRONMENT or XT_STOPPED,
 * arrays that the kernel writes have any content. */
XT_API xt_status xt_launch(xt_kernel *kernel, const xt_argument *arguments, size_t argument_count,
                           const xt_launch_options *options, xt_error *error);

/* Checks the arguments once for many launches. They are copied, but the memory of arrays is the caller's and must exist in each run. */
XT_API xt_status xt_prepare(xt_kernel *kernel, const xt_argument *arguments, size_t argument_count,
                            const xt_launch_options *options, xt_prepared **prepared, xt_error *error);
XT_API xt_status xt_prepared_run(xt_prepared *prepared, xt_error *error);
XT_API void xt_prepared_free(xt_prepared *prepared);

/* --- memory of the device ------------------------------------------------------------------------------------------------------- */

/* Memory of the device that runs the program's kernels, or of the host where that is the CPU. */
XT_API xt_status xt_buffer_create(xt_program *program, size_t bytes, xt_buffer **buffer, xt_error *error);
/* Its address, for xt_argument.data, at a multiple of 64; valid until the buffer is freed, which must not happen while launches use it. The
 * host accesses it only on the CPU. NULL for an invalid handle. */
XT_API void *xt_buffer_data(const xt_buffer *buffer);
XT_API size_t xt_buffer_bytes(const xt_buffer *buffer); /* 0 for an invalid handle */
/* Copy `bytes` bytes, from byte `offset` of the buffer on, from memory of the host, or to it. */
XT_API xt_status xt_buffer_write(xt_buffer *buffer, size_t offset, const void *from, size_t bytes, xt_error *error);
XT_API xt_status xt_buffer_read(xt_buffer *buffer, size_t offset, void *to, size_t bytes, xt_error *error);
XT_API void xt_buffer_free(xt_buffer *buffer);
/* Whether launches of the program use an array at this address in place, because it is in memory of their device. 0 on the CPU. XT_ENVIRONMENT: the memory belongs to another device or context, so that launches cannot use it. */
XT_API xt_status xt_program_sees(xt_program *program, const void *address, int32_t *sees, xt_error *error);

/* --- streams -------------------------------------------------------------------------------------------------------------------- */

/* A stream runs the work that is put into it one after another, on a thread of its own. These functions return at once; arrays, memory of
 * the host, and numbers that options name must exist until the work is done. After work that fails, later work is left out until
 * xt_stream_finish has reported the failure. Work of two streams runs at the same time as far as their devices allow. */
XT_API xt_status xt_stream_create(xt_context *context, xt_stream **stream, xt_error *error);
XT_API xt_status xt_stream_run(xt_stream *stream, xt_prepared *prepared, xt_error *error);
XT_API xt_status xt_stream_write(xt_stream *stream, xt_buffer *buffer, size_t offset, const void *from, size_t bytes,
                                 xt_error *error);
XT_API xt_status xt_stream_read(xt_stream *stream, xt_buffer *buffer, size_t offset, void *to, size_t bytes, xt_error *error);
/* The point behind all work that is in the stream. */
XT_API xt_status xt_stream_record(xt_stream *stream, xt_event **event, xt_error *error);
/* Later work of the stream begins after the event, which may be one of another stream. */
XT_API xt_status xt_stream_wait(xt_stream *stream, xt_event *event, xt_error *error);
/* Waits for all work, and returns the first failure since the last call; the stream then runs later work again. */
XT_API xt_status xt_stream_finish(xt_stream *stream, xt_error *error);
/* Waits for all work. */
XT_API void xt_stream_free(xt_stream *stream);

/* Whether all work before the event is done or left out; 0 for an invalid handle. */
XT_API int32_t xt_event_done(const xt_event *event);
/* Waits until then. Failures of the work are those of xt_stream_finish. */
XT_API xt_status xt_event_wait(xt_event *event, xt_error *error);
/* The seconds from one event to another one, by the clock of the host. XT_INVALID_ARGUMENT if one is not done. */
XT_API xt_status xt_event_seconds(const xt_event *from, const xt_event *to, double *seconds, xt_error *error);
XT_API void xt_event_free(xt_event *event);

#ifdef __cplusplus
}
#endif

#endif
