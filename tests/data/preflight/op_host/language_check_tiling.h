#ifndef LANGUAGE_CHECK_TILING_H
#define LANGUAGE_CHECK_TILING_H
#include "register/tilingdata_base.h"

namespace optiling {
BEGIN_TILING_DATA_DEF(LanguageCheckTilingData)
TILING_DATA_FIELD_DEF(uint32_t, totalLength);
END_TILING_DATA_DEF;

REGISTER_TILING_DATA_CLASS(LanguageCheck, LanguageCheckTilingData)
}  // namespace optiling
#endif
