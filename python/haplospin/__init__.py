"""Starts the program. It has no interface for Python."""

import os
import sys
from pathlib import Path


def main():
    program = Path(__file__).parent / "bin" / "haplospin"
    os.execv(program, [sys.argv[0], *sys.argv[1:]])
