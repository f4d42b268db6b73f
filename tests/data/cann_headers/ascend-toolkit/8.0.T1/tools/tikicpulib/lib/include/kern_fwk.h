#pragma once
#include <cstdint>

#define __aicore__
#define __global__
#define __gm__
#define GM_ADDR __gm__ uint8_t*

struct half {
    half(float value);
    operator float() const;
};
