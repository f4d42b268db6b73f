// DataCopy of slices of tensors with several dimensions, between global memory and UB.
#pragma once

#include "twin/api/data_copy.h"

namespace twin {

constexpr uint32_t kMostSliceDims = AscendC::K_MAX_DIM;

/// What is copied of a tensor, innermost dimension first.
struct Slices {
    AscendC::SliceInfo at[kMostSliceDims];
    uint32_t dims;
};

inline Slices slices_of(const AscendC::SliceInfo slices[], uint32_t dims) {
    Slices all;
    all.dims = dims;
    std::copy(slices, slices + std::min(dims, kMostSliceDims), all.at);
    return all;
}

/// First element of every piece of a slice, innermost dimension first.
inline std::vector<uint64_t> slice_pieces(const Slices& slices, size_t bytes, const char* call,
                                          const Site& site) {
    std::vector<uint64_t> pieces{0};
    uint64_t width = 1;  // elements of everything inside this dimension
    for (uint32_t dim = 0; dim < std::min(slices.dims, kMostSliceDims); ++dim) {
        const AscendC::SliceInfo& slice = slices.at[dim];
        const uint64_t length = dim == 0 ? uint64_t(slice.burstLen) * kBlockBytes / bytes : 1;
        if (slice.endIndex < slice.startIndex || length == 0) {
            report(rules::copy_limit, call, site,
                   {format("dimension %u ends at %u before it starts at %u, or has pieces of no length", dim,
                           slice.endIndex, slice.startIndex),
                    "", "startIndex < endIndex, burstLen > 0"});
        }
        std::vector<uint64_t> next;
        for (uint64_t start = slice.startIndex; start + length <= uint64_t(slice.endIndex) + 1;
             start += length + slice.stride) {
            for (const uint64_t inner : pieces) next.push_back(start * width + inner);
        }
        pieces.swap(next);
        width *= slice.shapeValue;
    }
    return pieces;
}

/// Calls `copy(target element, source element, blocks)` for every piece.
template <class Copy>
void copy_slices(const Slices& target, const Slices& source, size_t bytes, const Site& site, Copy copy) {
    if (source.dims > kMostSliceDims) {
        report(rules::copy_limit, "DataCopy", site,
               {format("a slice of %u dimensions", source.dims), "",
                format("at most %u dimensions", kMostSliceDims)});
    }
    const auto to = slice_pieces(target, bytes, "DataCopy", site);
    const auto from = slice_pieces(source, bytes, "DataCopy", site);
    const uint32_t blocks = source.at[0].burstLen;
    if (to.size() != from.size() || target.at[0].burstLen != blocks) {
        report(rules::copy_limit, "DataCopy", site,
               {format("the source has %zu pieces of %u blocks, the destination %zu of %u", from.size(),
                       blocks, to.size(), target.at[0].burstLen),
                "", "equal slices on both sides"});
    }
    for (size_t piece = 0; piece < from.size(); ++piece) copy(to[piece], from[piece], blocks);
}

template <class T>
void copy_slices_in(const AscendC::LocalTensor<T>& dst, const AscendC::GlobalTensor<T>& src,
                    const Slices& target, const Slices& source, const Site& site) {
    TWIN_CALL(dst, src, target, source, site);
    copy_slices(target, source, sizeof(T), site, [&](uint64_t to, uint64_t from, uint32_t blocks) {
        const AscendC::LocalTensor<T> place = dst[static_cast<uint32_t>(to)];
        copy_in("DataCopy", site, place.view(), bytes_of(src[from]), contiguous(blocks));
    });
}
template <class T>
void copy_slices_out(const AscendC::GlobalTensor<T>& dst, const AscendC::LocalTensor<T>& src,
                     const Slices& target, const Slices& source, const Site& site) {
    TWIN_CALL(dst, src, target, source, site);
    copy_slices(target, source, sizeof(T), site, [&](uint64_t to, uint64_t from, uint32_t blocks) {
        const AscendC::LocalTensor<T> place = src[static_cast<uint32_t>(from)];
        copy_out("DataCopy", site, target_of(dst[to]), place.view(), contiguous(blocks), combine_of<T>());
    });
}

}  // namespace twin

namespace AscendC {

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1,
              const twin::Site& site = twin::Site::here()) {
    twin::copy_slices_in(dst, src, twin::slices_of(dstSliceInfo, dimValue),
                         twin::slices_of(srcSliceInfo, dimValue), site);
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1,
              const twin::Site& site = twin::Site::here()) {
    twin::copy_slices_out(dst, src, twin::slices_of(dstSliceInfo, dimValue),
                          twin::slices_of(srcSliceInfo, dimValue), site);
}

}  // namespace AscendC
