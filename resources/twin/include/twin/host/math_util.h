// Ops::Base: division and rounding of sizes as operator libraries use them on the host.
#pragma once

#include <type_traits>

namespace Ops {
namespace Base {

/// Division rounded up; a divisor of zero leaves the number as it is.
template <typename First, typename Second>
constexpr auto CeilDiv(First value, Second unit) -> std::common_type_t<First, Second> {
    using T = std::common_type_t<First, Second>;
    const T number = value, part = unit;
    return part == 0 ? number : number / part + ((number % part != 0 && (number < 0) == (part < 0)) ? 1 : 0);
}
template <typename First, typename Second>
constexpr auto FloorDiv(First value, Second unit) -> std::common_type_t<First, Second> {
    using T = std::common_type_t<First, Second>;
    return T(unit) == 0 ? T(value) : T(value) / T(unit);
}
/// The next multiple, and the one before.
template <typename First, typename Second>
constexpr auto CeilAlign(First value, Second unit) -> std::common_type_t<First, Second> {
    return CeilDiv(value, unit) * unit;
}
template <typename First, typename Second>
constexpr auto FloorAlign(First value, Second unit) -> std::common_type_t<First, Second> {
    using T = std::common_type_t<First, Second>;
    return T(unit) == 0 ? T(value) : FloorDiv(value, unit) * T(unit);
}

}  // namespace Base
}  // namespace Ops
