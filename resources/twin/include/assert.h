// The C header, with the kernel's own assert kept: a failed one is a finding, not the end of the process.
#include_next <assert.h>
#ifdef TWIN_ASSERT
#undef assert
#define assert(condition, ...) TWIN_ASSERT(condition)
#endif
