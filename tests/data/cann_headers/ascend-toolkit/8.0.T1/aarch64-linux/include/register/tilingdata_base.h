#pragma once
#include <cstddef>
#include <cstdint>

namespace optiling {
class TilingDef {
public:
    void SaveToBuffer(void* data, size_t capacity);
    size_t GetDataSize() const;
};
}  // namespace optiling

#define BEGIN_TILING_DATA_DEF(name) \
    class name : public TilingDef { \
    public:
#define TILING_DATA_FIELD_DEF(type, field) void set_##field(type value)
#define END_TILING_DATA_DEF }
#define REGISTER_TILING_DATA_CLASS(op, name) static const size_t size_of_##op = sizeof(name);
