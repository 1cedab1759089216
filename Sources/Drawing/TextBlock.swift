internal import CPango

/// A text, wrapped to a width. Whatever the text is, it is never read as markup.
struct TextBlock: ~Copyable {
    enum Weight {
        case regular, semibold, bold

        fileprivate var pango: PangoWeight {
            switch self {
            case .regular: PANGO_WEIGHT_NORMAL
            case .semibold: PANGO_WEIGHT_SEMIBOLD
            case .bold: PANGO_WEIGHT_BOLD
            }
        }
    }

    private let layout: OpaquePointer

    /// - Parameters:
    ///   - size: the height of the type, in pixels.
    ///   - spacing: from one line to the next, in heights of a line.
    init(
        _ text: String, on canvas: borrowing Canvas, width: Double, size: Double, weight: Weight, spacing: Double = 0
    ) throws(DrawingError) {
        guard let layout = pango_cairo_create_layout(canvas.context), let font = pango_font_description_new() else {
            throw .outOfMemory
        }
        defer { pango_font_description_free(font) }
        self.layout = layout
        TextBlock.placeFreely(layout)
        // The first that is installed; what it doesn't have comes from any other font.
        pango_font_description_set_family(font, "Open Sans, DejaVu Sans, sans-serif")
        pango_font_description_set_absolute_size(font, size * Double(PANGO_SCALE))
        pango_font_description_set_weight(font, weight.pango)
        pango_layout_set_font_description(layout, font)
        pango_layout_set_width(layout, CInt(clamping: Int(width * Double(PANGO_SCALE))))
        pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_NONE)
        set(text)
        if spacing > 0 { space(by: spacing, font) }
    }

    /// Letters stand where they belong, and not at the nearest whole pixel.
    private static func placeFreely(_ layout: OpaquePointer) {
        let context = pango_layout_get_context(layout)
        if let options = cairo_font_options_create() {
            defer { cairo_font_options_destroy(options) }
            cairo_font_options_set_hint_style(options, CAIRO_HINT_STYLE_NONE)
            cairo_font_options_set_hint_metrics(options, CAIRO_HINT_METRICS_OFF)
            cairo_font_options_set_antialias(options, CAIRO_ANTIALIAS_GRAY)
            pango_cairo_context_set_font_options(context, options)
        }
        pango_context_set_round_glyph_positions(context, 0)
        pango_layout_context_changed(layout)
    }

    /// Not `pango_layout_set_line_spacing`: that goes by the height that each line's own font tells, and one of coloured emoji tells next to none. Lines
    /// that are less high than the first font's are put as far apart as those would be.
    private func space(by spacing: Double, _ font: OpaquePointer) {
        guard let metrics = pango_context_get_metrics(pango_layout_get_context(layout), font, nil) else { return }
        defer { pango_font_metrics_unref(metrics) }
        let height = Double(pango_font_metrics_get_height(metrics))
        let own = self.height * Double(PANGO_SCALE) / Double(max(1, lines))
        let between = max((spacing - 1) * height, spacing * height - own)
        pango_layout_set_spacing(layout, CInt(clamping: Int(between.rounded())))
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

    func set(_ text: String) { pango_layout_set_text(layout, text, CInt(clamping: text.utf8.count)) }

    /// As it is drawn, but for what Pango itself cuts.
    var text: String { String(cString: pango_layout_get_text(layout)) }

    /// How many lines the text takes.
    var lines: Int { Int(pango_layout_get_line_count(layout)) }

    /// In pixels.
    var height: Double {
        var height: CInt = 0
        pango_layout_get_size(layout, nil, &height)
        return Double(height) / Double(PANGO_SCALE)
    }

    /// Ends the text with an ellipsis behind this many lines: after a whole word, unless the last line would be lost with its only one.
    func cut(lines: Int) {
        guard lines > 0, self.lines > lines else { return }
        let text = self.text
        let bytes = Array(text.utf8)
        if let line = pango_layout_get_line_readonly(layout, CInt(clamping: lines - 1)) {
            let start = Int(line.pointee.start_index)
            let end = min(start + Int(line.pointee.length), bytes.count - 1)
            for place in stride(from: end, to: start, by: -1) where bytes[place] == UInt8(ascii: " ") {
                set(TextBlock.ending(bytes[..<place]))
                if self.lines <= lines { return }
            }
        }
        set(text)
        pango_layout_set_height(layout, CInt(clamping: -lines))
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
    }

    /// With an ellipsis in place of the signs that no text ends with.
    private static func ending(_ bytes: ArraySlice<UInt8>) -> String {
        let open = Array(" .,;:-(&".utf8)
        let end = bytes.lastIndex { !open.contains($0) } ?? bytes.startIndex
        return String(decoding: bytes[...end], as: UTF8.self) + "…"
    }

    /// The height of the first so many lines in pixels, or of all where there are fewer.
    func height(ofLines count: Int) -> Double {
        let all = max(1, lines)
        return height * Double(min(count, all)) / Double(all)
    }

    /// How many lines from the top `height` pixels have room for; at least one.
    private func lines(in height: Double) -> Int {
        guard let places = pango_layout_get_iter(layout) else { return 1 }
        defer { pango_layout_iter_free(places) }
        var count = 0
        repeat {
            var box = PangoRectangle()
            pango_layout_iter_get_line_extents(places, nil, &box)
            guard (Double(box.y) + Double(box.height)) / Double(PANGO_SCALE) <= height else { break }
            count += 1
        } while pango_layout_iter_next_line(places) != 0
        return max(1, count)
    }

    /// Ends the text with an ellipsis so that it is no higher than `height` pixels, but for its first line.
    func cut(height: Double) {
        guard self.height > height else { return }
        // Each look at another cut sets the text once more, which takes long in some scripts.
        var lines = self.lines(in: height)
        cut(lines: lines)
        // The ellipsis may be of a font that is higher than the others.
        while self.height > height, lines > 1 {
            lines -= 1
            cut(lines: lines)
        }
    }

    /// Whether the text is read from the right.
    var isFromRight: Bool { pango_layout_get_direction(layout, 0) == PANGO_DIRECTION_RTL }

    /// Puts a text that is read from the left at the right; one that is read from the right is there already.
    func alignRight() {
        if !isFromRight { pango_layout_set_alignment(layout, PANGO_ALIGN_RIGHT) }
    }

    func draw(on canvas: borrowing Canvas, x: Double, y: Double, _ colour: Colour, opacity: Double = 1) {
        cairo_set_source_rgba(canvas.context, colour.red, colour.green, colour.blue, opacity)
        guard let runs = pango_layout_get_iter(layout) else { return }
        defer { pango_layout_iter_free(runs) }
        repeat {
            // Nil at the end of each line.
            guard let run = pango_layout_iter_get_run_readonly(runs) else { continue }
            var box = PangoRectangle()
            pango_layout_iter_get_run_extents(runs, nil, &box)
            let scale = Double(PANGO_SCALE)
            let baseline = Double(pango_layout_iter_get_baseline(runs))
            cairo_move_to(canvas.context, x + Double(box.x) / scale, y + baseline / scale)
            draw(run.pointee, on: canvas)
        } while pango_layout_iter_next_run(runs) != 0
    }

    /// By the outlines of the letters: cairo 1.16 puts those that it has as pictures at whole pixels.
    private func draw(_ run: PangoLayoutRun, on canvas: borrowing Canvas) {
        guard let font = run.item.pointee.analysis.font, let glyphs = run.glyphs else { return }
        if TextBlock.hasOutlines(font), !TextBlock.hasUnknown(glyphs) {
            pango_cairo_glyph_string_path(canvas.context, font, glyphs)
            cairo_fill(canvas.context)
        } else {
            pango_cairo_show_glyph_string(canvas.context, font, glyphs)
        }
    }

    /// Coloured emoji are pictures: in the tables CBDT or sbix of their font.
    private static func hasOutlines(_ font: UnsafeMutablePointer<PangoFont>) -> Bool {
        guard let face = pango_font_get_hb_font(font).map({ hb_font_get_face($0) }) else { return false }
        let tables: [hb_tag_t] = [0x4342_4454, 0x7362_6978]
        return tables.allSatisfy { table in
            guard let blob = hb_face_reference_table(face, table) else { return true }
            defer { hb_blob_destroy(blob) }
            return hb_blob_get_length(blob) == 0
        }
    }

    /// Whether there are letters that no font has; they are drawn as boxes.
    private static func hasUnknown(_ glyphs: UnsafeMutablePointer<PangoGlyphString>) -> Bool {
        let letters = UnsafeBufferPointer(start: glyphs.pointee.glyphs, count: Int(glyphs.pointee.num_glyphs))
        return letters.contains { $0.glyph & 0x1000_0000 != 0 }
    }
}
