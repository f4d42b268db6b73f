// Output and assertions of a kernel. Part of twin/device.h.
#pragma once

#include <cstdarg>
#include <cstdio>

#include "twin/core/core.h"
#include "twin/core/instruction.h"
#include "twin/wire/calls.h"

namespace twin {

namespace {
constexpr size_t kMostPrinted = 1 << 20;  // [guide] output buffer of one core: 1 MB

/// Host code of a kernel file may print outside a launch.
void append_printed(const std::string& text) {
    if (current_core == nullptr) {
        std::fputs(text.c_str(), stdout);
        return;
    }
    std::string& printed = core().printed;
    if (printed.size() + text.size() <= kMostPrinted) printed += text;
}
}  // namespace

void print_text(const char* text, ...) {
    va_list arguments;
    va_start(arguments, text);
    char buffer[4096];
    std::vsnprintf(buffer, sizeof buffer, text, arguments);
    va_end(arguments);
    if (wire::kernel_end != nullptr)
        return wire::call(wire::number_of<&wire::text_printed>, std::string(buffer));
    append_printed(buffer);
}

void print_dump(uint32_t description, const char* type, const char* position, const uint8_t* data,
                uint32_t count, size_t bytes, double (*value)(const uint8_t*)) {
    const bool floating = type[0] == 'f' || type[0] == 'b';
    append_printed(format("DumpTensor: desc=%u, addr=0, data_type=%s, position=%s, dump_size=%u\n[",
                          description, type, position, count));
    std::string line;
    for (uint32_t i = 0; i < count; ++i) {
        const double number = value(data + uint64_t(i) * bytes);
        line += floating ? format("%f", number) : format("%.0f", number);
        if (i + 1 < count) line += ", ";
    }
    append_printed(line + "]\n");
}

void assert_failed(const char* condition, const std::string& message, const Site& site) {
    report(rules::assertion, "assert", site,
           {format("assertion failed: %s %s", condition, message.c_str()), "", ""});
}

}  // namespace twin
