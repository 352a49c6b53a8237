# SPDX-License-Identifier: LGPL-2.1-only
"""Makes a wheel of the module, with the library and the recipes that it needs, for pip install ./python.

It is what pip calls a build backend (PEP 517), of the standard library only.
"""
from __future__ import annotations

import base64
import hashlib
import os
import re
import sysconfig
import zipfile
from typing import Any

_ROOT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..")


def _files() -> dict[str, str]:
    """Names in the wheel, and where they are."""
    library = os.path.join(_ROOT, "build", "lib", "libhist.so.0")
    recipes = os.path.join(_ROOT, "share", "hist", "recipes")
    if not os.path.exists(library):
        raise SystemExit("build/lib/libhist.so.0 is missing: run make first")
    files = {"hist.py": os.path.join(_ROOT, "python", "hist.py"), "hist_files/libhist.so.0": library}
    files.update(("hist_files/recipes/" + name, os.path.join(recipes, name)) for name in sorted(os.listdir(recipes)))
    return files


def build_wheel(wheel_directory: str, config_settings: Any = None, metadata_directory: Any = None) -> str:
    """Write the wheel; its name."""
    with open(os.path.join(_ROOT, "src", "hist.h")) as f:
        found = re.search(r'HIST_VERSION "(.*)"', f.read())
    version = found[1] if found else "0"
    tag = "py3-none-" + re.sub("[-.]", "_", sysconfig.get_platform())
    info, name = "hist-%s.dist-info/" % version, "hist-%s-%s.whl" % (version, tag)
    texts = {info + "METADATA": "Metadata-Version: 2.1\nName: hist\nVersion: %s\nSummary: recordings of ftrace, read with "
                                "libhist\nRequires-Python: >=3.9\n" % version,
             info + "WHEEL": "Wheel-Version: 1.0\nGenerator: hist\nRoot-Is-Purelib: false\nTag: %s\n" % tag}
    data = {name: text.encode() for name, text in texts.items()}
    for inside, path in _files().items():
        with open(path, "rb") as f:
            data[inside] = f.read()
    record = "".join("%s,sha256=%s,%d\n" % (inside, base64.urlsafe_b64encode(hashlib.sha256(content).digest())
                                            .rstrip(b"=").decode(), len(content)) for inside, content in data.items())
    data[info + "RECORD"] = ("%s%sRECORD,,\n" % (record, info)).encode()
    with zipfile.ZipFile(os.path.join(wheel_directory, name), "w", zipfile.ZIP_DEFLATED) as wheel:
        for inside, content in data.items():
            wheel.writestr(inside, content)
    return name
