/* StreamMAP: what generated code and libstreamap agree on.
 *
 * Part of StreamMAP, under the Apache License v2.0 with LLVM Exceptions.
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
 *
 * streamap-cc writes code against this header; people do not. It is plain C11 and C++11, needs nothing but <stdint.h>, and any
 * change to a layout or a meaning raises STREAMAP_ABI_VERSION, which both sides check when a translation unit registers.
 *
 * Everything here is a pure function of the argument pack: the same pack gives the same tasks, ranges and sections on every rank,
 * now and when a task is decided again. Addresses in a pack are always the launcher's ("home") addresses, except inside `body`.
 */
#ifndef STREAMAP_ABI_H
#define STREAMAP_ABI_H

#ifndef STREAMAP_ABI_WITHOUT_STDINT /* generated.h brings the types without the header */
#include <stdint.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define STREAMAP_ABI_VERSION 1u

/* ---- What a task asks for ------------------------------------------------------------------------------------------------- */

enum streamap_kind { STREAMAP_KIND_ANY = 0, STREAMAP_KIND_C = 'C', STREAMAP_KIND_G = 'G' };

enum streamap_item_form {
  STREAMAP_ITEM_COUNT = 0,      /* `6:C`: first = 6                                                                    */
  STREAMAP_ITEM_EXPRESSION = 1, /* `(n / 4096):C`: the thunk `counts` gives the number                                 */
  STREAMAP_ITEM_ALL = 2,        /* `*:C`: as many as the cluster has slots (devices for G)                             */
  STREAMAP_ITEM_NUMBERED = 3    /* `[first-last]:G`: tasks first..last, both inclusive                                 */
};

/* One `tasknum:res`. An empty list has no items and means one task of STREAMAP_KIND_ANY. */
typedef struct streamap_item {
  uint8_t kind; /* enum streamap_kind */
  uint8_t form; /* enum streamap_item_form */
  int64_t first;
  int64_t last;
} streamap_item;

enum streamap_require_key {
  STREAMAP_REQUIRE_CC = 1,     /* number = major * 10 + minor */
  STREAMAP_REQUIRE_TENSORCORE, /* no value */
  STREAMAP_REQUIRE_MEMORY,     /* number = bytes */
  STREAMAP_REQUIRE_VENDOR,     /* text */
  STREAMAP_REQUIRE_NAME,       /* text, part of the device's name */
  STREAMAP_REQUIRE_UUID,       /* text, the device's UUID or a prefix of it */
  STREAMAP_REQUIRE_LABEL       /* text */
};
enum streamap_relation { STREAMAP_EQ = 0, STREAMAP_GE, STREAMAP_GT, STREAMAP_LE, STREAMAP_LT };

/* One requirement of `require(...)`. */
typedef struct streamap_requirement {
  uint8_t key;      /* enum streamap_require_key */
  uint8_t relation; /* enum streamap_relation */
  int64_t number;
  const char *text; /* or null */
} streamap_requirement;

/* ---- Parameters and reductions -------------------------------------------------------------------------------------------- */

enum streamap_access { STREAMAP_IN = 1, STREAMAP_OUT = 2, STREAMAP_INOUT = 3, STREAMAP_REDUCTION = 4 };

enum streamap_operator {
  STREAMAP_OP_NONE = 0,
  STREAMAP_OP_ADD,
  STREAMAP_OP_MUL,
  STREAMAP_OP_MIN,
  STREAMAP_OP_MAX,
  STREAMAP_OP_BITAND,
  STREAMAP_OP_BITOR,
  STREAMAP_OP_BITXOR,
  STREAMAP_OP_AND,
  STREAMAP_OP_OR
};
enum streamap_scalar {
  STREAMAP_NOT_SCALAR = 0,
  STREAMAP_I8,
  STREAMAP_U8,
  STREAMAP_I16,
  STREAMAP_U16,
  STREAMAP_I32,
  STREAMAP_U32,
  STREAMAP_I64,
  STREAMAP_U64,
  STREAMAP_F32,
  STREAMAP_F64,
  STREAMAP_F80,
  STREAMAP_C32,
  STREAMAP_C64,
  STREAMAP_BOOL
};

/* One parameter of the task function, in order, then one entry a value that clauses need beside the parameters. */
typedef struct streamap_param {
  const char *name;
  uint32_t offset;    /* bytes, where its value lies in the pack */
  uint32_t size;      /* bytes */
  uint8_t is_pointer; /* 1: an address; the runtime replaces it by the address of a mirror before `body` runs */
  uint8_t access;     /* union of enum streamap_access over its sections; 0 for a value */
  uint8_t op;         /* enum streamap_operator, for STREAMAP_REDUCTION */
  uint8_t scalar;     /* enum streamap_scalar of the elements, for STREAMAP_REDUCTION */
} streamap_param;

/* ---- Index ranges and sections -------------------------------------------------------------------------------------------- */

/* The serial indices of one split loop, ascending whichever way the loop runs: first, first + step, ... (count of them). */
typedef struct streamap_grid {
  int64_t first;
  int64_t count; /* >= 0 */
  int64_t step;  /* >= 1 */
} streamap_grid;

/* One dimension of a section. At split index i it names the elements lower + lower_step * i up to, not including, that plus
 * length + length_step * i; both steps are 0 where i does not occur. They are clipped to the extent. */
typedef struct streamap_axis {
  int64_t lower, lower_step;
  int64_t length, length_step;
  int64_t extent_lower, extent_length; /* extent_length < 0: no extent is known */
  int64_t pitch;                       /* bytes from one element of this dimension to the next; > 0 */
} streamap_axis;

/* Where sections go. It knows the chunk, so that streamap_emit can take the exact union over the chunk's iterations. */
typedef struct streamap_sink streamap_sink;

/* Adds one section of parameter `param`: from `base`, `axes[0]` outermost; the last axis's pitch is the element's size in bytes.
 * An axis with length <= 0 (after clipping) makes the section empty. `access` is one enum streamap_access value. */
void streamap_emit(streamap_sink *sink, uint32_t param, uint32_t access, const void *base, uint32_t naxes,
                   const streamap_axis *axes);

/* ---- Descriptors ---------------------------------------------------------------------------------------------------------- */

enum streamap_task_flags {
  STREAMAP_FLAG_ONCE = 1u,   /* `once`: never run twice */
  STREAMAP_FLAG_SPLIT = 2u,  /* has split(i): `grids` is set */
  STREAMAP_FLAG_INLINE = 4u, /* defined in a header (inline or static there) */
  /* Made for one call statement; `base` is the task that it calls. `body` and `grids` are null: the base's hold. All else is
   * complete here, and the pack begins as the base's does. */
  STREAMAP_FLAG_CALL = 8u,
  STREAMAP_FLAG_IMPLEMENTS = 16u, /* a hand-written version of `base`, with the same pack */
  /* `base` points to a pointer to that task, which its registration fills: for tasks whose descriptor has no symbol. */
  STREAMAP_FLAG_LATE_BASE = 32u
};

/* ---- G versions ----------------------------------------------------------------------------------------------------------- */
/* A task that has a G version has `images`: a thunk that runs the body's host statements and launches its loops as kernels, the
 * kernels by name, and their code for each kind of device. A kernel's argument list is the same in all of them. */

typedef struct streamap_dim3 {
  uint32_t x, y, z;
} streamap_dim3;

/* What one thread of a host twin knows of itself. */
typedef struct streamap_twin_thread {
  streamap_dim3 grid, block; /* blocks of the launch, threads of a block */
  streamap_dim3 block_index, thread_index;
  void *shared; /* the block's dynamic shared memory, 64 bytes aligned; zero when the block starts */
  /* Returns when all threads of the block have come here. Only for kernels with STREAMAP_KERNEL_BARRIERS; null in others. */
  void (*barrier)(struct streamap_twin_thread *thread);
} streamap_twin_thread;

enum streamap_kernel_flags {
  STREAMAP_KERNEL_BARRIERS =
      1u /* threads of a block wait for each other; without it a twin's threads may run one after the other */
};

typedef struct streamap_kernel {
  const char *name;               /* its symbol in binary images */
  uint32_t flags;                 /* enum streamap_kernel_flags */
  uint32_t nargs;                 /* at most STREAMAP_MAX_KERNEL_ARGS */
  const uint32_t *argument_sizes; /* bytes, one each */
  uint32_t block;  /* threads of a block; 0: the runtime's choice. A device may have less: then the runtime's limit */
  uint32_t shared; /* bytes of dynamic shared memory of a block */
  /* Runs one thread of the kernel on the host; arguments[k] points to argument k. Null: no host twin. */
  void (*twin)(streamap_twin_thread *thread, void *const *arguments);
} streamap_kernel;
#define STREAMAP_MAX_KERNEL_ARGS 128u

enum streamap_image_form {
  STREAMAP_IMAGE_TWINS = 1, /* data: the table of kernels itself (`kernels` of streamap_images); size: how many */
  STREAMAP_IMAGE_PTX,       /* text, null-terminated */
  STREAMAP_IMAGE_CUBIN,     /* ELF for one architecture */
  STREAMAP_IMAGE_FATBIN,    /* several of the above */
  STREAMAP_IMAGE_HSACO      /* AMD */
};

typedef struct streamap_image {
  uint8_t form;  /* enum streamap_image_form */
  uint64_t size; /* bytes, with PTX's final null */
  const void *data;
  /* Architectures as major * 10 + minor, ending with 0; null: none. Binary code runs on its own major version, from its minor on;
   * text (PTX) on that architecture and all later ones. A fatbin may have both. Twins have neither. */
  const uint16_t *binary_archs, *text_archs;
} streamap_image;

/* The device, queue and image that a G thunk is running for. Opaque. */
typedef struct streamap_device streamap_device;

struct streamap_images {
  uint32_t size; /* sizeof(struct streamap_images) */
  uint32_t nkernels, nimages;
  const streamap_kernel *kernels;
  const streamap_image *images;
  /* Runs the G version: like `body`, but pointers of the pack are addresses on the device, and loops are launched. It returns
   * when all is queued; it must not touch what pointers point to. Chunk, number and count are the thread's current ones. */
  void (*run)(const void *pack, streamap_device *device);
  /* Bytes of device memory beside the sections that the kernels of one task pass to each other; 0: none. */
  uint64_t scratch;
};

/* The running task's `scratch` bytes, 256 bytes aligned: the same address whenever `run` asks. They hold anything when it
 * starts, and no other task has them before what `run` has queued is done. */
void *streamap_device_scratch(streamap_device *device);

/* Queues kernel number `kernel` of the images of the running task; `arguments` are copied. `iterations` of the loop decide how
 * many threads run it, the same for every device: it must be written as a grid-stride loop. With 0 iterations nothing is
 * launched. An error ends the task when `run` returns; later launches of it do nothing then. */
void streamap_device_launch(streamap_device *device, uint32_t kernel, uint64_t iterations, void *const *arguments);

/* The vendor's queue (a CUstream) that the task must use, for G versions that bring their own launches; null on emulated devices.
 */
void *streamap_device_queue(streamap_device *device);

/* A task: everything the runtime knows of it. Lives in static storage of the unit that defines it, under the name
 * streamap_task_<symbol> for a function with external linkage. Thunks may be null where a clause is absent. */
typedef struct streamap_task {
  uint32_t abi_version; /* STREAMAP_ABI_VERSION of the compiler that wrote it */
  uint32_t size;        /* sizeof(streamap_task) */
  const char *name;     /* as the user would say it: `saxpy` */
  const char *file;     /* presumed file and line of the pragma */
  uint32_t line;
  uint32_t flags; /* enum streamap_task_flags */
  uint32_t nitems, nparams, nrequirements;
  uint32_t pack_size; /* bytes */
  const streamap_item *items;
  const streamap_param *params;
  const streamap_requirement *requirements;
  const struct streamap_task *base; /* STREAMAP_FLAG_CALL: whose body runs; STREAMAP_FLAG_IMPLEMENTS: of what; else null */

  /* Runs the CPU version. Pointers in the pack are where the data is. Chunk, number and count are the thread's current ones. */
  void (*body)(const void *pack);
  /* Fills out[k] for each item k of form EXPRESSION (others are left alone). */
  void (*counts)(const void *pack, int64_t *out);
  /* Writes at most `capacity` grids, one a split loop, and returns how many there are. */
  uint32_t (*grids)(const void *pack, streamap_grid *out, uint32_t capacity);
  /* Emits every section of the current task (streamap_task_index() of streamap_task_count()). */
  void (*sections)(const void *pack, streamap_sink *sink);
  int64_t (*priority)(const void *pack);
  int64_t (*cores)(const void *pack);
  int64_t (*memory)(const void *pack);  /* bytes beyond the sections, on the device */
  int64_t (*share)(const void *pack);   /* percent of a device */
  double (*cost)(const void *pack);     /* operations */
  const struct streamap_images *images; /* the G version, or null */
} streamap_task;

/* What a translation unit registers, once, from a constructor. */
typedef struct streamap_unit {
  uint32_t abi_version;
  uint32_t ntasks;
  const char *file; /* main file, as given on the command line */
  const char *tool; /* version of the streamap-cc that wrote it */
  const streamap_task *const *tasks;
  /* Bounds of the section "streamap_plain" of the module, or null: names of files that another compiler built (streamap.h). */
  const char *const *plain_begin, *const *plain_end;
} streamap_unit;

/* Makes a unit's tasks known. Called by constructors; may be called while other threads run (dlopen). */
void streamap_register(const streamap_unit *unit);

/* ---- The program form: a directive in front of main ------------------------------------------------------------------------ */

typedef struct streamap_program {
  uint32_t abi_version;
  uint32_t nitems;
  const streamap_item *items; /* without STREAMAP_ITEM_EXPRESSION */
  const char *file;           /* place of the directive */
  uint32_t line;
  uint32_t share; /* percent of a GPU that a G task takes */
} streamap_program;

/* Says that the program's MPI processes are the tasks. Called by a constructor of the file with main. */
void streamap_register_program(const streamap_program *program);

/* ---- Launching ------------------------------------------------------------------------------------------------------------ */

/* Launches the tasks of one call. The pack is copied. Returns 0 when that is done; 1 when the caller must run the body itself,
 * here and now, between streamap_inline_begin and streamap_inline_end (inside a task, before main, after the last wait). */
int streamap_launch(const streamap_task *task, const void *pack);

typedef struct streamap_chunk {
  int64_t lo, hi; /* split indices lo <= i < hi; INT64_MIN and INT64_MAX when the body runs whole */
} streamap_chunk;

typedef struct streamap_frame { /* what streamap_inline_begin saves */
  streamap_chunk chunk;
  int64_t index, count;
  void *reserved;
} streamap_frame;

void streamap_inline_begin(streamap_frame *saved);
void streamap_inline_end(const streamap_frame *saved);

/* The chunk that the calling thread's current task runs. Read once, at the start of a body. */
streamap_chunk streamap_current_chunk(void);

/* A region named by wait on and discard. */
typedef struct streamap_region {
  const void *base;
  uint32_t naxes;
  const streamap_axis *axes; /* steps are 0 */
} streamap_region;

void streamap_wait(void);
void streamap_wait_on(const streamap_region *regions, uint32_t count);
void streamap_discard(const streamap_region *regions, uint32_t count);
/* wait on `bytes` bytes at `address`, before a clause reads them. */
void streamap_wait_on_bytes(const void *address, uint64_t bytes);

/* ---- Split loops ---------------------------------------------------------------------------------------------------------- */
/* A split loop `for (T i = L; i < U; i += S)` is compiled as
 *     for (T i = (T)streamap_loop_first(L, U, S, rel, c); i < (T)streamap_loop_bound(L, U, S, rel, c); i += S)
 * where c is the chunk. L, U, S are the loop's own expressions and `rel` its relation. The serial step grid is kept: the indices
 * that run are those of the serial loop that lie in the chunk. S is the signed change of i per iteration, not 0. */

enum streamap_loop_relation { STREAMAP_LOOP_LT, STREAMAP_LOOP_LE, STREAMAP_LOOP_GT, STREAMAP_LOOP_GE, STREAMAP_LOOP_NE };

/* The loop's indices as an ascending grid. */
static __inline__ streamap_grid streamap_loop_grid(int64_t lower, int64_t upper, int64_t step, int relation) {
  streamap_grid grid;
  int64_t span, magnitude = step > 0 ? step : -step;
  int inclusive = relation == STREAMAP_LOOP_LE || relation == STREAMAP_LOOP_GE;
  grid.first = lower;
  grid.count = 0;
  grid.step = magnitude > 0 ? magnitude : 1;
  if (step == 0)
    return grid;
  span = step > 0 ? upper - lower : lower - upper; /* how far the loop goes */
  if (span < 0 || (span == 0 && !inclusive))
    return grid;
  grid.count = inclusive ? span / magnitude + 1 : (span - 1) / magnitude + 1;
  if (step < 0)
    grid.first = lower + (grid.count - 1) * step;
  return grid;
}

/* The part of a grid that lies in [lo, hi). */
static __inline__ streamap_grid streamap_grid_clip(streamap_grid grid, int64_t lo, int64_t hi) {
  /* Distances in unsigned arithmetic: from a negative index to INT64_MAX it is more than an int64_t holds. */
  uint64_t skip, keep;
  if (grid.count > 0 && lo > grid.first) {
    skip = ((uint64_t)lo - (uint64_t)grid.first - 1) / (uint64_t)grid.step + 1;
    if (skip >= (uint64_t)grid.count) {
      grid.count = 0;
      return grid;
    }
    grid.first += (int64_t)skip * grid.step;
    grid.count -= (int64_t)skip;
  }
  if (grid.count > 0) {
    keep = hi <= grid.first ? 0 : ((uint64_t)hi - (uint64_t)grid.first - 1) / (uint64_t)grid.step + 1;
    if (keep < (uint64_t)grid.count)
      grid.count = (int64_t)keep;
  }
  return grid;
}

/* Where the loop starts in this chunk, and the value to compare with. When nothing runs, the pair makes the comparison false at
 * once in every integer type (1 and 0, or 0 and 1). */
static __inline__ int64_t streamap_loop_first(int64_t lower, int64_t upper, int64_t step, int relation, streamap_chunk chunk) {
  streamap_grid grid = streamap_grid_clip(streamap_loop_grid(lower, upper, step, relation), chunk.lo, chunk.hi);
  if (grid.count == 0)
    return relation == STREAMAP_LOOP_GT || relation == STREAMAP_LOOP_GE ? 0 : 1;
  return step > 0 ? grid.first : grid.first + (grid.count - 1) * grid.step;
}

static __inline__ int64_t streamap_loop_bound(int64_t lower, int64_t upper, int64_t step, int relation, streamap_chunk chunk) {
  streamap_grid grid = streamap_grid_clip(streamap_loop_grid(lower, upper, step, relation), chunk.lo, chunk.hi);
  int64_t last = step > 0 ? grid.first + (grid.count - 1) * grid.step : grid.first;
  if (grid.count == 0)
    return relation == STREAMAP_LOOP_NE || relation == STREAMAP_LOOP_GT || relation == STREAMAP_LOOP_GE ? 1 : 0;
  switch (relation) {
  case STREAMAP_LOOP_LE:
  case STREAMAP_LOOP_GE:
    return last;
  case STREAMAP_LOOP_NE:
    return last + step;
  case STREAMAP_LOOP_LT:
    return last + 1;
  default:
    return last - 1; /* GT: upper is below every index, so this does not wrap in an unsigned type */
  }
}

#ifdef __cplusplus
}
#endif
#endif
