// gert::RuntimeAttrs: attributes of one call, by index in the order of the operator definition.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <utility>
#include <vector>

namespace gert {

class ContinuousVector {
public:
    size_t GetSize() const { return count_; }
    size_t GetCapacity() const { return count_; }
    const void* GetData() const { return bytes_.data(); }
    void* MutableData() { return bytes_.data(); }

    template <class T>
    void Assign(const std::vector<T>& values) {
        count_ = values.size();
        bytes_.resize(count_ * sizeof(T) + 1);
        for (size_t index = 0; index < count_; ++index) {
            const T value = values[index];
            std::memcpy(bytes_.data() + index * sizeof(T), &value, sizeof(T));
        }
    }

private:
    std::vector<unsigned char> bytes_ = std::vector<unsigned char>(1);
    size_t count_ = 0;
};

template <class T>
class TypedContinuousVector : public ContinuousVector {
public:
    const T* GetData() const { return static_cast<const T*>(ContinuousVector::GetData()); }
    T* MutableData() { return static_cast<T*>(ContinuousVector::MutableData()); }
};

class ContinuousVectorVector {
public:
    size_t GetSize() const { return rows_.size(); }
    const ContinuousVector* Get(size_t index) const { return index < rows_.size() ? &rows_[index] : nullptr; }
    std::vector<ContinuousVector>& Rows() { return rows_; }

private:
    std::vector<ContinuousVector> rows_;
};

class RuntimeAttrs {
public:
    size_t GetAttrNum() const { return values_.size(); }

    /// Address of attribute `index`, null outside. As in CANN nothing converts: integers are stored as
    /// int64_t, floats as float, so asking for another type reads the wrong bytes.
    template <class T>
    const T* GetAttrPointer(size_t index) const {
        return index < values_.size() ? static_cast<const T*>(values_[index].Address()) : nullptr;
    }
    const int64_t* GetInt(size_t index) const { return GetAttrPointer<int64_t>(index); }
    const float* GetFloat(size_t index) const { return GetAttrPointer<float>(index); }
    const bool* GetBool(size_t index) const { return GetAttrPointer<bool>(index); }
    const char* GetStr(size_t index) const { return GetAttrPointer<char>(index); }
    const TypedContinuousVector<int64_t>* GetListInt(size_t index) const {
        return GetAttrPointer<TypedContinuousVector<int64_t>>(index);
    }
    const TypedContinuousVector<float>* GetListFloat(size_t index) const {
        return GetAttrPointer<TypedContinuousVector<float>>(index);
    }
    const TypedContinuousVector<bool>* GetListBool(size_t index) const {
        return GetAttrPointer<TypedContinuousVector<bool>>(index);
    }

    void AddInt(int64_t value) { AddScalar(&value, sizeof(value)); }
    void AddFloat(float value) { AddScalar(&value, sizeof(value)); }
    void AddBool(bool value) { AddScalar(&value, sizeof(value)); }
    void AddText(const std::string& value) { AddScalar(value.c_str(), value.size() + 1); }
    template <class T>
    void AddList(const std::vector<T>& values) {
        Value value;
        value.is_list = true;
        value.list.Assign(values);
        values_.push_back(std::move(value));
    }

private:
    struct Value {
        bool is_list = false;
        std::vector<unsigned char> scalar;
        ContinuousVector list;
        const void* Address() const {
            return is_list ? static_cast<const void*>(&list) : static_cast<const void*>(scalar.data());
        }
    };

    void AddScalar(const void* bytes, size_t size) {
        Value value;
        // Room for a wider read than the attribute is: a wrong type must read garbage, not crash the host.
        value.scalar.assign(size < 16 ? 16 : size, 0);
        std::memcpy(value.scalar.data(), bytes, size);
        values_.push_back(std::move(value));
    }

    std::vector<Value> values_;
};

}  // namespace gert
