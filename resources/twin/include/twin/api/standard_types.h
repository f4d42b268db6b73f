// AscendC::Std, the part of the C++ standard library that device code may use, and the constants beside it.
#pragma once

#include <tuple>
#include <type_traits>
#include <utility>

namespace AscendC {

namespace Std {

using ::std::false_type;
using ::std::integral_constant;
using ::std::true_type;
template <class First, class Second>
using IsSame = ::std::is_same<First, Second>;

#define TWIN_STD_TRAIT(NAME) \
    using ::std::NAME;       \
    using ::std::NAME##_t;
#define TWIN_STD_TEST(NAME) \
    using ::std::NAME;      \
    using ::std::NAME##_v;
TWIN_STD_TRAIT(add_const)
TWIN_STD_TRAIT(add_cv)
TWIN_STD_TRAIT(add_lvalue_reference)
TWIN_STD_TRAIT(add_pointer)
TWIN_STD_TRAIT(add_rvalue_reference)
TWIN_STD_TRAIT(add_volatile)
TWIN_STD_TRAIT(conditional)
TWIN_STD_TRAIT(decay)
TWIN_STD_TRAIT(enable_if)
TWIN_STD_TRAIT(remove_const)
TWIN_STD_TRAIT(remove_cv)
TWIN_STD_TRAIT(remove_pointer)
TWIN_STD_TRAIT(remove_reference)
TWIN_STD_TRAIT(remove_volatile)
using ::std::tuple_element;
TWIN_STD_TEST(is_array)
TWIN_STD_TEST(is_base_of)
TWIN_STD_TEST(is_class)
TWIN_STD_TEST(is_const)
TWIN_STD_TEST(is_convertible)
TWIN_STD_TEST(is_floating_point)
TWIN_STD_TEST(is_function)
TWIN_STD_TEST(is_integral)
TWIN_STD_TEST(is_pointer)
TWIN_STD_TEST(is_reference)
TWIN_STD_TEST(is_same)
TWIN_STD_TEST(is_void)
TWIN_STD_TEST(tuple_size)
#undef TWIN_STD_TRAIT
#undef TWIN_STD_TEST

using ::std::declval;
using ::std::forward;
using ::std::forward_as_tuple;
using ::std::get;
using ::std::index_sequence;
using ::std::make_index_sequence;
using ::std::make_tuple;
using ::std::move;
using ::std::tie;
using ::std::tuple;

template <typename T>
constexpr T max(const T& left, const T& right) {
    return left < right ? right : left;
}
template <typename T>
constexpr T min(const T& left, const T& right) {
    return right < left ? right : left;
}
template <typename T>
constexpr T abs(const T& value) {
    return value < T(0) ? -value : value;
}

}  // namespace Std

}  // namespace AscendC
