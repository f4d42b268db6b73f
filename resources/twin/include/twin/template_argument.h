// Tiling keys made of template arguments: what ASCENDC_TPL_ARGS_DECL and ASCENDC_TPL_SEL declare, for
// op_host, which turns values into a key, and for the kernel's glue, which calls the instance of a key.
// Source: Ascend C API, template programming of tilings (parameter definition, GET_TPL_TILING_KEY,
// ASCENDC_TPL_SEL_PARAM).
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <stdexcept>

#ifdef TWIN_KERNEL_SIDE
#define TWIN_NO_SELECTION() static_cast<void>(0)
#else
#include "twin/host/log.h"
#define TWIN_NO_SELECTION() \
    ::twin::host::log_line("error", "GET_TPL_TILING_KEY: no ASCENDC_TPL_ARGS_SEL has these values")
#endif

// Data types of the framework, for parameters that are types.
enum C_DataType {
    C_DT_FLOAT = 0,
    C_DT_FLOAT16 = 1,
    C_DT_INT8 = 2,
    C_DT_INT32 = 3,
    C_DT_UINT8 = 4,
    C_DT_INT16 = 6,
    C_DT_UINT16 = 7,
    C_DT_UINT32 = 8,
    C_DT_INT64 = 9,
    C_DT_UINT64 = 10,
    C_DT_DOUBLE = 11,
    C_DT_BOOL = 12,
    C_DT_COMPLEX64 = 16,
    C_DT_BF16 = 27,
    C_DT_INT4 = 29
};

// Formats of the framework, for parameters that are formats.
enum C_Format {
    C_FORMAT_NCHW = 0,
    C_FORMAT_NHWC = 1,
    C_FORMAT_ND = 2,
    C_FORMAT_NC1HWC0 = 3,
    C_FORMAT_FRACTAL_Z = 4,
    C_FORMAT_HWCN = 16,
    C_FORMAT_NDHWC = 27,
    C_FORMAT_FRACTAL_NZ = 29,
    C_FORMAT_NCDHW = 30,
    C_FORMAT_DHWCN = 31,
    C_FORMAT_NDC1HWC0 = 32,
    C_FORMAT_FRACTAL_Z_3D = 33,
    C_FORMAT_NC = 35,
    C_FORMAT_NCL = 47
};

// Kernel types, numbered as KernelMetaType is.
#define ASCENDC_TPL_AIV_ONLY 0
#define ASCENDC_TPL_AIC_ONLY 1
#define ASCENDC_TPL_MIX_AIV_1_0 2
#define ASCENDC_TPL_MIX_AIC_1_0 3
#define ASCENDC_TPL_MIX_AIC_1_1 4
#define ASCENDC_TPL_MIX_AIC_1_2 5
#define ASCENDC_TPL_AICORE 6

#define ASCENDC_TPL_1_BW 1
#define ASCENDC_TPL_2_BW 2
#define ASCENDC_TPL_4_BW 4
#define ASCENDC_TPL_8_BW 8

#define ASCENDC_TPL_UI_RANGE 0
#define ASCENDC_TPL_UI_LIST 1
#define ASCENDC_TPL_UI_MIX 2

// Among the values of a declaration: only the values that input (or output) number `x` has are compiled.
#define ASCENDC_TPL_INPUT(x) (::twin::kOfInput + (x))
#define ASCENDC_TPL_OUTPUT(x) (::twin::kOfOutput + (x))

namespace twin {

constexpr uint64_t kOfInput = 100000000, kOfOutput = 900000000;

enum class ArgumentKind : uint8_t { plain, format, counted, kernel_type, ignored };

/// One template parameter: the values it may have, or has in a selection.
struct TemplateArgument {
    static constexpr size_t kMost = 64;
    const char* name = "";
    ArgumentKind kind = ArgumentKind::ignored;
    uint32_t width = 0;  ///< bits in the key
    size_t count = 0;
    uint32_t values[kMost] = {};
    uint64_t tensor = 0;  ///< what ASCENDC_TPL_INPUT or ASCENDC_TPL_OUTPUT named first, 0 for nothing

    constexpr void add(uint64_t value) {
        if (value >= kOfInput) {
            tensor = tensor == 0 ? value : tensor;
            return;
        }
        if (count == kMost) throw std::length_error("ASCENDC_TPL: more than 64 values of one parameter");
        values[count++] = static_cast<uint32_t>(value);
    }
    /// Position of `value`, or `count`.
    constexpr size_t find(uint64_t value) const {
        for (size_t at = 0; at < count; ++at) {
            if (values[at] == value) return at;
        }
        return count;
    }
    /// What stands in the key for `value`: itself, or the place in its declaration.
    constexpr uint64_t code(uint64_t value) const {
        return kind == ArgumentKind::counted ? find(value) : value;
    }
};

/// A parameter with its values; those of `counted` ones begin with a mode and may have ranges.
constexpr TemplateArgument template_argument(const char* name, ArgumentKind kind, uint32_t width,
                                             std::initializer_list<uint64_t> given) {
    TemplateArgument made;
    made.name = name;
    made.kind = kind;
    made.width = width;
    const uint64_t* next = given.begin();
    if (kind == ArgumentKind::counted && *next++ != ASCENDC_TPL_UI_LIST) {
        for (uint64_t ranges = *next++; ranges > 0; --ranges, next += 2) {
            for (uint64_t value = next[0]; value <= next[1]; ++value) made.add(value);
        }
    }
    for (; next != given.end(); ++next) made.add(*next);
    return made;
}

/// Parameters of a declaration, or of one selection.
struct TemplateArguments {
    static constexpr size_t kMost = 24;
    size_t count = 0;
    TemplateArgument list[kMost] = {};

    constexpr TemplateArguments(std::initializer_list<TemplateArgument> given) {
        for (const TemplateArgument& one : given) {
            if (count == kMost) throw std::length_error("ASCENDC_TPL: more than 24 parameters");
            list[count++] = one;
        }
    }
    constexpr const TemplateArgument* find(const char* name) const {
        for (size_t at = 0; at < count; ++at) {
            const char* a = list[at].name;
            const char* b = name;
            while (*a != '\0' && *a == *b) ++a, ++b;
            if (*a == *b) return &list[at];
        }
        return nullptr;
    }
    constexpr const TemplateArgument* kernel_type() const {
        for (size_t at = 0; at < count; ++at) {
            if (list[at].kind == ArgumentKind::kernel_type) return &list[at];
        }
        return nullptr;
    }
};

/// Values of all parameters in the order of their declaration, the key that stands for them, and the kernel
/// type that goes with it, -1 for none.
struct TemplateInstance {
    std::array<uint32_t, TemplateArguments::kMost> values{};
    uint64_t key = 0;
    int kernel_type = -1;
};

/// How many instances a selection has: every combination of its values.
constexpr size_t instances_of(const TemplateArguments& declared, const TemplateArguments& selection) {
    size_t product = 1;
    for (size_t at = 0; at < declared.count; ++at) {
        const TemplateArgument* chosen = selection.find(declared.list[at].name);
        if (chosen == nullptr)
            throw std::invalid_argument("ASCENDC_TPL_ARGS_SEL: a declared parameter is missing");
        product *= chosen->count;
    }
    return product;
}

template <size_t selections>
constexpr size_t instance_count(const TemplateArguments& declared,
                                const TemplateArguments (&selected)[selections]) {
    size_t sum = 0;
    for (const TemplateArguments& selection : selected) sum += instances_of(declared, selection);
    return sum;
}

/// Instance number `index` of all selections.
template <size_t selections>
constexpr TemplateInstance template_instance(const TemplateArguments& declared,
                                             const TemplateArguments (&selected)[selections], size_t index) {
    TemplateInstance made;
    for (const TemplateArguments& selection : selected) {
        const size_t count = instances_of(declared, selection);
        if (index >= count) {
            index -= count;
            continue;
        }
        uint32_t shift = 0;
        for (size_t at = 0; at < declared.count; ++at) {
            const TemplateArgument& parameter = declared.list[at];
            const TemplateArgument& chosen = *selection.find(parameter.name);
            made.values[at] = chosen.values[index % chosen.count];
            index /= chosen.count;
            made.key |= parameter.code(made.values[at]) << shift;
            shift += parameter.width;
        }
        if (const TemplateArgument* type = selection.kernel_type())
            made.kernel_type = static_cast<int>(type->values[0]);
        return made;
    }
    return made;
}

/// Of functions that differ in their turn alone, a call with the last turn takes the one that came last.
template <int number>
struct Turn : Turn<number - 1> {};
template <>
struct Turn<-1> {};
using LastTurn = Turn<255>;

/// A template argument of whatever type the kernel gives it.
struct TemplateValue {
    uint32_t value;
    template <class T>
    constexpr operator T() const {
        return static_cast<T>(value);
    }
};

}  // namespace twin

#define TWIN_ARGUMENT(NAME, KIND, WIDTH, ...) \
    ::twin::template_argument(NAME, ::twin::ArgumentKind::KIND, WIDTH, {__VA_ARGS__})

#define ASCENDC_TPL_DTYPE_DECL(x, ...) TWIN_ARGUMENT(#x, plain, 8, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_DECL(x, ...) TWIN_ARGUMENT(#x, plain, 8, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_DECL(x, ...) TWIN_ARGUMENT(#x, format, 8, __VA_ARGS__)
#define ASCENDC_TPL_UINT_DECL(x, bits, ...) TWIN_ARGUMENT(#x, counted, bits, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_DECL(x, ...) TWIN_ARGUMENT(#x, plain, 1, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_DECL(x, ...) TWIN_ARGUMENT(#x, kernel_type, 8, __VA_ARGS__)

#define ASCENDC_TPL_DTYPE_SEL(x, ...) TWIN_ARGUMENT(#x, plain, 8, __VA_ARGS__)
#define ASCENDC_TPL_DATATYPE_SEL(x, ...) TWIN_ARGUMENT(#x, plain, 8, __VA_ARGS__)
#define ASCENDC_TPL_FORMAT_SEL(x, ...) TWIN_ARGUMENT(#x, format, 8, __VA_ARGS__)
#define ASCENDC_TPL_UINT_SEL(x, ...) TWIN_ARGUMENT(#x, counted, 0, __VA_ARGS__)
#define ASCENDC_TPL_BOOL_SEL(x, ...) TWIN_ARGUMENT(#x, plain, 1, __VA_ARGS__)
#define ASCENDC_TPL_KERNEL_TYPE_SEL(...) TWIN_ARGUMENT("kernel_type", kernel_type, 8, __VA_ARGS__)
#define ASCENDC_TPL_SHARED_KERNEL_TYPE_SEL(x, ...) TWIN_ARGUMENT(#x, kernel_type, 8, __VA_ARGS__)
#define ASCENDC_TPL_DETERMINISTIC_SEL(...) TWIN_ARGUMENT("deterministic", ignored, 1, __VA_ARGS__)
// The tiling struct of a selection, which the kernel names itself where it reads it.
#define ASCENDC_TPL_TILING_STRUCT_SEL(x, ...) \
    ::twin::TemplateArgument {}

#define ASCENDC_TPL_ARGS_SEL(...) \
    ::twin::TemplateArguments { __VA_ARGS__ }

#ifdef TWIN_KERNEL_SIDE
// A kernel may include the header of its keys twice: there the device's build reads nothing of it. Each
// declaration has a place of its own, and the last one counts.
#define TWIN_PLACE_AFTER(place, number) place##number
#define TWIN_PLACE(place, number) TWIN_PLACE_AFTER(place, number)
#define TWIN_DECLARED_ARGUMENTS(number, ...)                                                    \
    static constexpr ::twin::TemplateArguments TWIN_PLACE(twin_declared_, number){__VA_ARGS__}; \
    constexpr const auto& twin_declared(::twin::Turn<number>) { return TWIN_PLACE(twin_declared_, number); }
#define TWIN_SELECTED_ARGUMENTS(number, ...)                                                         \
    static constexpr ::twin::TemplateArguments TWIN_PLACE(twin_selected_, number)[] = {__VA_ARGS__}; \
    constexpr const auto& twin_selected(::twin::Turn<number>) { return TWIN_PLACE(twin_selected_, number); }
#define ASCENDC_TPL_ARGS_DECL(x, ...) TWIN_DECLARED_ARGUMENTS(__COUNTER__, __VA_ARGS__)
#define ASCENDC_TPL_SEL(...) TWIN_SELECTED_ARGUMENTS(__COUNTER__, __VA_ARGS__)
#else
#define ASCENDC_TPL_ARGS_DECL(x, ...) \
    static constexpr ::twin::TemplateArguments g_tilingDeclareParams { __VA_ARGS__ }
#define ASCENDC_TPL_SEL(...) static constexpr ::twin::TemplateArguments g_tilingSelectParams[] = {__VA_ARGS__}
#endif

constexpr uint64_t INVALID_TILING_KEY = ~0ull;

namespace twin {

/// The key of an instance, INVALID_TILING_KEY when no selection has it.
template <size_t selections>
uint64_t key_of_arguments(const TemplateArguments& declared, const TemplateArguments (&selected)[selections],
                          std::initializer_list<uint64_t> values) {
    if (values.size() != declared.count) return INVALID_TILING_KEY;
    for (const TemplateArguments& selection : selected) {
        uint64_t key = 0;
        uint32_t shift = 0;
        size_t at = 0;
        for (; at < declared.count; ++at) {
            const TemplateArgument& parameter = declared.list[at];
            const TemplateArgument* chosen = selection.find(parameter.name);
            const uint64_t value = values.begin()[at];
            if (chosen == nullptr || chosen->find(value) == chosen->count) break;
            key |= parameter.code(value) << shift;
            shift += parameter.width;
        }
        if (at == declared.count) return key;
    }
    TWIN_NO_SELECTION();
    return INVALID_TILING_KEY;
}

}  // namespace twin

#define GET_TPL_TILING_KEY(...) \
    ::twin::key_of_arguments(g_tilingDeclareParams, g_tilingSelectParams, {__VA_ARGS__})
#define ASCENDC_TPL_SEL_PARAM(context, ...) (context)->SetTilingKey(GET_TPL_TILING_KEY(__VA_ARGS__))
