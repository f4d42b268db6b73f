// TransData: five axes with a plain channel axis to fractals of 16 channels and back.
#pragma once

#include <utility>
#include <vector>

#include "twin/api/layout.h"
#include "twin/lib/composite.h"

namespace AscendC {

/// Source and target format of TransData.
struct TransDataConfig {
    DataFormat srcFormat;
    DataFormat dstFormat;
};
/// Source and target shape of TransData, as layouts.
template <typename T, typename U>
struct TransDataParams {
    T srcLayout;
    U dstLayout;
};

}  // namespace AscendC

namespace twin {

constexpr uint64_t kFractalSide = 16;

/// Lengths of the axes of a tensor: five of NCDHW, six of NDC1HWC0, seven of FRACTAL_Z_3D.
struct Axes {
    uint64_t of[7] = {1, 1, 1, 1, 1, 1, 1};

    /// All elements; 0 where they are more than UB has bytes.
    uint64_t elements() const {
        uint64_t product = 1;
        for (const uint64_t length : of) {
            if (length > kUbBytes || product * length > kUbBytes) return 0;
            product *= length;
        }
        return product;
    }
};
template <class Shape, size_t... axis>
Axes lengths_of(const Shape& shape, std::index_sequence<axis...>) {
    static_assert(std::tuple_size<Shape>::value == sizeof...(axis),
                  "TransData: a shape has the axes of its format");
    Axes axes;
    ((axes.of[axis] = static_cast<uint64_t>(std::get<axis>(shape))), ...);
    return axes;
}
template <AscendC::DataFormat format, class Layout>
Axes axes_of(const Layout& layout) {
    using Format = AscendC::DataFormat;
    constexpr size_t kAxes = format == Format::NCDHW ? 5 : format == Format::NDC1HWC0 ? 6 : 7;
    return lengths_of(layout.GetShape(), std::make_index_sequence<kAxes>{});
}

/// Where the element (n, c, d, place in the plane) of a tensor lies in each format. A plane of NCDHW is
/// padded to 32 bytes: its `plane` elements take the room of `wide`.
struct FiveAxes {
    uint64_t n, c, d, plane, wide;

    uint64_t blocks() const { return (c + kFractalSide - 1) / kFractalSide; }
    uint64_t rows() const { return (n + kFractalSide - 1) / kFractalSide * kFractalSide; }

    /// Elements of the tensor in a format.
    template <AscendC::DataFormat format>
    uint64_t elements() const {
        using Format = AscendC::DataFormat;
        if (format == Format::NCDHW) return n * c * d * wide;
        return (format == Format::NDC1HWC0 ? n : rows()) * d * blocks() * plane * kFractalSide;
    }

    template <AscendC::DataFormat format>
    uint64_t place(uint64_t i, uint64_t channel, uint64_t depth, uint64_t at) const {
        using Format = AscendC::DataFormat;
        const uint64_t outer = blocks();
        const uint64_t block = channel / kFractalSide, inner = channel % kFractalSide;
        if constexpr (format == Format::NCDHW) {
            return ((i * c + channel) * d + depth) * wide + at;
        } else if constexpr (format == Format::NDC1HWC0) {
            return (((i * d + depth) * outer + block) * plane + at) * kFractalSide + inner;
        } else {
            return (((depth * outer + block) * plane + at) * rows() + i) * kFractalSide + inner;
        }
    }
};

/// Source: TransData, the four conversions and the padding of the plane of NCDHW. What a fractal holds behind
/// the last channel or row is not documented and becomes zero.
template <AscendC::DataFormat kFrom, AscendC::DataFormat kTo, class T>
void trans_data(const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src, const Axes& from,
                const Axes& to, const Site& site) {
    using Format = AscendC::DataFormat;
    constexpr Format kFractal = kFrom == Format::NCDHW ? kTo : kFrom;
    constexpr bool kSplits = kFrom == Format::NCDHW, kJoins = kTo == Format::NCDHW;
    constexpr bool kIsFractal = kFractal == Format::NDC1HWC0 || kFractal == Format::FRACTAL_Z_3D;
    static_assert((kSplits || kJoins) && kIsFractal, "TransData: NCDHW from or to NDC1HWC0 or FRACTAL_Z_3D");
    static_assert(is_one_of<T, int16_t, uint16_t, half, bfloat16_t>, "TransData: data of 16 bits");
    TWIN_CALL(dst, src, from, to, site);
    Instruction instruction(Pipe::V, "TransData", site);
    const Axes &plain = kSplits ? from : to, &fractal = kSplits ? to : from;
    const uint64_t plane = plain.of[3] * plain.of[4];
    const FiveAxes axes{plain.of[0], plain.of[1], plain.of[2], plane, (plane + 15) / 16 * 16};
    const uint64_t fractal_elements = fractal.elements();
    if (plain.elements() == 0 || fractal_elements < axes.elements<kFractal>()) {
        instruction.fail(rules::vector_limit, {"the shape of the fractals has less than the one of NCDHW", "",
                                               "two shapes of one tensor in UB"});
    }
    const uint64_t plain_elements = axes.elements<Format::NCDHW>();
    const uint64_t source_elements = kSplits ? plain_elements : fractal_elements;
    const uint64_t target_elements = kSplits ? fractal_elements : plain_elements;
    instruction.read_aligned(src.view(), 0, source_elements * sizeof(T));
    instruction.write_aligned(dst.view(), 0, target_elements * sizeof(T));
    issue_composite(instruction, 2, std::max(source_elements, target_elements), sizeof(T));
    std::vector<T> made(target_elements, T(0));
    for (uint64_t i = 0; i < axes.n; ++i) {
        for (uint64_t channel = 0; channel < axes.c; ++channel) {
            for (uint64_t depth = 0; depth < axes.d; ++depth) {
                for (uint64_t at = 0; at < plane; ++at) {
                    made[axes.template place<kTo>(i, channel, depth, at)] =
                        src.data()[axes.template place<kFrom>(i, channel, depth, at)];
                }
            }
        }
    }
    std::copy(made.begin(), made.end(), dst.data());
}

}  // namespace twin

namespace AscendC {

template <const TransDataConfig& config, typename T, typename U, typename S>
void TransData(const LocalTensor<T>& dst, const LocalTensor<T>& src, const TransDataParams<U, S>& params,
               const twin::Site& site = twin::Site::here()) {
    constexpr DataFormat kFrom = config.srcFormat, kTo = config.dstFormat;
    twin::trans_data<kFrom, kTo>(dst, src, twin::axes_of<kFrom>(params.srcLayout),
                                 twin::axes_of<kTo>(params.dstLayout), site);
}
template <const TransDataConfig& config, typename T, typename U, typename S>
void TransData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const LocalTensor<uint8_t>& sharedTmpBuffer, const TransDataParams<U, S>& params,
               const twin::Site& site = twin::Site::here()) {
    static_cast<void>(sharedTmpBuffer);
    constexpr DataFormat kFrom = config.srcFormat, kTo = config.dstFormat;
    twin::trans_data<kFrom, kTo>(dst, src, twin::axes_of<kFrom>(params.srcLayout),
                                 twin::axes_of<kTo>(params.dstLayout), site);
}

}  // namespace AscendC
