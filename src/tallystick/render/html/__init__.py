"""Reports as one HTML page: it asks nobody for anything, and reads the same with scripts blocked.

Templates escape whatever they print, and every text is one safe line before it gets there. The page's own
policy allows its one stylesheet and its one script by their digests, and nothing else.
"""

from .document import fragment, is_installed, needed, page

__all__ = ["fragment", "is_installed", "needed", "page"]
