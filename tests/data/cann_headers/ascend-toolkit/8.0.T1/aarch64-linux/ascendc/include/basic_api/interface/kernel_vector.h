#pragma once
#include <type_traits>

#include "kernel_tensor.h"

namespace AscendC {
int64_t GetBlockIdx();

template <class T>
void DataCopyPad(const LocalTensor<T>& to, const GlobalTensor<T>& from, const DataCopyExtParams& how,
                 const DataCopyPadExtParams<T>& padding);
template <class T>
void DataCopyPad(const GlobalTensor<T>& to, const LocalTensor<T>& from, const DataCopyExtParams& how);

template <class T>
void Abs(const LocalTensor<T>& to, const LocalTensor<T>& from, const int32_t& count)
{
    static_assert(std::is_same<T, float>::value || std::is_same<T, half>::value, "Abs takes half and float");
}
}  // namespace AscendC
