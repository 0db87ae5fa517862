/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Syncline: remote memory that the NIC serves. The native C API.
 *
 * A job is a set of processing elements (PEs), numbered 0 to syncline_size() - 1. Each PE owns segments of memory:
 * segment 0 is its symmetric heap, others are its own memory, registered. Any PE may read, write and atomically
 * update any PE's segments; no process on the target takes part. A remote location is a pair (rank, address), the
 * papers' triple of node, port and virtual address (Buntinas 2002, section III.B); an address is a plain 64-bit number
 * that can be sent to others and means the same to all of them.
 *
 * Status.      Every call returns SYNCLINE_OK (0) or a negative status; outputs are written only on success. NULL where
 *              a call needs memory is _INVALID.
 *              syncline_error_string() explains a status, syncline_last_error() the last failure of this thread, in
 *              one sentence with the call, the value and the remedy.
 * Threads.     Any thread may make any call at any time after syncline_init() and before syncline_finalize(), which
 *              one thread calls once.
 * Completion.  An operation is complete when it has been executed at the target exactly once and the target has
 *              said so. Blocking calls return complete. Non-blocking calls (_nb) complete at syncline_test(),
 *              syncline_wait(), syncline_poll(), syncline_quiet() or, for one target, syncline_fence(); until then
 *              result buffers belong to the library. It has copied what they read when they return. Posted calls (no
 * result, no request) have copied their operands when they return and are complete at the next fence, quiet or barrier.
 * Ordering.    None between operations, except: a fence orders everything before it, for that target, in front of
 *              everything behind it; quiet does so for all targets.
 * Atomicity.   32- and 64-bit atomics, and each number of an accumulate, are atomic with each other, whichever
 *              executor runs them, and with the atomic instructions of CPUs of the target node. An aligned put or get
 *              of 1, 2, 4 or 8 bytes is single-copy atomic; a piece of many is not. 128-bit atomics are atomic with
 *              respect to 128-bit atomics only.
 * Failure.     If a signal kills a peer, operations addressed to it return SYNCLINE_ERR_PEER within the peer timeout;
 *              the others go on. An operation that ends so may or may not have been executed. A PE that exits without
 *              syncline_finalize(), or before syncline_init(), ends the job: its launcher says so.
 * Fork.        A child that a PE makes by fork() is no PE: calls return SYNCLINE_ERR_NOT_INITIALIZED there. It has
 * copies of variables and of registered memory, and must not access the symmetric heap.
 */
#ifndef SYNCLINE_H
#define SYNCLINE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SYNCLINE_VERSION_MAJOR 0
#define SYNCLINE_VERSION_MINOR 1

#define SYNCLINE_API __attribute__((visibility("default")))

enum {
    SYNCLINE_OK = 0,
    SYNCLINE_ERR_INVALID = -1,          /* an argument makes no sense */
    SYNCLINE_ERR_RANK = -2,             /* no such PE */
    SYNCLINE_ERR_ADDRESS = -3,          /* no such segment, or outside it */
    SYNCLINE_ERR_ALIGNMENT = -4,        /* an atomic that is not aligned to its width */
    SYNCLINE_ERR_NO_MEMORY = -5,        /* the symmetric heap, or the machine, has no more */
    SYNCLINE_ERR_PERMISSION = -6,       /* needs a privilege that is not there */
    SYNCLINE_ERR_UNSUPPORTED = -7,      /* this machine, kernel or transport cannot */
    SYNCLINE_ERR_BUSY = -8,             /* a resource is taken: try again later */
    SYNCLINE_ERR_PEER = -9,             /* the target PE or its node is gone */
    SYNCLINE_ERR_NODE = -10,            /* this node's daemon is gone: the job is over for this PE */
    SYNCLINE_ERR_SYSTEM = -11,          /* a system call failed */
    SYNCLINE_ERR_NOT_FOUND = -12,       /* the named thing does not exist */
    SYNCLINE_ERR_NOT_INITIALIZED = -13, /* before syncline_init() or after syncline_finalize() */
    SYNCLINE_ERR_PROTOCOL = -14,        /* the other side does not speak this version, or talks nonsense */
    SYNCLINE_ERR_TIMEOUT = -15,         /* the given time passed */
    SYNCLINE_ERR_BROKEN = -16,          /* a PE that held a lock or waited for it is gone, or its home is */
};

/* A location in any PE's memory: segment << 40 | offset. */
typedef uint64_t syncline_address_t;

/* A non-blocking operation that has not been completed; 0 is none. */
typedef uint64_t syncline_request_t;

#define SYNCLINE_ADDRESS_NONE UINT64_MAX

/* ---- Set-up ------------------------------------------------------------------------------------------------- */

/* How a thread waits. Also from the environment: SYNCLINE_WAIT=poll|block. */
enum syncline_wait_mode {
    SYNCLINE_WAIT_POLL = 0,  /* spin, then yield the CPU between looks: lowest latency */
    SYNCLINE_WAIT_BLOCK = 1, /* spin briefly, then sleep until the firmware wakes the thread */
};

/* Options of syncline_init(). Set `struct_size` to sizeof(syncline_options_t), everything unused to 0. */
typedef struct syncline_options {
    size_t struct_size;
    int wait_mode;            /* enum syncline_wait_mode */
    uint32_t peer_timeout_ms; /* 0: the job's (5 s unless the launcher says otherwise) */
    /*
     * The processes that make up the job, by the numbers that a PMIx launcher has given them, in the order of their
     * ranks: those of an MPI communicator. NULL: all. Each of them calls with the same list; the others do not call, or
     * make jobs of their own.
     */
    const int* members;
    int member_count;
} syncline_options_t;

/*
 * Joins the job that the launcher has described in the environment (`syncline run`), and returns when this PE's
 * memory can be accessed by all others. Not collective: a faster PE may already write into the heap. `options` may
 * be NULL. Outside a job: a job of one PE, with shm only. Processes of a PMIx or PMI-2 launcher call this together: one
 * that ends before, or does not come in time, ends them all, with a sentence.
 * Errors: _INVALID (called twice, bad option), _RANK (no such member), _UNSUPPORTED (members, and no PMIx launcher),
 * _NODE (no daemon), _PROTOCOL, _NO_MEMORY, _SYSTEM.
 */
SYNCLINE_API int syncline_init(const syncline_options_t* options);

/*
 * Completes this PE's operations, enters a barrier with the others, and gives everything back. Afterwards the heap's
 * addresses are invalid. Returns _PEER or _NODE if a PE or the daemon is gone; the PE is finalized all the same.
 * Returns _BUSY, and does nothing, while OpenSHMEM is initialized in the process.
 */
SYNCLINE_API int syncline_finalize(void);

/* Ends the whole job: every PE is terminated, the launcher exits with `code` (1 to 255). Does not return. */
SYNCLINE_API void syncline_abort(int code) __attribute__((noreturn));

SYNCLINE_API int syncline_rank(void);              /* this PE's number, or _NOT_INITIALIZED */
SYNCLINE_API int syncline_size(void);              /* PEs of the job, or _NOT_INITIALIZED */
SYNCLINE_API int syncline_nodes(void);             /* nodes that they are on, or _NOT_INITIALIZED */
SYNCLINE_API int syncline_node_of(int rank);       /* node index of a PE, or _RANK */
SYNCLINE_API const char* syncline_transport(void); /* between nodes: "shm", "udp" or "xdp" */

SYNCLINE_API const char* syncline_error_string(int status);
SYNCLINE_API const char* syncline_last_error(void); /* valid until this thread's next failing call */

/* ---- Memory ------------------------------------------------------------------------------------------------- */

/*
 * Collective: every PE calls it with the same arguments in the same order, and ends in a barrier. Allocates `bytes` of
 * the symmetric heap at an address that is the same on every PE, aligned to `alignment` (0: 64), zero-filled on
 * first use of the memory. Errors: _NO_MEMORY (names what is left and how to ask for more: SYNCLINE_HEAP_SIZE or
 * `syncline run --heap`), _INVALID.
 */
SYNCLINE_API int syncline_alloc(size_t bytes, size_t alignment, syncline_address_t* address);

/* Collective, ends in a barrier. Gives an allocation back. Errors: _ADDRESS (not the start of an allocation). */
SYNCLINE_API int syncline_free(syncline_address_t address);

/*
 * Registers memory of this PE, so that others may access it; not collective. `base` and `bytes` must be multiples of
 * the page size (4096). The pages are replaced by memory that the firmware can reach, contents kept; no other
 * thread may write them meanwhile. The PE tells others the address by whatever means it likes. At most 15
 * registrations are open at a time. Errors: _INVALID, _NO_MEMORY, _BUSY.
 */
SYNCLINE_API int syncline_register(void* base, size_t bytes, syncline_address_t* address);

/* Ends a registration: later accesses by others return _ADDRESS. The memory stays valid and keeps its contents. */
SYNCLINE_API int syncline_deregister(syncline_address_t address);

/* This PE's own memory at an address, or NULL. Plain loads, stores and CPU atomics may be used on it. */
SYNCLINE_API void* syncline_local(syncline_address_t address);

/* Another PE's memory, if it is on this node and can be accessed with loads and stores; else NULL. */
SYNCLINE_API void* syncline_pointer(int rank, syncline_address_t address);

/* The address of own memory in the heap or in a registration, or SYNCLINE_ADDRESS_NONE. */
SYNCLINE_API syncline_address_t syncline_address(const void* pointer);

/* ---- Put and get -------------------------------------------------------------------------------------------- */

/*
 * Writes `bytes` to `target` at PE `rank`. Complete on return. Errors: _INVALID (`source` is NULL), _RANK, _ADDRESS,
 * _PEER, _NODE.
 */
SYNCLINE_API int syncline_put(int rank, syncline_address_t target, const void* source, size_t bytes);

/* Reads `bytes` from `source` at PE `rank`. Complete on return. Same errors. */
SYNCLINE_API int syncline_get(int rank, syncline_address_t source, void* target, size_t bytes);

/*
 * Non-blocking put and get. The source of a put may be written again on return. With `request` not NULL the operation
 * is completed by syncline_test() or syncline_wait() on it; with NULL its completion, with `tag`, is handed out by
 * syncline_poll() (the papers' token and tag).
 */
SYNCLINE_API int syncline_put_nb(int rank, syncline_address_t target, const void* source, size_t bytes, uint64_t tag,
                                 syncline_request_t* request);
SYNCLINE_API int syncline_get_nb(int rank, syncline_address_t source, void* target, size_t bytes, uint64_t tag,
                                 syncline_request_t* request);

/* ---- Pieces and accumulate ---------------------------------------------------------------------------------- */

/* `bytes` from `offset` behind a base, in the base's segment. */
typedef struct syncline_piece {
    uint64_t offset;
    uint64_t bytes;
} syncline_piece_t;

/*
 * One put or get of `count` pieces of memory of PE `rank`: a column of a matrix, a face of a grid, members of
 * structures. At this PE their bytes lie one behind the other, in the order of the list, from `source` or `target`.
 * Complete on return.
 *
 * The pieces may come in any order, and a piece without bytes is skipped, whatever its offset. They may overlap: a get
 * brings the bytes once for each piece; a put leaves in shared bytes those of any of their pieces. Nothing is promised
 * about the order in which pieces are written or read, or that a reader sees a whole one. The base itself may lie
 * anywhere in the segment. An empty list does nothing.
 *
 * The call looks at every piece before the first one is started, and an error of an argument means that nothing was
 * moved. The length of a registration is known at the target's node: where that is another one, pieces in front of the
 * one that is refused, or behind it, may have been moved.
 * Errors: _INVALID (NULL; together more bytes than any memory holds), _RANK, _ADDRESS (a piece leaves the segment, or
 * base and offset together the addresses), _PEER, _NODE.
 */
SYNCLINE_API int syncline_put_pieces(int rank, syncline_address_t base, const syncline_piece_t* pieces, size_t count,
                                     const void* source);
SYNCLINE_API int syncline_get_pieces(int rank, syncline_address_t base, const syncline_piece_t* pieces, size_t count,
                                     void* target);

/* Numbers that an accumulate adds, in the byte order of the machine; floating-point ones are those of IEEE 754. */
enum syncline_element {
    SYNCLINE_INT32 = 0, /* modulo 2^32: signed and unsigned */
    SYNCLINE_INT64 = 1, /* modulo 2^64 */
    SYNCLINE_FLOAT = 2,
    SYNCLINE_DOUBLE = 3,
    SYNCLINE_COMPLEX_FLOAT = 4, /* 8 bytes: the real number, then the imaginary one */
    SYNCLINE_COMPLEX_DOUBLE = 5,
};

/*
 * Adds `count` elements to those at `target` of PE `rank`: target[i] += values[i], each exactly once. Complete on
 * return. Each addition is atomic against every other operation on that number; of a complex element each half is by
 * itself, so a reader may see one half before the other. Sums of floats and doubles are rounded to nearest even, in the
 * order in which the additions happen to come. A caller that scales does so before. `enum syncline_element` says what
 * `element` is. Errors: as of syncline_put(), _ALIGNMENT (`target` is no multiple of the number's 4 or 8 bytes),
 * _INVALID (no such element; more than any memory holds).
 */
SYNCLINE_API int syncline_accumulate(int rank, syncline_address_t target, int element, const void* values,
                                     size_t count);

/*
 * Accumulate in pieces, which are as those of syncline_put_pieces(); `count` is theirs. An element in several pieces
 * takes one addition for each. Errors besides: _ALIGNMENT (a piece's address is no multiple of the number's 4 or 8
 * bytes, or its length none of the element's).
 */
SYNCLINE_API int syncline_accumulate_pieces(int rank, syncline_address_t base, int element,
                                            const syncline_piece_t* pieces, size_t count, const void* values);

/*
 * The same without waiting; `tag` and `request` are those of syncline_put_nb(). The list of pieces is the caller's
 * again when the call returns.
 */
SYNCLINE_API int syncline_put_pieces_nb(int rank, syncline_address_t base, const syncline_piece_t* pieces, size_t count,
                                        const void* source, uint64_t tag, syncline_request_t* request);
SYNCLINE_API int syncline_get_pieces_nb(int rank, syncline_address_t base, const syncline_piece_t* pieces, size_t count,
                                        void* target, uint64_t tag, syncline_request_t* request);
SYNCLINE_API int syncline_accumulate_nb(int rank, syncline_address_t target, int element, const void* values,
                                        size_t count, uint64_t tag, syncline_request_t* request);
SYNCLINE_API int syncline_accumulate_pieces_nb(int rank, syncline_address_t base, int element,
                                               const syncline_piece_t* pieces, size_t count, const void* values,
                                               uint64_t tag, syncline_request_t* request);

/* ---- Completion --------------------------------------------------------------------------------------------- */

/*
 * Makes progress and says in *done whether the request is complete. If so the return value is the operation's status
 * and the request is given back (test it no more). Errors of the call itself: _INVALID (no such request).
 */
SYNCLINE_API int syncline_test(syncline_request_t request, int* done);

/* Waits for a request; returns the operation's status. */
SYNCLINE_API int syncline_wait(syncline_request_t request);

/* Called once per completed operation that was started without a request. It may start operations, not wait. */
typedef void (*syncline_callback_t)(uint64_t tag, int status, void* context);

/*
 * Makes progress and calls `callback` for at most `max` completions. Returns how many it handed out, or a status.
 */
SYNCLINE_API int syncline_poll(syncline_callback_t callback, void* context, int max);

/*
 * Waits until everything this PE has started towards `rank` is complete. Returns the first error among the operations
 * posted to it or to another PE of its node.
 */
SYNCLINE_API int syncline_fence(int rank);

/* syncline_fence() for all targets. */
SYNCLINE_API int syncline_quiet(void);

/*
 * Quiet, then the job barrier: waits until every PE of the job has called it. Returns _PEER if one is gone, within the
 * peer timeout.
 */
SYNCLINE_API int syncline_barrier(void);

/* ---- Barriers that the NIC runs ----------------------------------------------------------------------------- */

/*
 * A barrier over any PEs of the job. Once all of a node's members have started it, the nodes' NICs finish it among
 * themselves while the PEs compute (a fuzzy barrier; Buntinas, Panda, Sadayappan, "Fast NIC-Based Barrier over
 * Myrinet/GM", 2001). It can carry a value. A PE that waits, or the node's daemon, asks for lost messages.
 *
 * It does not complete operations: if the PEs behind it are to see earlier writes, call syncline_quiet() first, or
 * syncline_fence_barrier().
 * A handle is used by one thread at a time. A member that dies, or leaves the job, breaks the barrier: every member's
 * running or next call returns SYNCLINE_ERR_PEER, within a second or, if the whole node is gone, the peer timeout.
 */
typedef struct syncline_barrier_handle* syncline_barrier_t;

enum syncline_barrier_algorithm {
    SYNCLINE_BARRIER_AUTO = 0,     /* by the latency model of Buntinas 2001, section 2.2, fitted at the first use */
    SYNCLINE_BARRIER_EXCHANGE = 1, /* pairwise; dissemination where the nodes are no power of two */
    SYNCLINE_BARRIER_TREE = 2,     /* gather-broadcast */
};

enum {
    SYNCLINE_BARRIERS_MAX = 64, /* barriers of a node: numbers 0 to 63 */
    SYNCLINE_TREE_MAX = 64,     /* the largest dimension */

    SYNCLINE_BARRIER_BY_HOST = 1, /* flag: the PEs run it and the NIC only takes messages in: the papers' baseline */
};

/* Options of syncline_barrier_open(). Set `struct_size` to sizeof(syncline_barrier_options_t), the unused to 0. */
typedef struct syncline_barrier_options {
    size_t struct_size;
    int algorithm;      /* enum syncline_barrier_algorithm */
    uint32_t dimension; /* 1 to SYNCLINE_TREE_MAX, then AUTO is TREE; 0: chosen */
    uint32_t flags;     /* SYNCLINE_BARRIER_BY_HOST */
} syncline_barrier_options_t;

/*
 * Opens barrier number `id` for the `count` PEs in `ranks` (NULL: all), all different. Every member calls it with the
 * same arguments, in the same order where it opens several; it returns when this PE may start the barrier. Two barriers
 * that have a node in common have different numbers. `options` may be NULL.
 * Errors: _INVALID, _RANK, _BUSY (the number is in use on this node), _UNSUPPORTED (tree too wide), _PEER, _PROTOCOL
 * (the first member announces something that is no schedule).
 */
SYNCLINE_API int syncline_barrier_open(int id, const int* ranks, int count, const syncline_barrier_options_t* options,
                                       syncline_barrier_t* barrier);

/* Says that this PE has come, and returns at once. One round at a time: wait for it before the next start. */
SYNCLINE_API int syncline_barrier_start(syncline_barrier_t barrier);

/* *done = 1 if all members have come, or none has been started. */
SYNCLINE_API int syncline_barrier_test(syncline_barrier_t barrier, int* done);

/* Waits until all members have come. */
SYNCLINE_API int syncline_barrier_wait(syncline_barrier_t barrier);

/* How syncline_fence_barrier() learns that earlier operations are complete. */
enum syncline_fence_algorithm {
    SYNCLINE_FENCE_AUTO = 0,         /* acknowledged: as every request is answered, it never has more to wait for */
    SYNCLINE_FENCE_ACKNOWLEDGED = 1, /* waits for the answers that are missing: nothing if nothing was started */
    /* The PEs tell each other, by binary exchange, how much each has sent to each; then each waits until its node has
     * executed all that was sent there (Buntinas 2003, section 3.1.2). Among all PEs of the job, at most 2048; no other
     * thread of a PE starts operations meanwhile. */
    SYNCLINE_FENCE_COUNTS = 2,
    /* Asks each node written to, in turn: the baseline of Buntinas 2003, section 3.1.1. */
    SYNCLINE_FENCE_LINEAR = 3,
};

/*
 * Quiet and one round of the barrier in one: behind it, every operation that a member had started before is complete,
 * and all members have come (ARMCI_Barrier, GA_Sync; Buntinas, Saify, Panda, Nieplocha, 2003). Every member gives the
 * same algorithm; no round of the barrier may be running. Returns the first error among this PE's posted operations;
 * with COUNTS the next quiet returns it. Errors besides: _INVALID, _UNSUPPORTED (COUNTS, see above), _PEER, _NODE.
 */
SYNCLINE_API int syncline_fence_barrier(syncline_barrier_t barrier, int algorithm);

/*
 * Closes the barrier: returns when all members have called it, and its number is free on this node once all members of
 * the node have. A broken barrier is closed without waiting.
 */
SYNCLINE_API int syncline_barrier_close(syncline_barrier_t barrier);

/* How a barrier combines values: 64-bit integers, doubles or floats. */
enum syncline_combine {
    SYNCLINE_SUM = 1, /* modulo 2^64 */
    SYNCLINE_MIN = 2, /* signed */
    SYNCLINE_MAX = 3,
    SYNCLINE_BITAND = 4,
    SYNCLINE_BITOR = 5,
    SYNCLINE_BITXOR = 6,
    SYNCLINE_SUM_DOUBLE = 7, /* in no particular order, but all members get the same bits */
    SYNCLINE_MIN_DOUBLE = 8, /* of values that are no NaN; -0 is less than 0 */
    SYNCLINE_MAX_DOUBLE = 9,
    SYNCLINE_SUM_FLOAT = 10, /* likewise; value and result have 4 bytes */
    SYNCLINE_MIN_FLOAT = 11,
    SYNCLINE_MAX_FLOAT = 12,
};

/*
 * syncline_barrier_start() with a value of 8 bytes, or of 4 of a float: every member combines in the same way in a
 * round. The result is there once the round is over, until this PE starts the round after the next. Errors besides:
 * _UNSUPPORTED (sums and xor over pairwise exchange among nodes that are no power of two: they would count values
 * twice).
 */
SYNCLINE_API int syncline_reduce_start(syncline_barrier_t barrier, int how, const void* value);
SYNCLINE_API int syncline_reduce_result(syncline_barrier_t barrier, void* result);

/* Start, wait and result in one. */
SYNCLINE_API int syncline_reduce(syncline_barrier_t barrier, int how, const void* value, void* result);

/* Copies `value` of the member PE `root` to all members; it overwrites those of the others. */
SYNCLINE_API int syncline_broadcast64(syncline_barrier_t barrier, int root, uint64_t* value);

/* ---- Waiting ------------------------------------------------------------------------------------------------ */

enum syncline_comparison {
    SYNCLINE_EQ = 0,
    SYNCLINE_NE = 1,
    SYNCLINE_GT = 2,
    SYNCLINE_GE = 3,
    SYNCLINE_LT = 4,
    SYNCLINE_LE = 5,
};

/*
 * Waits until an aligned word of this PE's own segment compares so (unsigned) with `value`; data that others wrote
 * before it is then visible. `timeout_us` < 0: for ever. In block mode the thread sleeps and the writer of the word
 * wakes it. A wait for ever looks at the PEs of the job every 0.5 s and returns _PEER, once for each PE it finds gone:
 * call it again if another PE is to write the word. Errors: _TIMEOUT, _ADDRESS (the word is in no segment), _PEER,
 * _NODE.
 */
SYNCLINE_API int syncline_wait_until64(const uint64_t* word, int comparison, uint64_t value, int64_t timeout_us);

/* ---- Atomics ------------------------------------------------------------------------------------------------ */

/* An atomic operation: one of each line, added. */
enum syncline_operation {
    SYNCLINE_ADD = 0,
    SYNCLINE_AND = 1,
    SYNCLINE_OR = 2,
    SYNCLINE_XOR = 3,
    SYNCLINE_SWAP = 4, /* without fetch: an atomic store */
    SYNCLINE_CAS = 5,

    SYNCLINE_32 = 2 << 3,
    SYNCLINE_64 = 3 << 3,
    SYNCLINE_128 = 4 << 3, /* SWAP and CAS; a pair of longs, aligned to 16 */

    SYNCLINE_FETCH = 0x40,
};

/*
 * Any atomic. `operand`, `comparand` (CAS only, else NULL) and `result` (with FETCH, else NULL) point to values of the
 * operation's width. A CAS stores `operand` if memory equals `comparand`; the result is the old value, so it has hit if
 * result == comparand.
 *
 * syncline_atomic     complete on return.
 * syncline_atomic_nb  `result` is written when it completes. Request and tag as for syncline_put_nb().
 * syncline_atomic_post  without FETCH; travels with others in one packet. Complete at fence, quiet or barrier.
 *
 * Errors: _INVALID (no such combination), _RANK, _ADDRESS, _ALIGNMENT, _PEER, _NODE.
 */
SYNCLINE_API int syncline_atomic(int operation, int rank, syncline_address_t target, const void* operand,
                                 const void* comparand, void* result);
SYNCLINE_API int syncline_atomic_nb(int operation, int rank, syncline_address_t target, const void* operand,
                                    const void* comparand, void* result, uint64_t tag, syncline_request_t* request);
SYNCLINE_API int syncline_atomic_post(int operation, int rank, syncline_address_t target, const void* operand,
                                      const void* comparand);

/*
 * The typed calls, for 32 and 64 bits:
 *
 *      int syncline_fetch_add64(int rank, syncline_address_t target, uint64_t value, uint64_t* old);
 *      int syncline_add64(int rank, syncline_address_t target, uint64_t value);              posted
 *      int syncline_fetch_add64_nb(..., uint64_t* old, uint64_t tag, syncline_request_t* request);
 *
 * and so with and, or, xor; swap (fetch only) and store (posted); and compare&swap:
 *
 *      int syncline_cas64(int rank, syncline_address_t target, uint64_t comparand, uint64_t value, uint64_t* old);
 *
 * To a PE of the same node they compile to a bounds check and the CPU's atomic instruction. Each is also a function of
 * the library, by the same name, for languages that load it (ctypes, Rust, Fortran).
 */
#ifndef SYNCLINE_TYPED_CALL_
#define SYNCLINE_TYPED_CALL_ static inline /* the library compiles its functions from this header, too */
#endif

/* Internal to the inline calls below: where the heaps of this node's PEs are. Programs must not rely on it. */
struct syncline_port_ {
    unsigned char* heap;
    const uint64_t* length;  /* of the heap; 0 once its PE is gone. Written by the daemon */
    const uint32_t* waiting; /* not 0: the PE sleeps */
};
struct syncline_view_ {
    uint32_t first_rank;               /* of this node */
    uint32_t ranks;                    /* to the last one of this node; 0: nothing can be accessed directly */
    const struct syncline_port_* port; /* of each of these ranks; those of other nodes have no length */
};
SYNCLINE_API extern struct syncline_view_ syncline_view_;
SYNCLINE_API void syncline_wake_(uint32_t rank);
SYNCLINE_API int syncline_post_(int operation, int rank, syncline_address_t target, uint64_t value);
/* syncline_atomic() and syncline_atomic_nb() for the typed calls: errors name those. */
SYNCLINE_API int syncline_fetch_(int operation, int rank, syncline_address_t target, const void* operand,
                                 const void* comparand, void* result);
SYNCLINE_API int syncline_fetch_nb_(int operation, int rank, syncline_address_t target, const void* operand,
                                    const void* comparand, void* result, uint64_t tag, syncline_request_t* request);

static inline const struct syncline_port_* syncline_direct_(int rank, syncline_address_t address, uint64_t width) {
    const uint32_t place = (uint32_t)rank - syncline_view_.first_rank;
    if (__builtin_expect(place >= syncline_view_.ranks || (int64_t)address < 65536, 0)) {
        return NULL; /* another node, or the runtime's own words */
    }
    const struct syncline_port_* const port = &syncline_view_.port[place];
    if (__builtin_expect(
            address + width > __atomic_load_n(port->length, __ATOMIC_RELAXED) || (address & (width - 1)) != 0, 0)) {
        return NULL; /* or registered memory */
    }
    return port;
}

/* Adds numbers: gcc 14 warns of pointers, which it takes for ones behind the heap's end. */
static inline void* syncline_word_(const struct syncline_port_* port, syncline_address_t address) {
    return (void*)((uintptr_t)port->heap + address);
}

/* Pairs with the sleeper's store to the word, which comes before its last look (sequentially consistent). */
static inline void syncline_written_(const struct syncline_port_* port, int rank) {
    if (__builtin_expect(__atomic_load_n(port->waiting, __ATOMIC_SEQ_CST) != 0, 0)) {
        syncline_wake_((uint32_t)rank);
    }
}

/* X(name, operation, builtin) */
#define SYNCLINE_ATOMICS_(X)                 \
    X(add, SYNCLINE_ADD, __atomic_fetch_add) \
    X(and, SYNCLINE_AND, __atomic_fetch_and) \
    X(or, SYNCLINE_OR, __atomic_fetch_or)    \
    X(xor, SYNCLINE_XOR, __atomic_fetch_xor)

#define SYNCLINE_ATOMIC_FETCH_(name, operation, builtin, bits)                                                     \
    SYNCLINE_TYPED_CALL_ int syncline_##name##bits(int rank, syncline_address_t target, uint##bits##_t value,      \
                                                   uint##bits##_t* old) {                                          \
        const struct syncline_port_* port = syncline_direct_(rank, target, bits / 8);                              \
        if (__builtin_expect(port != NULL && old != NULL, 1)) {                                                    \
            uint##bits##_t* word = (uint##bits##_t*)syncline_word_(port, target);                                  \
            *old = builtin(word, value, __ATOMIC_SEQ_CST);                                                         \
            syncline_written_(port, rank);                                                                         \
            return SYNCLINE_OK;                                                                                    \
        }                                                                                                          \
        return syncline_fetch_((operation) | SYNCLINE_##bits | SYNCLINE_FETCH, rank, target, &value, NULL, old);   \
    }                                                                                                              \
    SYNCLINE_TYPED_CALL_ int syncline_##name##bits##_nb(int rank, syncline_address_t target, uint##bits##_t value, \
                                                        uint##bits##_t* old, uint64_t tag,                         \
                                                        syncline_request_t* request) {                             \
        return syncline_fetch_nb_((operation) | SYNCLINE_##bits | SYNCLINE_FETCH, rank, target, &value, NULL, old, \
                                  tag, request);                                                                   \
    }

#define SYNCLINE_ATOMIC_POST_(name, operation, builtin, bits)                                                   \
    SYNCLINE_TYPED_CALL_ int syncline_##name##bits(int rank, syncline_address_t target, uint##bits##_t value) { \
        const struct syncline_port_* port = syncline_direct_(rank, target, bits / 8);                           \
        if (__builtin_expect(port != NULL, 1)) {                                                                \
            uint##bits##_t* word = (uint##bits##_t*)syncline_word_(port, target);                               \
            (void)builtin(word, value, __ATOMIC_SEQ_CST);                                                       \
            syncline_written_(port, rank);                                                                      \
            return SYNCLINE_OK;                                                                                 \
        }                                                                                                       \
        return syncline_post_((operation) | SYNCLINE_##bits, rank, target, value);                              \
    }

#define SYNCLINE_ATOMIC_CAS_(bits)                                                                                   \
    SYNCLINE_TYPED_CALL_ int syncline_cas##bits(int rank, syncline_address_t target, uint##bits##_t comparand,       \
                                                uint##bits##_t value, uint##bits##_t* old) {                         \
        const struct syncline_port_* port = syncline_direct_(rank, target, bits / 8);                                \
        if (__builtin_expect(port != NULL && old != NULL, 1)) {                                                      \
            uint##bits##_t* word = (uint##bits##_t*)syncline_word_(port, target);                                    \
            __atomic_compare_exchange_n(word, &comparand, value, 0, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);             \
            *old = comparand;                                                                                        \
            syncline_written_(port, rank);                                                                           \
            return SYNCLINE_OK;                                                                                      \
        }                                                                                                            \
        return syncline_fetch_(SYNCLINE_CAS | SYNCLINE_##bits | SYNCLINE_FETCH, rank, target, &value, &comparand,    \
                               old);                                                                                 \
    }                                                                                                                \
    SYNCLINE_TYPED_CALL_ int syncline_cas##bits##_nb(int rank, syncline_address_t target, uint##bits##_t comparand,  \
                                                     uint##bits##_t value, uint##bits##_t* old, uint64_t tag,        \
                                                     syncline_request_t* request) {                                  \
        return syncline_fetch_nb_(SYNCLINE_CAS | SYNCLINE_##bits | SYNCLINE_FETCH, rank, target, &value, &comparand, \
                                  old, tag, request);                                                                \
    }

#define SYNCLINE_ATOMIC_BOTH_(name, operation, builtin)          \
    SYNCLINE_ATOMIC_FETCH_(fetch_##name, operation, builtin, 64) \
    SYNCLINE_ATOMIC_FETCH_(fetch_##name, operation, builtin, 32) \
    SYNCLINE_ATOMIC_POST_(name, operation, builtin, 64)          \
    SYNCLINE_ATOMIC_POST_(name, operation, builtin, 32)

SYNCLINE_ATOMICS_(SYNCLINE_ATOMIC_BOTH_)
SYNCLINE_ATOMIC_FETCH_(swap, SYNCLINE_SWAP, __atomic_exchange_n, 64)
SYNCLINE_ATOMIC_FETCH_(swap, SYNCLINE_SWAP, __atomic_exchange_n, 32)
SYNCLINE_ATOMIC_POST_(store, SYNCLINE_SWAP, __atomic_exchange_n, 64)
SYNCLINE_ATOMIC_POST_(store, SYNCLINE_SWAP, __atomic_exchange_n, 32)
SYNCLINE_ATOMIC_CAS_(64)
SYNCLINE_ATOMIC_CAS_(32)

/* A pair of longs; 16-byte aligned in the segment. */
typedef struct syncline_pair {
    uint64_t low;
    uint64_t high;
} syncline_pair_t;

SYNCLINE_TYPED_CALL_ int syncline_swap128(int rank, syncline_address_t target, syncline_pair_t value,
                                          syncline_pair_t* old) {
    return syncline_fetch_(SYNCLINE_SWAP | SYNCLINE_128 | SYNCLINE_FETCH, rank, target, &value, NULL, old);
}

SYNCLINE_TYPED_CALL_ int syncline_cas128(int rank, syncline_address_t target, syncline_pair_t comparand,
                                         syncline_pair_t value, syncline_pair_t* old) {
    return syncline_fetch_(SYNCLINE_CAS | SYNCLINE_128 | SYNCLINE_FETCH, rank, target, &value, &comparand, old);
}

/* ---- Locks -------------------------------------------------------------------------------------------------- */

/*
 * Locks between the PEs of a job. Their words lie in the symmetric heap; the home is the PE whose memory holds the
 * word that all have in common. No process at the home takes part (but for the hybrid's server): the others use puts
 * and atomics.
 *
 * Ordering.   A release begins as syncline_quiet() does, so everything that this PE, all threads of it, has started is
 *             complete at its targets before the next holder's acquire returns. That holder's operations come after.
 * Threads.    A lock belongs to the PE, not to a thread: any thread may release what another has acquired. While a PE
 *             has a lock or waits for it, another acquire of it by this PE is _INVALID.
 * Waiting.    In the PE's wait mode: polling, or asleep until the waiter's own word is written. Kinds that have to
 *             poll elsewhere (ticket; hybrid at the home's node) poll with pauses in both modes.
 * Death.      A holder, waiter or home that dies breaks the lock for good, unless the others can take the lock past it:
 *             then no call notices. A lock is never granted twice. Once the death can be seen (at once for a process;
 *             for a node that falls silent after the peer timeout), every PE that waits or comes later gets _BROKEN
 *             within 0.5 s (each inspection follows 0.1 s after the one before, and is a few gets). A break undoes
 *             nothing that the last holder did. A broken lock stays broken: job barriers fail after a death, too, so
 *             the job cannot create another lock. A PE whose daemon dies has _NODE within 0.1 s, then at once.
 * Errors.     _INVALID (NULL, or the rules above), _BROKEN, _NODE, _NOT_INITIALIZED; _TIMEOUT and _BUSY as said below.
 *             A release returns the error of an operation of the critical section as syncline_quiet() would; after any
 *             status but _INVALID the lock is not this PE's any more.
 */
enum syncline_lock_kind {
    /* Queueing lock (Buntinas 2002, section IV; Buntinas 2003, section 3.2). First come, first served. Waits on own
     * memory only; handing over is one put. Requests: alone acquire 1, release 1; queued acquire 2, release 1. */
    SYNCLINE_LOCK_MCS = 0,
    /* The queueing lock, whose release here needs no compare&swap (Buntinas 2003, section 5: future work): acquire 1 if
     * this PE was the last to have it, else 2; release 0 if no PE waits, else 1. The death of its last holder breaks it
     * even when free. */
    SYNCLINE_LOCK_LOCAL_RELEASE = 1,
    /* Ticket lock, polled at the home: a baseline. First come, first served but for try and timed acquires. */
    SYNCLINE_LOCK_TICKET = 2,
    /* ARMCI's original one (Buntinas 2003, section 3.2.1), with a server thread at the home: a baseline. Fair as the
     * ticket lock.
     */
    SYNCLINE_LOCK_HYBRID = 3,
};

typedef struct syncline_lock syncline_lock_t;
typedef struct syncline_rwlock syncline_rwlock_t;
typedef struct syncline_semaphore syncline_semaphore_t;

/*
 * Collective, with the same arguments, ends in a barrier. Errors: _INVALID (no such kind), _RANK (no such home),
 * _NO_MEMORY, _PEER. A lock that is not destroyed ends with syncline_finalize().
 */
SYNCLINE_API int syncline_lock_create(int kind, int home, syncline_lock_t** lock);
/* Collective, begins with a barrier; no PE may have the lock. Errors: _INVALID (this PE has it), _PEER. */
SYNCLINE_API int syncline_lock_destroy(syncline_lock_t* lock);

/*
 * Create and destroy `count` locks at once, each with a home: one allocation and two barriers for all. Locks that were
 * created together are destroyed together. Errors besides: _INVALID (NULL, a negative count, locks of several sets).
 */
SYNCLINE_API int syncline_locks_create(int kind, const int* homes, int count, syncline_lock_t** locks);
SYNCLINE_API int syncline_locks_destroy(syncline_lock_t* const* locks, int count);

/* Waits until this PE has the lock. */
SYNCLINE_API int syncline_lock_acquire(syncline_lock_t* lock);
/* Does not wait for others: _BUSY if a PE has it. */
SYNCLINE_API int syncline_lock_try_acquire(syncline_lock_t* lock);
/*
 * Gives up with _TIMEOUT when `timeout_us` have passed (< 0: never). In the queueing locks its place stays in the queue
 * until its turn and is passed over then; if this PE acquires again before that, it has its old place.
 */
SYNCLINE_API int syncline_lock_acquire_timed(syncline_lock_t* lock, int64_t timeout_us);
/* Lets the next PE have the lock. */
SYNCLINE_API int syncline_lock_release(syncline_lock_t* lock);

/* Counts of this PE's calls on a lock, and of their cost. */
typedef struct syncline_lock_counts {
    uint64_t acquired;
    uint64_t waited;      /* of these, found it taken */
    uint64_t requests;    /* puts, gets and atomics on words of other PEs */
    uint64_t inspections; /* looks whether the PEs in front live */
} syncline_lock_counts_t;

/* Those of this PE on `lock`, since it was created. */
SYNCLINE_API int syncline_lock_get_counts(const syncline_lock_t* lock, syncline_lock_counts_t* counts);

/*
 * Readers-writer lock: any number of readers, or one writer. A writer whose turn has come stops the readers that come
 * after it; those it has stopped queue with the writers, first come, first served, so neither starve. A PE has it once,
 * as a reader or as a writer, and does not upgrade. Requests: alone, reader 1 and 1, writer 2 and 2.
 */
SYNCLINE_API int syncline_rwlock_create(int home, syncline_rwlock_t** lock);
SYNCLINE_API int syncline_rwlock_destroy(syncline_rwlock_t* lock);
SYNCLINE_API int syncline_rwlock_read_acquire(syncline_rwlock_t* lock);
SYNCLINE_API int syncline_rwlock_read_try_acquire(syncline_rwlock_t* lock); /* _BUSY: a writer has it or waits */
SYNCLINE_API int syncline_rwlock_read_acquire_timed(syncline_rwlock_t* lock, int64_t timeout_us);
SYNCLINE_API int syncline_rwlock_write_acquire(syncline_rwlock_t* lock);
SYNCLINE_API int syncline_rwlock_write_try_acquire(syncline_rwlock_t* lock); /* _BUSY: a PE has it or waits */
SYNCLINE_API int syncline_rwlock_write_acquire_timed(syncline_rwlock_t* lock, int64_t timeout_us);
SYNCLINE_API int syncline_rwlock_release(syncline_rwlock_t* lock); /* as what it was acquired */

/*
 * Counting semaphore with `units` (at most 2^31 - 1) to start with. A PE may take several, and give back what another
 * has taken; more than there were is not an error. acquire() is first come, first served; try_acquire() takes a
 * unit that no PE has claimed, past the PEs that queue. Each PE has one acquire() under way at a time. A dead PE's
 * units are lost: once any PE of the job is gone, a PE that waits for a unit for 0.1 s gets _BROKEN.
 */
SYNCLINE_API int syncline_semaphore_create(uint32_t units, int home, syncline_semaphore_t** semaphore);
SYNCLINE_API int syncline_semaphore_destroy(syncline_semaphore_t* semaphore);
SYNCLINE_API int syncline_semaphore_acquire(syncline_semaphore_t* semaphore);
SYNCLINE_API int syncline_semaphore_try_acquire(syncline_semaphore_t* semaphore); /* _BUSY: no unit is left */
SYNCLINE_API int syncline_semaphore_acquire_timed(syncline_semaphore_t* semaphore, int64_t timeout_us);
SYNCLINE_API int syncline_semaphore_release(syncline_semaphore_t* semaphore, uint32_t units);

#ifdef __cplusplus
}
#endif

#endif
