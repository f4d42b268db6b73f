// Smaller interfaces: core type switches, mask helpers, flag objects, tensor lists, results of reductions.
#pragma once

#include "twin/api/data_copy.h"
#include "twin/api/queue.h"
#include "twin/api/sync.h"
#include "twin/api/vector_reduce_tensor.h"

namespace twin {
/// Type of the core the kernel runs on, as kernels compare it with AscendC::AIC and AscendC::AIV.
struct CoreTypeVariable {
    operator int() const { return asked_type(Site{}) == CoreType::cube ? AscendC::AIC : AscendC::AIV; }
};

/// Register with the last maximum or minimum, and where it was.
struct ReducedValue {
    double value = 0;
    uint64_t index = 0;
};
inline ReducedValue last_extreme(const char* call, const Site& site) {
    TWIN_ASK(ReducedValue, call, site);
    const VectorState& vector = core().vector;
    take_register(vector.reduced_by, call, site);
    return {vector.reduce_value, vector.reduce_index};
}
/// Accumulator register: the last sum.
inline double last_sum(const char* call, const Site& site) {
    TWIN_ASK(double, call, site);
    take_register(core().vector.summed_by, call, site);
    return core().vector.sum_value;
}

inline void set_dequant_scale(float scale) {
    TWIN_CALL(scale);
    core().vector.dequant_scale = scale;
}

/// Mask registers of `length` elements in the present mode.
template <class T>
void set_mask_of(int32_t length) {
    TWIN_CALL(length);
    if (core().vector.mask.counter) {
        AscendC::SetVectorMask<T, AscendC::MaskMode::COUNTER>(length);
    } else {
        AscendC::SetVectorMask<T>(length);
    }
}
}  // namespace twin
inline constexpr twin::CoreTypeVariable g_coreType{};
#define ASCEND_IS_AIV (twin::asked_type(twin::Site{__FILE__, __LINE__}) == twin::CoreType::vector)
#define ASCEND_IS_AIC (!ASCEND_IS_AIV)
#define ASCEND_IS_NOT_AIV (!ASCEND_IS_AIV)
#define ASCEND_IS_NOT_AIC (!ASCEND_IS_AIC)

namespace AscendC {

/// Mask registers by element count or by bits.
class AscendCUtils {
public:
    template <typename T>
    static void SetMask(const int32_t length) {
        twin::set_mask_of<T>(length);
    }
    template <typename T>
    static void SetMask(const uint64_t& maskHigh, const uint64_t& maskLow) {
        SetVectorMask<T>(maskHigh, maskLow);
    }
    template <typename T>
    static void SetMaskCount() {
        AscendC::SetMaskCount();
    }
    template <typename T>
    static void SetMaskNorm() {
        AscendC::SetMaskNorm();
    }
    static void ResetMask() { AscendC::ResetMask(); }
    static int64_t GetRsvdCnt(const twin::Site& site = twin::Site::here()) {
        return GetGatherMaskRemainCount(site);
    }
    /// Saturation of results out of range; the simulated unit always keeps infinities.
    static void SetOverflow(uint64_t) {}
    static int32_t GetC0Count(const int32_t bytes) { return bytes == 0 ? 0 : DEFAULT_C0_SIZE / bytes; }
};

/// A flag between two pipes as an object.
template <pipe_t source, pipe_t destination>
class TQueSync {
public:
    void SetFlag(TEventID id, const twin::Site& site = twin::Site::here()) {
        twin::raise_flag(twin::pipe_of(source), twin::pipe_of(destination), id, "TQueSync::SetFlag", site);
    }
    void WaitFlag(TEventID id, const twin::Site& site = twin::Site::here()) {
        twin::await_flag(twin::pipe_of(source), twin::pipe_of(destination), id, "TQueSync::WaitFlag", site);
    }
};

/// Value and position, over all its repeats, of the last WholeReduceMax or WholeReduceMin.
template <typename T>
void GetReduceMaxMinCount(T& maxMinValue, T& maxMinIndex, const twin::Site& site = twin::Site::here()) {
    const twin::ReducedValue last = twin::last_extreme("GetReduceMaxMinCount", site);
    maxMinValue = static_cast<T>(static_cast<float>(last.value));
    maxMinIndex = twin::index_bits<T>(static_cast<uint32_t>(last.index));
}
template <typename T>
void GetReduceMaxMinCount(T& maxMinValue, const twin::Site& site = twin::Site::here()) {
    const twin::ReducedValue last = twin::last_extreme("GetReduceMaxMinCount", site);
    maxMinValue = static_cast<T>(static_cast<float>(last.value));
}
/// The same under its newer name.
template <typename T>
void GetReduceRepeatMaxMinSpr(T& maxMinValue, T& maxMinIndex, const twin::Site& site = twin::Site::here()) {
    GetReduceMaxMinCount<T>(maxMinValue, maxMinIndex, site);
}
template <typename T>
void GetReduceRepeatMaxMinSpr(T& maxMinValue, const twin::Site& site = twin::Site::here()) {
    GetReduceMaxMinCount<T>(maxMinValue, site);
}
/// Result of the last sum into the accumulator register.
template <typename T>
T GetAccVal(const twin::Site& site = twin::Site::here()) {
    return static_cast<T>(static_cast<float>(twin::last_sum("GetAccVal", site)));
}
/// The same under its newer name.
template <typename T>
T GetReduceRepeatSumSpr(const twin::Site& site = twin::Site::here()) {
    return GetAccVal<T>(site);
}
/// The same as raw bits.
inline uint64_t GetAccVal(const twin::Site& site = twin::Site::here()) {
    return twin::float_bits(static_cast<float>(twin::last_sum("GetAccVal", site)));
}

/// Scale of the following int32_t to half casts.
inline void SetDeqScale(half scale) { twin::set_dequant_scale(static_cast<float>(scale)); }
inline void SetDeqScale(float scale, int16_t offset, bool signMode) {
    static_cast<void>(offset);
    static_cast<void>(signMode);
    twin::set_dequant_scale(scale);
}

/// The part of UB that no InitBuffer took, as a tensor.
template <typename T, TPosition position = TPosition::LCM>
bool PopStackBuffer(LocalTensor<T>& tensor, const twin::Site& site = twin::Site::here()) {
    const auto kind = twin::memory_of(position);
    const auto used = static_cast<uint32_t>(twin::core().allocated[static_cast<size_t>(kind)]);
    const uint32_t left =
        used < twin::memory_bytes(kind) ? static_cast<uint32_t>(twin::memory_bytes(kind)) - used : 0;
    tensor = LocalTensor<T>(position, used, left / static_cast<uint32_t>(sizeof(T)), site);
    return left > 0;
}

struct SelectWithBytesMaskShapeInfo {
    uint32_t firstAxis = 0;
    uint32_t srcLastAxis = 0;
    uint32_t maskLastAxis = 0;
};

}  // namespace AscendC

namespace twin {

/// Elements of SelectWithBytesMask. Source: Select with a mask of bytes, constraints of the shapes.
inline uint64_t selected_elements(const Instruction& instruction,
                                  const AscendC::SelectWithBytesMaskShapeInfo& info) {
    const uint64_t elements = uint64_t(info.firstAxis) * info.srcLastAxis;
    if (elements > kUbBytes || info.maskLastAxis < info.srcLastAxis) {
        instruction.fail(rules::vector_limit, {format("%u rows of %u elements and %u bytes of mask",
                                                      info.firstAxis, info.srcLastAxis, info.maskLastAxis),
                                               "", "elements in UB, a byte of mask for each"});
    }
    return elements;
}

}  // namespace twin

namespace AscendC {

/// dst[i] = mask[i] == 0 ? src0[i] : src1, with one byte of mask per element (rows of the mask may be
/// longer).
template <typename T, typename U, bool isReuseMask = true>
void SelectWithBytesMask(const LocalTensor<T>& dst, const LocalTensor<T>& src0, T src1,
                         const LocalTensor<U>& mask, const LocalTensor<uint8_t>& sharedTmpBuffer,
                         const SelectWithBytesMaskShapeInfo& info,
                         const twin::Site& site = twin::Site::here()) {
    static_assert(sizeof(U) == 1, "SelectWithBytesMask: one byte of mask per element");
    TWIN_CALL(dst, src0, src1, mask, sharedTmpBuffer, info, site);
    static_cast<void>(sharedTmpBuffer);
    twin::Instruction instruction(twin::Pipe::V, "SelectWithBytesMask", site);
    const uint64_t elements = twin::selected_elements(instruction, info);
    instruction.read_aligned(src0.view(), 0, elements * sizeof(T));
    instruction.read_aligned(mask.view(), 0, uint64_t(info.firstAxis) * info.maskLastAxis);
    instruction.write_aligned(dst.view(), 0, elements * sizeof(T));
    twin::issue_vector(instruction, twin::kTwoSourceRate, elements * 3, sizeof(T));
    for (uint64_t i = 0; i < elements; ++i) {
        const uint64_t bit = i / info.srcLastAxis * info.maskLastAxis + i % info.srcLastAxis;
        dst.data()[i] = mask.data()[bit] != 0 ? src1 : src0.data()[i];
    }
}
/// The same with the scalar chosen where the mask is 0.
template <typename T, typename U, bool isReuseMask = true>
void SelectWithBytesMask(const LocalTensor<T>& dst, T src0, const LocalTensor<T>& src1,
                         const LocalTensor<U>& mask, const LocalTensor<uint8_t>& sharedTmpBuffer,
                         const SelectWithBytesMaskShapeInfo& info,
                         const twin::Site& site = twin::Site::here()) {
    static_assert(sizeof(U) == 1, "SelectWithBytesMask: one byte of mask per element");
    TWIN_CALL(dst, src0, src1, mask, sharedTmpBuffer, info, site);
    static_cast<void>(sharedTmpBuffer);
    twin::Instruction instruction(twin::Pipe::V, "SelectWithBytesMask", site);
    const uint64_t elements = twin::selected_elements(instruction, info);
    instruction.read_aligned(src1.view(), 0, elements * sizeof(T));
    instruction.read_aligned(mask.view(), 0, uint64_t(info.firstAxis) * info.maskLastAxis);
    instruction.write_aligned(dst.view(), 0, elements * sizeof(T));
    twin::issue_vector(instruction, twin::kTwoSourceRate, elements * 3, sizeof(T));
    for (uint64_t i = 0; i < elements; ++i) {
        const uint64_t bit = i / info.srcLastAxis * info.maskLastAxis + i % info.srcLastAxis;
        dst.data()[i] = mask.data()[bit] != 0 ? src1.data()[i] : src0;
    }
}

/// The same under its newer name.
template <typename T, typename U, bool isReuseMask = true>
void Select(const LocalTensor<T>& dst, const LocalTensor<T>& src0, T src1, const LocalTensor<U>& mask,
            const LocalTensor<uint8_t>& sharedTmpBuffer, const SelectWithBytesMaskShapeInfo& info,
            const twin::Site& site = twin::Site::here()) {
    SelectWithBytesMask<T, U, isReuseMask>(dst, src0, src1, mask, sharedTmpBuffer, info, site);
}
template <typename T, typename U, bool isReuseMask = true>
void Select(const LocalTensor<T>& dst, T src0, const LocalTensor<T>& src1, const LocalTensor<U>& mask,
            const LocalTensor<uint8_t>& sharedTmpBuffer, const SelectWithBytesMaskShapeInfo& info,
            const twin::Site& site = twin::Site::here()) {
    SelectWithBytesMask<T, U, isReuseMask>(dst, src0, src1, mask, sharedTmpBuffer, info, site);
}

}  // namespace AscendC
