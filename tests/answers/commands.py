# SPDX-License-Identifier: GPL-2.0-only
"""commands.py HIST RECORDING...: every command that hist prints for these recordings, in lists, tables, pages, notes and hints, is run,
and must answer about what it stands beside. Prints what is wrong, and last how many commands were run."""
import html
import re
import shlex
import subprocess
import sys

WORDS = re.compile(r"\bhist (?:report|why|list|events|sql|slim|recipe|merge|diff|check|dump) [^\n]*")
ROW = re.compile(r'<tr>(?:(?!<tr>).)*?data-v="([0-9.]+),(\d+)"(?:(?!<tr>).)*?<code>(hist [^<]*)</code>', re.S)


def shows(trace, time, cpu):
    """A trace has microseconds, rounded as the kernel does."""
    seconds, ns = map(int, time.split("."))
    us = seconds * 10**6 + (ns + 500) // 1000
    return re.search(rf"\[0*{cpu}\] .* {us // 10**6}\.{us % 10**6:06}: ", trace)


class Commands:
    def __init__(self, program):
        self.program, self.answers, self.wrong, self.n = program, {}, [], 0

    def run(self, *arguments):
        p = subprocess.run([self.program, *arguments], capture_output=True, text=True, errors="surrogateescape", stdin=subprocess.DEVNULL)
        return p.returncode, p.stdout, p.stderr

    def must(self, true, command, what, out=""):
        if not true:
            self.wrong.append(f"{command}: {what} {out[-200:].strip()}")

    def typed(self, command):
        """As a shell runs it; each once."""
        if command not in self.answers:
            self.n += 1
            self.answers[command] = self.run(*shlex.split(command)[1:])
        return self.answers[command]

    def page(self, text):
        """Each row has a time, a CPU and the command that shows what happened there."""
        rows = ROW.findall(text)
        for time, cpu, command in rows:
            command = html.unescape(command)
            status, out, messages = self.typed(command + (" --format json" if command.startswith("hist why") else ""))
            self.must(status == 0, command, "fails:", messages)
            if command.startswith("hist why"):
                self.must(f'"to":{time},"cpu":{cpu},' in out, command, f"is not about what ends at {time} on CPU {cpu}:", out[:300])
            else:
                self.must(shows(out, time, cpu), command, f"does not show {time} on CPU {cpu}:", out)
        self.must(len(rows) == text.count("<code>hist "), "page", f"{len(rows)} rows have a command, of {text.count('<code>hist ')}")

    def words(self, text, recording):
        """Commands in notes, hints and lists; with the name of a recording they are complete."""
        for found in WORDS.findall(text):
            command = re.split(r"[)?]|; |: ", found)[0].strip()
            if recording not in command or " NAME " in command or re.search(r"\b(T|FIELD|EVENT|STATEMENT)\b", command):
                continue
            try:
                shlex.split(command)
            except ValueError:
                continue
            status, out, messages = self.typed(command)
            # a recording without a question of its own says what to ask
            self.must((status == 0 and out) or "for example: hist report" in messages, command, f"fails ({status}):", messages)

    def recording(self, path):
        """What is printed for a recording that does not know what to ask."""
        listed = self.run("list", "-i", path)
        recipes = re.findall(r"[\w-]+", " ".join(re.findall(r"^  recipes +(.*?)^ +\(hist report NAME", listed[1], re.S | re.M)))
        derived = re.findall(r"derived:\w+", listed[1])
        events = re.findall(r"^ +\d+  (\S+:\S+)$", listed[1], re.M)
        for asked in (["report", "-i", path], ["report", "-i", path, "-e", events[0] if events else "x"], ["events", "-i", path, "-e", "nothing"],
                      ["recipe", "-i", path], ["sql", "-i", path, "SELECT * FROM nothing"], ["why", "-i", path], ["diff", path, path],
                      ["report", "-i", path, "nothing"], ["top10", path], [path]):
            _, out, messages = self.run(*asked)
            self.words(out + messages, path)
        for name in recipes:
            command = f"hist report {name} -i {path}"
            status, out, messages = self.typed(command)
            self.must(status == 0 and out, command, f"is offered by hist list, and fails ({status}):", messages)
            self.words(out + messages, path)
            self.page(self.run("report", "-q", "-i", path, name, "--format", "html")[1])
            status, out, messages = self.run("report", "-i", path, name, "--exemplars", "1")
            self.words(out + messages, path)
            # nothing happens where an object is not freed, and calls are drawn as trees, without times
            for time, cpu in re.findall(r" at (\d+\.\d{9}),(\d+) ", out)[:4] if name not in ("leaks", "function-time") else ():
                shown = self.typed(f"hist report -i {path} --around {time},{cpu}")
                self.must(shows(shown[1], time, cpu), f"{name}: --around {time},{cpu}", "does not show it:", shown[2])
        for name in derived:
            status, out, messages = self.run("why", "-i", path, "-e", name)
            self.words(out + messages, path)
            self.page(self.run("report", "-q", "-i", path, "-e", name, "--by", "open", "--format", "html")[1])
        for name in [n for n in events if not n.startswith("ftrace:func")][:6]:  # calls are drawn as trees, without times
            self.page(self.run("report", "-q", "-i", path, "-e", name, "--by", "common_cpu", "--sum", "common_pid", "--format", "html")[1])


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    commands = Commands(sys.argv[1])
    for path in sys.argv[2:]:
        commands.recording(path)
    print("".join(text + "\n" for text in commands.wrong) + f"{commands.n} commands, {len(commands.wrong)} wrong")
    sys.exit(bool(commands.wrong))


if __name__ == "__main__":
    main()
