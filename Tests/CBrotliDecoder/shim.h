#ifndef SLUICE_CBROTLIDECODER_SHIM_H
#define SLUICE_CBROTLIDECODER_SHIM_H
#include <brotli/decode.h>
#endif
