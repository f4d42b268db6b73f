#pragma once
#include <cstdint>

struct TCubeTiling {
    int32_t M;
    int32_t N;
};
