"""What uploads cost while they go on."""
import threading
import time

import pytest

from image_rig import head, read_answer
from imgur import png
from program import IS_SANITIZED, PATIENCE


@pytest.mark.skipif(IS_SANITIZED, reason="sanitizers keep what is freed")
def test_large_uploads_take_little_memory(rig):
    image = png(10_000_000)
    assert rig.upload(image)[0] == 201
    before = rig.gateway.memory
    threads = [threading.Thread(target=rig.upload, args=(image,)) for _ in range(8)]
    for thread in threads:
        thread.start()
    peak = 0
    while any(thread.is_alive() for thread in threads):
        peak = max(peak, rig.gateway.memory)
        time.sleep(0.01)
    assert len(rig.listed()) == 9
    assert peak - before < 6_000_000, f"{(peak - before) / 8:.0f} bytes an upload"


def test_a_slow_imgur_holds_the_client_back(rig):
    go = threading.Event()
    rig.imgur.head = lambda call: go.wait(PATIENCE)
    image, sent = png(9_000_000), 0
    with rig.gateway.connect() as connection:
        connection.sendall(head("POST", "/images", image, {"Content-Type": "image/png"}))
        connection.settimeout(1)
        try:
            while sent < len(image):
                sent += connection.send(image[sent:sent + 65536])
        except TimeoutError:
            pass
        assert sent < len(image), "it is somewhere in memory"
        go.set()
        connection.settimeout(PATIENCE)
        connection.sendall(image[sent:])
        assert read_answer(connection)[0] == 201
    assert rig.imgur.calls[0].parts["image"] == image


@pytest.mark.skipif(IS_SANITIZED, reason="sanitizers keep what is freed")
def test_uploads_that_stand_still_take_little_memory(rig):
    """An Imgur that reads nothing: what each upload then holds is in the gateway, but for what the kernel has."""
    count, image, go = 14, png(5_000_000), threading.Event()
    rig.imgur.head = lambda call: go.wait(PATIENCE)
    connections = []

    def stand_still():
        connection = rig.gateway.connect()
        connections.append(connection)
        connection.settimeout(1)
        try:
            connection.sendall(head("POST", "/images", image, {"Content-Type": "image/png"}) + image)
        except TimeoutError:
            pass
    for number in [2, count]:
        threads = [threading.Thread(target=stand_still) for _ in range(number)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        rig.imgur.wait_for(lambda: len(rig.imgur.uploads) == len(connections))
        before, after = (rig.gateway.memory, None) if number == 2 else (before, rig.gateway.memory)
    for connection in connections:
        connection.close()
    go.set()
    assert after - before < count * 140_000, f"{(after - before) / count:.0f} bytes an upload"
