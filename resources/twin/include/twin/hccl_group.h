// <hccl/hccl.h>: the C types of communication groups on the host; on the kernel side it is the kernel's API.
// Source: HCCL API reference, data types. No function of it is here: an operator's tiling makes no group.
#pragma once

#ifdef TWIN_KERNEL_SIDE
#include "kernel_operator.h"
#else
#include "twin/hccl_types.h"

enum HcclResult {
    HCCL_SUCCESS = 0,
    HCCL_E_PARA = 1,
    HCCL_E_PTR = 2,
    HCCL_E_INTERNAL = 4,
    HCCL_E_NOT_SUPPORT = 5
};
using HcclComm = void*;
#endif
