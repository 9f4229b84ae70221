# browser.py -- a headless Chromium, driven through pipes.
#
#   with browser.Browser() as chromium:
#       page = chromium.open("/tmp/page.html", width=1280, height=1000)
#       page.wait_for("document.body.dataset.ready === 'true'")
#       page.key("?")
#       red, green, blue = page.pixel(10, 20)
#
# The protocol is Chrome's DevTools over two pipes: each message is JSON and ends with a zero
# byte. A page keeps what it requested and what its console said.
import base64
import json
import os
import pathlib
import select
import shutil
import struct
import subprocess
import tempfile
import time
import zlib

# Seconds, for hangs alone.
patience = 240


def command():
    return shutil.which("chromium") or shutil.which("google-chrome")


class Browser:
    def __enter__(self):
        self.profile = tempfile.mkdtemp(prefix="cleave-chromium-")
        read_end, self.to = os.pipe()
        self.back, write_end = os.pipe()
        # The protocol is spoken on descriptors 3 and 4.
        script = 'exec "$@" 3<&%d 4>&%d' % (read_end, write_end)
        self.process = subprocess.Popen(
            ["/bin/bash", "-c", script, "bash", command(), "--headless", "--no-sandbox", "--disable-gpu",
             "--disable-dev-shm-usage", "--no-first-run", "--remote-debugging-pipe",
             "--force-device-scale-factor=1", "--hide-scrollbars", "--disable-background-networking",
             "--user-data-dir=" + self.profile],
            pass_fds=(read_end, write_end), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(read_end)
        os.close(write_end)
        self.rest = b""
        self.number = 0
        self.pages = {}
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        os.close(self.to)
        os.close(self.back)
        shutil.rmtree(self.profile, ignore_errors=True)

    def read_message(self):
        deadline = time.monotonic() + patience
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.back], [], [], max(0, deadline - time.monotonic()))
            part = os.read(self.back, 1 << 20) if ready else b""
            if not part:
                raise RuntimeError("the browser does not answer")
            self.rest += part
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def ask(self, method, session=None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.read_message()
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]
            page = self.pages.get(answer.get("sessionId"))
            if page:
                page.note(answer)

    def open(self, file, width=1280, height=1000, dark=False, calm=False):
        target = self.ask("Target.createTarget", url="about:blank")["targetId"]
        session = self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = self.pages[session] = Page(self, session, target)
        for domain in ("Page", "Runtime", "Network", "Log"):
            page.ask(domain + ".enable")
        page.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=False)
        page.prefer(dark, calm)
        page.url = pathlib.Path(file).as_uri()
        page.ask("Page.navigate", url=page.url)
        return page


class Page:
    def __init__(self, browser, session, target):
        self.browser = browser
        self.target = target
        self.session = session
        self.requests = []
        self.complaints = []

    def close(self):
        self.browser.ask("Target.closeTarget", targetId=self.target)

    def ask(self, method, **parameters):
        return self.browser.ask(method, self.session, **parameters)

    def note(self, event):
        kind, told = event.get("method"), event.get("params", {})
        if kind == "Network.requestWillBeSent":
            self.requests.append(told["request"]["url"])
        elif kind == "Runtime.exceptionThrown":
            self.complaints.append(told["exceptionDetails"])
        elif kind == "Runtime.consoleAPICalled":
            self.complaints.append(told["args"])
        elif kind == "Log.entryAdded":
            self.complaints.append(told["entry"])

    def prefer(self, dark, calm=False):
        self.ask("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce" if calm else "no-preference"}])

    def value(self, expression):
        done = self.ask("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in done:
            raise RuntimeError(f"{expression}: {done['exceptionDetails']}")
        return done["result"].get("value")

    # Also draws: the frame after an input is over when this returns.
    def settle(self):
        self.value("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def wait_for(self, expression):
        deadline = time.monotonic() + patience
        while not self.value(expression):
            if time.monotonic() > deadline:
                raise RuntimeError(f"never: {expression}")
            self.settle()

    def key(self, key, times=1):
        text = {"Enter": "\r"}.get(key, key if len(key) == 1 else None)
        for _ in range(times):
            down = {"type": "keyDown", "key": key}
            if text:
                down["text"] = text
            self.ask("Input.dispatchKeyEvent", **down)
            self.ask("Input.dispatchKeyEvent", type="keyUp", key=key)
        self.settle()

    def mouse(self, kind, x, y, **more):
        self.ask("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, x, y):
        self.mouse("mouseMoved", x, y)
        self.mouse("mousePressed", x, y, button="left", clickCount=1)
        self.mouse("mouseReleased", x, y, button="left", clickCount=1)
        self.settle()

    def pixel(self, x, y):
        """The colour that the window shows there: red, green, blue."""
        clip = {"x": int(x), "y": int(y), "width": 1, "height": 1, "scale": 1}
        return only_pixel(base64.b64decode(self.ask("Page.captureScreenshot", format="png", clip=clip)["data"]))

    def names(self):
        """Role and accessible name of what the page offers to readers."""
        nodes = self.ask("Accessibility.getFullAXTree")["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", ""))
                for node in nodes if not node.get("ignored") and "role" in node]


def only_pixel(png):
    """The colour of a picture of one pixel, with eight bits to a colour."""
    at, packed = 8, b""
    while at < len(png):
        size, kind = struct.unpack(">I4s", png[at:at + 8])
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", png[at + 8:at + 18])
            assert (width, height, depth) == (1, 1, 8) and colours in (2, 6)
        elif kind == b"IDAT":
            packed += png[at + 8:at + 8 + size]
        at += 12 + size
    # Behind the filter, which has no neighbours here to add anything of.
    return tuple(zlib.decompress(packed)[1:4])
