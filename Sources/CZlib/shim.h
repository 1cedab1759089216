#ifndef SLUICE_CZLIB_SHIM_H
#define SLUICE_CZLIB_SHIM_H
#include <zlib.h>
// deflateInit2 and inflateInit2 are macros; 16 on top of the window asks for gzip's frame.
static inline int czlib_deflate_gzip(z_streamp stream, int level) {
    return deflateInit2(stream, level, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY);
}
static inline int czlib_inflate_gzip(z_streamp stream) {
    return inflateInit2(stream, 15 + 16);
}
#endif
