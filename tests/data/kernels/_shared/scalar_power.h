// Whole powers on the scalar unit.
#ifndef SCALAR_POWER_H
#define SCALAR_POWER_H
#include "kernel_operator.h"

__aicore__ inline float ScalarPower(float base, int32_t exponent) {
    float result = 1.0f;
    for (int32_t left = exponent; left > 0; left >>= 1) {
        if ((left & 1) != 0) {
            result *= base;
        }
        base *= base;
    }
    return result;
}
#endif
