// asc_dump: prints memory by address, as DumpTensor prints tensors.
#pragma once

#include "twin/api/system.h"

namespace twin {

template <class T>
void dump_view(const View& view, uint32_t description, uint32_t count, const char* call, const Site& site) {
    TWIN_CALL(view, description, count, call, site);
    Instruction access(Pipe::S, call, site);
    access.read(view, 0, uint64_t(count) * sizeof(T));
    print_dump(description, type_name<T>(), memory_name(view.kind), view.data, count, sizeof(T),
               dump_value<T>);
}

template <class T>
void dump_local(const T* input, MemoryKind kind, uint32_t description, uint32_t count, const char* call,
                const Site& site) {
    View view;
    view.data = bytes_at(input);
    view.limit = memory_bytes(kind);
    view.kind = kind;
    dump_view<T>(view, description, count, call, site);
}

}  // namespace twin

template <typename T>
void asc_dump_gm(__gm__ T* input, uint32_t desc, uint32_t dump_size,
                 const twin::Site& site = twin::Site::here()) {
    AscendC::GlobalTensor<T> tensor;
    tensor.SetGlobalBuffer(input);
    AscendC::DumpTensor(tensor, desc, dump_size, site);
}
template <typename T>
void asc_dump_ubuf(__ubuf__ T* input, uint32_t desc, uint32_t dump_size,
                   const twin::Site& site = twin::Site::here()) {
    twin::dump_local(input, twin::MemoryKind::UB, desc, dump_size, "asc_dump_ubuf", site);
}
template <typename T>
void asc_dump_l1buf(__cbuf__ T* input, uint32_t desc, uint32_t dump_size,
                    const twin::Site& site = twin::Site::here()) {
    twin::dump_local(input, twin::MemoryKind::L1, desc, dump_size, "asc_dump_l1buf", site);
}
template <typename T>
void asc_dump_cbuf(__cc__ T* input, uint32_t desc, uint32_t dump_size,
                   const twin::Site& site = twin::Site::here()) {
    twin::dump_local(input, twin::MemoryKind::L0C, desc, dump_size, "asc_dump_cbuf", site);
}
