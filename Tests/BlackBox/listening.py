"""A server on loopback whose connections a test serves, each on a thread of its own."""
import socket
import threading


class Listening:
    """Listens on a free port; `serve(connection)` is called for each connection, which is closed when it returns."""

    def __init__(self, backlog=1024):
        self.lock = threading.Lock()
        self.connections = 0
        self.open = set()
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=backlog)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self._accept, daemon=True).start()

    def serve(self, connection):
        raise NotImplementedError

    def _accept(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            with self.lock:
                self.connections += 1
                self.open.add(connection)
            threading.Thread(target=self._serve, args=(connection,), daemon=True).start()

    def _serve(self, connection):
        try:
            self.serve(connection)
        except (OSError, ValueError):
            pass
        finally:
            with self.lock:
                self.open.discard(connection)
            connection.close()

    def close(self):
        """Listens no more, and ends all connections."""
        self.socket.close()
        with self.lock:
            connections = list(self.open)
        for connection in connections:
            try:
                connection.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
