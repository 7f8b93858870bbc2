"""The page has no files, so nothing calls these."""

from urllib.parse import urlparse as urlparse


def from_fs_path(path: str) -> str:
    """Return a path as it is."""
    return path


to_fs_path = from_fs_path
