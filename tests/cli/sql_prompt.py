#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-only
"""sql_prompt.py RECORDING KEYS...: types KEYS, whose backslashes are those of Python, at the prompt of hist sql on a
terminal of its own, each after the prompt of the one before was shown. Prints what the terminal showed, and then whether
the terminal is as it was."""
import os
import pty
import select
import sys
import termios

HIST = os.environ.get("HIST", "./hist")
ready = os.pipe()
pid, fd = pty.fork()
if not pid:
    os.environ["TERM"] = "xterm"
    os.read(ready[0], 1)
    os.execv(HIST, [HIST, "sql", "-q", "-i", sys.argv[1]])
before = termios.tcgetattr(fd)
os.write(ready[1], b"!")


def shown(until):
    """What the terminal shows, up to a text at its end; None: all."""
    text = b""
    while not (until and text.endswith(until)) and select.select([fd], [], [], 30)[0]:
        try:
            data = os.read(fd, 1 << 16)
        except OSError:
            break
        text += data
        if not data:
            break
    sys.stdout.write(text.decode())


PROMPT = b"\r\x1b[Khist> "
shown(PROMPT)
for keys in sys.argv[2:]:
    os.write(fd, keys.encode().decode("unicode_escape").encode("latin-1"))
    # a prompt that is not that of a line that was shown again
    shown(None if keys.endswith("\\x04") else b"\n" + PROMPT)
after = termios.tcgetattr(fd)
os.close(fd)
print("\nstatus", os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]), "same terminal" if before[:4] == after[:4] else "other terminal")
