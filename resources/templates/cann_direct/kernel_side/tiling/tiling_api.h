// The host library of tiling has no part in a kernel.
#pragma once
