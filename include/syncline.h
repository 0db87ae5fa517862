/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * Syncline: remote memory that the NIC serves. The native C API.
 *
 * A job is a set of processing elements (PEs), numbered 0 to syncline_size() - 1. Each PE owns segments of memory:
 * segment 0 is its symmetric heap, the others are memory of its own that it has registered. Any PE may read, write and
 * atomically update any PE's segments; no process on the target takes part. A remote location is a pair (rank,
 * address), the counterpart of the triple of node, port and virtual address in Buntinas 2002, section III.B. An address
 * is a plain 64-bit number: PEs can send it to each other, and it means the same to all of them.
 *
 * Status.      Every call returns SYNCLINE_OK (0) or a negative status, and writes its outputs only on success. A call
 *              returns _INVALID for NULL where it needs memory. syncline_error_string() explains a status;
 *              syncline_last_error() gives the message of this thread's last failure, which names the call, the value
 *              and the remedy.
 * Threads.     Any thread may make any call at any time after syncline_init() and before syncline_finalize(), which one
 *              thread calls once.
 * Completion.  An operation is complete when it has been executed at the target exactly once and the target has said
 *              so. A blocking call returns when its operation is complete. A non-blocking call (_nb) completes at
 *              syncline_test(), syncline_wait(), syncline_poll(), syncline_quiet() or, for one target,
 *              syncline_fence(). Until then its result buffers belong to the library; it has copied its operands and
 *              source data by the time it returns. A posted call (no result, no request) has copied its operands when
 *              it returns, and is complete at the next fence, quiet or barrier.
 * Ordering.    Operations are not ordered, with two exceptions: a fence orders all earlier operations on its target
 *              before all later ones, and a quiet does so for all targets.
 * Atomicity.   32- and 64-bit atomics, and each number of an accumulate, are atomic with each other, whichever executor
 *              runs them, and with the atomic instructions of CPUs of the target node. An aligned put or get of 1, 2, 4
 *              or 8 bytes is single-copy atomic; a piece of a list of several is not. 128-bit atomics are atomic with
 *              respect to 128-bit atomics only.
 * Failure.     If a signal kills a peer, operations addressed to it return SYNCLINE_ERR_PEER within the peer timeout;
 *              other operations go on. An operation that ends in this way may or may not have been executed. A PE that
 *              exits without syncline_finalize(), or before syncline_init(), ends the job, and the job's launcher
 *              reports it.
 * Fork.        A child that a PE makes by fork() is not a PE: calls return SYNCLINE_ERR_NOT_INITIALIZED there. The
 *              child has copies of variables and of registered memory, and must not access the symmetric heap.
 */
#ifndef SYNCLINE_H
#define SYNCLINE_H

#include <stddef.h>
#include <stdint.h>

#include "syncline/operations.h"

#ifdef __cplusplus
extern "C" {
#endif

#define SYNCLINE_VERSION_MAJOR 0
#define SYNCLINE_VERSION_MINOR 1

#define SYNCLINE_API __attribute__((visibility("default")))

enum {
    SYNCLINE_OK = 0,
    SYNCLINE_ERR_INVALID = -1,          /* an argument makes no sense */
    SYNCLINE_ERR_RANK = -2,             /* there is no such PE */
    SYNCLINE_ERR_ADDRESS = -3,          /* no such segment, or outside the segment */
    SYNCLINE_ERR_ALIGNMENT = -4,        /* an atomic that is not aligned to its width */
    SYNCLINE_ERR_NO_MEMORY = -5,        /* the symmetric heap or the machine has no memory left */
    SYNCLINE_ERR_PERMISSION = -6,       /* the call needs a privilege that the process lacks */
    SYNCLINE_ERR_UNSUPPORTED = -7,      /* this machine, kernel or transport does not support it */
    SYNCLINE_ERR_BUSY = -8,             /* a resource is taken: try again later */
    SYNCLINE_ERR_PEER = -9,             /* the target PE or its node is gone */
    SYNCLINE_ERR_NODE = -10,            /* this node's daemon is gone: the job is over for this PE */
    SYNCLINE_ERR_SYSTEM = -11,          /* a system call failed */
    SYNCLINE_ERR_NOT_FOUND = -12,       /* the named thing does not exist */
    SYNCLINE_ERR_NOT_INITIALIZED = -13, /* called before syncline_init() or after syncline_finalize() */
    SYNCLINE_ERR_PROTOCOL = -14,        /* the other side speaks another version, or nonsense */
    SYNCLINE_ERR_TIMEOUT = -15,         /* the given time passed */
    SYNCLINE_ERR_BROKEN = -16,          /* a PE that held the lock or waited for it, or the lock's home, is gone */
    SYNCLINE_ERR_INTERRUPTED = -17,     /* the function of syncline_set_interrupt() has ended the wait */
};

/* A location in any PE's memory: segment << 40 | offset. */
typedef uint64_t syncline_address_t;

/* A non-blocking operation that has not been completed; 0 is no operation. */
typedef uint64_t syncline_request_t;

#define SYNCLINE_ADDRESS_NONE UINT64_MAX

/* ---- Set-up ------------------------------------------------------------------------------------------------- */

/* How a thread waits. SYNCLINE_WAIT=poll|block in the environment sets it, too. */
enum syncline_wait_mode {
    SYNCLINE_WAIT_POLL = 0,  /* spin, then yield the CPU between looks: lowest latency */
    SYNCLINE_WAIT_BLOCK = 1, /* spin briefly, then sleep until the firmware wakes the thread */
};

/* Options of syncline_init(). Set `struct_size` to sizeof(syncline_options_t) and every unused member to 0. */
typedef struct syncline_options {
    size_t struct_size;
    int wait_mode;            /* enum syncline_wait_mode */
    uint32_t peer_timeout_ms; /* 0: the job's timeout, 5 s unless the launcher sets another */
    /*
     * The processes that make up the job, in the order of their ranks, as numbers that a PMIx launcher has given them:
     * for example those of an MPI communicator. NULL: all processes. Each process in the list calls with the same list;
     * the others do not call, or make jobs of their own.
     */
    const int* members;
    int member_count;
} syncline_options_t;

/*
 * Joins the job that the launcher (`syncline run`) has described in the environment, and returns when all other PEs can
 * access this PE's memory. The call is not collective: a faster PE may already write into this PE's heap. `options` may
 * be NULL. Outside a job, the process becomes a job of one PE, with shm only. Processes of a PMIx or PMI-2 launcher
 * call it together: a process that ends first, or does not come in time, ends them all, with an error message.
 * Errors: _INVALID (called twice, bad option), _RANK (no such member), _UNSUPPORTED (members are given, but the
 * launcher has no PMIx), _NODE (no daemon), _PROTOCOL, _NO_MEMORY, _SYSTEM.
 */
SYNCLINE_API int syncline_init(const syncline_options_t* options);

/*
 * Completes this PE's operations, enters a barrier with the other PEs, and gives all resources back. Afterwards the
 * heap's addresses are invalid. Returns _PEER or _NODE if a PE or the daemon is gone; the PE is finalized all the same.
 * Returns _BUSY, and does nothing, while OpenSHMEM is initialized in the process.
 */
SYNCLINE_API int syncline_finalize(void);

/* Ends the whole job: every PE is terminated, and the launcher exits with `code` (1 to 255). Does not return. */
SYNCLINE_API void syncline_abort(int code) __attribute__((noreturn));

SYNCLINE_API int syncline_rank(void);              /* this PE's number, or _NOT_INITIALIZED */
SYNCLINE_API int syncline_size(void);              /* number of PEs of the job, or _NOT_INITIALIZED */
SYNCLINE_API int syncline_nodes(void);             /* number of nodes of the job, or _NOT_INITIALIZED */
SYNCLINE_API int syncline_node_of(int rank);       /* index of the node of PE `rank`, or _RANK */
SYNCLINE_API const char* syncline_transport(void); /* the transport between nodes: "shm", "udp" or "xdp" */

SYNCLINE_API const char* syncline_error_string(int status);
SYNCLINE_API const char* syncline_last_error(void); /* valid until this thread's next failing call */

/* ---- Memory ------------------------------------------------------------------------------------------------- */

/*
 * Allocates `bytes` of the symmetric heap at an address that is the same on every PE. Collective: every PE makes the
 * call with the same arguments in the same order, and the call ends in a barrier. The block is aligned to `alignment`
 * (0: 64), and zero-filled on the first use of the memory. Errors: _NO_MEMORY (the message names the space that is left
 * and how to ask for more: SYNCLINE_HEAP_SIZE or `syncline run --heap`), _INVALID.
 */
SYNCLINE_API int syncline_alloc(size_t bytes, size_t alignment, syncline_address_t* address);

/* Gives an allocation back. Collective, ends in a barrier. Errors: _ADDRESS (not the start of an allocation). */
SYNCLINE_API int syncline_free(syncline_address_t address);

/*
 * Registers memory of this PE, so that other PEs may access it; not collective. `base` and `bytes` must be multiples of
 * the page size (4096). The call replaces the pages by memory that the firmware can reach, and keeps their contents; no
 * other thread may write to them meanwhile. The PE tells other PEs the address by any means it likes. At most 15
 * registrations are open at a time. Errors: _INVALID, _NO_MEMORY, _BUSY.
 */
SYNCLINE_API int syncline_register(void* base, size_t bytes, syncline_address_t* address);

/* Ends a registration: later accesses by other PEs return _ADDRESS. The memory stays valid and keeps its contents. */
SYNCLINE_API int syncline_deregister(syncline_address_t address);

/* Returns this PE's own memory at an address, or NULL. Plain loads, stores and CPU atomics may be used on it. */
SYNCLINE_API void* syncline_local(syncline_address_t address);

/* Returns another PE's memory if it is on this node and loads and stores can access it, else NULL. */
SYNCLINE_API void* syncline_pointer(int rank, syncline_address_t address);

/* Returns the address of this PE's own memory in the heap or in a registration, or SYNCLINE_ADDRESS_NONE. */
SYNCLINE_API syncline_address_t syncline_address(const void* pointer);

/* ---- Put and get -------------------------------------------------------------------------------------------- */

/*
 * Writes `bytes` to `target` at PE `rank`. Complete on return. Errors: _INVALID (`source` is NULL), _RANK, _ADDRESS,
 * _PEER, _NODE.
 */
SYNCLINE_API int syncline_put(int rank, syncline_address_t target, const void* source, size_t bytes);

/* Reads `bytes` from `source` at PE `rank`. Complete on return. Errors: those of syncline_put(). */
SYNCLINE_API int syncline_get(int rank, syncline_address_t source, void* target, size_t bytes);

/*
 * Non-blocking put and get. The source of a put may be written again when the call returns. If `request` is not NULL,
 * syncline_test() or syncline_wait() on it completes the operation. If it is NULL, syncline_poll() hands out the
 * completion, with `tag`. (Request and tag are the papers' token and tag.)
 */
SYNCLINE_API int syncline_put_nb(int rank, syncline_address_t target, const void* source, size_t bytes, uint64_t tag,
                                 syncline_request_t* request);
SYNCLINE_API int syncline_get_nb(int rank, syncline_address_t source, void* target, size_t bytes, uint64_t tag,
                                 syncline_request_t* request);

/* ---- Pieces and accumulate ---------------------------------------------------------------------------------- */

/* A piece: `bytes` bytes that begin `offset` bytes behind a base, in the base's segment. */
typedef struct syncline_piece {
    uint64_t offset;
    uint64_t bytes;
} syncline_piece_t;

/*
 * One put or get of `count` pieces of memory of PE `rank`: a column of a matrix, a face of a grid, members of
 * structures. At this PE the bytes of the pieces lie one behind the other, in the order of the list, from `source` or
 * `target` on. Complete on return.
 *
 * The pieces may come in any order. A piece without bytes is skipped, whatever its offset. Pieces may overlap: a get
 * brings the bytes once for each piece, and a put leaves in shared bytes those of any one of the pieces. The call does
 * not promise in which order pieces are written or read, nor that a reader sees a whole piece. The base itself may lie
 * anywhere in the segment. An empty list does nothing.
 *
 * The call checks every piece before it starts the first one, so an error in an argument means that no byte was moved.
 * There is one exception: only the target's node knows the length of a registration, so if the target is on another
 * node, pieces before or behind a refused one may have been moved.
 * Errors: _INVALID (NULL; the pieces together have more bytes than any memory holds), _RANK, _ADDRESS (a piece leaves
 * the segment, or base and offset together leave the range of addresses), _PEER, _NODE.
 */
SYNCLINE_API int syncline_put_pieces(int rank, syncline_address_t base, const syncline_piece_t* pieces, size_t count,
                                     const void* source);
SYNCLINE_API int syncline_get_pieces(int rank, syncline_address_t base, const syncline_piece_t* pieces, size_t count,
                                     void* target);

/* Types of the numbers that an accumulate adds, in the byte order of the machine; floating point is IEEE 754. */
enum syncline_element {
    SYNCLINE_INT32 = 0, /* modulo 2^32: signed and unsigned */
    SYNCLINE_INT64 = 1, /* modulo 2^64 */
    SYNCLINE_FLOAT = 2,
    SYNCLINE_DOUBLE = 3,
    SYNCLINE_COMPLEX_FLOAT = 4, /* 8 bytes: the real number, then the imaginary number */
    SYNCLINE_COMPLEX_DOUBLE = 5,
};

/*
 * Adds `count` elements to those at `target` of PE `rank`: target[i] += values[i], each exactly once. Complete on
 * return. Each addition is atomic against every other operation on its number. The halves of a complex element are
 * added separately, so a reader may see one half before the other. Sums of floats and doubles are rounded to nearest
 * even, in the order in which the additions happen to come. A caller that scales its values does so before the call.
 * `element` is one of enum syncline_element. Errors: those of syncline_put(), _ALIGNMENT (`target` is not a multiple of
 * the number's 4 or 8 bytes), _INVALID (no such element; more elements than any memory holds).
 */
SYNCLINE_API int syncline_accumulate(int rank, syncline_address_t target, int element, const void* values,
                                     size_t count);

/*
 * Accumulates in `count` pieces, which follow the rules of syncline_put_pieces(). An element that lies in several
 * pieces takes one addition for each. Errors besides: _ALIGNMENT (a piece's address is not a multiple of the number's 4
 * or 8 bytes, or its length is not a multiple of the element's).
 */
SYNCLINE_API int syncline_accumulate_pieces(int rank, syncline_address_t base, int element,
                                            const syncline_piece_t* pieces, size_t count, const void* values);

/*
 * Non-blocking forms of the calls above; `tag` and `request` are those of syncline_put_nb(). The list of pieces is the
 * caller's again when the call returns.
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
 * Makes progress and stores in *done whether the request is complete. If it is, the call returns the operation's status
 * and gives the request back (do not test it again). Errors of the call itself: _INVALID (no such request).
 */
SYNCLINE_API int syncline_test(syncline_request_t request, int* done);

/* Waits until a request is complete; returns the operation's status. */
SYNCLINE_API int syncline_wait(syncline_request_t request);

/* Called once per completed operation that was started without a request. It may start operations, but not wait. */
typedef void (*syncline_callback_t)(uint64_t tag, int status, void* context);

/*
 * Makes progress and calls `callback` for at most `max` completions. Returns how many it has handed out, or a status.
 */
SYNCLINE_API int syncline_poll(syncline_callback_t callback, void* context, int max);

/*
 * Waits until every operation that this PE has started on `rank` is complete. Returns the first error among the
 * operations posted to it or to another PE of its node.
 */
SYNCLINE_API int syncline_fence(int rank);

/* As syncline_fence(), for all targets. */
SYNCLINE_API int syncline_quiet(void);

/*
 * As syncline_quiet(), and then the job barrier: waits until every PE of the job has called it. Returns _PEER if a PE
 * is gone, within the peer timeout.
 */
SYNCLINE_API int syncline_barrier(void);

/* ---- Barriers that the NIC runs ----------------------------------------------------------------------------- */

/*
 * A barrier over any PEs of the job. Once all of a node's members have started it, the nodes' NICs finish it among
 * themselves while the PEs compute (a fuzzy barrier; Buntinas, Panda, Sadayappan, "Fast NIC-Based Barrier over
 * Myrinet/GM", 2001). A barrier can carry a value. A PE that waits, or the node's daemon, asks for lost messages.
 *
 * A barrier does not complete operations: if the PEs are to see earlier writes behind it, call syncline_quiet() first,
 * or syncline_fence_barrier().
 * One thread at a time uses a handle. A member that dies, or leaves the job, breaks the barrier: every member's running
 * or next call returns SYNCLINE_ERR_PEER, within a second or, if the whole node is gone, within the peer timeout.
 */
typedef struct syncline_barrier_handle* syncline_barrier_t;

enum syncline_barrier_algorithm {
    SYNCLINE_BARRIER_AUTO = 0,     /* the latency model of Buntinas 2001, section 2.2, fitted at first use, chooses */
    SYNCLINE_BARRIER_EXCHANGE = 1, /* pairwise; dissemination if the number of nodes is not a power of two */
    SYNCLINE_BARRIER_TREE = 2,     /* gather-broadcast */
    /*
     * The PEs signal each other, and no NIC takes part but to deliver the signals: dissemination or, with a value,
     * recursive doubling, in the logarithm of the number of PEs. Opening waits for all members. AUTO takes this where
     * no NIC can run the barrier.
     */
    SYNCLINE_BARRIER_SIGNALS = 3,
};

enum {
    SYNCLINE_BARRIERS_MAX = 64, /* number of barriers of a node, whose ids are 0 to 63 */
    SYNCLINE_TREE_MAX = 64,     /* the largest dimension of a tree */

    SYNCLINE_BARRIER_BY_HOST = 1, /* flag: the PEs run the barrier and the NIC only receives (the papers' baseline) */
};

/* Options of syncline_barrier_open(). Set `struct_size` to sizeof(syncline_barrier_options_t), unused members to 0. */
typedef struct syncline_barrier_options {
    size_t struct_size;
    int algorithm; /* enum syncline_barrier_algorithm */
    /*
     * For a tree, 1 to SYNCLINE_TREE_MAX; 0: the latency model chooses. Any other value turns AUTO into TREE. EXCHANGE
     * ignores the dimension.
     */
    uint32_t dimension;
    uint32_t flags; /* 0 or SYNCLINE_BARRIER_BY_HOST */
} syncline_barrier_options_t;

/*
 * Opens barrier number `id` for the `count` PEs in `ranks` (NULL: all PEs), which must all be different. Every member
 * makes the call with the same arguments; members that open several barriers open them in the same order. The call
 * returns when this PE may start the barrier. Two barriers that have a node in common need different numbers. `options`
 * may be NULL.
 * Errors: _INVALID, _RANK, _BUSY (the number is in use on this node), _UNSUPPORTED (the tree is too wide), _PEER,
 * _PROTOCOL (the first member's announcement is not a schedule).
 */
SYNCLINE_API int syncline_barrier_open(int id, const int* ranks, int count, const syncline_barrier_options_t* options,
                                       syncline_barrier_t* barrier);

/* Announces that this PE has come, and returns at once. One round at a time: wait for it before the next start. */
SYNCLINE_API int syncline_barrier_start(syncline_barrier_t barrier);

/* Sets *done to 1 if all members have come, or if no round has been started, else to 0. */
SYNCLINE_API int syncline_barrier_test(syncline_barrier_t barrier, int* done);

/* Waits until all members have come. */
SYNCLINE_API int syncline_barrier_wait(syncline_barrier_t barrier);

/* How syncline_fence_barrier() learns that earlier operations are complete. */
enum syncline_fence_algorithm {
    SYNCLINE_FENCE_AUTO = 0,         /* ACKNOWLEDGED: every request is answered, so it never has more to wait for */
    SYNCLINE_FENCE_ACKNOWLEDGED = 1, /* waits for the replies that are missing: not at all if none is */
    /*
     * The PEs tell each other, by binary exchange, how many operations each has sent to each. Each PE then waits until
     * its node has executed all operations that were sent there (Buntinas 2003, section 3.1.2). The barrier must have
     * all PEs of the job as members, at most 2048; the job's window (SYNCLINE_WINDOW) must be 2 or more; and no other
     * thread of a PE may start operations meanwhile.
     */
    SYNCLINE_FENCE_COUNTS = 2,
    /* Asks each node that was written to, in turn: the baseline of Buntinas 2003, section 3.1.1. */
    SYNCLINE_FENCE_LINEAR = 3,
};

/*
 * Quiet and one round of the barrier in one: when it returns, all members have come, and every operation that a member
 * had started before is complete (ARMCI_Barrier, GA_Sync; Buntinas, Saify, Panda, Nieplocha, 2003). Every member gives
 * the same algorithm, and no round of the barrier may be running. Returns the first error among this PE's posted
 * operations; with COUNTS the next quiet returns that error. Errors besides: _INVALID, _UNSUPPORTED (COUNTS, against
 * the rules above), _PEER, _NODE.
 */
SYNCLINE_API int syncline_fence_barrier(syncline_barrier_t barrier, int algorithm);

/*
 * Closes the barrier. The call returns when all members have made it; the barrier's number is free on this node once
 * all members of the node have made it. A broken barrier is closed without waiting.
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
    SYNCLINE_SUM_DOUBLE = 7, /* added in any order, but all members get the same bits */
    SYNCLINE_MIN_DOUBLE = 8, /* no value may be NaN; -0 is less than 0 */
    SYNCLINE_MAX_DOUBLE = 9,
    SYNCLINE_SUM_FLOAT = 10, /* as SUM_DOUBLE; value and result have 4 bytes */
    SYNCLINE_MIN_FLOAT = 11,
    SYNCLINE_MAX_FLOAT = 12,
};

/*
 * As syncline_barrier_start(), with a value of 8 bytes, or of 4 if it is a float. Every member combines in the same way
 * in a round. The result is available once the round is over, until this PE starts the round after the next. Errors
 * besides: _UNSUPPORTED (sums and xor over pairwise exchange among a number of nodes that is not a power of two, which
 * would count values twice).
 */
SYNCLINE_API int syncline_reduce_start(syncline_barrier_t barrier, int how, const void* value);
SYNCLINE_API int syncline_reduce_result(syncline_barrier_t barrier, void* result);

/* Start, wait and result in one. */
SYNCLINE_API int syncline_reduce(syncline_barrier_t barrier, int how, const void* value, void* result);

/* Copies `value` of the member PE `root` to all members, where it overwrites theirs. */
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
 * Waits until an aligned word of this PE's own segment compares as `comparison` says with `value` (unsigned); data that
 * other PEs wrote before the word is then visible. `timeout_us` < 0: for ever. In block mode the thread sleeps, and the
 * writer of the word wakes it. A wait for ever checks the PEs of the job every 0.5 s and returns _PEER, once for each
 * PE it finds gone: call it again if another PE is to write the word. Errors: _TIMEOUT, _ADDRESS (the word is in no
 * segment), _PEER, _NODE.
 */
SYNCLINE_API int syncline_wait_until64(const uint64_t* word, int comparison, uint64_t value, int64_t timeout_us);

/* Returns a value other than 0 if the call that waits is to give up. It may call the library. */
typedef int (*syncline_interrupt_t)(void* context);

/*
 * Lets this thread end its own waits for other nodes. While puts, gets, accumulates, atomics, syncline_wait(),
 * syncline_fence() and syncline_quiet() wait, on this thread, they call `ask` every 50 ms. If it returns a value other
 * than 0, they return _INTERRUPTED: what they have started may or may not be executed, and the library leaves their
 * buffers alone from then on. A non-blocking form that is interrupted while it starts its operation ends its request
 * so; the request of an interrupted syncline_wait() is still to be completed. All other calls wait on. NULL: no more.
 *
 * This is for programs whose handlers of signals cannot run while they are in a call, such as an interpreter.
 */
SYNCLINE_API int syncline_set_interrupt(syncline_interrupt_t ask, void* context);

/* ---- Atomics ------------------------------------------------------------------------------------------------ */

/*
 * An atomic operation is the sum of three values: an operation, a width, and FETCH or nothing. The operations are
 * SYNCLINE_ADD, _AND, _OR, _XOR, _SWAP (without FETCH: an atomic store), _CAS (compare&swap), _SMIN and _SMAX (minimum
 * and maximum of signed numbers), _UMIN and _UMAX (of unsigned ones): SYNCLINE_OPERATIONS_ has what each does.
 */
#define SYNCLINE_CONSTANT_(name, NAME, number, forms, how, sign, next) SYNCLINE_##NAME = SYNCLINE_CODE_(number),
enum syncline_operation {
    SYNCLINE_32 = 2 << 3,
    SYNCLINE_64 = 3 << 3,
    SYNCLINE_128 = 4 << 3, /* only SWAP and CAS; a pair of 64-bit numbers, aligned to 16 */

    SYNCLINE_FETCH = 0x40,

    SYNCLINE_OPERATIONS_(SYNCLINE_CONSTANT_)
};

/*
 * The general atomic. `operand`, `comparand` (for CAS, else NULL) and `result` (with FETCH, else NULL) point to values
 * of the operation's width. A CAS stores `operand` if memory equals `comparand`; its result is the old value, so it has
 * succeeded if result == comparand.
 *
 * syncline_atomic     complete on return.
 * syncline_atomic_nb  `result` is written when it completes. Request and tag are those of syncline_put_nb().
 * syncline_atomic_post  without FETCH; travels with others in one packet. Complete at a fence, quiet or barrier.
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
 * and likewise for and, or, xor, umin and umax; for smin and smax, whose numbers are int64_t or int32_t; swap (only
 * with the old value) and store (posted); and compare&swap:
 *
 *      int syncline_cas64(int rank, syncline_address_t target, uint64_t comparand, uint64_t value, uint64_t* old);
 *
 * On a PE of the same node they compile to a bounds check and the CPU's atomic instruction; for a minimum and a
 * maximum, to a loop of its compare&swap. Each is also a function of the library, by the same name, for languages that
 * load the library (ctypes, Rust, Fortran).
 */
#ifndef SYNCLINE_TYPED_CALL_
#define SYNCLINE_TYPED_CALL_ static inline /* the library compiles its functions from this header, too */
#endif

/* Internal to the inline calls below: the heaps of this node's PEs. Programs must not rely on it. */
struct syncline_port_ {
    unsigned char* heap;
    const uint64_t* length;  /* of the heap, in bytes; 0 once its PE is gone. The daemon writes it */
    const uint32_t* waiting; /* not 0 while the PE sleeps */
};
struct syncline_view_ {
    uint32_t first_rank;               /* the lowest rank of this node */
    uint32_t ranks;                    /* from it to this node's highest rank; 0: no heap can be accessed directly */
    const struct syncline_port_* port; /* one for each of these ranks; ranks of other nodes have length 0 */
};
SYNCLINE_API extern struct syncline_view_ syncline_view_;
SYNCLINE_API void syncline_wake_(uint32_t rank);
SYNCLINE_API int syncline_post_(int operation, int rank, syncline_address_t target, uint64_t value);
/* As syncline_atomic() and syncline_atomic_nb(), for the typed calls, whose names their error messages give. */
SYNCLINE_API int syncline_fetch_(int operation, int rank, syncline_address_t target, const void* operand,
                                 const void* comparand, void* result);
SYNCLINE_API int syncline_fetch_nb_(int operation, int rank, syncline_address_t target, const void* operand,
                                    const void* comparand, void* result, uint64_t tag, syncline_request_t* request);

static inline const struct syncline_port_* syncline_direct_(int rank, syncline_address_t address, uint64_t width) {
    const uint32_t place = (uint32_t)rank - syncline_view_.first_rank;
    if (__builtin_expect(place >= syncline_view_.ranks || (int64_t)address < 65536, 0)) {
        return NULL; /* the PE is on another node, or the address belongs to the runtime's own words */
    }
    const struct syncline_port_* const port = &syncline_view_.port[place];
    if (__builtin_expect(
            address + width > __atomic_load_n(port->length, __ATOMIC_RELAXED) || (address & (width - 1)) != 0, 0)) {
        return NULL; /* out of bounds, misaligned, or registered memory */
    }
    return port;
}

/* Adds integers, not pointers: gcc 14 warns of pointers here, which it takes to point behind the heap's end. */
static inline void* syncline_word_(const struct syncline_port_* port, syncline_address_t address) {
    return (void*)((uintptr_t)port->heap + address);
}

/* Pairs with the sleeper's store to `waiting`, which precedes its last look (sequentially consistent). */
static inline void syncline_written_(const struct syncline_port_* port, int rank) {
    if (__builtin_expect(__atomic_load_n(port->waiting, __ATOMIC_SEQ_CST) != 0, 0)) {
        syncline_wake_((uint32_t)rank);
    }
}

/* A typed call that returns the old value, and its form that does not wait: `call` is its name without the width. */
#define SYNCLINE_ATOMIC_FETCH_(call, name, operation, bits, type)                                                   \
    SYNCLINE_TYPED_CALL_ int syncline_##call##bits(int rank, syncline_address_t target, type value, type* old) {    \
        const struct syncline_port_* port = syncline_direct_(rank, target, bits / 8);                               \
        if (__builtin_expect(port != NULL && old != NULL, 1)) {                                                     \
            *old = syncline_apply_##name##bits##_((type*)syncline_word_(port, target), value, 0);                   \
            syncline_written_(port, rank);                                                                          \
            return SYNCLINE_OK;                                                                                     \
        }                                                                                                           \
        return syncline_fetch_((operation) | SYNCLINE_##bits | SYNCLINE_FETCH, rank, target, &value, NULL, old);    \
    }                                                                                                               \
    SYNCLINE_TYPED_CALL_ int syncline_##call##bits##_nb(int rank, syncline_address_t target, type value, type* old, \
                                                        uint64_t tag, syncline_request_t* request) {                \
        return syncline_fetch_nb_((operation) | SYNCLINE_##bits | SYNCLINE_FETCH, rank, target, &value, NULL, old,  \
                                  tag, request);                                                                    \
    }

#define SYNCLINE_ATOMIC_POST_(call, name, operation, bits, type)                                      \
    SYNCLINE_TYPED_CALL_ int syncline_##call##bits(int rank, syncline_address_t target, type value) { \
        const struct syncline_port_* port = syncline_direct_(rank, target, bits / 8);                 \
        if (__builtin_expect(port != NULL, 1)) {                                                      \
            (void)syncline_apply_##name##bits##_((type*)syncline_word_(port, target), value, 0);      \
            syncline_written_(port, rank);                                                            \
            return SYNCLINE_OK;                                                                       \
        }                                                                                             \
        return syncline_post_((operation) | SYNCLINE_##bits, rank, target, (uint##bits##_t)value);    \
    }

#define SYNCLINE_ATOMIC_CAS_(name, operation, bits, type)                                                              \
    SYNCLINE_TYPED_CALL_ int syncline_##name##bits(int rank, syncline_address_t target, type comparand, type value,    \
                                                   type* old) {                                                        \
        const struct syncline_port_* port = syncline_direct_(rank, target, bits / 8);                                  \
        if (__builtin_expect(port != NULL && old != NULL, 1)) {                                                        \
            *old = syncline_apply_##name##bits##_((type*)syncline_word_(port, target), value, comparand);              \
            syncline_written_(port, rank);                                                                             \
            return SYNCLINE_OK;                                                                                        \
        }                                                                                                              \
        return syncline_fetch_((operation) | SYNCLINE_##bits | SYNCLINE_FETCH, rank, target, &value, &comparand, old); \
    }                                                                                                                  \
    SYNCLINE_TYPED_CALL_ int syncline_##name##bits##_nb(int rank, syncline_address_t target, type comparand,           \
                                                        type value, type* old, uint64_t tag,                           \
                                                        syncline_request_t* request) {                                 \
        return syncline_fetch_nb_((operation) | SYNCLINE_##bits | SYNCLINE_FETCH, rank, target, &value, &comparand,    \
                                  old, tag, request);                                                                  \
    }

/* The typed calls of an operation, by what executes it. */
#define SYNCLINE_CALLS_INSTRUCTION_(name, operation, bits, type)      \
    SYNCLINE_ATOMIC_FETCH_(fetch_##name, name, operation, bits, type) \
    SYNCLINE_ATOMIC_POST_(name, name, operation, bits, type)
#define SYNCLINE_CALLS_LOOP_(name, operation, bits, type) SYNCLINE_CALLS_INSTRUCTION_(name, operation, bits, type)
#define SYNCLINE_CALLS_EXCHANGE_(name, operation, bits, type) \
    SYNCLINE_ATOMIC_FETCH_(name, name, operation, bits, type) \
    SYNCLINE_ATOMIC_POST_(store, name, operation, bits, type)
#define SYNCLINE_CALLS_COMPARE_(name, operation, bits, type) SYNCLINE_ATOMIC_CAS_(name, operation, bits, type)

#define SYNCLINE_TYPED_CALLS_(name, NAME, number, forms, how, sign, next) \
    SYNCLINE_CALLS_##how##_(name, SYNCLINE_##NAME, 64, sign##64##_t)      \
        SYNCLINE_CALLS_##how##_(name, SYNCLINE_##NAME, 32, sign##32##_t)
SYNCLINE_OPERATIONS_(SYNCLINE_TYPED_CALLS_)

/* A pair of 64-bit numbers; 16-byte aligned in the segment. */
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
 * Locks between the PEs of a job. A lock's words lie in the symmetric heap; its home is the PE whose memory holds the
 * word that all PEs share. No process at the home takes part, except the hybrid lock's server: the other kinds use puts
 * and atomics.
 *
 * Ordering.   A release begins as syncline_quiet() does, so every operation that this PE has started, on any thread, is
 *             complete at its target before the next holder's acquire returns. The next holder's operations come after
 *             that.
 * Threads.    A lock belongs to the PE, not to a thread: any thread may release a lock that another thread has
 *             acquired. While a PE has a lock or waits for it, another acquire of it by this PE returns _INVALID.
 * Waiting.    A PE waits in its wait mode: it polls, or sleeps until its own word is written. Kinds that have to poll
 *             elsewhere (ticket; hybrid at the home's node) poll with pauses in both modes.
 * Death.      A holder, waiter or home that dies breaks the lock for good, unless the other PEs can pass the lock on
 *             without it; then no call notices. A lock is never granted twice. Once the death can be seen (at once for
 *             a process; after the peer timeout for a node that falls silent), every PE that waits or comes later gets
 *             _BROKEN within 0.5 s (each inspection follows 0.1 s after the one before, and costs a few gets). A break
 *             undoes nothing that the last holder did. A broken lock stays broken, and the job cannot create another
 *             lock, because job barriers fail after a death, too. A PE whose daemon dies gets _NODE within 0.1 s the
 *             first time, and at once afterwards.
 * Errors.     _INVALID (NULL, or the rules above), _BROKEN, _NODE, _NOT_INITIALIZED; _TIMEOUT and _BUSY as said below.
 *             A release returns the error of an operation of the critical section as syncline_quiet() would; after any
 *             status but _INVALID this PE does not have the lock any more.
 */
enum syncline_lock_kind {
    /*
     * Queueing lock (Buntinas 2002, section IV; Buntinas 2003, section 3.2). First come, first served. A PE waits on
     * its own memory only; handing over is one put. Requests: uncontended, acquire 1 and release 1; queued, acquire 2
     * and release 1.
     */
    SYNCLINE_LOCK_MCS = 0,
    /*
     * The queueing lock with a release that needs no compare&swap (Buntinas 2003, section 5: future work). Requests:
     * acquire 1 if this PE was the last to have it, else 2; release 0 if no PE waits, else 1. The death of its last
     * holder breaks it even when it is free.
     */
    SYNCLINE_LOCK_LOCAL_RELEASE = 1,
    /* Ticket lock, polled at the home: a baseline. First come, first served, except for try and timed acquires. */
    SYNCLINE_LOCK_TICKET = 2,
    /*
     * ARMCI's original lock (Buntinas 2003, section 3.2.1), with a server thread at the home: a baseline. As fair as
     * the ticket lock.
     */
    SYNCLINE_LOCK_HYBRID = 3,
};

typedef struct syncline_lock syncline_lock_t;
typedef struct syncline_rwlock syncline_rwlock_t;
typedef struct syncline_semaphore syncline_semaphore_t;

/*
 * Creates a lock whose home is PE `home`. Collective, with the same arguments, ends in a barrier. Errors: _INVALID (no
 * such kind), _RANK (no such home), _NO_MEMORY, _PEER. A lock that is not destroyed ends with syncline_finalize().
 */
SYNCLINE_API int syncline_lock_create(int kind, int home, syncline_lock_t** lock);
/* Collective, begins with a barrier; no PE may have the lock. Errors: _INVALID (this PE has it), _PEER. */
SYNCLINE_API int syncline_lock_destroy(syncline_lock_t* lock);

/*
 * Create and destroy `count` locks at once, each with its own home, at the cost of one allocation and two barriers for
 * all. Locks that were created together are destroyed together. Errors besides: _INVALID (NULL, a negative count, locks
 * of several sets).
 */
SYNCLINE_API int syncline_locks_create(int kind, const int* homes, int count, syncline_lock_t** locks);
SYNCLINE_API int syncline_locks_destroy(syncline_lock_t* const* locks, int count);

/* Waits until this PE has the lock. */
SYNCLINE_API int syncline_lock_acquire(syncline_lock_t* lock);
/* Acquires the lock without waiting for other PEs: _BUSY if a PE has it. */
SYNCLINE_API int syncline_lock_try_acquire(syncline_lock_t* lock);
/*
 * As syncline_lock_acquire(), but gives up with _TIMEOUT after `timeout_us` (< 0: never). In the queueing locks this
 * PE's place stays in the queue until its turn, and is passed over then; if this PE acquires again before that, it has
 * its old place.
 */
SYNCLINE_API int syncline_lock_acquire_timed(syncline_lock_t* lock, int64_t timeout_us);
/* Releases the lock, to the next PE if one waits. */
SYNCLINE_API int syncline_lock_release(syncline_lock_t* lock);

/* Counts of this PE's calls on a lock, and of what they cost. */
typedef struct syncline_lock_counts {
    uint64_t acquired;
    /*
     * Acquisitions that had to wait because the lock was taken. For SYNCLINE_LOCK_HYBRID, a PE that is not on the
     * home's node counts each request that it sends to the home's server, because the server's answer does not say
     * whether the lock was taken.
     */
    uint64_t waited;
    uint64_t requests;    /* puts, gets and atomics on words of other PEs */
    uint64_t inspections; /* checks whether the PEs ahead in the queue are alive */
} syncline_lock_counts_t;

/* Copies the counts of this PE for `lock`, since the lock was created. */
SYNCLINE_API int syncline_lock_get_counts(const syncline_lock_t* lock, syncline_lock_counts_t* counts);

/*
 * Readers-writer lock: any number of readers, or one writer. A writer whose turn has come stops the readers that come
 * after it; the readers it has stopped queue with the writers, first come, first served, so neither starve. A PE has
 * the lock once, as a reader or as a writer, and does not upgrade. Requests, uncontended: reader 1 and 1, writer 2 and
 * 2.
 */
SYNCLINE_API int syncline_rwlock_create(int home, syncline_rwlock_t** lock);
SYNCLINE_API int syncline_rwlock_destroy(syncline_rwlock_t* lock);
SYNCLINE_API int syncline_rwlock_read_acquire(syncline_rwlock_t* lock);
SYNCLINE_API int syncline_rwlock_read_try_acquire(syncline_rwlock_t* lock); /* _BUSY: a writer has it or waits */
SYNCLINE_API int syncline_rwlock_read_acquire_timed(syncline_rwlock_t* lock, int64_t timeout_us);
SYNCLINE_API int syncline_rwlock_write_acquire(syncline_rwlock_t* lock);
SYNCLINE_API int syncline_rwlock_write_try_acquire(syncline_rwlock_t* lock); /* _BUSY: a PE has it or waits */
SYNCLINE_API int syncline_rwlock_write_acquire_timed(syncline_rwlock_t* lock, int64_t timeout_us);
SYNCLINE_API int syncline_rwlock_release(syncline_rwlock_t* lock); /* as reader or writer, whichever this PE is */

/*
 * Counting semaphore that starts with `units` (at most 2^31 - 1). A PE may take several units, and give back units that
 * another PE has taken; giving back more than there were is not an error. acquire() is first come, first served;
 * try_acquire() takes a unit that no PE has claimed, ahead of the PEs that queue. Each PE has one acquire() under way
 * at a time. A dead PE's units are lost: once any PE of the job is gone, a PE that waits 0.1 s for a unit gets _BROKEN.
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
