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
        // The first that is installed; what it doesn't have comes from any other font.
        pango_font_description_set_family(font, "Open Sans, DejaVu Sans, sans-serif")
        pango_font_description_set_absolute_size(font, size * Double(PANGO_SCALE))
        pango_font_description_set_weight(font, weight.pango)
        pango_layout_set_font_description(layout, font)
        pango_layout_set_width(layout, CInt(clamping: Int(width * Double(PANGO_SCALE))))
        pango_layout_set_wrap(layout, PANGO_WRAP_WORD_CHAR)
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_NONE)
        if spacing > 0 { space(by: spacing, font) }
        set(text)
    }

    /// Not `pango_layout_set_line_spacing`: that goes by the height that each line's own font tells, and one of coloured emoji tells next to none.
    private func space(by spacing: Double, _ font: OpaquePointer) {
        guard let metrics = pango_context_get_metrics(pango_layout_get_context(layout), font, nil) else { return }
        defer { pango_font_metrics_unref(metrics) }
        let height = Double(pango_font_metrics_get_height(metrics))
        pango_layout_set_spacing(layout, CInt(clamping: Int(((spacing - 1) * height).rounded())))
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(layout)) }

    func set(_ text: String) { pango_layout_set_text(layout, text, CInt(clamping: text.utf8.count)) }

    /// How many lines the text takes.
    var lines: Int { Int(pango_layout_get_line_count(layout)) }

    /// In pixels.
    var height: Double {
        var height: CInt = 0
        pango_layout_get_size(layout, nil, &height)
        return Double(height) / Double(PANGO_SCALE)
    }

    /// Ends the text with an ellipsis behind this many lines.
    func cut(lines: Int) {
        pango_layout_set_height(layout, CInt(clamping: -lines))
        pango_layout_set_ellipsize(layout, PANGO_ELLIPSIZE_END)
    }

    /// Ends the text with an ellipsis so that it is no higher than `height` pixels, but for its first line.
    func cut(height: Double) {
        guard self.height > height else { return }
        // Each look sets the whole text once more, which takes long in some scripts.
        var (fitting, tooMany) = (1, lines)
        while tooMany - fitting > 1 {
            let middle = (fitting + tooMany) / 2
            cut(lines: middle)
            if self.height > height { tooMany = middle } else { fitting = middle }
        }
        cut(lines: fitting)
    }

    /// Whether the text is read from the right.
    var isFromRight: Bool { pango_layout_get_direction(layout, 0) == PANGO_DIRECTION_RTL }

    /// Puts a text that is read from the left at the right; one that is read from the right is there already.
    func alignRight() {
        if !isFromRight { pango_layout_set_alignment(layout, PANGO_ALIGN_RIGHT) }
    }

    func draw(on canvas: borrowing Canvas, x: Double, y: Double, _ colour: Colour, opacity: Double = 1) {
        cairo_set_source_rgba(canvas.context, colour.red, colour.green, colour.blue, opacity)
        cairo_move_to(canvas.context, x, y)
        pango_cairo_show_layout(canvas.context, layout)
    }
}
