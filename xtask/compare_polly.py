"""Which loops of a function are parallel by the dependences that Polly prints.

Arguments: a file with what `print<polly-function-scops>` prints and one with what `scop(print<polly-dependences>)` prints, both
of one function with one region that Polly models. Prints JSON: the loops of the region in the order of the source, outer
before inner, each with its depth and whether some dependence is carried by it, by kind.
"""

import json
import pathlib
import re
import sys

import islpy

sys.path.insert(0, str(pathlib.Path(__file__).parents[1] / "crates/cli/tests"))
from polyhedral_program import carried  # noqa: E402


def section(text, name):
    """The isl text after the line `name :=`, or after a heading `name`."""
    match = re.search(re.escape(name) + r"(?: :=)?\n\s*(.*?);?\n", text)
    return match.group(1) if match else None


def statements(text):
    """Domain and schedule of every statement."""
    out = {}
    for part in re.split(r"\n\s*(Stmt\w*)\n", text)[1:]:
        if part.startswith("Stmt") and "\n" not in part:
            name = part
            continue
        domain, schedule = section(part, "Domain"), section(part, "Schedule")
        if domain and schedule:
            out[name] = (islpy.Set(domain), islpy.Map(schedule))
    return out


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        scops = file.read()
    with open(sys.argv[2], encoding="utf-8") as file:
        dependences = file.read()
    of = statements(scops)
    pairs = {
        kind: islpy.UnionMap(section(dependences, f"{kind} dependences:")) for kind in ("RAW", "WAR", "WAW")
    }
    loops = carried({name: schedule for name, (_, schedule) in of.items()}, pairs)
    print(json.dumps(loops))


main()
