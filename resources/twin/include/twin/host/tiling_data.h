// The tiling data macros. One header for both sides of an operator:
//
//  * host translation units get a class with set_x()/get_x(), SaveToBuffer() and GetDataSize(), derived from
//  TilingDef;
//  * kernel translation units (TWIN_KERNEL_SIDE) get the plain struct whose bytes the kernel reads.
//
// Both sides use the natural alignment of C++, so SaveToBuffer() writes exactly the plain struct.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <map>
#include <string>
#include <vector>

#ifdef TWIN_KERNEL_SIDE

#define BEGIN_TILING_DATA_DEF(class_name) struct class_name {
#define TILING_DATA_FIELD_DEF(data_type, field_name) data_type field_name;
#define TILING_DATA_FIELD_DEF_ARR(data_type, arr_size, field_name) data_type field_name[arr_size];
#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name) struct_type field_name;
#define END_TILING_DATA_DEF \
    }                       \
    ;
// GET_TILING_DATA finds the struct of the operator under this name.
#define REGISTER_TILING_DATA_CLASS(op_type, class_name) using twin_tiling_of_##op_type = class_name;

#else

#include "twin/host/types.h"

namespace optiling {

/// Base of every tiling data class: knows where its fields lie and packs them like a plain struct.
///
/// After SetDataPtr() the fields also live in the memory given there, as in CANN, where an operator may fill
/// the context's tiling buffer in place and never call SaveToBuffer(). Copies of an object do not share that
/// memory.
class TilingDef {
public:
    TilingDef() = default;
    TilingDef(const TilingDef& other) : fields_(other.fields_) {}
    TilingDef& operator=(const TilingDef&) { return *this; }  // both have the same fields
    virtual ~TilingDef() = default;

    void SetDataPtr(void* memory) {
        memory_ = static_cast<uint8_t*>(memory);
        size_t offset = 0;
        for (const Field& field : fields_) {
            offset = RoundUp(offset, field.alignment);
            if (field.nested) {
                reinterpret_cast<TilingDef*>(reinterpret_cast<uint8_t*>(this) + field.position)
                    ->SetDataPtr(memory_ == nullptr ? nullptr : memory_ + offset);
            }
            offset += field.size;
        }
        Store();
    }

    /// Copies the fields to `buffer`; writes nothing when `capacity` is too small.
    void SaveToBuffer(void* buffer, size_t capacity) {  // not const, as in CANN
        if (buffer != nullptr && GetDataSize() <= capacity) {
            std::memset(buffer, 0, GetDataSize());
            Pack(static_cast<uint8_t*>(buffer));
        }
    }
    /// Size in bytes of the plain struct.
    size_t GetDataSize() const {
        Store();  // assigned structs and arrays filled through their pointers went past the setters
        return RoundUp(End(), Alignment());
    }

protected:
    /// Brings the memory of SetDataPtr() up to date.
    void Store() const {
        if (memory_ != nullptr) {
            Pack(memory_);
        }
    }

    struct Field {
        ptrdiff_t position;
        size_t size;
        size_t alignment;
        bool nested;
    };
    /// A member initialiser registers its field; copying an object copies the list and registers nothing.
    struct FieldMark {
        FieldMark(TilingDef* owner, const void* address, size_t size, size_t alignment) {
            owner->AddField(address, size, alignment, false);
        }
        FieldMark(TilingDef* owner, const TilingDef& nested) {
            owner->AddField(&nested, nested.GetDataSize(), nested.Alignment(), true);
        }
    };

private:
    size_t Alignment() const {
        size_t alignment = 1;
        for (const Field& field : fields_) {
            alignment = field.alignment > alignment ? field.alignment : alignment;
        }
        return alignment;
    }
    void Pack(uint8_t* target) const {
        size_t offset = 0;
        for (const Field& field : fields_) {
            offset = RoundUp(offset, field.alignment);
            const uint8_t* source = reinterpret_cast<const uint8_t*>(this) + field.position;
            if (field.nested) {
                reinterpret_cast<const TilingDef*>(source)->Pack(target + offset);
            } else {
                std::memcpy(target + offset, source, field.size);
            }
            offset += field.size;
        }
    }
    static size_t RoundUp(size_t value, size_t step) { return (value + step - 1) / step * step; }
    size_t End() const {
        size_t offset = 0;
        for (const Field& field : fields_) {
            offset = RoundUp(offset, field.alignment) + field.size;
        }
        return offset;
    }
    void AddField(const void* address, size_t size, size_t alignment, bool nested) {
        const ptrdiff_t position =
            static_cast<const uint8_t*>(address) - reinterpret_cast<const uint8_t*>(this);
        fields_.push_back({position, size, alignment, nested});
    }
    std::vector<Field> fields_;
    uint8_t* memory_ = nullptr;
};

}  // namespace optiling

#define BEGIN_TILING_DATA_DEF(class_name)             \
    class class_name : public ::optiling::TilingDef { \
    public:
#define TILING_DATA_FIELD_DEF(data_type, field_name)                                                       \
public:                                                                                                    \
    void set_##field_name(data_type field_name) {                                                          \
        field_name##_ = field_name;                                                                        \
        Store();                                                                                           \
    }                                                                                                      \
    data_type get_##field_name() { return field_name##_; }                                                 \
                                                                                                           \
private:                                                                                                   \
    data_type field_name##_ = 0;                                                                           \
    FieldMark field_name##_mark_ = FieldMark(this, &field_name##_, sizeof(data_type), alignof(data_type)); \
                                                                                                           \
public:
#define TILING_DATA_FIELD_DEF_ARR(data_type, arr_size, field_name)                 \
public:                                                                            \
    void set_##field_name(data_type* values) {                                     \
        std::memcpy(field_name##_, values, sizeof(field_name##_));                 \
        Store();                                                                   \
    }                                                                              \
    data_type* get_##field_name() { return field_name##_; }                        \
                                                                                   \
private:                                                                           \
    data_type field_name##_[arr_size] = {};                                        \
    FieldMark field_name##_mark_ =                                                 \
        FieldMark(this, field_name##_, sizeof(field_name##_), alignof(data_type)); \
                                                                                   \
public:
#define TILING_DATA_FIELD_DEF_STRUCT(struct_type, field_name)   \
public:                                                         \
    struct_type field_name;                                     \
                                                                \
private:                                                        \
    FieldMark field_name##_mark_ = FieldMark(this, field_name); \
                                                                \
public:
#define END_TILING_DATA_DEF \
    }                       \
    ;
#define REGISTER_TILING_DATA_CLASS(op_type, class_name) static_assert(sizeof(class_name) > 0, "");

#endif  // TWIN_KERNEL_SIDE
