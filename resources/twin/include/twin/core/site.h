// Where in the candidate's source an API was called.
#pragma once

namespace twin {

/// Call site of an API. Used as the default value of the last parameter of every checked call, so that the
/// compiler fills in the file and line of the candidate's own source.
struct Site {
    const char* file = "";
    int line = 0;

    static constexpr Site here(const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
        return Site{file, line};
    }
};

}  // namespace twin
