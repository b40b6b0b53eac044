# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""A headless Chromium to look at pages with, driven by the DevTools protocol over a pipe.

Needs nothing but Python's standard library and Chromium:

    with Browser() as browser:
        page = browser.open("file:///report.html", width=1400, height=900)
        title = page.evaluate("document.title")
        page.press("ArrowDown")
        page.screenshot("shot.png")
        page.errors        messages on the console, exceptions, failed loads

`python3 browser.py PAGE.html SHOT.png [dark] [WIDTHxHEIGHT] [JavaScript...]` takes a picture of a whole page, or with a
height above 0 of the window.
"""
import base64
import json
import os
import pathlib
import select
import shutil
import subprocess
import sys
import tempfile
import time

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run",
         "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-frame-rate-limit",
         "--disable-gpu-vsync", "--remote-debugging-pipe"]
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
        "ArrowDown": 40}


def find():
    """The command to start, or None."""
    for name in (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"):
        if name and shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    def __init__(self, timeout=120):
        self.deadline = time.monotonic() + timeout
        self.folder = tempfile.mkdtemp(prefix="tcflow-browser.")
        to_read, self.to = os.pipe()
        self.back, back_write = os.pipe()

        def connect():  # the protocol wants 3 for what it reads and 4 for what it writes
            reads, writes = os.dup2(to_read, 1003), os.dup2(back_write, 1004)
            os.dup2(reads, 3)
            os.dup2(writes, 4)
            os.close(reads)
            os.close(writes)

        self.process = subprocess.Popen([find(), *FLAGS, "--user-data-dir=" + self.folder, "about:blank"],
                                        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL, preexec_fn=connect, close_fds=False)
        os.close(to_read)
        os.close(back_write)
        self.number = 0
        self.rest = b""
        self.waiting = []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            self.call("Browser.close")
            self.process.wait(20)
        except (OSError, TimeoutError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.folder, ignore_errors=True)

    def receive(self):
        """The next message, an answer or an event."""
        while b"\0" not in self.rest:
            ready, _, _ = select.select([self.back], [], [], max(0, self.deadline - time.monotonic()))
            data = os.read(self.back, 1 << 20) if ready else b""
            if not data:
                raise TimeoutError("Chromium says nothing any more")
            self.rest += data
        message, self.rest = self.rest.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, on_event=lambda message: None, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self.to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") != self.number:
                on_event(answer)
            elif "error" in answer:
                raise RuntimeError("%s: %s" % (method, answer["error"]))
            else:
                return answer["result"]

    def open(self, url, width=1400, height=900, dark=False, scale=1):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(domain + ".enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=False)
        page.dark(dark)
        page.load(url)
        return page


class Page:
    def __init__(self, browser, session):
        self.browser = browser
        self.session = session
        self.errors = []
        self.requests = []
        self.loaded = False

    def event(self, message):
        method, data = message.get("method"), message.get("params", {})
        if method == "Page.loadEventFired":
            self.loaded = True
        elif method == "Network.requestWillBeSent":
            self.requests.append(data["request"]["url"])
        elif method == "Runtime.exceptionThrown":
            details = data["exceptionDetails"]
            self.errors.append(details.get("exception", {}).get("description", details["text"]))
        elif method == "Runtime.consoleAPICalled" and data["type"] in ("error", "warning", "assert"):
            self.errors.append(" ".join(str(a.get("value", a.get("description"))) for a in data["args"]))
        elif method == "Log.entryAdded" and data["entry"]["level"] in ("error", "warning"):
            self.errors.append(data["entry"]["text"])

    def call(self, method, **parameters):
        return self.browser.call(method, self.session, self.event, **parameters)

    def load(self, url):
        """Until it has been drawn, self.seconds after the begin, and then until all of its sections are there."""
        begin = time.monotonic()
        self.loaded = False
        self.call("Page.navigate", url=url)
        while not self.loaded:
            self.event(self.browser.receive())
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        self.seconds = time.monotonic() - begin
        self.evaluate("new Promise(done => { const look = () => document.documentElement.dataset.complete === undefined && "
                      "document.getElementById('results') ? setTimeout(look, 20) : done(); look(); })")

    def dark(self, on):
        scheme = {"name": "prefers-color-scheme", "value": "dark" if on else "light"}
        self.call("Emulation.setEmulatedMedia", features=[scheme])

    def evaluate(self, expression):
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(answer["exceptionDetails"].get("exception", {}).get("description", expression))
        return answer["result"].get("value")

    def press(self, key, shift=False):
        text = key if len(key) == 1 else "\r" if key == "Enter" else None
        parameters = {"key": key, "windowsVirtualKeyCode": KEYS.get(key, ord(key[0].upper())),
                      "modifiers": 8 if shift else 0}
        self.call("Input.dispatchKeyEvent", type="keyDown", **parameters, **({"text": text} if text else {}))
        self.call("Input.dispatchKeyEvent", type="keyUp", **parameters)

    def type(self, text):
        self.call("Input.insertText", text=text)

    def mouse(self, kind, x, y, **parameters):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **parameters)

    def screenshot(self, path, whole=False):
        clip = {}
        if whole:
            size = self.call("Page.getLayoutMetrics")["cssContentSize"]
            clip = {"clip": {"x": 0, "y": 0, "width": size["width"], "height": min(size["height"], 16000), "scale": 1},
                    "captureBeyondViewport": True}
        data = self.call("Page.captureScreenshot", format="png", **clip)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))


def main():
    page_path, shot, *rest = sys.argv[1:]
    dark = "dark" in rest
    size = next((r for r in rest if r[0].isdigit()), "1400x0")
    width, height = (int(v) for v in size.split("x"))
    with Browser() as browser:
        page = browser.open(pathlib.Path(page_path).resolve().as_uri(), width, height or 900, dark)
        for expression in rest:
            if expression not in ("dark", size):
                print(page.evaluate(expression))
        page.evaluate("new Promise(done => setTimeout(done, 300))")
        page.screenshot(shot, whole=height == 0)
        print("%.2f s" % page.seconds, *page.errors, sep="\n")


if __name__ == "__main__":
    main()
