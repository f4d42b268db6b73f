// Host helpers of the high-level API: sizes of the temporary UB buffers the device functions need. The device side of
// the twin keeps no temporaries, so any size from the minimum on is right; the sizes follow the documented shape
// (a small multiple of the processed elements, whole 32-byte blocks).
#pragma once

#include <cstdint>

#include "twin/host/tiling_data.h"

#ifdef TWIN_KERNEL_SIDE

#include "kernel_tiling/kernel_tiling.h"

// On the kernel side the tiling structs of the library are global; tiling headers name them inside optiling.
namespace optiling {
using ::SoftMaxTiling;
}

#else

#include <vector>

#include "twin/host/platform.h"
#include "twin/host/shape.h"

namespace optiling {

BEGIN_TILING_DATA_DEF(SoftMaxTiling)
TILING_DATA_FIELD_DEF(uint32_t, srcM);
TILING_DATA_FIELD_DEF(uint32_t, srcK);
TILING_DATA_FIELD_DEF(uint32_t, srcSize);
TILING_DATA_FIELD_DEF(uint32_t, outMaxM);
TILING_DATA_FIELD_DEF(uint32_t, outMaxK);
TILING_DATA_FIELD_DEF(uint32_t, outMaxSize);
TILING_DATA_FIELD_DEF(uint32_t, splitM);
TILING_DATA_FIELD_DEF(uint32_t, splitK);
TILING_DATA_FIELD_DEF(uint32_t, splitSize);
TILING_DATA_FIELD_DEF(uint32_t, reduceM);
TILING_DATA_FIELD_DEF(uint32_t, reduceK);
TILING_DATA_FIELD_DEF(uint32_t, reduceSize);
TILING_DATA_FIELD_DEF(uint32_t, rangeM);
TILING_DATA_FIELD_DEF(uint32_t, tailM);
TILING_DATA_FIELD_DEF(uint32_t, tailSplitSize);
TILING_DATA_FIELD_DEF(uint32_t, tailReduceSize);
END_TILING_DATA_DEF;

}  // namespace optiling

namespace ge {

/// Shape as the tiling helpers take it.
class Shape {
public:
    Shape() = default;
    explicit Shape(const std::vector<int64_t>& dims) : dims_(dims) {}
    size_t GetDimNum() const { return dims_.size(); }
    int64_t GetDim(size_t index) const { return index < dims_.size() ? dims_[index] : 0; }
    std::vector<int64_t> GetDims() const { return dims_; }
    int64_t GetShapeSize() const {
        int64_t size = dims_.empty() ? 0 : 1;
        for (const int64_t dim : dims_) {
            size *= dim;
        }
        return size;
    }

private:
    std::vector<int64_t> dims_;
};

}  // namespace ge

namespace AscendC {

namespace twin_host {
inline uint32_t buffer(const ge::Shape& shape, uint32_t type_size, uint32_t copies) {
    const uint64_t bytes = static_cast<uint64_t>(shape.GetShapeSize()) * (type_size < 4 ? 4 : type_size) * copies;
    return static_cast<uint32_t>((bytes + 31) / 32 * 32);
}
inline void most_and_least(const ge::Shape& shape, uint32_t type_size, uint32_t copies, uint32_t& most, uint32_t& least) {
    least = 256 * copies;
    most = buffer(shape, type_size, copies);
    most = most < least ? least : most;
}
}  // namespace twin_host

// Element-wise functions with one signature: Get<Name>MaxMinTmpSize(shape, element bytes, reuse source, max, min).
#define TWIN_HOST_TMP_SIZE(name, copies)                                                                   \
    inline void Get##name##MaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool,     \
                                         uint32_t& most, uint32_t& least) {                                \
        twin_host::most_and_least(shape, type_size, copies, most, least);                                  \
    }                                                                                                      \
    inline void Get##name##TmpBufferFactorSize(const uint32_t, uint32_t& factor, uint32_t& extra) {        \
        factor = copies;                                                                                   \
        extra = 0;                                                                                         \
    }
TWIN_HOST_TMP_SIZE(Tanh, 1)
TWIN_HOST_TMP_SIZE(Sin, 4)
TWIN_HOST_TMP_SIZE(Cos, 4)
TWIN_HOST_TMP_SIZE(Tan, 5)
TWIN_HOST_TMP_SIZE(Asin, 3)
TWIN_HOST_TMP_SIZE(Acos, 3)
TWIN_HOST_TMP_SIZE(Atan, 5)
TWIN_HOST_TMP_SIZE(Sinh, 3)
TWIN_HOST_TMP_SIZE(Cosh, 3)
TWIN_HOST_TMP_SIZE(Asinh, 3)
TWIN_HOST_TMP_SIZE(Acosh, 3)
TWIN_HOST_TMP_SIZE(Atanh, 2)
TWIN_HOST_TMP_SIZE(Erf, 3)
TWIN_HOST_TMP_SIZE(Erfc, 7)
TWIN_HOST_TMP_SIZE(Exp, 4)
TWIN_HOST_TMP_SIZE(Lgamma, 8)
TWIN_HOST_TMP_SIZE(Digamma, 8)
TWIN_HOST_TMP_SIZE(Floor, 1)
TWIN_HOST_TMP_SIZE(Ceil, 1)
TWIN_HOST_TMP_SIZE(Round, 1)
TWIN_HOST_TMP_SIZE(Trunc, 1)
TWIN_HOST_TMP_SIZE(Frac, 1)
TWIN_HOST_TMP_SIZE(Sign, 1)
TWIN_HOST_TMP_SIZE(Axpy, 1)
TWIN_HOST_TMP_SIZE(Sigmoid, 1)
TWIN_HOST_TMP_SIZE(Clamp, 1)
TWIN_HOST_TMP_SIZE(Fmod, 2)
TWIN_HOST_TMP_SIZE(Xor, 1)
#undef TWIN_HOST_TMP_SIZE

inline void GetPowerMaxMinTmpSize(const ge::Shape& base, const ge::Shape& exponent, const bool,
                                  const uint32_t type_size, const bool, uint32_t& most, uint32_t& least) {
    const ge::Shape& larger = base.GetShapeSize() < exponent.GetShapeSize() ? exponent : base;
    twin_host::most_and_least(larger, type_size, 4, most, least);
}
inline uint32_t GetSoftMaxMinTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool) {
    const int64_t last = shape.GetDimNum() == 0 ? 1 : shape.GetDim(shape.GetDimNum() - 1);
    return static_cast<uint32_t>((last * type_size + 31) / 32 * 32 + 256);
}
inline uint32_t GetSoftMaxMaxTmpSize(const ge::Shape& shape, const uint32_t type_size, const bool) {
    return twin_host::buffer(shape, type_size, 2);
}
inline void SoftMaxTilingFunc(const ge::Shape& shape, const uint32_t type_size, const uint32_t,
                              optiling::SoftMaxTiling& tiling) {
    const auto last = static_cast<uint32_t>(shape.GetDimNum() == 0 ? 1 : shape.GetDim(shape.GetDimNum() - 1));
    const auto rows = static_cast<uint32_t>(last == 0 ? 0 : shape.GetShapeSize() / last);
    const uint32_t per_block = 32 / (type_size == 0 ? 4 : type_size);
    tiling.set_srcM(rows);
    tiling.set_srcK(last);
    tiling.set_srcSize(rows * last);
    tiling.set_outMaxM(rows);
    tiling.set_outMaxK(per_block);
    tiling.set_outMaxSize(rows * per_block);
    tiling.set_splitM(rows);
    tiling.set_splitK(last);
    tiling.set_splitSize(rows * last);
    tiling.set_reduceM(rows);
    tiling.set_reduceK(per_block);
    tiling.set_reduceSize(rows * per_block);
    tiling.set_rangeM(1);
}
inline void GetReduceSumMaxMinTmpSize(const ge::Shape& shape, const ge::DataType type, bool, uint32_t& most,
                                      uint32_t& least) {
    twin_host::most_and_least(shape, static_cast<uint32_t>(ge::GetSizeByDataType(type)), 1, most, least);
}
inline void GetSumMaxMinTmpSize(const uint32_t elements, const uint32_t type_size, const bool, uint32_t& most,
                                uint32_t& least) {
    twin_host::most_and_least(ge::Shape({static_cast<int64_t>(elements)}), type_size, 1, most, least);
}

}  // namespace AscendC

#endif  // TWIN_KERNEL_SIDE
