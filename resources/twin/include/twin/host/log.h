// Log and check macros of op_host. What an operator logs as an error or warning explains a failed tiling, so
// the twin keeps it; debug and information lines are dropped.
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
inline void log_line(const char* level, const char* format, ...) {
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

inline const char* text_of(const char* text) { return text; }
inline const char* text_of(const std::string& text) { return text.c_str(); }

}  // namespace host
}  // namespace twin

namespace Ops {
namespace Base {

/// What a line of the log calls an operator: its name as given, or the type and name of a context's node.
inline const std::string& GetOpInfo(const std::string& name) { return name; }
inline const char* GetOpInfo(const char* name) { return name == nullptr ? "nil" : name; }
template <class Context>
std::string GetOpInfo(const Context* context) {
    if (context == nullptr) return "nil:nil";
    return std::string(GetOpInfo(context->GetNodeType())) + ":" + GetOpInfo(context->GetNodeName());
}

/// The same as a C string.
inline const char* GetSafeStr(const char* text) { return text; }
inline const char* GetSafeStr(const std::string& text) { return text.c_str(); }

}  // namespace Base
}  // namespace Ops

#ifndef likely
#define likely(condition) __builtin_expect(static_cast<bool>(condition), 1)
#define unlikely(condition) __builtin_expect(static_cast<bool>(condition), 0)
#endif

#define TWIN_HOST_LOG(level, name, ...) ::twin::host::log_line(level, __VA_ARGS__)
#define TWIN_HOST_QUIET(...) static_cast<void>(0)

#define OP_LOGE(name, ...) TWIN_HOST_LOG("error", name, __VA_ARGS__)
#define OP_LOGW(name, ...) TWIN_HOST_LOG("warning", name, __VA_ARGS__)
#define OP_LOGI(...) TWIN_HOST_QUIET()
#define OP_LOGD(...) TWIN_HOST_QUIET()
#define OP_LOGV(...) TWIN_HOST_QUIET()
#define D_OP_LOGE(name, ...) TWIN_HOST_LOG("error", name, __VA_ARGS__)
#define D_OP_LOGW(name, ...) TWIN_HOST_LOG("warning", name, __VA_ARGS__)
#define D_OP_LOGI(...) TWIN_HOST_QUIET()
#define D_OP_LOGD(...) TWIN_HOST_QUIET()
#define OPS_LOG_E(name, ...) TWIN_HOST_LOG("error", name, __VA_ARGS__)
#define OPS_LOG_W(name, ...) TWIN_HOST_LOG("warning", name, __VA_ARGS__)
#define OPS_LOG_I(...) TWIN_HOST_QUIET()
#define OPS_LOG_D(...) TWIN_HOST_QUIET()
#define OPS_LOG_EVENT(...) TWIN_HOST_QUIET()
#define OPS_LOG_FULL(...) TWIN_HOST_QUIET()
#define OPS_LOG_D_FULL(...) TWIN_HOST_QUIET()
#define OPS_LOG_I_FULL(...) TWIN_HOST_QUIET()
#define OPS_LOG_W_FULL(...) TWIN_HOST_QUIET()
#define OP_EVENT(...) TWIN_HOST_QUIET()
#define GE_OP_LOGE(name, ...) TWIN_HOST_LOG("error", name, __VA_ARGS__)
#define OP_LOGE_WITHOUT_REPORT(name, ...) TWIN_HOST_LOG("error", name, __VA_ARGS__)
#define OPS_LOG_E_WITHOUT_REPORT(name, ...) TWIN_HOST_LOG("error", name, __VA_ARGS__)
#define OPS_REPORT_VECTOR_INNER_ERR(name, ...) TWIN_HOST_LOG("error", name, __VA_ARGS__)
#define OPS_REPORT_CUBE_INNER_ERR(name, ...) TWIN_HOST_LOG("error", name, __VA_ARGS__)
#define REPORT_INNER_ERROR(code, ...) TWIN_HOST_LOG("error", code, __VA_ARGS__)
#define REPORT_INNER_ERR_MSG(code, ...) TWIN_HOST_LOG("error", code, __VA_ARGS__)
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
#define OPS_CHECK(condition, log, result) OP_CHECK(condition, log, result)
#define OPS_LOG_E_IF(condition, name, result, ...) OP_CHECK(condition, OPS_LOG_E(name, __VA_ARGS__), result)
#define OPS_LOG_W_IF(condition, name, result, ...) OP_CHECK(condition, OPS_LOG_W(name, __VA_ARGS__), result)
#define OPS_LOG_I_IF(condition, name, result, ...) OP_CHECK(condition, OPS_LOG_I(name), result)
#define OPS_LOG_D_IF(condition, name, result, ...) OP_CHECK(condition, OPS_LOG_D(name), result)
#define OP_LOGE_IF(condition, result, name, ...) \
    OP_CHECK(condition, OP_LOGE(name, __VA_ARGS__), return result)
#define OP_LOGW_IF(condition, name, ...) OP_CHECK(condition, OP_LOGW(name, __VA_ARGS__), static_cast<void>(0))
#define OPS_LOG_E_IF_NULL(name, pointer, result) /* used with and without a semicolon behind it */ \
    if ((pointer) == nullptr) {                                                                    \
        ::twin::host::log_line("error", "%s is null", #pointer);                                   \
        result;                                                                                    \
    }
#define TWIN_HOST_CHECK_NULL(pointer)                                \
    do {                                                             \
        if ((pointer) == nullptr) {                                  \
            ::twin::host::log_line("error", "%s is null", #pointer); \
            return ge::GRAPH_FAILED;                                 \
        }                                                            \
    } while (false)
#define OPS_CHECK_NULL_WITH_CONTEXT(context, pointer) TWIN_HOST_CHECK_NULL(pointer)
#define OP_CHECK_NULL_WITH_CONTEXT(context, pointer) TWIN_HOST_CHECK_NULL(pointer)
#define OPS_CHECK_NULL_WITH_CONTEXT_RET(context, pointer, result) \
    OP_CHECK((pointer) == nullptr, ::twin::host::log_line("error", "%s is null", #pointer), return result)
#define OP_CHECK_NULL_WITH_CONTEXT_RET(context, pointer, result) \
    OPS_CHECK_NULL_WITH_CONTEXT_RET(context, pointer, result)

/// What an argument of the interface is, and what it should be.
#define TWIN_HOST_INVALID(name, what, parameter, actual, expected)                                          \
    ::twin::host::log_line("error", "%s of %s is %s, expected: %s", what, ::twin::host::text_of(parameter), \
                           ::twin::host::text_of(actual), ::twin::host::text_of(expected))
#define OP_LOGE_WITH_INVALID_INPUT(name, parameter) \
    ::twin::host::log_line("error", "invalid input: %s", ::twin::host::text_of(parameter))
#define OP_LOGE_FOR_INVALID_DTYPE(name, parameter, actual, expected) \
    TWIN_HOST_INVALID(name, "dtype", parameter, actual, expected)
#define OP_LOGE_FOR_INVALID_DTYPE_WITH_REASON(name, parameter, actual, reason) \
    TWIN_HOST_INVALID(name, "dtype", parameter, actual, reason)
#define OP_LOGE_FOR_INVALID_DTYPES(name, parameter, actual, expected) \
    TWIN_HOST_INVALID(name, "dtypes", parameter, actual, expected)
#define OP_LOGE_FOR_INVALID_DTYPES_WITH_REASON(name, parameter, actual, reason) \
    TWIN_HOST_INVALID(name, "dtypes", parameter, actual, reason)
#define OP_LOGE_FOR_INVALID_FORMAT(name, parameter, actual, expected) \
    TWIN_HOST_INVALID(name, "format", parameter, actual, expected)
#define OP_LOGE_FOR_INVALID_FORMAT_WITH_REASON(name, parameter, actual, reason) \
    TWIN_HOST_INVALID(name, "format", parameter, actual, reason)
#define OP_LOGE_FOR_INVALID_FORMATS(name, parameter, actual, expected) \
    TWIN_HOST_INVALID(name, "formats", parameter, actual, expected)
#define OP_LOGE_FOR_INVALID_FORMATS_WITH_REASON(name, parameter, actual, reason) \
    TWIN_HOST_INVALID(name, "formats", parameter, actual, reason)
#define OP_LOGE_FOR_INVALID_SHAPE(name, parameter, actual, expected) \
    TWIN_HOST_INVALID(name, "shape", parameter, actual, expected)
#define OP_LOGE_FOR_INVALID_SHAPE_WITH_REASON(name, parameter, actual, reason) \
    TWIN_HOST_INVALID(name, "shape", parameter, actual, reason)
#define OP_LOGE_FOR_INVALID_SHAPES(name, parameter, actual, expected) \
    TWIN_HOST_INVALID(name, "shapes", parameter, actual, expected)
#define OP_LOGE_FOR_INVALID_SHAPES_WITH_REASON(name, parameter, actual, reason) \
    TWIN_HOST_INVALID(name, "shapes", parameter, actual, reason)
#define OP_LOGE_FOR_INVALID_SHAPEDIM(name, parameter, actual, expected) \
    TWIN_HOST_INVALID(name, "rank", parameter, actual, expected)
#define OP_LOGE_FOR_INVALID_SHAPEDIM_WITH_REASON(name, parameter, actual, reason) \
    TWIN_HOST_INVALID(name, "rank", parameter, actual, reason)
#define OP_LOGE_FOR_INVALID_SHAPEDIMS(name, parameter, actual, expected) \
    TWIN_HOST_INVALID(name, "ranks", parameter, actual, expected)
#define OP_LOGE_FOR_INVALID_SHAPEDIMS_WITH_REASON(name, parameter, actual, reason) \
    TWIN_HOST_INVALID(name, "ranks", parameter, actual, reason)
#define OP_LOGE_FOR_INVALID_SHAPESIZE(name, parameter, actual, expected) \
    TWIN_HOST_INVALID(name, "size", parameter, actual, expected)
#define OP_LOGE_FOR_INVALID_SHAPESIZE_WITH_REASON(name, parameter, actual, reason) \
    TWIN_HOST_INVALID(name, "size", parameter, actual, reason)
#define OP_LOGE_FOR_INVALID_SHAPESIZES(name, parameter, actual, expected) \
    TWIN_HOST_INVALID(name, "sizes", parameter, actual, expected)
#define OP_LOGE_FOR_INVALID_SHAPESIZES_WITH_REASON(name, parameter, actual, reason) \
    TWIN_HOST_INVALID(name, "sizes", parameter, actual, reason)
#define OP_LOGE_FOR_INVALID_VALUE(name, parameter, actual, expected) \
    TWIN_HOST_INVALID(name, "value", parameter, actual, expected)
#define OP_LOGE_FOR_INVALID_VALUE_WITH_REASON(name, parameter, actual, reason) \
    TWIN_HOST_INVALID(name, "value", parameter, actual, reason)
#define OP_LOGE_FOR_INVALID_VALUES(name, parameter, actual, expected) \
    TWIN_HOST_INVALID(name, "values", parameter, actual, expected)
#define OP_LOGE_FOR_INVALID_VALUES_WITH_REASON(name, parameter, actual, reason) \
    TWIN_HOST_INVALID(name, "values", parameter, actual, reason)
#define OP_LOGE_FOR_INVALID_LISTSIZE(name, parameter, actual, expected) \
    TWIN_HOST_INVALID(name, "list size", parameter, actual, expected)
#define OP_LOGE_FOR_INVALID_LISTSIZE_WITH_REASON(name, parameter, actual, reason) \
    TWIN_HOST_INVALID(name, "list size", parameter, actual, reason)
#define OP_LOGE_FOR_INVALID_TENSORNUM(name, parameter, actual, expected) \
    TWIN_HOST_INVALID(name, "number of tensors", parameter, actual, expected)
#define OP_LOGE_FOR_INVALID_TENSORNUMS_WITH_REASON(name, parameter, actual, reason) \
    TWIN_HOST_INVALID(name, "number of tensors", parameter, actual, reason)
#define OP_LOGE_FOR_INVALID_STRIDE(name, parameter, actual, expected) \
    TWIN_HOST_INVALID(name, "stride", parameter, actual, expected)
#define REPORT_PREDEFINED_ERR_MSG(code, ...) \
    ::twin::host::log_line("error", "%s", ::twin::host::text_of(code))
#define OpLogSub(module, level, name, ...) \
    ((level) >= 2 ? ::twin::host::log_line((level) == 2 ? "warning" : "error", __VA_ARGS__) : void())
#define OpLogErrSub(module, level, name, ...) OpLogSub(module, level, name, __VA_ARGS__)
