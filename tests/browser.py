"""A real app server and a real browser, for end-to-end tests and benches."""

from __future__ import annotations

import os
import re
import shutil
import socket
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.process import BaseProcess
from pathlib import Path

from playwright.sync_api import Browser, Page, sync_playwright

from tests.app_process import start_app

BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
HOW_TO_GET_A_BROWSER = "no Chromium or Chrome found; on Debian or Ubuntu: apt-get install chromium"
# Headless, and quiet towards hosts of its own maker: the tests need this machine alone.
BROWSER_ARGUMENTS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    # Without this each page has a second renderer, for suggestions under an address bar that nobody sees. The last such
    # switch is the one that counts, so it names again what Playwright turns off.
    "--disable-features=WebUIOmniboxPopup,WebUIOmniboxAimPopup,AimEnabled,AvoidUnnecessaryBeforeUnloadCheckSync,"
    "DestroyProfileOnBrowserClose,HttpsUpgrades,HttpsFirstBalancedModeAutoEnable,LensOverlay,MediaRouter,PaintHolding,"
    "ThirdPartyStoragePartitioning,AvoidCorsURLLoaderRestartOnRedirect,OptimizationHints,NetworkTimeServiceQuerying,"
    "PreconnectToSearch",
]
ANSWER_SECONDS = 60


def browser_path() -> str | None:
    """A browser of this machine, or None."""
    return next((found for name in BROWSERS if (found := shutil.which(name))), None)


@contextmanager
def running_browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path(), args=BROWSER_ARGUMENTS)
        try:
            yield browser
        finally:
            browser.close()


class AppServer:
    """`streamlit run app.py` on a data folder. `kill` ends it as a power cut would."""

    def __init__(self, folder: Path, *, cold: bool = False, **environment: str) -> None:
        self.folder = folder
        self.cold = cold
        self.environment = environment
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            self.port = probe.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.port}"
        self.process: BaseProcess | None = None

    def start(self) -> None:
        without_keys = {k: v for k, v in os.environ.items() if not k.startswith("OPENAI_")}
        environment = without_keys | {"SECOND_MARKER_DATA": str(self.folder)} | self.environment
        log = self.folder.parent / f"{self.folder.name}-server.log"
        self.process = start_app(self.port, environment, log, cold=self.cold)
        deadline = time.monotonic() + ANSWER_SECONDS
        while True:
            try:
                with urllib.request.urlopen(f"{self.url}/_stcore/health", timeout=5) as answer:
                    if answer.status == 200:
                        return
            except OSError:
                pass
            if not self.process.is_alive() or time.monotonic() > deadline:
                raise RuntimeError(f"The app did not start; see {log}.")
            time.sleep(0.05)

    def stop(self) -> None:
        if self.process is not None:
            self.process.terminate()
            self._ended(self.process)

    def kill(self) -> None:
        assert self.process is not None
        self.process.kill()
        self._ended(self.process)

    def _ended(self, process: BaseProcess) -> None:
        process.join(20)
        assert not process.is_alive(), "the app did not end within 20 s"
        self.process = None


@contextmanager
def running_app(folder: Path, *, cold: bool = False, **environment: str) -> Iterator[AppServer]:
    folder.mkdir(parents=True, exist_ok=True)
    server = AppServer(folder, cold=cold, **environment)
    server.start()
    try:
        yield server
    finally:
        server.stop()


def sign_in(page: Page, url: str, name: str = "Demo teacher") -> None:
    """Open the app and choose a profile."""
    page.goto(url)
    page.get_by_role("button", name=re.compile(f"^{re.escape(name)} ·")).click()
    page.get_by_role("button", name=re.compile(f"^{re.escape(name)} ·")).wait_for(state="detached")
