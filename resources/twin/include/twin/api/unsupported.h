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

TWIN_UNSUPPORTED(Mmad, "cube cores")
TWIN_UNSUPPORTED(LoadData, "cube cores")
TWIN_UNSUPPORTED(LoadDataWithTranspose, "cube cores")
TWIN_UNSUPPORTED(LoadDataWithSparse, "cube cores")
TWIN_UNSUPPORTED(Fixpipe, "cube cores")
TWIN_UNSUPPORTED(SetFixPipeConfig, "cube cores")
TWIN_UNSUPPORTED(ProposalConcat, "region proposals do not exist on this architecture")
TWIN_UNSUPPORTED(ProposalExtract, "region proposals do not exist on this architecture")
TWIN_UNSUPPORTED(RpSort16, "region proposals do not exist on this architecture")
TWIN_UNSUPPORTED(MrgSort4, "region proposals do not exist on this architecture")
TWIN_UNSUPPORTED(AscendQuant, "quantisation library")
TWIN_UNSUPPORTED(AscendDequant, "quantisation library")
TWIN_UNSUPPORTED(AscendAntiQuant, "quantisation library")
TWIN_UNSUPPORTED(SoftmaxFlash, "flash attention library")
TWIN_UNSUPPORTED(SoftmaxFlashV2, "flash attention library")
TWIN_UNSUPPORTED(SoftmaxFlashV3, "flash attention library")
TWIN_UNSUPPORTED(SoftmaxGrad, "gradient library")
TWIN_UNSUPPORTED(SoftmaxGradFront, "gradient library")
TWIN_UNSUPPORTED(LayerNormGrad, "gradient library")
TWIN_UNSUPPORTED(LayerNormGradBeta, "gradient library")
TWIN_UNSUPPORTED(ConfusionTranspose, "transposition library")

#undef TWIN_UNSUPPORTED

}  // namespace AscendC
