#ifndef SLUICE_CSIMDJSON_H
#define SLUICE_CSIMDJSON_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/// What a tape entry spans. The order is that of Swift's JSONKind.
enum {
    SLUICE_TAPE_OBJECT = 0,
    SLUICE_TAPE_ARRAY = 1,
    SLUICE_TAPE_STRING = 2,
    SLUICE_TAPE_NUMBER = 3,
    SLUICE_TAPE_TRUE = 4,
    SLUICE_TAPE_FALSE = 5,
    SLUICE_TAPE_NULL = 6
};

/// One value or one member's key.
///
/// A key is followed by its value, a container by all that it holds.
typedef struct sluice_tape_entry {
    /// Offset of the first byte of its text (a string's quote counts).
    uint32_t start;
    /// Offset after the last byte of its text.
    uint32_t end;
    /// Of a value: the entry after it and all that it holds. Of a key: the object it belongs to.
    uint32_t next;
    /// One of SLUICE_TAPE_OBJECT to SLUICE_TAPE_NULL; keys are strings.
    uint8_t kind;
    /// 1 for a member's key, otherwise 0.
    uint8_t key;
    /// 1 for a string with at least one backslash escape, otherwise 0.
    uint8_t escaped;
    uint8_t unused;
} sluice_tape_entry;

typedef enum sluice_tape_status {
    SLUICE_TAPE_OK = 0,
    /// Not RFC 8259 text; `offset` says where.
    SLUICE_TAPE_SYNTAX = 1,
    SLUICE_TAPE_UTF8 = 2,
    SLUICE_TAPE_DEPTH = 3,
    SLUICE_TAPE_VALUES = 4,
    SLUICE_TAPE_SIZE = 5,
    SLUICE_TAPE_MEMORY = 6
} sluice_tape_status;

typedef struct sluice_tape_limits {
    /// Containers inside each other; above 1,024 counts as 1,024.
    uint32_t depth;
    /// Values, keys not counted.
    uint32_t values;
    /// Bytes of text; above 1 GiB counts as 1 GiB.
    size_t bytes;
} sluice_tape_limits;

typedef struct sluice_tape {
    sluice_tape_status status;
    /// Of the byte that can't be there; the text's length where more was expected.
    uint32_t offset;
    /// The root first. Belongs to the calling thread until its next call of build or release.
    const sluice_tape_entry *entries;
    uint32_t count;
} sluice_tape;

/// Checks the whole text by the grammar of RFC 8259 and builds its tape.
sluice_tape sluice_tape_build(const uint8_t *bytes, size_t length, sluice_tape_limits limits);

/// Says that the thread's last tape was read. What is too large to keep for the next text is freed.
void sluice_tape_release(void);

#ifdef __cplusplus
}
#endif

#endif
