// What CANN's build defines around a kernel, for a kernel that is launched directly.
//
// The tiling pointer points behind a block of SAGE_TILING_HEAD bytes that begins with the tiling key.
#pragma once
#include <cstdint>

#define SAGE_TILING_HEAD 64

template <class Tiling>
__aicore__ inline void sage_read_tiling(Tiling& data, GM_ADDR tiling)
{
    __gm__ uint8_t* from = reinterpret_cast<__gm__ uint8_t*>(tiling);
    uint8_t* to = reinterpret_cast<uint8_t*>(&data);
    for (uint32_t i = 0; i < sizeof(Tiling); ++i) {
        to[i] = from[i];
    }
}

#undef TILING_KEY_IS
#undef REGISTER_TILING_DEFAULT
#undef GET_TILING_DATA
#undef GET_TILING_DATA_WITH_STRUCT
#undef GET_TILING_DATA_MEMBER
#define TILING_KEY_IS(key) (*reinterpret_cast<__gm__ uint64_t*>(tiling - SAGE_TILING_HEAD) == (key))
#define REGISTER_TILING_DEFAULT(type) using RegisteredTiling = type
#define GET_TILING_DATA(name, tiling) RegisteredTiling name; sage_read_tiling(name, tiling)
#define GET_TILING_DATA_WITH_STRUCT(type, name, tiling) type name; sage_read_tiling(name, tiling)
#define GET_TILING_DATA_MEMBER(type, member, name, tiling) \
    type name##Whole; sage_read_tiling(name##Whole, tiling); auto name = name##Whole.member
