#ifndef MOE_DIST_DISPATCH_MUL_EXP_TILING_H
#define MOE_DIST_DISPATCH_MUL_EXP_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
constexpr uint32_t MOST_EXPERTS = 1024;

BEGIN_TILING_DATA_DEF(DispatchTilingData)
TILING_DATA_FIELD_DEF(uint32_t, rows);  // pairs of a token and one of its experts
TILING_DATA_FIELD_DEF(uint32_t, coreRows);
TILING_DATA_FIELD_DEF(uint32_t, width);
TILING_DATA_FIELD_DEF(uint32_t, perToken);  // experts of a token
TILING_DATA_FIELD_DEF(uint32_t, experts);
TILING_DATA_FIELD_DEF(uint32_t, ranks);
TILING_DATA_FIELD_DEF(uint32_t, running);  // whether expert_token_nums are sums
END_TILING_DATA_DEF;
REGISTER_TILING_DATA_CLASS(MoeDistDispatchMulExp, DispatchTilingData)
}  // namespace optiling
#endif
