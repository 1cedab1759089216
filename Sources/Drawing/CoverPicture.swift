internal import CPixbuf

/// A cover that was decoded.
final class CoverPicture {
    private let pixbuf: OpaquePointer
    let size: CardLayout.Size

    /// Takes over `pixbuf`.
    private init(_ pixbuf: OpaquePointer) {
        self.pixbuf = pixbuf
        size = CardLayout.Size(
            width: Int(gdk_pixbuf_get_width(pixbuf)), height: Int(gdk_pixbuf_get_height(pixbuf)))
    }

    deinit { g_object_unref(UnsafeMutableRawPointer(pixbuf)) }

    /// Decodes a JPEG, a PNG, the first picture of a GIF, or a WebP where its decoder is installed; no other decoder is ever reached. Nil
    /// where the bytes are none of these, are broken or cut, or say that they have more than `pixelLimit` pixels.
    static func decoded(_ bytes: [UInt8], pixelLimit: Int) -> CoverPicture? {
        guard let head = PictureHead(bytes), head.kind != .jpeg || hasEnd(jpeg: bytes) else { return nil }
        let (pixels, isOver) = head.width.multipliedReportingOverflow(by: head.height)
        guard !isOver, pixels <= pixelLimit, let loader = gdk_pixbuf_loader_new_with_type(head.kind.rawValue, nil)
        else { return nil }
        defer { g_object_unref(UnsafeMutableRawPointer(loader)) }
        let watch = DecodingWatch(pixelLimit: pixelLimit)
        return withExtendedLifetime(watch) {
            let context = Unmanaged.passUnretained(watch).toOpaque()
            cpixbuf_on_size(loader, DecodingWatch.onSize, context)
            cpixbuf_on_area(loader, DecodingWatch.onArea, context)
            let isWritten = gdk_pixbuf_loader_write(loader, bytes, gsize(bytes.count), nil) != 0
            // It must be closed in any case.
            let isClosed = gdk_pixbuf_loader_close(loader, nil) != 0
            guard isWritten, isClosed, let pixbuf = gdk_pixbuf_loader_get_pixbuf(loader),
                // Not every decoder complains where the lower part is missing.
                watch.bottom >= Int(gdk_pixbuf_get_height(pixbuf)), gdk_pixbuf_get_bits_per_sample(pixbuf) == 8,
                let upright = gdk_pixbuf_apply_embedded_orientation(pixbuf)
            else { return nil }
            let cover = CoverPicture(upright)
            return CardLayout.isShowable(cover.size) ? cover : nil
        }
    }

    /// Whether the mark of the end is there, with no more than a little behind it: the decoder makes up what is missing.
    private static func hasEnd(jpeg bytes: [UInt8]) -> Bool {
        let end = bytes.suffix(1024)
        return zip(end, end.dropFirst()).contains { $0 == 0xFF && $1 == 0xD9 }
    }

    /// What a decoder tells while it reads.
    private final class DecodingWatch {
        let pixelLimit: Int
        /// Below the lowest row that was decoded.
        private(set) var bottom = 0

        init(pixelLimit: Int) { self.pixelLimit = pixelLimit }

        private static func of(_ context: UnsafeMutableRawPointer?) -> DecodingWatch? {
            context.map { Unmanaged<DecodingWatch>.fromOpaque($0).takeUnretainedValue() }
        }

        static let onSize:
            @convention(c) (UnsafeMutablePointer<GdkPixbufLoader>?, CInt, CInt, UnsafeMutableRawPointer?) -> Void = {
                loader, width, height, context in
                let (pixels, isOver) = Int(width).multipliedReportingOverflow(by: Int(height))
                guard width > 0, height > 0, !isOver, pixels <= DecodingWatch.of(context)?.pixelLimit ?? 0 else {
                    // The decoder sees more than the head told. A size of nothing is what every decoder refuses.
                    return gdk_pixbuf_loader_set_size(loader, 0, 0)
                }
            }

        static let onArea:
            @convention(c) (
                UnsafeMutablePointer<GdkPixbufLoader>?, CInt, CInt, CInt, CInt, UnsafeMutableRawPointer?
            ) -> Void = { _, _, y, _, height, context in
                guard let watch = DecodingWatch.of(context) else { return }
                watch.bottom = max(watch.bottom, Int(y) + Int(height))
            }
    }

    /// The picture in another size.
    func scaled(to size: CardLayout.Size) -> CoverPicture? {
        gdk_pixbuf_scale_simple(pixbuf, CInt(clamping: size.width), CInt(clamping: size.height), GDK_INTERP_BILINEAR)
            .map(CoverPicture.init)
    }

    /// Calls `body` for each row from the top with its bytes: `channels` for each pixel, red, green, blue and perhaps opacity.
    func forEachRow(_ body: (Int, UnsafeBufferPointer<UInt8>, _ channels: Int) -> Void) {
        let channels = Int(gdk_pixbuf_get_n_channels(pixbuf))
        let stride = Int(gdk_pixbuf_get_rowstride(pixbuf))
        guard channels >= 3, let pixels = gdk_pixbuf_read_pixels(pixbuf) else { return }
        for row in 0..<size.height {
            body(row, UnsafeBufferPointer(start: pixels + row * stride, count: size.width * channels), channels)
        }
    }

    /// A small copy, without opacity.
    func pixmap(width: Int, height: Int) -> Pixmap? {
        guard let small = scaled(to: CardLayout.Size(width: width, height: height)) else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(width * height * 3)
        small.forEachRow { _, row, channels in
            for start in stride(from: 0, to: row.count - 2, by: channels) {
                bytes.append(contentsOf: row[start..<(start + 3)])
            }
        }
        return Pixmap(width: width, height: height, bytes: bytes)
    }
}
