/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * system_calls
 *
 * Method: in each turn one process fills shared pages, so that all others have given theirs up behind the barrier, and
 * then each of them hands these pages to a call of the kernel's, first to read from and then to write to; the bytes
 * must be those of the file or socket. Each call has pages of its own and begins within one.
 */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE
#endif
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>
#include <unistd.h>

#include "syncline/dsm.h"

#define CHECK(condition)                                                                                      \
    do {                                                                                                      \
        if (!(condition)) {                                                                                   \
            fprintf(stderr, "process %d, %s:%d: %s does not hold: %m\n", me, __FILE__, __LINE__, #condition); \
            syncline_abort(1);                                                                                \
        }                                                                                                     \
    } while (0)
#define MUST(call) CHECK((call) == SYNCLINE_OK)

enum { BYTES = 20000, OFFSET = 100, ROOM = 24576, CALLS = 19 };

/* -D_FORTIFY_SOURCE calls these where the compiler sees how large the memory is. */
ssize_t __read_chk(int file, void* memory, size_t bytes, size_t room);
ssize_t __pread_chk(int file, void* memory, size_t bytes, off_t at, size_t room);
ssize_t __pread64_chk(int file, void* memory, size_t bytes, off64_t at, size_t room);
ssize_t __recv_chk(int socket, void* memory, size_t bytes, size_t room, int flags);
ssize_t __recvfrom_chk(int socket, void* memory, size_t bytes, size_t room, int flags, struct sockaddr* from,
                       socklen_t* length);
size_t __fread_chk(void* memory, size_t room, size_t size, size_t count, FILE* stream);
size_t __fread_unlocked_chk(void* memory, size_t room, size_t size, size_t count, FILE* stream);

static int me, processes;
static char expected[BYTES];
static char private[BYTES];

static char pattern(int turn, int call, int i) {
    return (char)(turn * 31 + call * 7 + i * 3 + 1);
}

static void expect(int turn, int call) {
    for (int i = 0; i < BYTES; i++) {
        expected[i] = pattern(turn, call, i);
    }
}

static struct iovec* split(struct iovec parts[3], char* memory) {
    parts[0] = (struct iovec){memory, 5000};
    parts[1] = (struct iovec){memory + 5000, 0};
    parts[2] = (struct iovec){memory + 5000, BYTES - 5000};
    return parts;
}

static void read_back(int file) {
    CHECK(lseek(file, 0, SEEK_SET) == 0);
    CHECK(read(file, private, BYTES) == BYTES);
    CHECK(memcmp(private, expected, BYTES) == 0);
    CHECK(lseek(file, 0, SEEK_SET) == 0);
    memset(private, 0, BYTES);
    CHECK(pwrite(file, private, BYTES, 0) == BYTES);
}

static void receive_back(int socket) {
    size_t got = 0;
    while (got < BYTES) {
        const ssize_t part = recv(socket, private + got, BYTES - got, 0);
        CHECK(part > 0);
        got += (size_t)part;
    }
    CHECK(memcmp(private, expected, BYTES) == 0);
}

/* Shared memory is what the kernel reads. */
static void give(int call, char* memory, int file, const int sockets[2]) {
    struct iovec parts[3];
    struct msghdr message = {.msg_iov = split(parts, memory), .msg_iovlen = 3};
    FILE* stream;
    CHECK(lseek(file, 0, SEEK_SET) == 0);
    switch (call) {
        case 0:
            CHECK(write(file, memory, BYTES) == BYTES);
            break;
        case 1:
            CHECK(pwrite(file, memory, BYTES, 0) == BYTES);
            break;
        case 2:
            CHECK(writev(file, parts, 3) == BYTES);
            break;
        case 3:
            CHECK(pwritev(file, parts, 3, 0) == BYTES);
            break;
        case 4:
            CHECK(pwritev2(file, parts, 3, 0, 0) == BYTES);
            break;
        case 5:
            CHECK((stream = fdopen(dup(file), "w")) != NULL);
            CHECK(fwrite(memory, 1, BYTES, stream) == BYTES && fclose(stream) == 0);
            break;
        case 6:
            CHECK((stream = fdopen(dup(file), "w")) != NULL);
            CHECK(fwrite_unlocked(memory, BYTES, 1, stream) == 1 && fclose(stream) == 0);
            break;
        case 7:
            CHECK(send(sockets[0], memory, BYTES, 0) == BYTES);
            break;
        case 8:
            CHECK(sendto(sockets[0], memory, BYTES, 0, NULL, 0) == BYTES);
            break;
        case 9:
            CHECK(sendmsg(sockets[0], &message, 0) == BYTES);
            break;
        default:
            CHECK(pwrite64(file, memory, BYTES, 0) == BYTES);
            break;
    }
    if (call >= 7 && call <= 9) {
        receive_back(sockets[1]);
    } else {
        read_back(file);
    }
}

static ssize_t receive(int call, int socket, char* memory) {
    struct iovec parts[3];
    struct msghdr message = {.msg_iov = split(parts, memory), .msg_iovlen = 3};
    switch (call) {
        case 7:
            return recv(socket, memory, BYTES, MSG_WAITALL);
        case 8:
            return recvfrom(socket, memory, BYTES, MSG_WAITALL, NULL, NULL);
        case 15:
            return __recv_chk(socket, memory, BYTES, ROOM, MSG_WAITALL);
        case 16:
            return __recvfrom_chk(socket, memory, BYTES, ROOM, MSG_WAITALL, NULL, NULL);
        default:
            return recvmsg(socket, &message, MSG_WAITALL);
    }
}

/* Shared memory is what the kernel writes. */
static void take(int call, char* memory, int file, const int sockets[2]) {
    struct iovec parts[3];
    FILE* stream;
    CHECK(pwrite(file, expected, BYTES, 0) == BYTES);
    CHECK(lseek(file, 0, SEEK_SET) == 0);
    split(parts, memory);
    switch (call) {
        case 0:
            CHECK(read(file, memory, BYTES) == BYTES);
            break;
        case 1:
            CHECK(pread(file, memory, BYTES, 0) == BYTES);
            break;
        case 2:
            CHECK(readv(file, parts, 3) == BYTES);
            break;
        case 3:
            CHECK(preadv(file, parts, 3, 0) == BYTES);
            break;
        case 4:
            CHECK(preadv2(file, parts, 3, 0, 0) == BYTES);
            break;
        case 5:
            CHECK((stream = fdopen(dup(file), "r")) != NULL);
            CHECK(fread(memory, 1, BYTES, stream) == BYTES && fclose(stream) == 0);
            break;
        case 6:
            CHECK((stream = fdopen(dup(file), "r")) != NULL);
            CHECK(fread_unlocked(memory, BYTES, 1, stream) == 1 && fclose(stream) == 0);
            break;
        case 7:
        case 8:
        case 9:
        case 15:
        case 16:
            CHECK(send(sockets[0], expected, BYTES, 0) == BYTES);
            CHECK(receive(call, sockets[1], memory) == BYTES);
            break;
        case 10:
            CHECK((stream = fdopen(dup(file), "r")) != NULL);
            for (int i = 0; i < BYTES; i++) { /* one by one, through the stream's buffer */
                CHECK(fread(memory + i, 1, 1, stream) == 1);
            }
            CHECK(fclose(stream) == 0);
            break;
        case 11:
            CHECK(pread64(file, memory, BYTES, 0) == BYTES);
            break;
        case 12:
            CHECK(__read_chk(file, memory, BYTES, ROOM) == BYTES);
            break;
        case 13:
            CHECK(__pread_chk(file, memory, BYTES, 0, ROOM) == BYTES);
            break;
        case 14:
            CHECK(__pread64_chk(file, memory, BYTES, 0, ROOM) == BYTES);
            break;
        case 17:
            CHECK((stream = fdopen(dup(file), "r")) != NULL);
            CHECK(__fread_chk(memory, ROOM, 1, BYTES, stream) == BYTES && fclose(stream) == 0);
            break;
        default:
            CHECK((stream = fdopen(dup(file), "r")) != NULL);
            CHECK(__fread_unlocked_chk(memory, ROOM, BYTES, 1, stream) == 1 && fclose(stream) == 0);
            break;
    }
    CHECK(memcmp(memory, expected, BYTES) == 0);
}

/* Lines come through the stream's buffer, also into shared memory; strings go from there. */
static void check_lines(char* memory, int file) {
    FILE* stream;
    CHECK(lseek(file, 0, SEEK_SET) == 0);
    CHECK((stream = fdopen(dup(file), "w+")) != NULL);
    CHECK(fprintf(stream, "first line\nsecond line\n") > 0);
    rewind(stream);
    MUST(syncline_dsm_barrier());
    CHECK(fgets(memory + 4090, 100, stream) != NULL);
    CHECK(strcmp(memory + 4090, "first line\n") == 0);
    CHECK(fscanf(stream, "%s", memory + 8188) == 1);
    CHECK(strcmp(memory + 8188, "second") == 0);
    rewind(stream);
    CHECK(fputs(memory + 4090, stream) >= 0 && fprintf(stream, "%s", memory + 8188) == 6);
    CHECK(fclose(stream) == 0);
    CHECK(pread(file, private, 17, 0) == 17 && memcmp(private, "first line\nsecond", 17) == 0);
}

static volatile sig_atomic_t signals;
static int pipe_ends[2];

static void on_signal(int number) {
    char byte = 's';
    (void)number;
    if (write(pipe_ends[1], &byte, 1) == 1 && read(pipe_ends[0], &byte, 1) == 1 && byte == 's') {
        signals++;
    }
}

/* read() and write() in a handler of signals, amid calls on shared memory. */
static void check_signals(char* memory, int file) {
    const struct itimerval often = {{0, 500}, {0, 500}};
    const struct itimerval never = {{0, 0}, {0, 0}};
    CHECK(pipe(pipe_ends) == 0);
    CHECK(signal(SIGALRM, on_signal) != SIG_ERR);
    CHECK(setitimer(ITIMER_REAL, &often, NULL) == 0);
    for (int i = 0; i < 100000 && signals < 20; i++) {
        MUST(syncline_dsm_lock(1));
        CHECK(pwrite(file, memory, BYTES, 0) == BYTES);
        memory[me]++;
        MUST(syncline_dsm_unlock(1));
    }
    CHECK(setitimer(ITIMER_REAL, &never, NULL) == 0);
    CHECK(signals >= 20);
}

/* A call that the kernel refuses stays refused, with its own reason. */
static void check_errors(char* memory) {
    volatile int no_count = -1;
    CHECK(read(-1, memory, 10) == -1 && errno == EBADF);
    CHECK(readv(-1, NULL, no_count) == -1 && (errno == EBADF || errno == EINVAL));
    CHECK(write(-1, memory, BYTES) == -1 && errno == EBADF);
    CHECK(sendmsg(-1, NULL, 0) == -1);
    CHECK(read(-1, memory, 0) == -1 && errno == EBADF);
}

int main(void) {
    char name[] = "/tmp/syncline-system-calls-XXXXXX";
    int sockets[2];
    const int file = mkstemp(name);
    if (file < 0 || unlink(name) != 0 || socketpair(AF_UNIX, SOCK_STREAM, 0, sockets) != 0) {
        perror("system_calls");
        return 1;
    }
    if (syncline_dsm_init(NULL) != SYNCLINE_OK) {
        fprintf(stderr, "%s\n", syncline_last_error());
        return 1;
    }
    me = syncline_dsm_process();
    processes = syncline_dsm_processes();
    char* const memory = (char*)syncline_dsm_alloc((size_t)CALLS * ROOM, SYNCLINE_DSM_FIRST_TOUCH);
    char* const own = (char*)syncline_dsm_alloc((size_t)processes * ROOM, SYNCLINE_DSM_FIRST_TOUCH) + me * ROOM;
    CHECK(memory != NULL);
    for (int turn = 0; turn < processes; turn++) {
        for (int call = 0; call < CALLS; call++) {
            expect(turn, call);
            if (me == turn) {
                memcpy(memory + call * ROOM + OFFSET, expected, BYTES);
            }
            MUST(syncline_dsm_barrier());
            give(call, memory + call * ROOM + OFFSET, file, sockets);
            MUST(syncline_dsm_barrier());
            expect(turn, call + CALLS);
            if (me == turn) {
                take(call, memory + call * ROOM + OFFSET, file, sockets);
            }
            MUST(syncline_dsm_barrier());
            CHECK(memcmp(memory + call * ROOM + OFFSET, expected, BYTES) == 0);
            CHECK(memory[call * ROOM + OFFSET - 1] == 0 && memory[call * ROOM + OFFSET + BYTES] == 0);
        }
    }
    check_lines(own, file);
    check_errors(memory);
    check_signals(memory, file);
    MUST(syncline_dsm_finalize());
    return 0;
}
