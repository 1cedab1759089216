internal import Parameters

/// What `sluice help` says.
enum Help {
    static let overview = """
        Sluice is a local gateway for REST APIs: it follows the links in their answers and puts the pieces together.

        usage: sluice COMMAND [ARGUMENT…] [--FLAG VALUE…]

          serve [CONTRACT…]    serve the routes of the contracts (default: every file in openapi/)
          check [CONTRACT…]    say what is wrong with contracts, all of it at once
          routes [CONTRACT…]   list the routes of the contracts
          get PATH             answer one request on the command line, without a server
          upload FILE          upload an image through a running gateway, and watch it go
          sample               run the sample upstreams alone
          health               ask a running gateway whether it is healthy (for containers)
          help COMMAND         show a command's flags
          help parameters      show every flag and variable as a page (docs/parameters.md)

        Try `sluice serve --sample`, then `curl 'http://127.0.0.1:8080/films/1?expand=starships'`.

        """

    static func text(for command: Parameter.Command) -> String {
        let flags = ParameterTable.help(command)
        return about(command)
            + (flags.isEmpty ? "" : "\nEach flag has an environment variable, shown behind it.\n\n" + flags)
    }

    private static func about(_ command: Parameter.Command) -> String {
        switch command {
        case .serve:
            """
            usage: sluice serve [CONTRACT…] [--FLAG VALUE…]

            Serves the routes of the contracts. Prints one line with the address when it is ready. SIGTERM and SIGINT let
            answers under way finish; SIGHUP reads the contracts again and keeps the old ones if the new ones are wrong.

            """
        case .check:
            """
            usage: sluice check [CONTRACT…] [--FLAG VALUE…]

            Reads the contracts as `serve` does and prints every mistake with its file, line and place, what was found and what
            was expected. The exit status is 0 where there is none, else 1.

            """
        case .routes:
            """
            usage: sluice routes [CONTRACT…] [--FLAG VALUE…]

            Lists each route: method, path, upstream, the links that expand= takes, and how long answers may be kept.

            """
        case .get:
            """
            usage: sluice get PATH [--FLAG VALUE…]

            Answers one request as the server would: the content goes to stdout; the status, and on a terminal a line of
            progress, to stderr; with -v also each part that was asked for. The exit status is 0 for a status below 400, else 1.

            """
        case .upload:
            """
            usage: sluice upload FILE [--FLAG VALUE…]

            Sends an image to a running gateway, which uploads it to Imgur. Shows how far it is on stderr, as a bar on a
            terminal and as lines elsewhere; what the gateway then knows of the image goes to stdout as JSON. Where the
            gateway asks for a client key, SLUICE_KEY has it. The exit status is 0 where the image is uploaded, else 1.

            """
        case .sample:
            """
            usage: sluice sample [--FLAG VALUE…]

            Runs the sample upstreams as servers of their own and prints their addresses.

            """
        case .health:
            """
            usage: sluice health [--FLAG VALUE…]

            Asks the gateway at --host and --port for /healthz. The exit status is 0 where it is healthy, else 1.

            """
        }
    }
}
