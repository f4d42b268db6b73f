// The runtime calls a program of ours makes; the "device" is this computer's memory.
#pragma once
#include <cstdint>
#include <cstdlib>
#include <cstring>

using aclrtStream = void*;
enum { ACL_MEM_MALLOC_HUGE_FIRST = 0, ACL_MEMCPY_HOST_TO_DEVICE = 1, ACL_MEMCPY_DEVICE_TO_HOST = 2 };
extern "C" const char* aclGetRecentErrMsg();

inline int aclInit(const char*) { return 0; }
inline int aclrtSetDevice(int) { return 0; }
inline int aclrtCreateStream(aclrtStream* stream) { return *stream = nullptr, 0; }
inline int aclrtMalloc(void** place, size_t size, int) { return (*place = std::aligned_alloc(512, (size + 2559) / 512 * 512)) ? 0 : 207001; }
inline int aclrtMemcpy(void* to, size_t, const void* from, size_t size, int) { return std::memcpy(to, from, size), 0; }
inline int aclrtSynchronizeStream(aclrtStream) { return aclGetRecentErrMsg()[0] ? 507035 : 0; }
