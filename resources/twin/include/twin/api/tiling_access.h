// How a kernel reads its tiling data and tiling key.
//
// Contract with the generated glue: before the kernel source it declares, at global scope,
//     using TwinTilingData = <struct registered for the operator>;
// so that GET_TILING_DATA knows its type. REGISTER_TILING_DEFAULT inside the kernel hides it with its own.
#pragma once

#include <cstddef>

#include "twin/core/core.h"
#include "twin/core/sync.h"

namespace twin {

/// Copies `bytes` bytes of tiling data; the host must have provided that many.
inline void copy_tiling(void* target, size_t bytes, const __gm__ void* tiling, size_t offset,
                        const Site& site) {
    enter("GET_TILING_DATA", site);
    const Launch& launch = core().launch.launch;
    const auto* begin = static_cast<const __gm__ uint8_t*>(tiling) + offset;
    if (begin == nullptr || begin < launch.tiling || begin + bytes > launch.tiling + launch.tiling_bytes) {
        report(rules::tiling_size, "GET_TILING_DATA", site,
               {format("the kernel reads %zu bytes of tiling data at offset %zu, the host wrote %zu", bytes,
                       offset, launch.tiling_bytes),
                "tiling", format("%zu bytes of tiling data", launch.tiling_bytes)});
    }
    std::memcpy(target, begin, bytes);
}

template <class Data>
Data read_tiling(const __gm__ void* tiling, const Site& site, size_t offset = 0) {
    Data data;
    copy_tiling(static_cast<void*>(&data), sizeof data, tiling, offset, site);
    return data;
}

template <class T, size_t count>
struct TilingArray {
    T values[count];
};

inline bool tiling_key_is(uint64_t key) { return core().launch.launch.tiling_key == key; }

}  // namespace twin

#define TWIN_HERE (::twin::Site{__FILE__, __LINE__})
#define TWIN_TILING(pointer) ((const __gm__ void*)(pointer))  // opc's macros cast, too
#define GET_TILING_DATA(name, tiling) \
    auto name = ::twin::read_tiling<TwinTilingData>(TWIN_TILING(tiling), TWIN_HERE)
#define GET_TILING_DATA_WITH_STRUCT(structure, name, tiling) \
    auto name = ::twin::read_tiling<structure>(TWIN_TILING(tiling), TWIN_HERE)
#define GET_TILING_DATA_MEMBER(structure, member, name, tiling)                                  \
    auto name = ::twin::read_tiling<decltype(structure::member)>(TWIN_TILING(tiling), TWIN_HERE, \
                                                                 offsetof(structure, member))
#define GET_TILING_DATA_PTR_WITH_STRUCT(structure, name, tiling) \
    const __gm__ structure* name = (const __gm__ structure*)(tiling)
#define COPY_TILING_WITH_STRUCT(structure, source, name)                                            \
    const structure name##_copied = ::twin::read_tiling<structure>(TWIN_TILING(source), TWIN_HERE); \
    const structure* name = &name##_copied
#define COPY_TILING_WITH_ARRAY(type, count, source, name)                                      \
    const auto name##_copied =                                                                 \
        ::twin::read_tiling<::twin::TilingArray<type, count>>(TWIN_TILING(source), TWIN_HERE); \
    const type(*name)[count] = &name##_copied.values
#define REGISTER_TILING_DEFAULT(structure) using TwinTilingData = structure
#define REGISTER_NONE_TILING static_assert(true, "")
#define REGISTER_TILING_FOR_TILINGKEY(expression, structure) static_assert(true, "")
#define TILING_KEY_IS(key) (::twin::tiling_key_is(static_cast<uint64_t>(key)))
#define TILING_KEY_VAR (::twin::core().launch.launch.tiling_key)

// The kernel type is known when the kernel says it: the launch then starts again with the cores of that type.
#define KERNEL_TASK_TYPE_DEFAULT(type) \
    ::twin::declare_task(static_cast<int>(type), ::twin::TaskSource::declared, TWIN_HERE)
#define KERNEL_TASK_TYPE(key, type)                                                                      \
    (TILING_KEY_IS(key)                                                                                  \
         ? ::twin::declare_task(static_cast<int>(type), ::twin::TaskSource::declared_for_key, TWIN_HERE) \
         : void())
enum KernelMetaType : uint8_t {
    KERNEL_TYPE_AIV_ONLY = 0,
    KERNEL_TYPE_AIC_ONLY,
    KERNEL_TYPE_MIX_AIV_1_0,
    KERNEL_TYPE_MIX_AIC_1_0,
    KERNEL_TYPE_MIX_AIC_1_1,
    KERNEL_TYPE_MIX_AIC_1_2,
    KERNEL_TYPE_AICORE,
    KERNEL_TYPE_VECTORCORE,
    KERNEL_TYPE_MIX_AICORE,
    KERNEL_TYPE_MIX_VECTOR_CORE
};
