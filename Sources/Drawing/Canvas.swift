internal import CPango

/// Draws shapes, pictures and text on a surface.
struct Canvas: ~Copyable {
    let context: OpaquePointer

    /// Draws on `surface`, which outlives it.
    init(_ surface: borrowing Surface) throws(DrawingError) {
        guard let context = cairo_create(surface.pointer) else { throw .outOfMemory }
        guard cairo_status(context) == CAIRO_STATUS_SUCCESS else {
            cairo_destroy(context)
            throw .outOfMemory
        }
        self.context = context
    }

    deinit { cairo_destroy(context) }

    /// Whether everything so far was drawn.
    var isIntact: Bool { cairo_status(context) == CAIRO_STATUS_SUCCESS }

    func paint(_ colour: Colour, opacity: Double = 1) {
        use(colour, opacity)
        cairo_paint(context)
    }

    func fill(_ box: CardLayout.Box, radius: Double = 0, _ colour: Colour, opacity: Double = 1) {
        path(box, radius)
        use(colour, opacity)
        cairo_fill(context)
    }

    func fillCircle(x: Double, y: Double, radius: Double, _ colour: Colour, opacity: Double) {
        cairo_new_path(context)
        cairo_arc(context, x, y, radius, 0, 2 * Double.pi)
        use(colour, opacity)
        cairo_fill(context)
    }

    func outline(_ box: CardLayout.Box, radius: Double, width: Double, _ colour: Colour, opacity: Double) {
        path(box, radius)
        use(colour, opacity)
        cairo_set_line_width(context, width)
        cairo_stroke(context)
    }

    /// Fills everything with a blend from one point to another.
    func blend(
        from start: (x: Double, y: Double), _ first: Colour, _ firstOpacity: Double, to end: (x: Double, y: Double),
        _ last: Colour, _ lastOpacity: Double
    ) {
        guard let pattern = cairo_pattern_create_linear(start.x, start.y, end.x, end.y) else { return }
        defer { cairo_pattern_destroy(pattern) }
        cairo_pattern_add_color_stop_rgba(pattern, 0, first.red, first.green, first.blue, firstOpacity)
        cairo_pattern_add_color_stop_rgba(pattern, 1, last.red, last.green, last.blue, lastOpacity)
        cairo_set_source(context, pattern)
        cairo_paint(context)
    }

    /// Draws `picture` so that it fills `box`.
    func draw(_ picture: borrowing Surface, in box: CardLayout.Box, radius: Double = 0) {
        cairo_save(context)
        path(box, radius)
        cairo_clip(context)
        cairo_translate(context, box.x, box.y)
        cairo_scale(context, box.width / Double(picture.size.width), box.height / Double(picture.size.height))
        cairo_set_source_surface(context, picture.pointer, 0, 0)
        if let pattern = cairo_get_source(context) {
            // `CAIRO_FILTER_BEST` draws squares where it enlarges much.
            cairo_pattern_set_filter(pattern, CAIRO_FILTER_BILINEAR)
            // Else the edges fade to nothing.
            cairo_pattern_set_extend(pattern, CAIRO_EXTEND_PAD)
        }
        cairo_paint(context)
        cairo_restore(context)
    }

    private func use(_ colour: Colour, _ opacity: Double) {
        cairo_set_source_rgba(context, colour.red, colour.green, colour.blue, opacity)
    }

    private func path(_ box: CardLayout.Box, _ radius: Double) {
        cairo_new_path(context)
        guard radius > 0 else { return cairo_rectangle(context, box.x, box.y, box.width, box.height) }
        let radius = min(radius, box.width / 2, box.height / 2)
        let corners = [
            (box.right - radius, box.y + radius), (box.right - radius, box.bottom - radius),
            (box.x + radius, box.bottom - radius), (box.x + radius, box.y + radius),
        ]
        for (index, corner) in corners.enumerated() {
            let start = (Double(index) - 1) * Double.pi / 2
            cairo_arc(context, corner.0, corner.1, radius, start, start + Double.pi / 2)
        }
        cairo_close_path(context)
    }
}
