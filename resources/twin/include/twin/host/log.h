// Log and check macros of op_host. What an operator logs as an error or warning explains a failed tiling, so the twin
// keeps it; debug and information lines are dropped.
#pragma once

#include <cstdarg>
#include <cstdio>
#include <string>

#include "twin/host/types.h"

namespace twin {
namespace host {

/// Error and warning lines the operator logged in this process, at most a few kilobytes.
inline std::string& op_log() {
    static std::string text;
    return text;
}

#if defined(__GNUC__)
__attribute__((format(printf, 2, 3)))
#endif
inline void
log_line(const char* level, const char* format, ...) {
    constexpr size_t kMost = 8192;
    char line[1024];
    va_list arguments;
    va_start(arguments, format);
    std::vsnprintf(line, sizeof(line), format, arguments);
    va_end(arguments);
    if (op_log().size() < kMost) {
        op_log() += std::string(level) + ": " + line + "\n";
    }
}

}  // namespace host
}  // namespace twin

#define TWIN_HOST_LOG(level, name, ...) ::twin::host::log_line(level, __VA_ARGS__)
#define TWIN_HOST_QUIET(...) static_cast<void>(0)

#define OP_LOGE(name, ...) TWIN_HOST_LOG("error", name, __VA_ARGS__)
#define OP_LOGW(name, ...) TWIN_HOST_LOG("warning", name, __VA_ARGS__)
#define OP_LOGI(...) TWIN_HOST_QUIET()
#define OP_LOGD(...) TWIN_HOST_QUIET()
#define OP_LOGV(...) TWIN_HOST_QUIET()
#define OPS_LOG_E(name, ...) TWIN_HOST_LOG("error", name, __VA_ARGS__)
#define OPS_LOG_W(name, ...) TWIN_HOST_LOG("warning", name, __VA_ARGS__)
#define OPS_LOG_I(...) TWIN_HOST_QUIET()
#define OPS_LOG_D(...) TWIN_HOST_QUIET()
#define VECTOR_INNER_ERR_REPORT_TILIING(name, ...) TWIN_HOST_LOG("error", name, __VA_ARGS__)
#define VECTOR_INNER_ERR_REPORT_TILING(name, ...) TWIN_HOST_LOG("error", name, __VA_ARGS__)

#define OP_CHECK(condition, log, result) \
    do {                                 \
        if (condition) {                 \
            log;                         \
            result;                      \
        }                                \
    } while (false)
#define OP_CHECK_IF(condition, log, result) OP_CHECK(condition, log, result)
#define OP_TILING_CHECK(condition, log, result) OP_CHECK(condition, log, result)
#define OPS_ERR_IF(condition, log, result) OP_CHECK(condition, log, result)
#define TWIN_HOST_CHECK_NULL(pointer)      \
    do {                                   \
        if ((pointer) == nullptr) {        \
            ::twin::host::log_line("error", "%s is null", #pointer); \
            return ge::GRAPH_FAILED;       \
        }                                  \
    } while (false)
#define OPS_CHECK_NULL_WITH_CONTEXT(context, pointer) TWIN_HOST_CHECK_NULL(pointer)
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer) TWIN_HOST_CHECK_NULL(pointer)
