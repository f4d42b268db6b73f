// REGIST_MATMUL_OBJ: gives Matmul objects their split, and ends the kernel on cube cores that only serve.
#pragma once

#include <type_traits>
#include <utility>

#include "twin/core/matmul.h"
#include "twin/lib/matmul_types.h"

namespace twin {

inline void init_matmul(AscendC::TPipe*) {}
template <class Object>
void init_matmul(AscendC::TPipe*, Object&) {}
/// An object, then its tiling as a pointer of any type, where it has one.
template <class Object, class Next, class... Others>
void init_matmul(AscendC::TPipe* pipe, Object& object, Next&& next, Others&&... others) {
    if constexpr (std::is_convertible<Next&&, const void*>::value) {
        const void* tiling = next;
        if (tiling != nullptr) {
            object.Init(static_cast<const TCubeTiling*>(tiling), pipe);
        } else {
            object.InitConstant();
        }
        init_matmul(pipe, std::forward<Others>(others)...);
    } else {
        init_matmul(pipe, std::forward<Next>(next), std::forward<Others>(others)...);
    }
}

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
