// What OpParamDef::InitValue takes: the value an output has before the kernel starts.
//
// Source: CANN, OpParamDef InitValue.
#pragma once

#include <cstdint>

namespace ops {

enum class ScalarType : uint32_t {
    UINT64 = 0,
    INT64 = 1,
    UINT32 = 2,
    INT32 = 3,
    UINT16 = 4,
    INT16 = 5,
    UINT8 = 6,
    INT8 = 7,
    FLOAT32 = 8,
    FLOAT16 = 9,
    INVALID_DTYPE = static_cast<uint32_t>(-1),
};

union ScalarNum {
    uint64_t value_u64;
    int64_t value_i64;
    float value_f32;
    ScalarNum() : value_u64(0) {}
    explicit ScalarNum(uint64_t value) : value_u64(value) {}
    explicit ScalarNum(int64_t value) : value_i64(value) {}
    explicit ScalarNum(float value) : value_f32(value) {}
};

/// A number in the type it is written in. Integer types take their bits from the integer members, floating
/// types from `value_f32`, whatever type of number was given.
struct ScalarVar {
    ScalarType scalar_type = ScalarType::INVALID_DTYPE;
    ScalarNum scalar_num;

    ScalarVar() = default;
    ScalarVar(ScalarType type, uint64_t number) : ScalarVar(type, Holds(type, number)) {}
    ScalarVar(ScalarType type, int64_t number) : ScalarVar(type, Holds(type, number)) {}
    ScalarVar(ScalarType type, int number) : ScalarVar(type, Holds(type, int64_t{number})) {}
    ScalarVar(ScalarType type, unsigned int number) : ScalarVar(type, Holds(type, uint64_t{number})) {}
    ScalarVar(ScalarType type, float number) : ScalarVar(type, Holds(type, number)) {}
    ScalarVar(ScalarType type, double number) : ScalarVar(type, Holds(type, static_cast<float>(number))) {}

    bool operator==(const ScalarVar& other) const {
        return scalar_type == other.scalar_type && scalar_num.value_u64 == other.scalar_num.value_u64;
    }

private:
    ScalarVar(ScalarType type, ScalarNum number) : scalar_type(type), scalar_num(number) {}

    template <class Number>
    static ScalarNum Holds(ScalarType type, Number number) {
        const bool floating = type == ScalarType::FLOAT32 || type == ScalarType::FLOAT16;
        return floating ? ScalarNum(static_cast<float>(number)) : ScalarNum(static_cast<int64_t>(number));
    }
};

}  // namespace ops
