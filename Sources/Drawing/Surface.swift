internal import CPango
internal import CPixbuf

/// Pixels that cairo draws on and from.
struct Surface: ~Copyable {
    let pointer: OpaquePointer
    let size: CardLayout.Size

    /// - Throws: `outOfMemory`.
    init(_ size: CardLayout.Size, isOpaque: Bool) throws(DrawingError) {
        let format = isOpaque ? CAIRO_FORMAT_RGB24 : CAIRO_FORMAT_ARGB32
        // Never nil: what fails is a surface with an error in it.
        guard let pointer = cairo_image_surface_create(format, CInt(clamping: size.width), CInt(clamping: size.height))
        else { throw .outOfMemory }
        guard cairo_surface_status(pointer) == CAIRO_STATUS_SUCCESS else {
            cairo_surface_destroy(pointer)
            throw .outOfMemory
        }
        self.pointer = pointer
        self.size = size
    }

    deinit { cairo_surface_destroy(pointer) }

    /// A copy of a cover.
    static func copy(of cover: CoverPicture) throws(DrawingError) -> Surface {
        let surface = try Surface(cover.size, isOpaque: false)
        let rows = try surface.rows()
        cover.forEachRow { number, from, channels in
            for pixel in 0..<cover.size.width {
                let place = pixel * channels
                let opacity = channels > 3 ? UInt32(from[place + 3]) : 255
                // Cairo's colours are multiplied by their opacity.
                func part(_ index: Int) -> UInt32 { (UInt32(from[place + index]) * opacity + 127) / 255 }
                rows[number, pixel] = opacity << 24 | part(0) << 16 | part(1) << 8 | part(2)
            }
        }
        cairo_surface_mark_dirty(surface.pointer)
        return surface
    }

    /// A copy of a pixmap.
    static func copy(of pixmap: Pixmap) throws(DrawingError) -> Surface {
        let surface = try Surface(CardLayout.Size(width: pixmap.width, height: pixmap.height), isOpaque: true)
        let rows = try surface.rows()
        for row in 0..<pixmap.height {
            for pixel in 0..<pixmap.width {
                let place = (row * pixmap.width + pixel) * 3
                rows[row, pixel] = (0..<3).reduce(0xFF) { $0 << 8 | UInt32(pixmap.bytes[place + $1]) }
            }
        }
        cairo_surface_mark_dirty(surface.pointer)
        return surface
    }

    /// Pixels as cairo has them: opacity, red, green and blue, from the highest bits down.
    private struct Rows {
        let start: UnsafeMutableRawPointer
        let stride: Int

        /// Both within the surface, which must live.
        subscript(row: Int, pixel: Int) -> UInt32 {
            get { start.loadUnaligned(fromByteOffset: row * stride + pixel * 4, as: UInt32.self) }
            nonmutating set { start.storeBytes(of: newValue, toByteOffset: row * stride + pixel * 4, as: UInt32.self) }
        }
    }

    private borrowing func rows() throws(DrawingError) -> Rows {
        cairo_surface_flush(pointer)
        guard let data = cairo_image_surface_get_data(pointer) else { throw .outOfMemory }
        return Rows(start: UnsafeMutableRawPointer(data), stride: Int(cairo_image_surface_get_stride(pointer)))
    }

    /// The pixels as a file of `format`; an opaque surface is meant.
    borrowing func encoded(_ format: PictureFormat) throws(DrawingError) -> [UInt8] {
        let rows = try rows()
        guard
            let pixbuf = gdk_pixbuf_new(
                GDK_COLORSPACE_RGB, 0, 8, CInt(clamping: size.width), CInt(clamping: size.height))
        else { throw .outOfMemory }
        defer { g_object_unref(UnsafeMutableRawPointer(pixbuf)) }
        let stride = Int(gdk_pixbuf_get_rowstride(pixbuf))
        guard let pixels = gdk_pixbuf_get_pixels(pixbuf) else { throw .outOfMemory }
        for row in 0..<size.height {
            let to = pixels + row * stride
            for pixel in 0..<size.width {
                let word = rows[row, pixel]
                to[pixel * 3] = UInt8(truncatingIfNeeded: word >> 16)
                to[pixel * 3 + 1] = UInt8(truncatingIfNeeded: word >> 8)
                to[pixel * 3 + 2] = UInt8(truncatingIfNeeded: word)
            }
        }
        return try Surface.saved(pixbuf, format)
    }

    private static func saved(_ pixbuf: OpaquePointer, _ format: PictureFormat) throws(DrawingError) -> [UInt8] {
        var bytes: [UInt8] = []
        let append: GdkPixbufSaveFunc = { piece, count, _, context in
            guard let piece, let context, let count = Int(exactly: count) else { return 0 }
            piece.withMemoryRebound(to: UInt8.self, capacity: count) {
                context.assumingMemoryBound(to: [UInt8].self).pointee
                    .append(contentsOf: UnsafeBufferPointer(start: $0, count: count))
            }
            return 1
        }
        let options: [(StaticString, StaticString)] = format == .jpeg ? [("quality", "88")] : [("compression", "6")]
        // The library reads C strings and changes none of them.
        var keys = options.map { UnsafeMutablePointer<CChar>(mutating: $0.0.pointer) } + [nil]
        var values = options.map { UnsafeMutablePointer<CChar>(mutating: $0.1.pointer) } + [nil]
        // Not `&bytes`: of an array that would be the address of its elements.
        let isSaved = withUnsafeMutablePointer(to: &bytes) {
            gdk_pixbuf_save_to_callbackv(
                pixbuf, append, $0, format == .jpeg ? "jpeg" : "png", &keys, &values, nil)
        }
        guard isSaved != 0, !bytes.isEmpty else { throw .notEncoded }
        return bytes
    }
}

extension StaticString {
    fileprivate var pointer: UnsafePointer<CChar> { UnsafeRawPointer(utf8Start).assumingMemoryBound(to: CChar.self) }
}
