internal import Glibc

// A client or upstream that goes away must be an error of one write, never the end of the program.
signal(SIGPIPE, SIG_IGN)
// Nor a file that may not grow any further: that is an error of one write too.
signal(SIGXFSZ, SIG_IGN)
// Signals that other servers reopen their logs with; they must not end this one.
signal(SIGUSR1, SIG_IGN)
signal(SIGUSR2, SIG_IGN)
exit(Tool(environment: Environment.current()).run(Array(CommandLine.arguments.dropFirst())))
