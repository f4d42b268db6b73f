#pragma once
#include "kernel_operator.h"

namespace matmul {
class MatmulImpl {
public:
    void SetBatchNum(int32_t batchA, int32_t batchB);
};
}  // namespace matmul
