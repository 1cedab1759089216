#ifndef SLUICE_CHIREDIS_SHIM_H
#define SLUICE_CHIREDIS_SHIM_H
// The reader of the protocol alone: hiredis' own connections end the process (assert) where a server sends what nobody asked for.
#include <stddef.h>
#include <hiredis/read.h>
#endif
