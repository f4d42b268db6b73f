// Everything of the kernel API is in one header on the twin.
#pragma once

#include "kernel_operator.h"
