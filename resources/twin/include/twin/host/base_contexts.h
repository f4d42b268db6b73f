// Ops::Base: what operator libraries ask a context for on the host: sizes of the processor, shapes that
// follow from the inputs', and integers that an input holds.
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

#include "twin/host/infer_context.h"
#include "twin/host/log.h"
#include "twin/host/platform.h"
#include "twin/host/registry.h"

namespace Ops {
namespace Base {

/// Numbers of the processor that a tiling or its preparation runs for.
template <typename Context>
uint32_t GetAivCoreNum(const Context* context) {
    return platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAiv();
}
template <typename Context>
uint32_t GetAicCoreNum(const Context* context) {
    return platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetCoreNumAic();
}
template <typename Context>
uint32_t GetUbSize(const Context* context) {
    uint64_t bytes = 0;
    platform_ascendc::PlatformAscendC platform(context->GetPlatformInfo());
    platform.GetCoreMemSize(platform_ascendc::CoreMemType::UB, bytes);
    return static_cast<uint32_t>(bytes);
}
/// Bytes of the workspace that the system's own functions need.
template <typename Context>
uint32_t GetWorkspaceSize(const Context* context) {
    return platform_ascendc::PlatformAscendC(context->GetPlatformInfo()).GetLibApiWorkSpaceSize();
}
/// Bytes of a block of UB, of what a vector instruction takes at once, and of a line of the cache.
template <typename Context>
constexpr uint32_t GetUbBlockSize(const Context*) {
    return 32;
}
template <typename Context>
constexpr uint32_t GetVRegSize(const Context*) {
    return 256;
}
template <typename Context>
constexpr uint32_t GetCacheLineSize(const Context*) {
    return 256;
}
/// Whether the processor computes on vector registers; those of the A2 series do not.
template <typename Context>
constexpr bool IsRegbaseSocVersion(const Context*) {
    return false;
}

/// The shape of a tensor for loops over its axes: a scalar is one of length 1.
inline const gert::Shape& EnsureNotScalar(const gert::Shape& shape) {
    static const gert::Shape one{1};
    return shape.GetDimNum() == 0 ? one : shape;
}
template <typename Rank, typename Axis>
bool CheckAxisBounds(const Rank rank, const Axis axis) {
    const int64_t axes = static_cast<int64_t>(rank), wanted = static_cast<int64_t>(axis);
    return axes == 0 ? wanted == 0 : wanted >= -axes && wanted < axes;
}

/// The output has the shape of the first input.
inline ge::graphStatus InferShape4Elewise(gert::InferShapeContext* context) {
    const gert::Shape* input = context->GetInputShape(0);
    gert::Shape* output = context->GetOutputShape(0);
    if (input == nullptr || output == nullptr) {
        return ge::GRAPH_FAILED;
    }
    *output = *input;
    return ge::GRAPH_SUCCESS;
}

/// The shape that all of `shapes` spread to, axes counted from the last; false when there is none.
inline bool BroadcastShape(const std::vector<const gert::Shape*>& shapes, gert::Shape* result) {
    size_t rank = 0;
    for (const gert::Shape* shape : shapes) {
        if (shape == nullptr) {
            return false;
        }
        if (IsUnknownRank(*shape)) {
            SetUnknownRank(*result);
            return true;
        }
        rank = shape->GetDimNum() > rank ? shape->GetDimNum() : rank;
    }
    gert::Shape spread;
    for (size_t axis = 0; axis < rank; ++axis) {
        int64_t length = 1;
        for (const gert::Shape* shape : shapes) {
            const size_t missing = rank - shape->GetDimNum();
            const int64_t own = axis < missing ? 1 : shape->GetDim(axis - missing);
            if (own == 1 || own == length) {
                continue;
            }
            if (length != 1 && length != ge::UNKNOWN_DIM && own != ge::UNKNOWN_DIM) {
                return false;
            }
            length = length == 1 || length == ge::UNKNOWN_DIM ? own : length;
        }
        spread.AppendDim(length);
    }
    *result = spread;
    return true;
}
inline bool BroadcastShape(const gert::Shape* first, const gert::Shape* second, gert::Shape* result) {
    return BroadcastShape(std::vector<const gert::Shape*>{first, second}, result);
}
inline ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context, size_t inputs) {
    std::vector<const gert::Shape*> shapes;
    for (size_t index = 0; index < inputs; ++index) {
        shapes.push_back(context->GetInputShape(index));
    }
    gert::Shape* output = context->GetOutputShape(0);
    return output != nullptr && BroadcastShape(shapes, output) ? ge::GRAPH_SUCCESS : ge::GRAPH_FAILED;
}
inline ge::graphStatus InferShape4Broadcast(gert::InferShapeContext* context) {
    return InferShape4Broadcast(context, 2);
}

/// The shape that is left when `count` axes are reduced; false for an axis that is not there.
template <typename T>
ge::graphStatus ReduceDims(const gert::Shape* shape, const T* axes, int32_t count, bool keeps,
                           gert::Shape* result) {
    if (IsUnknownRank(*shape)) {
        SetUnknownRank(*result);
        return ge::GRAPH_SUCCESS;
    }
    const int64_t rank = static_cast<int64_t>(shape->GetDimNum());
    std::vector<bool> reduced(static_cast<size_t>(rank), false);
    for (int32_t index = 0; index < count; ++index) {
        const int64_t axis = static_cast<int64_t>(axes[index]);
        if (!CheckAxisBounds(rank, axis)) {
            ::twin::host::log_line("error", "axis %lld is outside a shape of %lld axes",
                                   static_cast<long long>(axis), static_cast<long long>(rank));
            return ge::GRAPH_FAILED;
        }
        if (rank != 0) {
            reduced[static_cast<size_t>(axis < 0 ? axis + rank : axis)] = true;
        }
    }
    gert::Shape left;
    for (size_t axis = 0; axis < reduced.size(); ++axis) {
        if (!reduced[axis]) {
            left.AppendDim(shape->GetDim(axis));
        } else if (keeps) {
            left.AppendDim(1);
        }
    }
    *result = left;
    return ge::GRAPH_SUCCESS;
}
template <typename T>
ge::graphStatus ReduceDimsWithKeepDims(const gert::Shape* shape, const T* axes, int32_t count,
                                       gert::Shape* result) {
    return ReduceDims<T>(shape, axes, count, true, result);
}
template <typename T>
ge::graphStatus ReduceDimsWithoutKeepDims(const gert::Shape* shape, const T* axes, int32_t count,
                                          gert::Shape* result) {
    return ReduceDims<T>(shape, axes, count, false, result);
}
template <typename T>
ge::graphStatus ReduceDims(const gert::Shape* shape, const gert::Tensor* axes, int32_t count, bool keeps,
                           gert::Shape* result) {
    return ReduceDims<T>(shape, axes->GetData<T>(), count, keeps, result);
}

}  // namespace Base
}  // namespace Ops

namespace twin {
namespace host {

/// Element `index` of a tensor of integers of 32 or 64 bits; false for one without values on the host or of
/// another type.
inline bool integer_of(const gert::Tensor* tensor, size_t index, int64_t& value) {
    if (tensor == nullptr || tensor->GetAddr() == nullptr ||
        static_cast<int64_t>(index) >= tensor->GetShapeSize()) {
        return false;
    }
    switch (tensor->GetDataType()) {
        case ge::DT_INT32:
            value = tensor->GetData<int32_t>()[index];
            return true;
        case ge::DT_UINT32:
            value = tensor->GetData<uint32_t>()[index];
            return true;
        case ge::DT_INT64:
        case ge::DT_UINT64:
            value = tensor->GetData<int64_t>()[index];
            return true;
        default:
            return false;
    }
}

}  // namespace host
}  // namespace twin

namespace Ops {
namespace Base {

/// The first number of an input whose values the host has.
template <typename Context, typename T>
bool GetConstInt(const Context* context, int64_t input, T& value) {
    int64_t number = 0;
    if (!::twin::host::integer_of(context->GetInputTensor(static_cast<size_t>(input)), 0, number)) {
        return false;
    }
    value = static_cast<T>(number);
    return true;
}
/// All of them as a shape.
template <typename Context>
bool GetConstIntToShape(const Context* context, int64_t input, gert::Shape& shape) {
    const gert::Tensor* tensor = context->GetInputTensor(static_cast<size_t>(input));
    gert::Shape made;
    const int64_t count = tensor == nullptr ? -1 : tensor->GetShapeSize();
    for (int64_t index = 0; index < count; ++index) {
        int64_t number = 0;
        if (!::twin::host::integer_of(tensor, static_cast<size_t>(index), number)) {
            return false;
        }
        made.AppendDim(number);
    }
    shape = made;
    return count >= 0;
}

}  // namespace Base
}  // namespace Ops
