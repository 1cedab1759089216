#ifndef SLUICE_CPIXBUF_SHIM_H
#define SLUICE_CPIXBUF_SHIM_H
#include <gdk-pixbuf/gdk-pixbuf.h>
// g_signal_connect is a macro.
static inline void cpixbuf_on_size(
    GdkPixbufLoader *loader, void (*call)(GdkPixbufLoader *loader, int width, int height, void *context), void *context) {
    g_signal_connect(loader, "size-prepared", G_CALLBACK(call), context);
}
static inline void cpixbuf_on_area(
    GdkPixbufLoader *loader, void (*call)(GdkPixbufLoader *loader, int x, int y, int width, int height, void *context),
    void *context) {
    g_signal_connect(loader, "area-updated", G_CALLBACK(call), context);
}
#endif
