// Behind the precompiled headers, before a kernel that is compiled for cube and vector cores by themselves,
// as the device's build does it: the type of the core is a constant. The two objects are kept apart by their
// symbols.
#pragma once

#include "twin/kernel_prelude.h"

#ifdef TWIN_CUBE_SIDE
#undef __DAV_C220_VEC__
#define __DAV_C220_CUBE__ 1
#define __DAV_CUBE__ 1
constexpr int twinSideCoreType = AscendC::AIC;
#else
#define __DAV_VEC__ 1
constexpr int twinSideCoreType = AscendC::AIV;
#endif

namespace AscendC {
using ::twinSideCoreType;
}
#define g_coreType twinSideCoreType
#undef ASCEND_IS_AIV
#undef ASCEND_IS_AIC
#define ASCEND_IS_AIV (::twinSideCoreType == AscendC::AIV)
#define ASCEND_IS_AIC (::twinSideCoreType == AscendC::AIC)
