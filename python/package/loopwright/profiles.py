"""Profiles, with what Python's own libraries make of them."""

from __future__ import annotations

import base64
import html
import os
from typing import Any, TypeVar

from loopwright import _native

_Profile = TypeVar("_Profile", bound="Profile")


class Profile(_native.Profile):
    """What one run of a program showed, as `loopwright profile` wrote it. A notebook shows its loops and its flame graph."""

    @classmethod
    def open(cls: type[_Profile], path: str | os.PathLike[str]) -> _Profile:
        """Reads a profile (`.lwp`).

        Raises OSError if the file cannot be read, and ValueError with the command line's message if it is no profile,
        is damaged or has the format of another version.
        """
        return cls(path)

    def isl(self, function: str | None = None) -> dict[str, Any]:
        """The polyhedral program as objects of islpy: `domain` and `approximate_domain` are `islpy.UnionSet`, all else
        (`schedule`, `read`, `write`, `may_read`, `may_write`, `flow`, `may_flow`, `may_anti`, `may_output`)
        `islpy.UnionMap`. Statement `S12[i0, i1]` is instruction 12 in an iteration, `M[a]` the byte at address a.

        Of the program's own functions, or of one and what it calls. Raises ImportError without islpy, ValueError if no
        function of that name ran.
        """
        try:
            import islpy
        except ImportError as error:
            message = "Profile.isl needs islpy: pip install islpy, or pip install 'loopwright[isl]'"
            raise ImportError(message) from error
        out: dict[str, Any] = {}
        for line in self.to_isl(function).splitlines():
            if line.startswith("#"):
                continue
            name, _, value = line.removesuffix(";").partition(" := ")
            kind = islpy.UnionSet if name.endswith("domain") else islpy.UnionMap
            out[name] = kind(value)
        return out

    def _repr_html_(self) -> str:
        """The loops as the terminal shows them, and the flame graph as a picture."""
        loops = f"<pre>{html.escape(self.to_text())}</pre>"
        try:
            drawn = self.to_svg()
        except ValueError:
            # Nothing was executed: there is nothing to draw.
            return loops
        data = base64.b64encode(drawn.encode()).decode()
        picture = f'<img alt="loops by operations" style="width:100%" src="data:image/svg+xml;base64,{data}">'
        return f"{loops}\n{picture}"
