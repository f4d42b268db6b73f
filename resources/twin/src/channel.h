// The two ends a program has to the judge: a request in a sealed file, an answer into a bounded pipe.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <stdexcept>
#include <string>

namespace twin {
namespace runner {

/// All of the file behind a descriptor, from its beginning.
inline std::string read_request(int file) {
    std::string text;
    char part[1 << 16];
    for (;;) {
        const ssize_t count = pread(file, part, sizeof(part), static_cast<off_t>(text.size()));
        if (count < 0) {
            throw std::runtime_error("cannot read the request");
        }
        if (count == 0) {
            return text;
        }
        text.append(part, static_cast<size_t>(count));
    }
}

/// Writes all of `text`; false when the judge takes no more of it.
inline bool answer(int pipe, const std::string& text) {
    size_t written = 0;
    while (written < text.size()) {
        const ssize_t count = write(pipe, text.data() + written, text.size() - written);
        if (count <= 0) {
            return false;
        }
        written += static_cast<size_t>(count);
    }
    return true;
}

}  // namespace runner
}  // namespace twin
