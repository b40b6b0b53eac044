# SPDX-FileCopyrightText: 2026 the tcflow authors
# SPDX-License-Identifier: BSD-3-Clause

"""Does what a tutorial shows work? Takes the blocks of code out of a page, in order, in the present folder:

    ```c NAME.c      is written to NAME.c; with TCF_FILTER in it, it is built as NAME.so, with a main() as NAME
    ```c NAME.h      is written to NAME.h
    ```console       `$ COMMAND` is run by bash, all of a page in one shell; what it prints must be what stands below it,
                     where ... is anything. ```console TOOL: only where there is this tool

A block without a name behind its language, but for text (```), is refused: it would not be tested. Prints TAP lines
without numbers. Usage: tutorial.py PAGE CC"""
import re
import shutil
import subprocess
import sys

WARNINGS = ["-std=c11", "-O2", "-Wall", "-Wextra", "-Wshadow", "-Wconversion", "-Werror"]


def tap(good, name, *why):
    print(f"{'ok' if good else 'not ok'} - {name}")
    for line in "\n".join(why).splitlines() if not good else []:
        print(f"# {line}")


def blocks(page):
    """(number of line, words behind the fence, text) of each block."""
    begin, words, text = 0, None, []
    for number, line in enumerate(open(page), 1):
        if line.startswith("```") and words is None:
            begin, words, text = number, line[3:].split(), []
        elif line.startswith("```"):
            yield begin, words, "".join(text)
            words = None
        elif words is not None:
            text.append(line)
    if words is not None:
        tap(False, f"line {begin}: the block ends")


def flags(*arguments):
    return subprocess.run(["pkg-config", *arguments], check=True, capture_output=True, text=True).stdout.split()


def build(compiler, name, text):
    with open(name, "w") as out:
        out.write(text)
    base = name[:-2]
    if "TCF_FILTER = {" in text:
        command = ["-fPIC", "-shared", "-o", base + ".so", *flags("--cflags", "tcflow"), name]
    elif "int main(" in text:
        command = ["-o", base, name, *flags("--cflags", "--libs", "tcflow-harness")]
    else:
        return name.endswith(".h"), "neither a filter nor a program"
    got = subprocess.run([*compiler.split(), *WARNINGS, *command], capture_output=True, text=True)
    return got.returncode == 0, got.stdout + got.stderr


class Shell:
    """One bash for the whole page, so that what is exported stays so."""
    MARK = "--- done ---"

    def __init__(self):
        self.process = subprocess.Popen(["bash", "--norc"], stdin=subprocess.PIPE, stdout=subprocess.PIPE,
                                        stderr=subprocess.STDOUT, text=True, bufsize=1)

    def run(self, command):
        self.process.stdin.write(f"{{ {command}\n}} </dev/null\necho; echo '{self.MARK}'\n")
        self.process.stdin.flush()
        lines = []
        for line in self.process.stdout:
            if line.rstrip("\n") == self.MARK:
                return "".join(lines)[:-1]
            lines.append(line)
        return "".join(lines) + "(the shell has ended)\n"


def same(expected, got):
    pattern = ".*?".join(re.escape(part) for part in expected.rstrip("\n").split("..."))
    return re.fullmatch(pattern, got.rstrip("\n"), re.S) is not None


def commands(text):
    """Each command with what it is to print."""
    for part in re.split(r"^\$ ", text, flags=re.M)[1:]:
        command, _, output = part.partition("\n")
        yield command, output


page, compiler = sys.argv[1], sys.argv[2]
shell, built, ran = Shell(), 0, 0
for line, words, text in blocks(page):
    if not words:
        continue
    if words[0] == "c" and len(words) == 2 and re.fullmatch(r"[a-z_]+\.[ch]", words[1]):
        tap(*(lambda good, why: (good, f"line {line}: {words[1]} builds without a warning", why))(
            *build(compiler, words[1], text)))
        built += 1
    elif words[0] == "console":
        if len(words) > 1 and not shutil.which(words[1]):
            print(f"ok - line {line} # SKIP {words[1]} is missing")
            continue
        for command, expected in commands(text):
            got = shell.run(command)
            tap(same(expected, got), f"line {line}: {command}", "got:", got, "expected:", expected)
            ran += 1
    else:
        tap(False, f"line {line}: a block that can be tested", "expected ```c NAME.c, ```console, or ```")
tap(built > 0 and ran > 0, "there was something to test")
