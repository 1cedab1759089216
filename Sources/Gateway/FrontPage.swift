internal import HTTP
internal import JSON
internal import Plan

/// The page at `/`: what this gateway serves, for a person and for a program.
struct FrontPage {
    let plan: Plan
    let base: String
    let version: String

    private var routes: [Operation] { plan.operations.sorted { $0.path.text < $1.path.text } }

    /// Lists by name with their addresses, then the routes.
    var json: [UInt8] {
        JSONWriter.object { object in
            for route in routes where FrontPage.isOpen(route) && route.method == .get {
                guard let name = name(of: route) else { continue }
                object.member(name, base + route.path.text + "/")
            }
            object.object("_sluice") { about in
                about.member("version", version)
                about.member("openapi", base + "/openapi.json")
                about.member("health", base + "/healthz")
                about.array("routes") { list in
                    for route in routes {
                        list.object { entry in
                            entry.member("method", route.method.rawValue)
                            entry.member("path", route.path.text)
                            if let summary = route.summary { entry.member("summary", summary) }
                            if let resource = route.resource {
                                entry.array("expand") { names in
                                    for name in ExpandPaths.allowed(from: resource, in: plan) { names.value(name) }
                                }
                            }
                        }
                    }
                }
            }
        } + [0x0A]
    }

    var html: [UInt8] {
        let address = FrontPage.escaped(base)
        var rows = ""
        for route in routes {
            let names = route.resource.map { ExpandPaths.allowed(from: $0, in: plan) } ?? []
            let links = names.map(FrontPage.escaped).joined(separator: ", ")
            let path = FrontPage.escaped(route.path.text)
            let shown =
                route.method == .get && FrontPage.isOpen(route) ? "<a href=\"\(address)\(path)\">\(path)</a>" : path
            rows += "<tr><td>\(route.method.rawValue)</td><td><code>\(shown)</code></td>"
            rows += "<td>\(FrontPage.escaped(route.summary ?? ""))</td><td>\(links)</td></tr>\n"
        }
        let page = """
            <!doctype html>
            <html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
            <title>Sluice</title>
            <style>
            body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; color: #1c2733 }
            table { border-collapse: collapse; width: 100% } th { text-align: left; border-bottom: 2px solid #1c2733 }
            td, th { padding: .3rem .8rem .3rem 0; vertical-align: top } tr + tr td { border-top: 1px solid #d5dbe1 }
            code { font-size: .95em } a { color: #0b5cad }
            </style></head><body>
            <h1>Sluice</h1>
            <p>A gateway that follows the links of REST APIs: add <code>?expand=</code> to a route and each link named there
            is replaced by what it leads to; <code>?fields=</code> keeps only what you name.</p>
            <table><tr><th>Method</th><th>Path</th><th>What it answers</th><th>Links to expand</th></tr>
            \(rows)</table>
            <p><a href="\(address)/openapi.json">OpenAPI document</a> · <a href="\(address)/readyz">readiness</a></p>
            </body></html>

            """
        return Array(page.utf8)
    }

    /// Whether a route answers its bare path: it has no parameter that must be given.
    private static func isOpen(_ route: Operation) -> Bool {
        route.path.parameterNames.isEmpty && route.alternatives.isEmpty
            && !route.parameters.contains(where: \.isRequired)
    }

    /// The last segment of a list's path, which is how other places name it.
    private func name(of route: Operation) -> String? {
        guard case .literal(let text)? = route.path.segments.last else { return nil }
        return text
    }

    private static func escaped(_ text: String) -> String {
        text.reduce(into: "") { result, character in
            switch character {
            case "<": result += "&lt;"
            case ">": result += "&gt;"
            case "&": result += "&amp;"
            case "\"": result += "&quot;"
            default: result.append(character)
            }
        }
    }
}
