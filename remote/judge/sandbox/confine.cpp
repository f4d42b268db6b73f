// confine: gives up every right a foreign program does not need, then becomes that program.
//
//   confine option... -- program argument...        (the options: confine.h)
//
// Exit code 70 and a line on standard error say which layer this kernel lacks. As a library (CONFINE_LIBRARY) the same
// options confine the calling process itself.
#include "confine.h"

#ifdef CONFINE_LIBRARY
/// Confines the calling process as the options say (`arguments[0]` is ignored); 0, or 70 when a layer is missing.
extern "C" int confine_self(int count, char** arguments) {
    Request request;
    return parse(count, arguments, request) && confine(request) ? 0 : kLayerMissing;
}
#else
int main(int count, char** arguments) {
    Request request;
    if (!parse(count, arguments, request) || request.program >= count) {
        std::fprintf(stderr, "usage: confine [options] -- program argument...\n");
        return kLayerMissing;
    }
    // The judge kills a group of processes; when it cannot any more, the kernel does.
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) {
        return lacks("PR_SET_PDEATHSIG") ? 0 : kLayerMissing;
    }
    request.environment.push_back(nullptr);
    if (!confine(request)) {
        return kLayerMissing;
    }
    execve(arguments[request.program], arguments + request.program, request.environment.data());
    lacks(arguments[request.program]);
    return kLayerMissing;
}
#endif
