// simdjson's first stage (UTF-8, strings that close, no raw control characters, where each token starts), and our own
// second stage behind it. simdjson's own second stage turns numbers into doubles and refuses 1e400; ours checks the
// grammar of RFC 8259 and keeps only where each text lies, so every byte can be passed on as it came.
#include "CSimdJSON.h"

#include <simdjson.h>

#include <cstring>
#include <memory>
#include <new>

namespace {

constexpr uint32_t deepest = 1024;
constexpr size_t longest = size_t(1) << 30;

// What a thread keeps between texts is at most about 2.3 MiB: the text, 4 bytes of stage 1 for each of its bytes, a tape.
constexpr size_t least_text = 16 * 1024;
constexpr size_t kept_text = 256 * 1024;
constexpr size_t kept_entries = 64 * 1024;

struct Room {
    std::unique_ptr<simdjson::internal::dom_parser_implementation> stage1;
    std::unique_ptr<uint8_t[]> text;
    size_t text_capacity = 0;
    std::unique_ptr<sluice_tape_entry[]> entries;
    size_t entry_capacity = 0;

    bool reserve_text(size_t length) {
        if (length <= text_capacity) { return true; }
        drop_text();
        size_t capacity = length;
        if (length <= kept_text) {
            capacity = least_text;
            while (capacity < length) { capacity *= 2; }
        }
        text.reset(new (std::nothrow) uint8_t[capacity + simdjson::SIMDJSON_PADDING]);
        const simdjson::implementation *active = simdjson::get_active_implementation();
        if (!text || active->create_dom_parser_implementation(capacity, 1, stage1) != simdjson::SUCCESS) {
            drop_text();
            return false;
        }
        text_capacity = capacity;
        return true;
    }

    bool reserve_entries(size_t count) {
        if (count <= entry_capacity) { return true; }
        entry_capacity = 0;
        entries.reset(new (std::nothrow) sluice_tape_entry[count]);
        if (!entries) { return false; }
        entry_capacity = count;
        return true;
    }

    void drop_text() {
        text_capacity = 0;
        text.reset();
        stage1.reset();
    }

    void trim() {
        if (text_capacity > kept_text) { drop_text(); }
        if (entry_capacity > kept_entries) {
            entry_capacity = 0;
            entries.reset();
        }
    }
};

thread_local Room room;

// The bytes that may follow a number or a literal.
constexpr bool ends_scalar(uint8_t byte) {
    return byte == ' ' || byte == ',' || byte == '}' || byte == ']' || byte == '\n' || byte == '\r' || byte == '\t';
}

constexpr bool is_digit(uint8_t byte) { return uint8_t(byte - '0') < 10; }

constexpr bool is_hex(uint8_t byte) { return is_digit(byte) || uint8_t((byte | 0x20) - 'a') < 6; }

// The second stage. The text is followed by SIMDJSON_PADDING spaces, so looking a few bytes ahead is safe and ends every
// token; a structural index past the last one is the text's length, where no token starts.
class Walker {
public:
    Walker(Room &room, uint32_t length, sluice_tape_limits limits)
        : text(room.text.get()), length(length), indexes(room.stage1->structural_indexes.get()),
          index_count(room.stage1->n_structural_indexes), tape(room.entries.get()), capacity(uint32_t(room.entry_capacity)),
          values_left(limits.values), depth_limit(limits.depth < deepest ? limits.depth : deepest) {}

    sluice_tape run() {
        bool going = value(take());
        while (going && depth > 0) { going = step(); }
        if (going && position < index_count) { refuse(SLUICE_TAPE_SYNTAX, indexes[position]); }
        return {status, offset, tape, count};
    }

private:
    const uint8_t *text;
    const uint32_t length;
    const uint32_t *indexes;
    const uint32_t index_count;
    uint32_t position = 0;
    sluice_tape_entry *tape;
    const uint32_t capacity;
    uint32_t count = 0;
    uint32_t values_left;
    const uint32_t depth_limit;
    uint32_t depth = 0;
    // The innermost container was opened just now: its first entry has no comma before it.
    bool fresh = false;
    sluice_tape_status status = SLUICE_TAPE_OK;
    uint32_t offset = 0;
    uint32_t open[deepest];

    uint32_t take() { return position < index_count ? indexes[position++] : length; }

    bool refuse(sluice_tape_status why, uint32_t at) {
        status = why;
        offset = at;
        return false;
    }

    bool push(uint32_t start, uint32_t end, uint32_t next, uint8_t kind, bool key = false, bool escaped = false) {
        if (count == capacity) { return refuse(SLUICE_TAPE_VALUES, start); }
        tape[count++] = {start, end, next, kind, key, escaped, 0};
        return true;
    }

    // One member or element of the innermost container, or its end.
    bool step() {
        const uint32_t container = open[depth - 1];
        const bool object = tape[container].kind == SLUICE_TAPE_OBJECT;
        uint32_t at = take();
        if (text[at] == (object ? '}' : ']')) {
            tape[container].end = at + 1;
            tape[container].next = count;
            depth--;
            fresh = false;
            return true;
        }
        if (!fresh) {
            if (text[at] != ',') { return refuse(SLUICE_TAPE_SYNTAX, at); }
            at = take();
        }
        fresh = false;
        if (object) {
            if (text[at] != '"') { return refuse(SLUICE_TAPE_SYNTAX, at); }
            if (!string(at, container, true)) { return false; }
            at = take();
            if (text[at] != ':') { return refuse(SLUICE_TAPE_SYNTAX, at); }
            at = take();
        }
        return value(at);
    }

    bool value(uint32_t at) {
        if (values_left == 0) { return refuse(SLUICE_TAPE_VALUES, at); }
        values_left--;
        switch (text[at]) {
        case '"': return string(at, count + 1, false);
        case '{': return container(at, SLUICE_TAPE_OBJECT);
        case '[': return container(at, SLUICE_TAPE_ARRAY);
        case 't': return literal(at, "true", 4, SLUICE_TAPE_TRUE);
        case 'f': return literal(at, "false", 5, SLUICE_TAPE_FALSE);
        case 'n': return literal(at, "null", 4, SLUICE_TAPE_NULL);
        default: return number(at);
        }
    }

    bool container(uint32_t at, uint8_t kind) {
        if (depth == depth_limit) { return refuse(SLUICE_TAPE_DEPTH, at); }
        open[depth++] = count;
        fresh = true;
        return push(at, at + 1, count + 1, kind);
    }

    bool literal(uint32_t at, const char *word, uint32_t size, uint8_t kind) {
        if (std::memcmp(text + at, word, size) != 0 || !ends_scalar(text[at + size])) {
            return refuse(SLUICE_TAPE_SYNTAX, at);
        }
        return push(at, at + size, count + 1, kind);
    }

    bool digits(uint32_t &end) {
        if (!is_digit(text[end])) { return refuse(SLUICE_TAPE_SYNTAX, end); }
        while (is_digit(text[end])) { end++; }
        return true;
    }

    // number = [ "-" ] ( "0" / digit1-9 *digit ) [ "." 1*digit ] [ ( "e" / "E" ) [ "+" / "-" ] 1*digit ]
    bool number(uint32_t at) {
        uint32_t end = at + (text[at] == '-');
        if (text[end] == '0') {
            end++;
        } else if (!digits(end)) {
            return false;
        }
        if (text[end] == '.') {
            end++;
            if (!digits(end)) { return false; }
        }
        if ((text[end] | 0x20) == 'e') {
            end++;
            end += text[end] == '+' || text[end] == '-';
            if (!digits(end)) { return false; }
        }
        if (!ends_scalar(text[end])) { return refuse(SLUICE_TAPE_SYNTAX, end); }
        return push(at, end, count + 1, SLUICE_TAPE_NUMBER);
    }

    bool string(uint32_t at, uint32_t next, bool key) {
        uint32_t end = at + 1;
        bool escaped = false;
        for (;;) {
            end = quote_or_backslash(end);
            if (end >= length) { return refuse(SLUICE_TAPE_SYNTAX, length); }
            if (text[end] == '"') { break; }
            escaped = true;
            const uint32_t size = escape(end);
            if (size == 0) { return refuse(SLUICE_TAPE_SYNTAX, end); }
            end += size;
        }
        end++;
        // Both stages must mean the same string.
        if (position < index_count && indexes[position] < end) { return refuse(SLUICE_TAPE_SYNTAX, at); }
        return push(at, end, next, SLUICE_TAPE_STRING, key, escaped);
    }

    // The size of the escape at the backslash; 0 if it is none of the grammar's.
    uint32_t escape(uint32_t at) const {
        switch (text[at + 1]) {
        case '"': case '\\': case '/': case 'b': case 'f': case 'n': case 'r': case 't': return 2;
        case 'u':
            for (uint32_t i = 2; i < 6; i++) {
                if (!is_hex(text[at + i])) { return 0; }
            }
            return 6;
        default: return 0;
        }
    }

    // Eight bytes at a time; a byte equal to the wanted one becomes zero, and the lowest zero byte found is exact.
    uint32_t quote_or_backslash(uint32_t from) const {
        static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "the first byte must be the lowest");
        constexpr uint64_t ones = 0x0101010101010101, tops = 0x8080808080808080;
        for (; from < length; from += 8) {
            uint64_t word;
            std::memcpy(&word, text + from, 8);
            const uint64_t quotes = word ^ (ones * '"'), backslashes = word ^ (ones * '\\');
            const uint64_t found = (((quotes - ones) & ~quotes) | ((backslashes - ones) & ~backslashes)) & tops;
            if (found != 0) { return from + uint32_t(__builtin_ctzll(found) / 8); }
        }
        return length;
    }
};

// Where the raw control character is that stage 1 found in a string, or the backslash right before it.
uint32_t control_offset(const uint8_t *text, uint32_t length) {
    bool inside = false;
    for (uint32_t i = 0; i < length; i++) {
        if (!inside) {
            inside = text[i] == '"';
        } else if (text[i] == '\\') {
            if (text[i + 1] < 0x20) { return i; }
            i++;
        } else if (text[i] == '"') {
            inside = false;
        } else if (text[i] < 0x20) {
            return i;
        }
    }
    return length;
}

sluice_tape refusal(sluice_tape_status why, uint32_t offset = 0) { return {why, offset, nullptr, 0}; }

sluice_tape refusal(simdjson::error_code error, uint32_t length) {
    switch (error) {
    case simdjson::UTF8_ERROR: return refusal(SLUICE_TAPE_UTF8);
    case simdjson::UNESCAPED_CHARS: return refusal(SLUICE_TAPE_SYNTAX, control_offset(room.text.get(), length));
    case simdjson::CAPACITY: case simdjson::MEMALLOC: return refusal(SLUICE_TAPE_MEMORY);
    default: return refusal(SLUICE_TAPE_SYNTAX, length);  // a string that isn't closed, or nothing but white space
    }
}

}  // namespace

extern "C" sluice_tape sluice_tape_build(const uint8_t *bytes, size_t size, sluice_tape_limits limits) {
    if (size > limits.bytes || size > longest) { return refusal(SLUICE_TAPE_SIZE); }
    if (size == 0) { return refusal(SLUICE_TAPE_SYNTAX); }
    if (!room.reserve_text(size)) { return refusal(SLUICE_TAPE_MEMORY); }
    const uint32_t length = uint32_t(size);
    std::memcpy(room.text.get(), bytes, size);
    std::memset(room.text.get() + size, ' ', simdjson::SIMDJSON_PADDING);

    const auto error = room.stage1->stage1(room.text.get(), size, simdjson::stage1_mode::regular);
    if (error != simdjson::SUCCESS) { return refusal(error, length); }

    // Each entry starts at an index of its own, and each key but the last belongs to a counted value.
    const size_t starts = room.stage1->n_structural_indexes, most = size_t(limits.values) * 2 + 2;
    if (!room.reserve_entries(starts < most ? starts : most)) { return refusal(SLUICE_TAPE_MEMORY); }
    return Walker(room, length, limits).run();
}

extern "C" void sluice_tape_release(void) { room.trim(); }
