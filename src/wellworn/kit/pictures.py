"""Files that are texts, and pictures among them, whose text is their bytes in base64."""

from __future__ import annotations

import binascii
from base64 import b64decode, b64encode

from wellworn.errors import InvalidInput


def is_picture(path: str) -> bool:
    """Tell whether a file is a picture, whose text is base64."""
    return path.endswith(".png")


def encode_file(path: str, raw: bytes) -> str:
    """Return the text of a file; lines end with a newline, however an editor ended them."""
    if is_picture(path):
        return b64encode(raw).decode()
    return raw.decode("utf-8", "replace").replace("\r\n", "\n").replace("\r", "\n")


def decode_file(path: str, text: str) -> bytes:
    """Return the bytes of a file.

    Raises:
        InvalidInput: it is called a picture, and its text is no base64.
    """
    if not is_picture(path):
        return text.encode()
    try:
        return b64decode(text, validate=True)
    except (binascii.Error, ValueError) as error:
        message = "the content of a picture must be base64"
        raise InvalidInput(message) from error
