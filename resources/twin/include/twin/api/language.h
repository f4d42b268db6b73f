// Language extensions of the device compiler, as far as an ordinary C++ compiler can stand in for them.
#pragma once

#include <climits>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstring>

#include "twin/core/core.h"

// Neither ASCENDC_CPU_DEBUG nor a name of our own: a kernel sees the macros of a device, so that it is the
// device's code which is judged.
#ifndef __NPU_ARCH__
#define __NPU_ARCH__ 2201
#endif
#ifndef __CCE_AICORE__
#define __CCE_AICORE__ 220
#endif
#ifndef __DAV_C220_VEC__
#define __DAV_C220_VEC__ 1
#endif

#define __aicore__
#define __global__
#ifdef TWIN_ADDRESS_SPACES  // the lint's second look: a pointer into global memory has a type of its own
#define __gm__ __attribute__((address_space(1)))
#else
#define __gm__
#endif
#define __ubuf__
#define __cbuf__
#define __ca__
#define __cb__
#define __cc__
#define __fbuf__
#define __ssbuf__
#define __kfc_workspace__
#define __vector__
#define __cube__
#define __mix__(aic, aiv)
#define __sync_alias__
#define __bf16 bfloat16_t
#define __fp16 half
#define __sync_noalias__
#define __inout_pipe__(pipe)
#define __force_inline__ inline
#define __forceinline__ inline
#define GM_ADDR __gm__ uint8_t*

#ifndef likely
#define likely(condition) __builtin_expect(static_cast<bool>(condition), 1)
#define unlikely(condition) __builtin_expect(static_cast<bool>(condition), 0)
#endif

#include <algorithm>

using ::std::abs;
using ::std::max;
using ::std::min;
using ::std::sqrt;
