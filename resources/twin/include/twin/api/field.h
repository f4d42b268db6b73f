// Integer fields of parameter structures: a kernel may assign more than they hold.
#pragma once

#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace twin {

/// Notes that a value cut to `kept` by a field of `bytes` bytes was used; the call that uses it reports it.
void note_cut(int64_t assigned, int64_t kept, size_t bytes);

/// A field of type T. What does not fit is cut, as on the device, and remembered until it is used.
template <class T>
class Field {
public:
    Field() = default;
    constexpr explicit Field(T value) : assigned_(static_cast<int64_t>(value)) {}

    template <class Number, std::enable_if_t<std::is_convertible<Number, T>::value, int> = 0>
    constexpr Field& operator=(Number number) {
        assigned_ = static_cast<int64_t>(number);
        return *this;
    }
    template <class Number>
    constexpr Field& operator+=(Number number) {
        return *this = value() + number;
    }
    template <class Number>
    constexpr Field& operator-=(Number number) {
        return *this = value() - number;
    }
    template <class Number>
    constexpr Field& operator*=(Number number) {
        return *this = value() * number;
    }
    template <class Number>
    constexpr Field& operator/=(Number number) {
        return *this = value() / number;
    }
    constexpr Field& operator++() { return *this = value() + 1; }
    constexpr Field& operator--() { return *this = value() - 1; }
    constexpr T operator++(int) {
        const T old = value();
        *this = value() + 1;
        return old;
    }
    constexpr T operator--(int) {
        const T old = value();
        *this = value() - 1;
        return old;
    }

    constexpr operator T() const {
        const auto kept = static_cast<int64_t>(value());
        if (assigned_ != kept) note_cut(assigned_, kept, sizeof(T));
        return value();
    }

private:
    constexpr T value() const { return static_cast<T>(assigned_); }

    int64_t assigned_;  ///< before it is cut
};

}  // namespace twin
