/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ARMCI, the Aggregate Remote Memory Copy Interface (Nieplocha, Carpenter: "ARMCI: A Portable Remote Memory Copy
 * Library for Distributed Array Libraries and Compiler Run-Time Systems", 1999), version 1: remote memory for Global
 * Arrays and its users. docs/ARMCI.md says what the NIC executes, and how to build and run programs.
 *
 * Processes.   Processes have numbers 0 to armci_msg_nproc() - 1, which are MPI's ranks where both are started
 *              together.
 * Memory.      An address of another process is one that ARMCI_Malloc() has given, plus an offset within its block. If
 *              that process is on the same node, the address is a pointer that loads and stores may use. Local memory
 *              may be any memory.
 * Units.       Lengths, strides and count[0] are bytes.
 * Completion.  A blocking put or accumulate returns when the source may be reused, a get when the data are there.
 *              ARMCI_Wait() completes a non-blocking call in the same sense. At the target a put or accumulate is
 *              complete after a fence or barrier.
 * Progress.    No call needs the target's process: it may compute, sleep or stop.
 * Ordering.    Blocking operations of one process towards another take effect in the order of the calls. Non-blocking
 *              operations follow the blocking ones before them, and a later call on memory that they write follows
 *              them. A fence or barrier orders all other operations.
 * Atomicity.   Each number of an accumulate is added atomically, if its address is a multiple of its size; numbers at
 *              other addresses are atomic only against accumulates of the same numbers. ARMCI_Rmw() is atomic against
 *              accumulates of integers of its width. Puts and gets are not atomic.
 * Threads.     Any thread may call, and the calls of a process take turns; a call that waits for other processes lets
 *              other threads' calls go ahead. One thread at a time makes collective calls.
 * Errors.      A call whose arguments make no sense, or whose target is gone, prints one error message and ends the
 *              job, as ARMCI_Error() does. So functions return 0 unless their comments say otherwise.
 */
#ifndef ARMCI_H
#define ARMCI_H

#include <stddef.h>
#include <stdlib.h>

#ifdef MSG_COMMS_MPI
#include <mpi.h>
#endif

#ifdef __cplusplus
extern "C" {
#endif

#define ARMCI_API __attribute__((visibility("default")))

typedef long armci_size_t;
typedef int ARMCI_Group;
typedef int armci_domain_t;

/* Types of accumulates: remote += scale * local, of numbers of this type; complex numbers are (real, imaginary). */
#define ARMCI_ACC_OFF 36
#define ARMCI_ACC_INT (ARMCI_ACC_OFF + 1)
#define ARMCI_ACC_DBL (ARMCI_ACC_OFF + 2)
#define ARMCI_ACC_FLT (ARMCI_ACC_OFF + 3)
#define ARMCI_ACC_CPL (ARMCI_ACC_OFF + 4)
#define ARMCI_ACC_DCP (ARMCI_ACC_OFF + 5)
#define ARMCI_ACC_LNG (ARMCI_ACC_OFF + 6)
#define ARMCI_ACC_DCPL ARMCI_ACC_DCP /* its name in ARMCI's documentation */

/* Operations of ARMCI_Rmw(), on an int and, with _LONG, on a long. */
#define ARMCI_SWAP 10
#define ARMCI_SWAP_LONG 11
#define ARMCI_FETCH_AND_ADD 12
#define ARMCI_FETCH_AND_ADD_LONG 13

/* The largest number of levels of a section. */
#define ARMCI_MAX_STRIDE_LEVEL 8

#define ARMCI_DOMAIN_SMP 0 /* the processes of a node */

/* Equally long pieces: `bytes` go from each source to the destination of the same index. */
typedef struct {
    void** src_ptr_array;
    void** dst_ptr_array;
    int ptr_array_len;
    int bytes;
} armci_giov_t;

/* One non-blocking operation, or several: see ARMCI_INIT_HANDLE(). */
typedef struct {
    unsigned long number;
    unsigned long flags;
} armci_hdl_t;
#define armci_req_t armci_hdl_t

/* ---- Set-up ---- */

/*
 * Joins the job, with all its processes, unless the program has done so by syncline_init() or OpenSHMEM. Collective.
 * Further calls are counted, except one behind ARMCI_Init_mpi_comm(), because Global Arrays makes both calls and
 * finalises once. MPI may be initialised before or after. The arguments are left as they are.
 */
ARMCI_API int ARMCI_Init(void);
ARMCI_API int ARMCI_Init_args(int* argc, char*** argv);
/* As ARMCI_Init(). Threads may call as they may otherwise, whatever MPI thread level the argument asks for. */
ARMCI_API int ARMCI_Init_thread(int level);
/* Returns 1 between ARMCI_Init() and ARMCI_Finalize(), else 0. */
ARMCI_API int ARMCI_Initialized(void);
/*
 * Collective. Called as often as ARMCI_Init(): the last call completes all operations and leaves the job, which a
 * process can join only once. MPI may go on.
 */
ARMCI_API void ARMCI_Finalize(void);
/*
 * Prints message and code to standard error and ends the job. The exit status is the low 8 bits of the code, or 1 for
 * 0.
 */
ARMCI_API void ARMCI_Error(const char* message, int code) __attribute__((noreturn));
/* Does nothing: memory and locks end with the job, however it ends. */
ARMCI_API void ARMCI_Cleanup(void);

/* ---- Memory ---- */

/*
 * Collective. Each process allocates `bytes`, which may be 0; `addresses[p]` is the block of process p, or NULL if that
 * process asked for 0 bytes. Blocks begin at multiples of 64 bytes; the memory is not cleared. Returns 0, or 1 at all
 * processes if one of them has no room: then no process has a block.
 */
ARMCI_API int ARMCI_Malloc(void* addresses[], armci_size_t bytes);
/* Frees this process's own block. Collective among the processes that have a block. With NULL it does nothing. */
ARMCI_API int ARMCI_Free(void* address);
/* As ARMCI_Malloc() and ARMCI_Free(), among the members of a group: `addresses[r]` is the block of rank r. */
ARMCI_API int ARMCI_Malloc_group(void* addresses[], armci_size_t bytes, ARMCI_Group* group);
ARMCI_API int ARMCI_Free_group(void* address, ARMCI_Group* group);
/* As the four calls above, on a device. The only device is the memory of the node, so its name makes no difference. */
ARMCI_API int ARMCI_Malloc_memdev(void* addresses[], armci_size_t bytes, const char* device);
ARMCI_API int ARMCI_Free_memdev(void* address);
ARMCI_API int ARMCI_Malloc_group_memdev(void* addresses[], armci_size_t bytes, ARMCI_Group* group, const char* device);
/*
 * Allocates memory of this process alone, for the local side of a call; NULL: no room. Other memory is just as quick.
 */
ARMCI_API void* ARMCI_Malloc_local(armci_size_t bytes);
ARMCI_API int ARMCI_Free_local(void* address);

/* ARMCI-MPI needs them around direct loads and stores on one's own block. Here both calls do nothing. */
ARMCI_API void ARMCI_Access_begin(void* address);
ARMCI_API void ARMCI_Access_end(void* address);

/* ---- Memory that one process shares ---- */

/* The description of a segment, which its creator hands to other processes by any means. */
typedef struct {
    char* armci_addr;
    char* addr;
    size_t size;
    int cpid;       /* the creator's process number */
    long idlist[4]; /* internal */
} armci_meminfo_t;

/* Makes a segment of `bytes` (more than 0) at this process, and describes it. Not collective. `flags` is 0. */
ARMCI_API void ARMCI_Memget(size_t bytes, armci_meminfo_t* segment, int flags);
/*
 * Makes the segment known to this process, and returns the address `offset` bytes into it. Not collective. Calls that
 * name the creator as their process take this address; on the creator's node loads and stores may use it, too.
 */
ARMCI_API void* ARMCI_Memat(armci_meminfo_t* segment, long offset);
/* Says that this process does not use the segment any more. */
ARMCI_API void ARMCI_Memdt(armci_meminfo_t* segment, long offset);
/* At the creator: frees the segment, which no other process uses any more. At other processes: as ARMCI_Memdt(). */
ARMCI_API void ARMCI_Memctl(armci_meminfo_t* segment);

/* ---- Contiguous put, get and accumulate ---- */

/* Copy `bytes` from local memory to the process's memory, or back. Source and target must not overlap. */
ARMCI_API int ARMCI_Put(void* source, void* target, int bytes, int process);
ARMCI_API int ARMCI_Get(void* source, void* target, int bytes, int process);
/*
 * target += *scale * source, number by number, at any address. `type` is ARMCI_ACC_INT and so on, and `scale` points to
 * a number of that type.
 */
ARMCI_API int ARMCI_Acc(int type, void* scale, void* source, void* target, int bytes, int process);
/* Copies within this process's own memory. */
ARMCI_API void ARMCI_Copy(void* source, void* target, int bytes);

/* ---- Put, get and accumulate of sections of arrays ---- */

/*
 * A section of an array is count[0] consecutive bytes, count[1] of these at distances of strides[0] bytes, and so on up
 * to count[levels] at strides[levels - 1]. There are 0 to ARMCI_MAX_STRIDE_LEVEL levels; with 0, strides may be NULL.
 * Strides are not negative. Source and target have the same shape, and each has strides of its own. A section travels
 * in as few packets as its pieces fit in.
 */
ARMCI_API int ARMCI_PutS(void* source, int source_strides[], void* target, int target_strides[], int count[],
                         int levels, int process);
ARMCI_API int ARMCI_GetS(void* source, int source_strides[], void* target, int target_strides[], int count[],
                         int levels, int process);
ARMCI_API int ARMCI_AccS(int type, void* scale, void* source, int source_strides[], void* target, int target_strides[],
                         int count[], int levels, int process);
/* Copy a section of this process's own memory to consecutive bytes (write), and back (read). */
ARMCI_API void armci_write_strided(void* section, int levels, int strides[], int count[], char* bytes);
ARMCI_API void armci_read_strided(void* section, int levels, int strides[], int count[], char* bytes);

/* ---- Put, get and accumulate of lists of pieces ---- */

/* `length` lists, each of pieces of one size. Sources are local for a put or accumulate, and remote for a get. */
ARMCI_API int ARMCI_PutV(armci_giov_t pieces[], int length, int process);
ARMCI_API int ARMCI_GetV(armci_giov_t pieces[], int length, int process);
ARMCI_API int ARMCI_AccV(int type, void* scale, armci_giov_t pieces[], int length, int process);

/* ---- Put with flag ---- */

/*
 * Puts, and then stores `value` in the int at `flag`, in memory of the same process. A process that sees the value
 * there sees the data.
 */
ARMCI_API int ARMCI_Put_flag(void* source, void* target, int bytes, int* flag, int value, int process);
ARMCI_API int ARMCI_PutS_flag(void* source, int source_strides[], void* target, int target_strides[], int count[],
                              int levels, int* flag, int value, int process);
ARMCI_API int ARMCI_PutS_flag_dir(void* source, int source_strides[], void* target, int target_strides[], int count[],
                                  int levels, int* flag, int value, int process);

/* ---- Put and get of one number ---- */

/* Stores the number at `target`, at once if `target` is aligned to the number's size. */
ARMCI_API int ARMCI_PutValueInt(int value, void* target, int process);
ARMCI_API int ARMCI_PutValueLong(long value, void* target, int process);
ARMCI_API int ARMCI_PutValueFloat(float value, void* target, int process);
ARMCI_API int ARMCI_PutValueDouble(double value, void* target, int process);
/* Returns the number at `source`. */
ARMCI_API int ARMCI_GetValueInt(void* source, int process);
ARMCI_API long ARMCI_GetValueLong(void* source, int process);
ARMCI_API float ARMCI_GetValueFloat(void* source, int process);
ARMCI_API double ARMCI_GetValueDouble(void* source, int process);

/* ---- Non-blocking put, get and accumulate ---- */

/*
 * As the blocking calls, except that until ARMCI_Wait() with the handle the program does not write to sources and does
 * not look at targets of gets. A handle has one operation at a time; an aggregate handle has any number. An operation
 * without a handle (NULL) is over after ARMCI_WaitProc(), ARMCI_WaitAll(), a fence or the barrier. Until then it has no
 * order with other operations.
 */
ARMCI_API int ARMCI_NbPut(void* source, void* target, int bytes, int process, armci_hdl_t* handle);
ARMCI_API int ARMCI_NbGet(void* source, void* target, int bytes, int process, armci_hdl_t* handle);
ARMCI_API int ARMCI_NbAcc(int type, void* scale, void* source, void* target, int bytes, int process,
                          armci_hdl_t* handle);
ARMCI_API int ARMCI_NbPutS(void* source, int source_strides[], void* target, int target_strides[], int count[],
                           int levels, int process, armci_hdl_t* handle);
ARMCI_API int ARMCI_NbGetS(void* source, int source_strides[], void* target, int target_strides[], int count[],
                           int levels, int process, armci_hdl_t* handle);
ARMCI_API int ARMCI_NbAccS(int type, void* scale, void* source, int source_strides[], void* target,
                           int target_strides[], int count[], int levels, int process, armci_hdl_t* handle);
ARMCI_API int ARMCI_NbPutV(armci_giov_t pieces[], int length, int process, armci_hdl_t* handle);
ARMCI_API int ARMCI_NbGetV(armci_giov_t pieces[], int length, int process, armci_hdl_t* handle);
ARMCI_API int ARMCI_NbAccV(int type, void* scale, armci_giov_t pieces[], int length, int process, armci_hdl_t* handle);
/* As ARMCI_PutValueInt() and its like. The handle may be NULL. */
ARMCI_API int ARMCI_NbPutValueInt(int value, void* target, int process, armci_hdl_t* handle);
ARMCI_API int ARMCI_NbPutValueLong(long value, void* target, int process, armci_hdl_t* handle);
ARMCI_API int ARMCI_NbPutValueFloat(float value, void* target, int process, armci_hdl_t* handle);
ARMCI_API int ARMCI_NbPutValueDouble(double value, void* target, int process, armci_hdl_t* handle);

/* ---- Handles and waiting for non-blocking calls ---- */

/*
 * Waits for the operations that were started with the handle. Afterwards the source of a put and the target of a get
 * are the program's again, and the handle may be reused. For a handle without an operation it returns at once.
 */
ARMCI_API int ARMCI_Wait(armci_hdl_t* handle);
/* Returns 0 if the operations are complete, as after ARMCI_Wait(), and 1 if they are not yet. */
ARMCI_API int ARMCI_Test(armci_hdl_t* handle);
/* Wait for all non-blocking operations, with and without handles, on memory of the process, or of all processes. */
ARMCI_API int ARMCI_WaitProc(int process);
ARMCI_API int ARMCI_WaitAll(void);
/* Initialises a handle, before its first use: it has no operation then, and is not aggregate. */
#define ARMCI_INIT_HANDLE(handle) \
    do {                          \
        (handle)->number = 0;     \
        (handle)->flags = 0;      \
    } while (0)
/* Marks a handle as aggregate: it has any number of operations, waited for together. Unmarking waits for them. */
ARMCI_API void ARMCI_SET_AGGREGATE_HANDLE(armci_hdl_t* handle);
ARMCI_API void ARMCI_UNSET_AGGREGATE_HANDLE(armci_hdl_t* handle);

/* ---- Fences and the barrier ---- */

/*
 * Return when all operations that this process has started on the other process, on all processes, or on the members of
 * a group are complete there, non-blocking operations included.
 */
ARMCI_API void ARMCI_Fence(int process);
ARMCI_API void ARMCI_AllFence(void);
ARMCI_API void ARMCI_GroupFence(ARMCI_Group* group);
/*
 * Collective. When it returns, all processes have come, and the operations of all processes are complete everywhere
 * (Buntinas 2003, section 3.1.2).
 */
ARMCI_API void ARMCI_Barrier(void);

/* ---- Notices ---- */

/*
 * Tells the other process that all earlier operations on its memory are complete; returns how many notices this process
 * has sent it.
 */
ARMCI_API int armci_notify(int process);
/*
 * Waits for the next notice from that process; each notice is waited for once. The result, and *value unless `value` is
 * NULL, are how many notices from that process have been waited for.
 */
ARMCI_API int armci_notify_wait(int process, int* value);

/* ---- Read-modify-write ---- */

/*
 * Read-modify-write in one atomic step: *local gets the old number at `remote`, which is an int or, with _LONG, a long,
 * aligned to its size. A fetch-and-add adds `extra` there; a swap stores there the number that *local held.
 */
ARMCI_API int ARMCI_Rmw(int operation, void* local, void* remote, int extra, int process);

/* ---- Mutexes ---- */

/*
 * Collective. Create mutexes 0 to `count` - 1 at this process, any number at each process, and destroy all mutexes.
 * There is one set of mutexes at a time, and none is held when the set is destroyed.
 */
ARMCI_API int ARMCI_Create_mutexes(int count);
ARMCI_API int ARMCI_Destroy_mutexes(void);
/*
 * Queueing locks: first come, first served among processes. Threads of a process take turns: a thread that asks for a
 * mutex which another thread has waits for its release. Any thread of the process may release a mutex. Before the
 * release, all operations of the process are complete.
 */
ARMCI_API void ARMCI_Lock(int mutex, int process);
ARMCI_API void ARMCI_Unlock(int mutex, int process);

/* ---- Groups ---- */

/*
 * Collective among the members. The list names each member once, by its rank in the parent, or in the default group. A
 * member's rank in the new group is its place in the list.
 */
ARMCI_API void ARMCI_Group_create(int count, int* processes, ARMCI_Group* group);
ARMCI_API void ARMCI_Group_create_child(int count, int* processes, ARMCI_Group* group, ARMCI_Group* parent);
/* Frees a group. The group of all processes stays. */
ARMCI_API void ARMCI_Group_free(ARMCI_Group* group);
/* Stores this process's rank in the group in *rank. The result is not 0 if this process is not a member. */
ARMCI_API int ARMCI_Group_rank(ARMCI_Group* group, int* rank);
ARMCI_API void ARMCI_Group_size(ARMCI_Group* group, int* size);
/* The default group: ARMCI_Group_create() begins from it, and NULL for a group means it. At first, all processes. */
ARMCI_API void ARMCI_Group_set_default(ARMCI_Group* group);
ARMCI_API void ARMCI_Group_get_default(ARMCI_Group* group);
/* Stores the group of all processes in *group. */
ARMCI_API void ARMCI_Group_get_world(ARMCI_Group* group);
/* Returns the number of the process that has this rank in the group. */
ARMCI_API int ARMCI_Absolute_id(ARMCI_Group* group, int rank);

/* ---- Queries ---- */

/* Returns 1 if the process is on this node, where loads and stores reach its memory, else 0. */
ARMCI_API int ARMCI_Same_node(int process);
ARMCI_API int armci_sameclusnode(int process);
/* Returns 1: the processes of a node share memory. */
ARMCI_API int ARMCI_Uses_shm(void);
ARMCI_API int ARMCI_Uses_shm_grp(ARMCI_Group* group);
/* Accepts the number and changes nothing: SYNCLINE_MEMORY_LIMIT is the limit. */
ARMCI_API void ARMCI_Set_shm_limit(unsigned long bytes);
/* The only domain is ARMCI_DOMAIN_SMP: its members are the nodes, numbered from 0, and their processes. */
ARMCI_API int armci_domain_count(armci_domain_t domain);                /* the number of nodes */
ARMCI_API int armci_domain_my_id(armci_domain_t domain);                /* this process's node */
ARMCI_API int armci_domain_id(armci_domain_t domain, int process);      /* the node of a process */
ARMCI_API int armci_domain_same_id(armci_domain_t domain, int process); /* 1: it is this process's node */
ARMCI_API int armci_domain_nprocs(armci_domain_t domain, int id); /* of node `id`; id < 0: of this process's node */
ARMCI_API int armci_domain_glob_proc_id(armci_domain_t domain, int id, int index); /* a process of a node, from 0 */

/* ---- Beside MPI ---- */

/* Joins a job of these processes, given by the launcher's numbers, in the order of their ranks; NULL and 0: of all. */
ARMCI_API int ARMCI_Init_members(const int* processes, int count);
/* Returns the launcher's number of a process, which is its rank in MPI_COMM_WORLD. */
ARMCI_API int ARMCI_Launcher_id(int process);

/* The library itself does not use MPI, so it works with any MPI: the program compiles these calls. */
#if defined(MSG_COMMS_MPI) || defined(MPI_VERSION)
/* Returns the ranks of `group`'s processes in MPI_COMM_WORLD, which are the launcher's numbers; from malloc(). */
static inline int* armci_launcher_numbers_(MPI_Group group, int size) {
    int* const own = (int*)malloc(2 * (size_t)(size > 0 ? size : 1) * sizeof(int));
    MPI_Group world;
    int i;
    if (own == NULL) {
        ARMCI_Error("ARMCI_Init_mpi_comm: there is no memory for the numbers of its processes", 1);
    }
    for (i = 0; i < size; i++) {
        own[size + i] = i;
    }
    MPI_Comm_group(MPI_COMM_WORLD, &world);
    MPI_Group_translate_ranks(group, size, own + size, world, own);
    MPI_Group_free(&world);
    return own;
}

/*
 * Joins a job of the communicator's processes, by their ranks in it. Collective among them. A communicator that is not
 * all of MPI_COMM_WORLD in its order needs a launcher with PMIx (mpirun, srun --mpi=pmix). Returns 1, unlike the other
 * calls, because Global Arrays goes on only if the result is not 0. A program has this call and the next two if it
 * defines MSG_COMMS_MPI or includes mpi.h first.
 */
static inline int ARMCI_Init_mpi_comm(MPI_Comm comm) {
    int size = 0, all = 0, is_world, i;
    int* numbers;
    MPI_Group group;
    MPI_Comm_size(comm, &size);
    MPI_Comm_size(MPI_COMM_WORLD, &all);
    MPI_Comm_group(comm, &group);
    numbers = armci_launcher_numbers_(group, size);
    MPI_Group_free(&group);
    is_world = size == all;
    for (i = 0; i < size && is_world; i++) {
        is_world = numbers[i] == i;
    }
    ARMCI_Init_members(is_world ? NULL : numbers, is_world ? 0 : size);
    free(numbers);
    return 1;
}

/* As ARMCI_Init_mpi_comm(), under ARMCI-MPI's name, but returns 0. */
static inline int ARMCI_Init_thread_comm(int level, MPI_Comm comm) {
    (void)level;
    (void)ARMCI_Init_mpi_comm(comm);
    return 0;
}

/* Returns a communicator of the group's members. Collective among them, at each call; the caller frees it. */
static inline MPI_Comm armci_group_comm(ARMCI_Group* group) {
    int size = 0, i;
    int* numbers;
    MPI_Group all, some;
    MPI_Comm made = MPI_COMM_NULL;
    ARMCI_Group_size(group, &size);
    numbers = (int*)malloc((size_t)size * sizeof(int));
    if (numbers == NULL) {
        ARMCI_Error("armci_group_comm: there is no memory for the numbers of its processes", 1);
    }
    for (i = 0; i < size; i++) {
        numbers[i] = ARMCI_Launcher_id(ARMCI_Absolute_id(group, i));
    }
    MPI_Comm_group(MPI_COMM_WORLD, &all);
    MPI_Group_incl(all, size, numbers, &some);
    MPI_Comm_create_group(MPI_COMM_WORLD, some, 0, &made);
    MPI_Group_free(&some);
    MPI_Group_free(&all);
    free(numbers);
    return made;
}
#endif

#ifdef __cplusplus
}
#endif

#endif
