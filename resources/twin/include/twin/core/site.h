// Where in the candidate's source an API was called.
#pragma once

#include <string>

namespace twin {

/// Call site of an API. Used as the default value of the last parameter of every checked call, so that the
/// compiler fills in the file and line of the candidate's own source. It is made of no braces at a call: a
/// candidate does not choose what findings say of it.
struct Site {
    const char* file = "";
    int line = 0;  ///< negative for a call through a pointer, which came after that line

    constexpr Site() = default;
    explicit constexpr Site(const char* in_file, int in_line) : file(in_file), line(in_line) {}

    static constexpr Site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return Site{file, line};
    }

    int number() const { return line < 0 ? -line : line; }
    std::string text() const { return (line < 0 ? "after line " : "line ") + std::to_string(number()); }
};

}  // namespace twin
