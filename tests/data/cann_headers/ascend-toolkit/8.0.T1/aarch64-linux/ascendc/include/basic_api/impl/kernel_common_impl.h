#pragma once
#define STAND_IN_IMPL 1
