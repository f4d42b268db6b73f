// Calls the instance of a template kernel that a tiling key stands for; see twin/template_argument.h.
#pragma once

#include <stdexcept>
#include <type_traits>
#include <utility>

#include "kernel_operator.h"
#include "twin/template_argument.h"

namespace twin {

/// The type of a template argument that is a data type of the framework.
template <uint32_t type>
struct TypeOfArgument {
    static_assert(type == C_DT_FLOAT,
                  "a template argument of this data type is not simulated by the CPU twin");
    using Type = float;
};
#define TWIN_TYPE_OF_ARGUMENT(NUMBER, TYPE) \
    template <>                             \
    struct TypeOfArgument<NUMBER> {         \
        using Type = TYPE;                  \
    };
TWIN_TYPE_OF_ARGUMENT(C_DT_FLOAT16, half)
TWIN_TYPE_OF_ARGUMENT(C_DT_INT8, int8_t)
TWIN_TYPE_OF_ARGUMENT(C_DT_INT32, int32_t)
TWIN_TYPE_OF_ARGUMENT(C_DT_UINT8, uint8_t)
TWIN_TYPE_OF_ARGUMENT(C_DT_INT16, int16_t)
TWIN_TYPE_OF_ARGUMENT(C_DT_UINT16, uint16_t)
TWIN_TYPE_OF_ARGUMENT(C_DT_UINT32, uint32_t)
TWIN_TYPE_OF_ARGUMENT(C_DT_INT64, int64_t)
TWIN_TYPE_OF_ARGUMENT(C_DT_UINT64, uint64_t)
TWIN_TYPE_OF_ARGUMENT(C_DT_DOUBLE, double)
TWIN_TYPE_OF_ARGUMENT(C_DT_BOOL, bool)
TWIN_TYPE_OF_ARGUMENT(C_DT_BF16, bfloat16_t)
#undef TWIN_TYPE_OF_ARGUMENT

template <class Kernel, size_t index, class Instance>
bool call_compiled(const Instance& instance, uint64_t key, uint8_t* const* pointers) {
    if (instance.key != key) return false;
    if (instance.kernel_type >= 0) {
        declare_task(instance.kernel_type, TaskSource::declared_for_key, Site{});
    }
    Kernel::template call<index>(pointers);
    return true;
}

/// Data types of the inputs and outputs that this program is compiled for. Every tensor has the format ND.
struct TensorTypes {
    const uint32_t* inputs;
    size_t input_count;
    const uint32_t* outputs;
    size_t output_count;

    constexpr bool has(uint64_t tensor, uint32_t type) const {
        const bool is_input = tensor < kOfOutput;
        const uint64_t index = tensor - (is_input ? kOfInput : kOfOutput);
        if (index >= (is_input ? input_count : output_count))
            throw std::out_of_range("ASCENDC_TPL_INPUT or ASCENDC_TPL_OUTPUT: there is no such tensor");
        return (is_input ? inputs : outputs)[index] == type;
    }
};

/// Whether the device's build compiles this instance for tensors of these types.
constexpr bool is_compiled(const TemplateArguments& declared, const TemplateInstance& instance,
                           const TensorTypes& types) {
    for (size_t at = 0; at < declared.count; ++at) {
        const TemplateArgument& parameter = declared.list[at];
        if (parameter.tensor == 0) continue;
        const bool same = parameter.kind == ArgumentKind::format
                              ? instance.values[at] == C_FORMAT_ND
                              : types.has(parameter.tensor, instance.values[at]);
        if (!same) return false;
    }
    return true;
}

template <class Kernel, size_t index>
bool call_instance(uint64_t key, uint8_t* const* pointers) {
    constexpr TemplateInstance instance = Kernel::instance(index);
    if constexpr (is_compiled(Kernel::declared(), instance, Kernel::tensor_types())) {
        return call_compiled<Kernel, index>(instance, key, pointers);
    } else {
        return false;
    }
}

template <class Kernel, size_t... index>
bool call_instances(uint64_t key, uint8_t* const* pointers, std::index_sequence<index...>) {
    return (call_instance<Kernel, index>(key, pointers) || ...);
}

/// Runs the instance of the launch's tiling key; one that no selection has is an error.
template <class Kernel>
void call_template(const char* name, uint8_t* const* pointers) {
    constexpr size_t count = Kernel::count();
    const uint64_t key = core().launch.launch.tiling_key;
    if (call_instances<Kernel>(key, pointers, std::make_index_sequence<count>{})) return;
    report(
        rules::launch_setup, name, Site{},
        {format(
             "tiling key %llu belongs to none of the %zu instances that ASCENDC_TPL_SEL names and that are "
             "compiled for these data types; make it with GET_TPL_TILING_KEY",
             static_cast<unsigned long long>(key), count),
         "", ""});
}

}  // namespace twin
