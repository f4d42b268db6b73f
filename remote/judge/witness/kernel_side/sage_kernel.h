// What CANN's build brings into a kernel's unit, in the form in which a C++ compiler of the machine reads it.
#pragma once
#include <cstddef>
#include <cstdint>
#include <type_traits>

#include "kernel_operator.h"

namespace sage {

template <class Tensor>
struct IsLocalTensor : std::false_type {};
template <class T>
struct IsLocalTensor<AscendC::LocalTensor<T>> : std::true_type {};

template <class T, size_t count>
struct TilingArray {
    T values[count];
};

// Never called: the unit is compiled for its syntax and types alone.
template <class Tiling, class Address>
Tiling tiling_at(Address);

}  // namespace sage

// On the device the address of a local tensor is a number. Headers in the form for a CPU
// give a pointer in its place, which a kernel that computes with the number cannot use;
// so calls of GetPhyAddr are written as calls of this function (kernel_unit.py).
template <class Tensor, class... Offset>
decltype(auto) sage_physical_address(Tensor&& tensor, Offset... offset) {
    using Plain = std::remove_cv_t<std::remove_reference_t<Tensor>>;
    if constexpr (sage::IsLocalTensor<Plain>::value) {
        return (uint64_t)tensor.GetPhyAddr(offset...);
    } else {
        return tensor.GetPhyAddr(offset...);
    }
}

#undef REGISTER_TILING_DEFAULT
#undef REGISTER_TILING_FOR_TILINGKEY
#undef GET_TILING_DATA
#undef GET_TILING_DATA_WITH_STRUCT
#undef GET_TILING_DATA_MEMBER
#undef GET_TILING_DATA_PTR_WITH_STRUCT
#undef COPY_TILING_WITH_STRUCT
#undef COPY_TILING_WITH_ARRAY
#define REGISTER_TILING_DEFAULT(type) using RegisteredTiling = type
#define REGISTER_TILING_FOR_TILINGKEY(expression, type) static_assert(sizeof(type) > 0, "")
#define GET_TILING_DATA(name, tiling) auto name = ::sage::tiling_at<RegisteredTiling>(tiling)
#define GET_TILING_DATA_WITH_STRUCT(type, name, tiling) auto name = ::sage::tiling_at<type>(tiling)
#define GET_TILING_DATA_MEMBER(type, member, name, tiling) auto name = ::sage::tiling_at<type>(tiling).member
#define GET_TILING_DATA_PTR_WITH_STRUCT(type, name, tiling) \
    auto name##Whole = ::sage::tiling_at<type>(tiling);     \
    type* name = &name##Whole
#define COPY_TILING_WITH_STRUCT(type, source, target)     \
    auto target##Whole = ::sage::tiling_at<type>(source); \
    type* target = &target##Whole
#define COPY_TILING_WITH_ARRAY(type, count, source, target)                           \
    auto target##Whole = ::sage::tiling_at<::sage::TilingArray<type, count>>(source); \
    type(*target)[count] = &target##Whole.values
