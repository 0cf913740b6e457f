"""The program `wellworn` of the pages' examples: asks the tests for a fork, and ends as that does.

It runs by itself, `command.py ADDRESS WORDS…`, and loads nothing that takes long.
"""

import json
import os
import socket
import sys
from pathlib import Path

address, *words = sys.argv[1:]
mask = os.umask(0)
os.umask(mask)
asked = {"pid": os.getpid(), "words": words, "environment": {**os.environ}, "mask": mask}
with socket.socket(socket.AF_UNIX) as door:
    door.connect(address)
    door.sendall(json.dumps({**asked, "folder": str(Path.cwd())}).encode() + b"\n")
    sys.exit(int(door.makefile().readline()))
