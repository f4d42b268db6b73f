// TransData: five axes with a plain channel axis to fractals of 16 channels and back.
#pragma once

#include <array>

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

/// Numbers of a shape of `axes` axes.
template <size_t axes, class Shape, size_t... axis>
std::array<uint64_t, axes> lengths_of(const Shape& shape, std::index_sequence<axis...>) {
    static_assert(std::tuple_size<Shape>::value == axes, "TransData: a shape has the axes of its format");
    return {static_cast<uint64_t>(std::get<axis>(shape))...};
}
template <AscendC::DataFormat format, class Layout>
auto axes_of(const Layout& layout) {
    using Format = AscendC::DataFormat;
    constexpr size_t kAxes = format == Format::NCDHW ? 5 : format == Format::NDC1HWC0 ? 6 : 7;
    return lengths_of<kAxes>(layout.GetShape(), std::make_index_sequence<kAxes>{});
}

/// Where the element (n, c, d, place in the plane) of a tensor lies in each format. A plane of NCDHW is padded to
/// 32 bytes: its `plane` elements take the room of `wide`.
struct FiveAxes {
    uint64_t n, c, d, plane, wide;

    template <AscendC::DataFormat format>
    uint64_t place(uint64_t i, uint64_t channel, uint64_t depth, uint64_t at) const {
        using Format = AscendC::DataFormat;
        const uint64_t outer = (c + kFractalSide - 1) / kFractalSide;
        const uint64_t block = channel / kFractalSide, inner = channel % kFractalSide;
        if constexpr (format == Format::NCDHW) {
            return ((i * c + channel) * d + depth) * wide + at;
        } else if constexpr (format == Format::NDC1HWC0) {
            return (((i * d + depth) * outer + block) * plane + at) * kFractalSide + inner;
        } else {
            const uint64_t rows = (n + kFractalSide - 1) / kFractalSide * kFractalSide;
            return (((depth * outer + block) * plane + at) * rows + i) * kFractalSide + inner;
        }
    }
};

/// Source: TransData, the four conversions and the padding of the plane of NCDHW. What a fractal holds behind
/// the last channel or row is not documented and becomes zero.
template <const AscendC::TransDataConfig& config, class T, class Source, class Target>
void trans_data(const Site& site, const AscendC::LocalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                const AscendC::TransDataParams<Source, Target>& params) {
    using Format = AscendC::DataFormat;
    constexpr Format kFrom = config.srcFormat, kTo = config.dstFormat;
    constexpr Format kFractal = kFrom == Format::NCDHW ? kTo : kFrom;
    constexpr bool kSplits = kFrom == Format::NCDHW, kJoins = kTo == Format::NCDHW;
    constexpr bool kIsFractal = kFractal == Format::NDC1HWC0 || kFractal == Format::FRACTAL_Z_3D;
    static_assert((kSplits || kJoins) && kIsFractal, "TransData: NCDHW from or to NDC1HWC0 or FRACTAL_Z_3D");
    static_assert(is_one_of<T, int16_t, uint16_t, half, bfloat16_t>, "TransData: data of 16 bits");
    const auto from = axes_of<kFrom>(params.srcLayout), to = axes_of<kTo>(params.dstLayout);
    const auto plain = [&] {
        if constexpr (kSplits) {
            return from;
        } else {
            return to;
        }
    }();
    const uint64_t plane = plain[3] * plain[4];
    const FiveAxes axes{plain[0], plain[1], plain[2], plane, (plane + 15) / 16 * 16};
    uint64_t source_elements = 1, target_elements = 1;
    for (const uint64_t length : from) source_elements *= length;
    for (const uint64_t length : to) target_elements *= length;
    const uint64_t plain_elements = axes.n * axes.c * axes.d * axes.wide;
    (kSplits ? source_elements : target_elements) = plain_elements;
    Instruction instruction(Pipe::V, "TransData", site);
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
    twin::trans_data<config>(site, dst, src, params);
}
template <const TransDataConfig& config, typename T, typename U, typename S>
void TransData(const LocalTensor<T>& dst, const LocalTensor<T>& src,
               const LocalTensor<uint8_t>& sharedTmpBuffer, const TransDataParams<U, S>& params,
               const twin::Site& site = twin::Site::here()) {
    static_cast<void>(sharedTmpBuffer);
    twin::trans_data<config>(site, dst, src, params);
}

}  // namespace AscendC
