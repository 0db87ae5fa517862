/* SPDX-License-Identifier: BSD-3-Clause */
/* treadmarks_mistakes MISTAKE [-- OPTION...]: a TreadMarks program that makes it; `mistakes` lists what it is to say.
 */
#include <Tmk.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

int main(int argc, char** argv) {
    const char* mistake = argv[1];
    int local = 0;
    if (strcmp(mistake, "early") == 0) {
        Tmk_barrier(0);
    }
    Tmk_startup(argc, argv);
    if (strcmp(mistake, "twice") == 0) {
        Tmk_startup(argc, argv);
    } else if (strcmp(mistake, "lock") == 0) {
        Tmk_lock_acquire(TMK_NLOCKS);
    } else if (strcmp(mistake, "release") == 0) {
        Tmk_lock_release(3);
    } else if (strcmp(mistake, "barrier") == 0) {
        Tmk_barrier(TMK_NBARRIERS);
    } else if (strcmp(mistake, "condition") == 0) {
        Tmk_lock_acquire(1);
        Tmk_lock_cond_wait(1, TMK_NCONDS);
    } else if (strcmp(mistake, "distribute") == 0) {
        Tmk_distribute(&local, sizeof(local));
    } else if (strcmp(mistake, "free") == 0) {
        Tmk_free(&local);
    } else if (strcmp(mistake, "errexit") == 0 && Tmk_proc_id == 1) {
        Tmk_errexit("the program's own sentence, %d\n", 7);
    } else if (strcmp(mistake, "perrexit") == 0 && Tmk_proc_id == 1) {
        errno = ENOENT;
        Tmk_perror("not yet");
        errno = ENOENT;
        Tmk_perrexit("the file %s", "x");
    } else if (strcmp(mistake, "exit") == 0 && Tmk_proc_id == 1) {
        Tmk_exit(9);
    } else if (strcmp(mistake, "return") == 0 && Tmk_proc_id == 1) {
        return 8;
    }
    if (strcmp(mistake, "release") == 0 || strcmp(mistake, "options") == 0) {
        Tmk_exit(0);
    }
    Tmk_barrier(0);
    Tmk_exit(0);
}
