import Plan
import Testing

@Suite("Mistakes in shapes")
struct ShapeMistakes {
    @Test("is told with its line, its place, what was found and what was expected", arguments: cases)
    private func mistake(_ edit: Edit) throws {
        #expect(mistakes(in: try edit.applied()) == edit.expected)
    }

    private static let cases: [Edit] = [
        Edit(
            #"a place with an empty step"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: string, x-sluice-from: a//b}\#n        films"#
                ),
            ],
            #"films.yaml:61:45: /components/schemas/Ship/properties/name/x-sluice-from: found "a//b", expected names with slashes between them such as areaName/0/value or dates/type=onsaleDate/date, or a text with such places in braces"#
        ),
        Edit(
            #"a template with bad braces"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: string, x-sluice-from: "{a"}\#n        films"#
                ),
            ],
            #"films.yaml:61:45: /components/schemas/Ship/properties/name/x-sluice-from: found "{a", expected names with slashes between them such as areaName/0/value or dates/type=onsaleDate/date, or a text with such places in braces"#
        ),
        Edit(
            #"a place that is no text"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: string, x-sluice-from: 5}\#n        films"#
                ),
            ],
            #"films.yaml:61:45: /components/schemas/Ship/properties/name/x-sluice-from: found 5, expected text, in quotes"#
        ),
        Edit(
            #"an empty list of places"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: string, x-sluice-from: []}\#n        films"#
                ),
            ],
            #"films.yaml:61:45: /components/schemas/Ship/properties/name/x-sluice-from: found a list, expected at least one text"#
        ),
        Edit(
            #"a list with a wrong place"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: string, x-sluice-from: [a, ""]}\#n        films"#
                ),
            ],
            #"films.yaml:61:49: /components/schemas/Ship/properties/name/x-sluice-from/1: found "", expected names with slashes between them such as areaName/0/value or dates/type=onsaleDate/date, or a text with such places in braces"#
        ),
        Edit(
            #"a template of an object"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: object, x-sluice-from: "{a}.{b}", properties: {a: {type: string}}}\#n        films"#
                ),
            ],
            #"films.yaml:61:45: /components/schemas/Ship/properties/name/x-sluice-from: found "{a}.{b}", which is a text, expected the place of an object or array"#
        ),
        Edit(
            #"a place in an answer that isn't shaped"#,
            edits: [
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: string, x-sluice-from: label}\#n        films"#
                )
            ],
            #"films.yaml:61:30: /components/schemas/Ship/properties/name/x-sluice-from: found it in an answer that isn't shaped, expected "shape: true" in the operation's x-sluice"#
        ),
        Edit(
            #"an object around itself"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    ##"        name: {type: object, x-sluice-from: ., properties: {inner: {$ref: "#/components/schemas/Ship", x-sluice-from: .}}}\##n        films"##
                ),
            ],
            #"films.yaml:61:45: /components/schemas/Ship/properties/name/x-sluice-from: found ".", expected a place that isn't around itself: this one has no end"#,
            #"films.yaml:61:119: /components/schemas/Ship/properties/name/properties/inner/x-sluice-from: found ".", expected a place that isn't around itself: this one has no end"#
        ),
        Edit(
            #"an object that begins at the root again"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    ##"        name: {type: object, properties: {inner: {$ref: "#/components/schemas/Ship", x-sluice-from: /data}}}\##n        films"##
                ),
            ],
            #"films.yaml:61:101: /components/schemas/Ship/properties/name/properties/inner/x-sluice-from: found "/data", expected a place that isn't around itself: this one has no end"#
        ),
        Edit(
            #"a pattern that is more than text"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: string, pattern: "^a.*b$"}\#n        films"#
                ),
            ],
            #"films.yaml:61:39: /components/schemas/Ship/properties/name/pattern: found "^a.*b$", expected literal text, perhaps with ^ before and $ behind it and with a backslash before any of . * + ? ( ) [ ] { } | ^ $ \ and /"#
        ),
        Edit(
            #"a pattern of a number"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: number, pattern: "^5"}\#n        films"#
                ),
            ],
            #"films.yaml:61:30: /components/schemas/Ship/properties/name/pattern: found it with the type number, expected it as a text's rule only"#
        ),
        Edit(
            #"a pattern in not that is more than text"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: string, not: {pattern: "a|b"}}\#n        films"#
                ),
            ],
            #"films.yaml:61:45: /components/schemas/Ship/properties/name/not/pattern: found "a|b", expected literal text, perhaps with ^ before and $ behind it and with a backslash before any of . * + ? ( ) [ ] { } | ^ $ \ and /"#
        ),
        Edit(
            #"a not of something else"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: string, not: {type: number}}\#n        films"#
                ),
            ],
            #"films.yaml:61:30: /components/schemas/Ship/properties/name/not: found a "not" of other words, expected {enum: […]}, {const: …} or {pattern: …}; allOf takes several of them"#
        ),
        Edit(
            #"a not of two words"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: string, not: {enum: [a], pattern: b}}\#n        films"#
                ),
            ],
            #"films.yaml:61:30: /components/schemas/Ship/properties/name/not: found a "not" of other words, expected {enum: […]}, {const: …} or {pattern: …}; allOf takes several of them"#
        ),
        Edit(
            #"a word that no answer is held to"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: array, items: {type: string}, uniqueItems: true}\#n        films"#
                ),
            ],
            #"films.yaml:61:52: /components/schemas/Ship/properties/name/uniqueItems: found the keyword "uniqueItems", expected one that shaped values are held to: type, format, enum, const, minLength, maxLength, pattern, not, minimum, maximum, exclusiveMinimum, exclusiveMaximum, formatMinimum, formatMaximum, default, properties, items"#
        ),
        Edit(
            #"a bound of a number on a text"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: string, minimum: 5}\#n        films"#
                ),
            ],
            #"films.yaml:61:30: /components/schemas/Ship/properties/name/minimum: found it with the type string, expected it as a number's bound only"#
        ),
        Edit(
            #"a bound of a text on a number"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: integer, minLength: 5}\#n        films"#
                ),
            ],
            #"films.yaml:61:31: /components/schemas/Ship/properties/name/minLength: found it with the type integer, expected it as a text's bound only"#
        ),
        Edit(
            #"a minimum above the maximum"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: integer, minimum: 5, maximum: 4}\#n        films"#
                ),
            ],
            #"films.yaml:61:40: /components/schemas/Ship/properties/name/minimum: found 5, expected at most the maximum"#
        ),
        Edit(
            #"a date of a text without a format"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: string, formatMinimum: "2024-01-01"}\#n        films"#
                ),
            ],
            #"films.yaml:61:30: /components/schemas/Ship/properties/name/formatMinimum: found it without a format of dates, expected it beside format: date, date-time, date-time-local"#
        ),
        Edit(
            #"a date that isn't in the calendar"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: string, format: date, formatMaximum: "2023-02-29"}\#n        films"#
                ),
            ],
            #"films.yaml:61:59: /components/schemas/Ship/properties/name/formatMaximum: found "2023-02-29", expected a date such as "2024-05-22""#
        ),
        Edit(
            #"dates the wrong way round"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: string, format: date-time, formatMinimum: "2024-01-02", formatMaximum: "2024-01-01"}\#n        films"#
                ),
            ],
            #"films.yaml:61:64: /components/schemas/Ship/properties/name/formatMinimum: found "2024-01-02", expected at most formatMaximum, which is "2024-01-01""#
        ),
        Edit(
            #"a default of another type"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {type: integer, default: none}\#n        films"#
                ),
            ],
            #"films.yaml:61:40: /components/schemas/Ship/properties/name/default: found "none", expected a text, number or flag of the type integer"#
        ),
        Edit(
            #"several schemas for one value"#,
            edits: [
                (#"x-sluice: {path: "/ships/{id}/"}"#, #"x-sluice: {path: "/ships/{id}/", shape: true}"#),
                (
                    #"        name: {type: string}\#n        films"#,
                    #"        name: {oneOf: [{type: string}, {type: integer}, {type: "null"}]}\#n        films"#
                ),
            ],
            #"films.yaml:61:16: /components/schemas/Ship/properties/name/oneOf: found several schemas of one shaped value, expected one, perhaps beside {type: "null"}"#
        ),
    ]
}
