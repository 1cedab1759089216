#ifndef SLUICE_CSQLITE_SHIM_H
#define SLUICE_CSQLITE_SHIM_H
#include <sqlite3.h>

/// Binds a copy of `count` bytes of UTF-8: SQLITE_TRANSIENT is a macro that Swift can't see.
static inline int sluice_sqlite_bind_text(sqlite3_stmt *statement, int index, const char *text, int count) {
    return sqlite3_bind_text(statement, index, text, count, SQLITE_TRANSIENT);
}
#endif
