// DataCopy of slices of tensors with several dimensions, between global memory and UB.
#pragma once

#include "twin/api/data_copy.h"

namespace twin {

/// First element of every piece of a slice, innermost dimension first.
inline std::vector<uint64_t> slice_pieces(const AscendC::SliceInfo slices[], uint32_t dims, size_t bytes,
                                          const char* call, const Site& site) {
    std::vector<uint64_t> pieces{0};
    uint64_t width = 1;  // elements of everything inside this dimension
    for (uint32_t dim = 0; dim < dims; ++dim) {
        const AscendC::SliceInfo& slice = slices[dim];
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
void copy_slices(const AscendC::SliceInfo target[], const AscendC::SliceInfo source[], uint32_t dims,
                 size_t bytes, const char* call, const Site& site, Copy copy) {
    const auto to = slice_pieces(target, dims, bytes, call, site);
    const auto from = slice_pieces(source, dims, bytes, call, site);
    if (to.size() != from.size() || target[0].burstLen != source[0].burstLen) {
        report(rules::copy_limit, call, site,
               {format("the source has %zu pieces of %u blocks, the destination %zu of %u", from.size(),
                       source[0].burstLen, to.size(), target[0].burstLen),
                "", "equal slices on both sides"});
    }
    for (size_t piece = 0; piece < from.size(); ++piece) copy(to[piece], from[piece], source[0].burstLen);
}

}  // namespace twin

namespace AscendC {

template <typename T>
void DataCopy(const LocalTensor<T>& dst, const GlobalTensor<T>& src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1,
              const twin::Site& site = twin::Site::here()) {
    twin::copy_slices(dstSliceInfo, srcSliceInfo, dimValue, sizeof(T), "DataCopy", site,
                      [&](uint64_t to, uint64_t from, uint32_t blocks) {
                          const LocalTensor<T> target = dst[static_cast<uint32_t>(to)];
                          const auto* source = reinterpret_cast<const uint8_t*>(src.GetPhyAddr(from));
                          twin::copy_in("DataCopy", site, target.view(), source, twin::contiguous(blocks));
                      });
}
template <typename T>
void DataCopy(const GlobalTensor<T>& dst, const LocalTensor<T>& src, const SliceInfo dstSliceInfo[],
              const SliceInfo srcSliceInfo[], const uint32_t dimValue = 1,
              const twin::Site& site = twin::Site::here()) {
    twin::copy_slices(dstSliceInfo, srcSliceInfo, dimValue, sizeof(T), "DataCopy", site,
                      [&](uint64_t to, uint64_t from, uint32_t blocks) {
                          const LocalTensor<T> source = src[static_cast<uint32_t>(from)];
                          auto* target = reinterpret_cast<uint8_t*>(dst.GetPhyAddr(to));
                          twin::copy_out("DataCopy", site, target, source.view(), twin::contiguous(blocks),
                                         twin::combine_of<T>());
                      });
}

}  // namespace AscendC
