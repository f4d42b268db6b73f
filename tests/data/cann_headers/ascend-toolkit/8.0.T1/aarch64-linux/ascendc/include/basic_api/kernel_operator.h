#pragma once
#include "stub_fun.h"

#include "kernel_tensor.h"
#include "kernel_vector.h"
