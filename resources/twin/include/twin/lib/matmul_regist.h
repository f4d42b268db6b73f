// REGIST_MATMUL_OBJ: gives Matmul objects their split, and ends the kernel on cube cores that only serve.
#pragma once

#include <utility>

#include "twin/core/matmul.h"
#include "twin/lib/matmul_types.h"

namespace twin {

inline void init_matmul(AscendC::TPipe*) {}
template <class Object, class... Others>
void init_matmul(AscendC::TPipe* pipe, Object& object, const TCubeTiling* tiling, Others&&... others) {
    if (tiling != nullptr) {
        object.Init(tiling, pipe);
    } else {
        object.InitConstant();
    }
    init_matmul(pipe, std::forward<Others>(others)...);
}
template <class Object>
void init_matmul(AscendC::TPipe*, Object&) {}

}  // namespace twin

#ifdef ASCENDC_CUBE_ONLY
#define TWIN_CUBE_ONLY true
#else
#define TWIN_CUBE_ONLY false
#endif
// Pairs of object and tiling. On the cube core of a mixed kernel the kernel ends here.
#define REGIST_MATMUL_OBJ(tpipe, workspace, ...)                                         \
    static_cast<void>(workspace);                                                        \
    if (::twin::regist_matmul(TWIN_CUBE_ONLY, ::twin::Site{__FILE__, __LINE__})) return; \
    ::twin::init_matmul(tpipe, __VA_ARGS__)
#define REGIST_CUBE_OBJ(tpipe, workspace, ...) REGIST_MATMUL_OBJ(tpipe, workspace, __VA_ARGS__)
