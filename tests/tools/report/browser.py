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
# How long Chromium may say nothing: against hanging only, for a machine may be slow.
SILENCE = 120

# Runs in front of a page's own scripts. settled() resolves when the page has answered what was done to it: no timer, frame or idle
# callback of its own is to come, and in two frames more, which bring changed sizes, scrolling and media, none was added.
# changed(e, name, act) acts and resolves when e has had the event.
WATCH = """(() => {
  const pending = new Set(), own = {frame: requestAnimationFrame.bind(window), timeout: setTimeout.bind(window)};
  const counted = (set, cancel, isCounted) => {
    const later = window[set].bind(window), never = window[cancel].bind(window);
    window[set] = (f, ...rest) => {
      const id = later((...args) => {
        pending.delete(set + id);
        f(...args);
      }, ...rest);
      if (isCounted(...rest)) pending.add(set + id);
      return id;
    };
    window[cancel] = id => {
      pending.delete(set + id);
      never(id);
    };
  };
  counted('setTimeout', 'clearTimeout', (delay = 0) => delay < 5000); /* longer ones free memory */
  counted('requestAnimationFrame', 'cancelAnimationFrame', () => true);
  counted('requestIdleCallback', 'cancelIdleCallback', () => true);
  const frame = () => new Promise(done => own.frame(() => own.timeout(done)));
  const place = () => [scrollX, scrollY].join();
  window.settled = async () => {
    for (let quiet = 0; quiet < 2;) {
      const before = place();
      await frame();
      quiet = pending.size === 0 && place() === before ? quiet + 1 : 0;
    }
  };
  window.changed = (e, name, act) => new Promise(done => {
    e.addEventListener(name, done, {once: true});
    act();
  });
})()"""

KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "End": 35, "Home": 36, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39,
        "ArrowDown": 40}


def find():
    """The command to start, or None."""
    for name in (os.environ.get("CHROMIUM"), "chromium", "chromium-browser", "google-chrome"):
        if name and shutil.which(name):
            return shutil.which(name)
    return None


class Browser:
    def __init__(self):
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
            ready, _, _ = select.select([self.back], [], [], SILENCE)
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

    def open(self, url, width=1400, height=900, dark=False, scale=1, script=""):
        """script: runs in front of the page's own."""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        page = Page(self, session)
        for domain in ("Page", "Runtime", "Log", "Network"):
            page.call(domain + ".enable")
        page.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=scale,
                  mobile=False)
        page.call("Page.addScriptToEvaluateOnNewDocument", source=WATCH + ";" + script)
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
        self.settle()

    def settle(self):
        """Until the page has answered what was done to it."""
        self.evaluate("settled()")

    def dark(self, on, medium="screen"):
        """Dark or light, on the screen or as print; nothing moves smoothly, so that what scrolls is there at once."""
        self.call("Emulation.setEmulatedMedia", media=medium, features=[
            {"name": "prefers-color-scheme", "value": "dark" if on else "light"},
            {"name": "prefers-reduced-motion", "value": "reduce"}])

    def act(self, expression):
        """Evaluates, and waits for what the page makes of it."""
        self.evaluate(expression)
        self.settle()

    def go(self, address):
        """To what is behind # in an address."""
        self.act("location.hash.slice(1) === %s || changed(window, 'hashchange', () => { location.hash = %s; })"
                 % (json.dumps(address), json.dumps(address)))

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
        self.settle()

    def type(self, text):
        self.call("Input.insertText", text=text)
        self.settle()

    def mouse(self, kind, x, y, **parameters):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **parameters)
        self.settle()

    def saved(self, button):
        """The text of the file that a button, an expression, saves."""
        return self.evaluate("""(button => {
          let saved = null;
          const make = URL.createObjectURL, {click} = HTMLAnchorElement.prototype;
          URL.createObjectURL = file => { saved = file; return 'blob:none'; };
          HTMLAnchorElement.prototype.click = () => {};
          button.click();
          URL.createObjectURL = make;
          HTMLAnchorElement.prototype.click = click;
          return saved.text();
        })(%s)""" % button)

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
        page.settle()
        page.screenshot(shot, whole=height == 0)
        print("%.2f s" % page.seconds, *page.errors, sep="\n")


if __name__ == "__main__":
    main()
