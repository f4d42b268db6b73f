// Documented calls the twin does not simulate. Using one stops the build with a message that names it.
#pragma once

namespace twin {

template <class...>
constexpr bool kNever = false;

}  // namespace twin

namespace AscendC {

#define TWIN_UNSUPPORTED(NAME, WHY)                                       \
    template <typename... Types, typename... Arguments>                   \
    void NAME(Arguments&&...) {                                           \
        static_assert(twin::kNever<Types..., Arguments...>,               \
                      #NAME ": not simulated by the CPU twin (" WHY ")"); \
    }

TWIN_UNSUPPORTED(LoadDataWithSparse, "structured sparsity")
TWIN_UNSUPPORTED(MmadWithSparse, "structured sparsity")
TWIN_UNSUPPORTED(LoadDataUnzip, "compressed weights")
TWIN_UNSUPPORTED(LoadImageToLocal, "image input")
TWIN_UNSUPPORTED(SetAippFunctions, "image input")
TWIN_UNSUPPORTED(Conv2D, "deprecated; not on this architecture")
TWIN_UNSUPPORTED(Gemm, "deprecated; not on this architecture")
TWIN_UNSUPPORTED(BroadCastVecToMM, "not on this architecture")
TWIN_UNSUPPORTED(ConfusionTranspose, "transposition library")

#undef TWIN_UNSUPPORTED

/// Own buffer pools reach into the library's bookkeeping, which is another one here.
#define EXTERN_IMPL_BUFPOOL(EXT_BUFPOOL, POSITION, BUFID_SIZE) \
    static_assert(BUFID_SIZE < 0, "EXTERN_IMPL_BUFPOOL: own buffer pools are not simulated by the CPU twin")

}  // namespace AscendC
