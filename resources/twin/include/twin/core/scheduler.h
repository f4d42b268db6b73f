// Runs the blocks of a launch one at a time, in an order that depends on nothing but the kernel.
//
// A block that never waits runs to its end without a thread switch. A block that waits (SyncAll, cross-core
// flags, polling of global memory) keeps its thread and passes the baton: first to the next block that has
// not started, then to the waiting block with the lowest number whose condition holds. When nobody can go on,
// the launch is deadlocked: every waiting block gets a finding and unwinds.
#pragma once

#include <functional>
#include <string>

#include "twin/core/core.h"

namespace twin {

/// What a waiting block waits for.
struct Wait {
    std::function<bool()> ready;
    std::function<std::string()> what;  ///< "block 3 waits in SyncAll for block 0, which has returned"
    const char* call = "";
    Site site{};
};

/// Blocks the current core until `wait.ready()` holds, letting other blocks run meanwhile.
void wait_until(const Wait& wait);

/// Lets every other block that can run do so once, then goes on.
void yield_core();

}  // namespace twin
