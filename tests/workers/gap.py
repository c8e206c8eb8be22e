"""Saves two files that belong together. Fault: each is replaced safely, both never at once.
The honest twin keeps everything in one file. Started as: gap.py good|bad"""
import os
import sys


def document(version):
    lines = [f"line {n} of version {version}\n" for n in range(100)]
    return f"version {version}\n" + "".join(lines) + f"end {version}\n"


def save(path, text):
    with open(path + ".new", "w") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.rename(path + ".new", path)
    folder = os.open(".", os.O_RDONLY)
    os.fsync(folder)
    os.close(folder)


if sys.argv[1] == "good":
    save("doc", document(2))
else:
    save("one", document(2))
    save("two", document(2))
print("saved 2", flush=True)
