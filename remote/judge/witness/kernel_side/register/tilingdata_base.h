// The tiling structs of op_host as CANN generates them for the kernel: plain structs, same fields, same order.
#pragma once
#include <cstdint>

#if __has_include("kernel_tiling/kernel_tiling.h")
#include "kernel_tiling/kernel_tiling.h"
#endif

#undef BEGIN_TILING_DATA_DEF
#undef END_TILING_DATA_DEF
#undef TILING_DATA_FIELD_DEF
#undef TILING_DATA_FIELD_DEF_ARR
#undef TILING_DATA_FIELD_DEF_STRUCT
#undef REGISTER_TILING_DATA_CLASS
#define BEGIN_TILING_DATA_DEF(name) struct name {
#define END_TILING_DATA_DEF };
#define TILING_DATA_FIELD_DEF(type, name) type name;
#define TILING_DATA_FIELD_DEF_ARR(type, count, name) type name[count];
#define TILING_DATA_FIELD_DEF_STRUCT(type, name) type name;
#define REGISTER_TILING_DATA_CLASS(op, name) using tiling_of_##op = name;
