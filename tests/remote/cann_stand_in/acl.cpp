// Objects of the aclnn interface, and the last error.
#include "acl.h"

namespace {
std::string g_fault;
}

extern "C" {
aclTensor* aclCreateTensor(const int64_t* dims, uint64_t count, int type, const int64_t* strides, int64_t offset, int,
                           const int64_t* storage, uint64_t storageCount, void* data) {
    auto* made = new aclTensor;
    made->shape.assign(dims, dims + count);
    made->strides.assign(strides, strides + count);
    made->type = type;
    made->offset = offset;
    made->storage = storageCount ? storage[0] : 0;
    made->data = static_cast<char*>(data);
    return made;
}
aclTensorList* aclCreateTensorList(const aclTensor* const* tensors, uint64_t count) {
    return new aclTensorList{{tensors, tensors + count}};
}
aclIntArray* aclCreateIntArray(const int64_t* values, uint64_t count) { return new aclIntArray{{values, values + count}}; }
aclFloatArray* aclCreateFloatArray(const float* values, uint64_t count) {
    return new aclFloatArray{{values, values + count}};
}
aclBoolArray* aclCreateBoolArray(const bool* values, uint64_t count) { return new aclBoolArray{std::vector<bool>(values, values + count)}; }
const char* aclGetRecentErrMsg() { return g_fault.c_str(); }
void stand_in_fault(const char* text) { g_fault = text ? text : ""; }
}
