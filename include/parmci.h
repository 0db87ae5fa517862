/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * ARMCI's profiling interface: each call has a second name, with a P in front. A profiler defines ARMCI_Put(), notes
 * the call and goes on with PARMCI_Put().
 */
#ifndef PARMCI_H
#define PARMCI_H

#include "armci.h"

#ifdef __cplusplus
extern "C" {
#endif

#define PARMCI_CALL_(name) ARMCI_API __typeof__(ARMCI_##name) PARMCI_##name

PARMCI_CALL_(Acc);
PARMCI_CALL_(AccS);
PARMCI_CALL_(AccV);
PARMCI_CALL_(Access_begin);
PARMCI_CALL_(Access_end);
PARMCI_CALL_(AllFence);
PARMCI_CALL_(Barrier);
PARMCI_CALL_(Cleanup);
PARMCI_CALL_(Copy);
PARMCI_CALL_(Create_mutexes);
PARMCI_CALL_(Destroy_mutexes);
PARMCI_CALL_(Fence);
PARMCI_CALL_(Finalize);
PARMCI_CALL_(Free);
PARMCI_CALL_(Free_group);
PARMCI_CALL_(Free_local);
PARMCI_CALL_(Free_memdev);
PARMCI_CALL_(Get);
PARMCI_CALL_(GetS);
PARMCI_CALL_(GetV);
PARMCI_CALL_(GetValueDouble);
PARMCI_CALL_(GetValueFloat);
PARMCI_CALL_(GetValueInt);
PARMCI_CALL_(GetValueLong);
PARMCI_CALL_(GroupFence);
PARMCI_CALL_(Init);
PARMCI_CALL_(Init_args);
PARMCI_CALL_(Init_thread);
PARMCI_CALL_(Initialized);
PARMCI_CALL_(Lock);
PARMCI_CALL_(Malloc);
PARMCI_CALL_(Malloc_group);
PARMCI_CALL_(Malloc_group_memdev);
PARMCI_CALL_(Malloc_local);
PARMCI_CALL_(Malloc_memdev);
PARMCI_CALL_(Memat);
PARMCI_CALL_(Memctl);
PARMCI_CALL_(Memdt);
PARMCI_CALL_(Memget);
PARMCI_CALL_(NbAcc);
PARMCI_CALL_(NbAccS);
PARMCI_CALL_(NbAccV);
PARMCI_CALL_(NbGet);
PARMCI_CALL_(NbGetS);
PARMCI_CALL_(NbGetV);
PARMCI_CALL_(NbPut);
PARMCI_CALL_(NbPutS);
PARMCI_CALL_(NbPutV);
PARMCI_CALL_(NbPutValueDouble);
PARMCI_CALL_(NbPutValueFloat);
PARMCI_CALL_(NbPutValueInt);
PARMCI_CALL_(NbPutValueLong);
PARMCI_CALL_(Put);
PARMCI_CALL_(PutS);
PARMCI_CALL_(PutS_flag);
PARMCI_CALL_(PutS_flag_dir);
PARMCI_CALL_(PutV);
PARMCI_CALL_(PutValueDouble);
PARMCI_CALL_(PutValueFloat);
PARMCI_CALL_(PutValueInt);
PARMCI_CALL_(PutValueLong);
PARMCI_CALL_(Put_flag);
PARMCI_CALL_(Rmw);
PARMCI_CALL_(Test);
PARMCI_CALL_(Unlock);
PARMCI_CALL_(Wait);
PARMCI_CALL_(WaitAll);
PARMCI_CALL_(WaitProc);

#undef PARMCI_CALL_

#ifdef __cplusplus
}
#endif

#endif
