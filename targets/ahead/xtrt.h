/* What the C code of a library that is compiled ahead of time, and the run time that is linked into it, agree on. Both are made by
 * the same xtc, so nothing here is versioned. */
#ifndef XTRT_H
#define XTRT_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define XTRT_DYNAMIC INT64_MIN /* an extent or stride that the launch determines */
#define XTRT_LEVELS 4 /* of code, from the least: x86-64, x86-64-v3, x86-64-v4, sapphirerapids */

/* A compiled kernel: runs the workgroups, or parts of workgroups, [begin, end). */
typedef void (*xtrt_function)(const uint64_t *frame, int64_t begin, int64_t end, void *scratch);

/* The code of a kernel for one level. */
typedef struct xtrt_code {
  xtrt_function run;
  const int64_t *numbers; /* the table that the function reads */
  int64_t scratchBytes; /* of each stack, if subgroups or lanes wait for each other */
  int64_t fibers; /* stacks of a workgroup, whose subgroups or lanes wait for each other; 0: it runs on the thread's own */
  int64_t lanes; /* of each subgroup, if a stack is a lane */
  int64_t sharedBytes; /* shared local memory of a workgroup with such stacks */
  int64_t frameBytes; /* of each stack, besides what the functions need that it calls */
  int64_t mostParts; /* that a workgroup can be divided into */
  int32_t partsAreCheap; /* no part repeats work of another one */
  int32_t sharedDims; /* bit d: data that workgroups share depends on dimension d of the grid, outermost first */
  int32_t shares; /* whether workgroups share data */
  const char *const *failures; /* by number: what a failed check says */
  size_t failureCount;
} xtrt_code;

typedef struct xtrt_parameter {
  const char *name;
  int32_t rank; /* -1: a scalar */
  int32_t element; /* its type: an Elem (ir/elem_kinds.h) */
  int32_t elementBytes; /* of an array */
  int32_t written; /* whether the kernel may write the array */
  const int64_t *shape, *strides; /* of the type, in elements */
} xtrt_parameter;

/* What arguments must satisfy. */
typedef struct xtrt_requirement {
  const char *text; /* "dim(%B, 0) == dim(%A, 1)" */
  int32_t compares; /* whether it compares two indices, which a message states */
} xtrt_requirement;

struct xtrt_kernel;
/* A kernel that serves launches of some sizes. */
typedef struct xtrt_variant {
  const struct xtrt_kernel *kernel; /* with the same parameters */
  const int64_t *extents; /* of all arguments that are arrays */
  size_t extentCount;
} xtrt_variant;

typedef struct xtrt_kernel {
  const char *name;
  const xtrt_parameter *parameters;
  size_t parameterCount;
  int32_t gridRank; /* 0: one workgroup */
  const xtrt_code *header; /* computes the grid and the requirements (targets/cpu/ahead/header_kernel.h) */
  const xtrt_code *levels; /* of a library for CPUs: XTRT_LEVELS of them */
  const xtrt_variant *variants; /* the one whose extents are the nearest serves a launch in place of this kernel */
  size_t variantCount;
  const xtrt_requirement *requirements;
  size_t requirementCount;
} xtrt_kernel;

/* --- libraries for GPUs (targets/gpu/kernel_abi.h) ------------------------------------------------------------------------------ */

typedef struct xtrt_failure {
  uint32_t first; /* its number; of an assert, that of the first element */
  const char *text, *place; /* what it says, and FILE:LINE:COLUMN */
  int32_t asserted, byWorkgroup;
  const int64_t *shape; /* of what is asserted */
  size_t rank;
} xtrt_failure;

/* A rule for the argument of a parameter that is an array. */
typedef struct xtrt_alignment {
  size_t parameter;
  int64_t bytes;
} xtrt_alignment;
typedef struct xtrt_block_use {
  size_t parameter;
  int32_t turned;
} xtrt_block_use;

/* The facts of one kernel in a GPU's code. */
typedef struct xtrt_gpu_kernel {
  const char *entry;
  int64_t subgroups, subgroupSize;
  int64_t slmBytes, givenSlmBytes;
  int32_t largeRegisterFile, reportsFailures;
  int32_t overlapRule; /* how the arguments of a launch may overlap: an OverlapRule of ir/interp/disjoint_arguments.h */
  const xtrt_failure *failures;
  size_t failureCount;
  const xtrt_alignment *alignments;
  size_t alignmentCount;
  const xtrt_block_use *blockUses;
  size_t blockUseCount;
} xtrt_gpu_kernel;

/* SPIR-V or PTX. */
typedef struct xtrt_gpu_code {
  const unsigned char *begin, *end;
  const xtrt_gpu_kernel *kernels; /* those of the library, in its order */
} xtrt_gpu_code;

typedef struct xtrt_gpu_library {
  const char *target; /* "xe-pvc" */
  const xtrt_kernel *const *kernels;
  const int32_t *overlapRules; /* of each kernel, by its text, like overlapRule */
  size_t kernelCount;
  /* That assumes what it can about arguments; that assumes nothing; the first one for drivers that take inline assembly
   * (SPV_INTEL_inline_assembly), or zeros. */
  xtrt_gpu_code code[3];
} xtrt_gpu_library;

/* An argument: the address of words. Of an array these are its address, extents and strides; of a scalar its bits. */
typedef const void *xtrt_argument;

/* Runs a kernel and waits for the end. Returns a status of xt.h (0: it ran), and writes the message of a failure, cut to the
 * memory that there is for it; `message` may be NULL. Launches run one after another. */
int xtrt_launch(const xtrt_kernel *kernel, const xtrt_argument *arguments, char *message, size_t messageBytes);
/* The same on a GPU. An array in memory that the device sees is used in place, others are copied. */
int xtrt_gpu_launch(const xtrt_gpu_library *library, const xtrt_kernel *kernel, const xtrt_argument *arguments, char *message,
                    size_t messageBytes);
/* Later launches run in these objects of the caller: a ze_context_handle_t, a ze_device_handle_t, and an immediate command list or NULL;
 * a CUcontext, the number of its device, and a CUstream or NULL. */
int xtrt_gpu_use_level_zero(const xtrt_gpu_library *library, void *context, void *device, void *list, char *message,
                            size_t messageBytes);
int xtrt_gpu_use_cuda(const xtrt_gpu_library *library, void *context, int device, void *stream, char *message,
                      size_t messageBytes);
/* The number of threads that run later launches, with the calling one; 0: one per processor. */
void xtrt_set_threads(int threads);

#ifdef __cplusplus
}
#endif

#endif
