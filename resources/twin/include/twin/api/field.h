// Integer fields of parameter structures: a kernel may assign more than they hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace twin {

/// Notes that a value cut to `kept` by a field of `bytes` bytes was used; the call that uses it reports it.
void note_cut(int64_t given, int64_t kept, size_t bytes);

/// A field of type T. What does not fit is cut, as on the device, and remembered until it is used.
template <class T>
class Field {
public:
    Field() = default;
    constexpr explicit Field(T value) : value_(value), given_(static_cast<int64_t>(value)) {}

    template <class Number, std::enable_if_t<std::is_convertible<Number, T>::value, int> = 0>
    constexpr Field& operator=(Number number) {
        value_ = static_cast<T>(number);
        given_ = static_cast<int64_t>(number);
        return *this;
    }
    template <class Number>
    constexpr Field& operator+=(Number number) {
        return *this = value_ + number;
    }
    template <class Number>
    constexpr Field& operator-=(Number number) {
        return *this = value_ - number;
    }
    template <class Number>
    constexpr Field& operator*=(Number number) {
        return *this = value_ * number;
    }
    template <class Number>
    constexpr Field& operator/=(Number number) {
        return *this = value_ / number;
    }
    constexpr Field& operator++() { return *this = value_ + 1; }
    constexpr Field& operator--() { return *this = value_ - 1; }
    constexpr T operator++(int) {
        const T old = value_;
        *this = value_ + 1;
        return old;
    }
    constexpr T operator--(int) {
        const T old = value_;
        *this = value_ - 1;
        return old;
    }

    constexpr operator T() const {
        const auto kept = static_cast<int64_t>(value_);
        if (given_ != kept) note_cut(given_, kept, sizeof(T));
        return value_;
    }

private:
    T value_;
    int64_t given_;  ///< what was assigned last, before it was cut
};

}  // namespace twin
