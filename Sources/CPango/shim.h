#ifndef SLUICE_CPANGO_SHIM_H
#define SLUICE_CPANGO_SHIM_H
#include <pango/pangocairo.h>
#endif
