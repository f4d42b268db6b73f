// First include of every generated kernel translation unit. May be precompiled: nothing here depends on
// DTYPE_ macros.
#pragma once

#define TWIN_KERNEL_SIDE 1

#include "kernel_operator.h"
