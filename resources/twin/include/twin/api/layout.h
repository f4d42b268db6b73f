// Shape, Stride, Coord and Layout: where an element of a tensor with axes lies, as tuples of numbers.
#pragma once

#include "twin/api/standard_types.h"

namespace AscendC {

template <typename... Shapes>
using Shape = Std::tuple<Shapes...>;
template <typename... Strides>
using Stride = Std::tuple<Strides...>;
template <typename... Coords>
using Coord = Std::tuple<Coords...>;

template <typename... Ts>
constexpr Shape<Ts...> MakeShape(const Ts&... t) {
    return {t...};
}
template <typename... Ts>
constexpr Stride<Ts...> MakeStride(const Ts&... t) {
    return {t...};
}
template <typename... Ts>
constexpr Coord<Ts...> MakeCoord(const Ts&... t) {
    return {t...};
}

}  // namespace AscendC

namespace twin {

template <class T>
struct IsTuple : std::false_type {};
template <class... Ts>
struct IsTuple<std::tuple<Ts...>> : std::true_type {};

template <class Coordinate, class Shape, class Stride>
constexpr auto place_of(const Coordinate& coordinate, const Shape& shape, const Stride& stride);

template <class Coordinate, class Shape, class Stride, size_t... axis>
constexpr auto sum_of_places(const Coordinate& coordinate, const Shape& shape, const Stride& stride,
                             std::index_sequence<axis...>) {
    return (size_t(0) + ... +
            place_of(std::get<axis>(coordinate), std::get<axis>(shape), std::get<axis>(stride)));
}

/// A number over several axes, the first of which counts fastest: what is left for axis `axis` and later.
template <size_t axis, class Shape, class Stride>
constexpr size_t place_of_number(size_t number, const Shape& shape, const Stride& stride) {
    constexpr size_t kAxes = std::tuple_size<Shape>::value;
    if constexpr (axis + 1 == kAxes) {
        return place_of(number, std::get<axis>(shape), std::get<axis>(stride));
    } else {
        const auto length = static_cast<size_t>(std::get<axis>(shape));
        return place_of(number % length, std::get<axis>(shape), std::get<axis>(stride)) +
               place_of_number<axis + 1>(number / length, shape, stride);
    }
}

/// Source: Crd2Idx, the formula and how a coordinate of fewer axes is spread.
template <class Coordinate, class Shape, class Stride>
constexpr auto place_of(const Coordinate& coordinate, const Shape& shape, const Stride& stride) {
    if constexpr (IsTuple<Coordinate>::value) {
        constexpr size_t kAxes = std::tuple_size<Coordinate>::value;
        static_assert(kAxes == std::tuple_size<Shape>::value && kAxes == std::tuple_size<Stride>::value,
                      "a coordinate has as many axes as its shape and its strides");
        return sum_of_places(coordinate, shape, stride, std::make_index_sequence<kAxes>{});
    } else if constexpr (IsTuple<Shape>::value) {
        return place_of_number<0>(static_cast<size_t>(coordinate), shape, stride);
    } else {
        return static_cast<size_t>(coordinate) * static_cast<size_t>(stride);
    }
}

}  // namespace twin

namespace AscendC {

/// Lengths of the axes, and the distance of neighbours along each in elements.
template <typename ShapeType, typename StrideType>
struct Layout {
    constexpr Layout(const ShapeType& shape = {}, const StrideType& stride = {})
        : shape_(shape), stride_(stride) {
        static_assert(twin::IsTuple<ShapeType>::value && twin::IsTuple<StrideType>::value,
                      "Layout: shape and strides are tuples");
    }
    constexpr Layout layout() const { return *this; }
    /// All axes, or those with the numbers given.
    template <size_t... axes>
    constexpr auto GetShape() const {
        return Chosen<axes...>(shape_);
    }
    template <size_t... axes>
    constexpr auto GetStride() const {
        return Chosen<axes...>(stride_);
    }
    template <typename CoordType>
    constexpr auto operator()(const CoordType& coord) const {
        return twin::place_of(coord, shape_, stride_);
    }

private:
    template <size_t... axes, typename Tuple>
    static constexpr auto Chosen(const Tuple& all) {
        if constexpr (sizeof...(axes) == 0) {
            return all;
        } else {
            return std::make_tuple(std::get<axes>(all)...);
        }
    }
    ShapeType shape_;
    StrideType stride_;
};

template <typename ShapeType, typename StrideType>
constexpr auto MakeLayout(const ShapeType& shape, const StrideType& stride) {
    return Layout<ShapeType, StrideType>(shape, stride);
}

template <typename T>
struct is_layout : Std::false_type {};
template <typename ShapeType, typename StrideType>
struct is_layout<Layout<ShapeType, StrideType>> : Std::true_type {};
template <typename T>
constexpr bool is_layout_v = is_layout<T>::value;

/// The element that a coordinate names, counted from the first.
template <typename CoordType, typename ShapeType, typename StrideType>
constexpr auto Crd2Idx(const CoordType& coord, const Layout<ShapeType, StrideType>& layout) {
    return layout(coord);
}
template <typename CoordType, typename ShapeType, typename StrideType>
constexpr auto Crd2Idx(const CoordType& coord, const ShapeType& shape, const StrideType& stride) {
    return twin::place_of(coord, shape, stride);
}

}  // namespace AscendC
