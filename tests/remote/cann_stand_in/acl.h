// What the stand-in's libraries share. Real CANN hides these behind opaque pointers, and so do we.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

struct aclTensor {
    std::vector<int64_t> shape, strides;
    int type = 0;
    int64_t offset = 0, storage = 0;
    char* data = nullptr;
};
struct aclTensorList {
    std::vector<const aclTensor*> tensors;
};
struct aclIntArray {
    std::vector<int64_t> values;
};
struct aclFloatArray {
    std::vector<float> values;
};
struct aclBoolArray {
    std::vector<bool> values;
};

extern "C" void stand_in_fault(const char* text);  // what the next synchronisation reports; null clears it
