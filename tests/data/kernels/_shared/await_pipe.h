// Lets the scalar unit wait for a pipe.
#ifndef AWAIT_PIPE_H
#define AWAIT_PIPE_H
#include "kernel_operator.h"

// What one pipe has begun is done before the other goes on; where that is the scalar unit, before what it
// asks for.
template <AscendC::HardEvent EVENT>
__aicore__ inline void AwaitPipe() {
    AscendC::TEventID id = GetTPipePtr()->FetchEventID(EVENT);
    AscendC::SetFlag<EVENT>(id);
    AscendC::WaitFlag<EVENT>(id);
}
#endif
