"""Tables of what run.sh found: compare.py compare|check|measure, or compare.py summary TABLE."""

import collections
import csv
import gzip
import os
import sys

TOLERANCE = float(os.environ["TOLERANCE"])
TOOLS = ["memcheck", "racecheck", "synccheck", "initcheck"]


def text(*path):
    """The text of a file; nothing if there is none."""
    try:
        with open(os.path.join(*path), encoding="utf-8", errors="replace") as file:
            return file.read()
    except FileNotFoundError:
        return ""


def expected(program):
    """What a program has to print."""
    with gzip.open(os.path.join(program, "expected.gz"), "rt", encoding="utf-8") as file:
        return file.read()


def rows(path):
    """The rows of a table by the names of its columns; lines that begin with # are none."""
    lines = [line.rstrip("\n") for line in text(path).splitlines() if not line.startswith("#")]
    names = lines[0].split("\t")
    return [dict(zip(names, line.split("\t"))) for line in lines[1:]]


def is_close(expected, printed):
    """Whether two words are numbers that differ by what rounding makes."""
    try:
        a, b = float(expected), float(printed)
    except ValueError:
        return False
    return abs(a - b) <= TOLERANCE * max(abs(a), abs(b))


def difference(expected, printed, is_inexact):
    """Where two texts differ; nothing if they do not."""
    inputs = "?"
    lines, others = expected.splitlines(), printed.splitlines()
    for line, other in zip(lines, others):
        words, found = line.split(), other.split()
        if words[:1] == ["inputs"]:
            inputs = words[-1]
        if len(words) != len(found):
            return f"inputs {inputs}, {words[0]}: {len(found)} words instead of {len(words)}"
        for place, (a, b) in enumerate(zip(words, found)):
            if a != b and not (is_inexact and is_close(a, b)):
                return f"inputs {inputs}, {words[0]}[{place - 1}]: {b} instead of {a}"
    if len(lines) != len(others):
        return f"inputs {inputs}: {len(others)} lines instead of {len(lines)}"
    return ""


def last_line(said):
    lines = [line.strip() for line in said.splitlines() if line.strip()]
    return lines[-1].replace("\t", " ")[:200] if lines else ""


def failure(status, said):
    """How a program failed."""
    if status == "4":
        return "the host's function gave something else than 0"
    return "did not end in time" if status == "124" else f"exit code {status} {last_line(said)}".strip()


def is_built(program):
    return os.path.exists(os.path.join("build", program, "program"))


def refusal(program):
    """What compilers said first that speaks of an error."""
    said = text("build", program, "log")
    return last_line(next((line for line in said.splitlines() if "error" in line), said))


def table(columns, lines):
    print("\t".join(columns))
    for line in lines:
        print("\t".join(str(line.get(column, "")) for column in columns))


def compare():
    found = []
    for row in rows("programs.tsv"):
        program = row["id"]
        built = os.path.join("build", program)
        status, printed = text(built, "status").strip(), text(built, "printed")
        if not is_built(program):
            row |= {"verdict": "not compiled", "detail": refusal(program)}
        elif status != "0":
            row |= {"verdict": "failed", "detail": failure(status, text(built, "said"))}
        else:
            detail = difference(expected(program), printed, row["rounding"] == "inexact")
            row |= {"verdict": "different" if detail else "same", "detail": detail}
        found.append(row)
    table(["id", "program", "source", "kernel", "line", "variant", "tiles", "verdict", "detail"], found)


def check():
    found = []
    for row in rows("programs.tsv"):
        built = os.path.join("build", row["id"])
        for tool in TOOLS:
            if tool in ("racecheck", "synccheck") and row["tiles"] != "tiled":
                continue
            status, said = text(built, f"{tool}.status").strip(), text(built, tool)
            marked = [line.lstrip("= ") for line in said.splitlines() if line.startswith("=========")]
            errors = [line for line in marked if line and not line.startswith(("COMPUTE-SANITIZER", "ERROR SUMMARY"))]
            is_clean = any(
                line.startswith(("ERROR SUMMARY: 0 errors", "RACECHECK SUMMARY: 0 hazards")) for line in marked
            )
            if not is_built(row["id"]):
                verdict, detail = "not compiled", refusal(row["id"])
            elif not status:
                verdict, detail = "not reached", ""
            elif status == "0" and is_clean:
                verdict, detail = "clean", ""
            elif any(line.startswith(("ERROR SUMMARY", "RACECHECK SUMMARY")) for line in marked) and not is_clean:
                verdict, detail = "reported", " ".join(errors[:3])[:300]
            else:
                verdict, detail = "failed", failure(status, said)
            found.append(row | {"tool": tool, "verdict": verdict, "detail": detail.replace("\t", " ")})
    table(["id", "program", "source", "kernel", "line", "variant", "tool", "verdict", "detail"], found)


def metrics(said):
    """The metrics of the launches in ncu's table, by the kernel's name; means where there are several."""
    lines = said.splitlines()
    start = next((place for place, line in enumerate(lines) if line.startswith('"ID"')), len(lines))
    found = collections.defaultdict(lambda: collections.defaultdict(list))
    for row in csv.DictReader(lines[start:]):
        try:
            value = float(row["Metric Value"].replace(",", ""))
        except (AttributeError, KeyError, TypeError, ValueError):
            continue
        found[row["Kernel Name"].split("(")[0]][row["Metric Name"]].append((value, row["Metric Unit"]))
    return found


def measure():
    found, measured = [], os.environ["METRICS"].split(",")
    programs = rows("measured.programs.tsv")
    columns = [*programs[0], "verdict", "detail", "launched", "unit", *measured]
    for row in programs:
        built = os.path.join("build", row["id"])
        status = text(built, "status").strip()
        if not is_built(row["id"]):
            row |= {"verdict": "not compiled", "detail": refusal(row["id"])}
        elif status != "0":
            row |= {"verdict": "failed", "detail": failure(status, text(built, "said"))}
        else:
            detail = difference(expected(row["id"]), text(built, "printed"), True)
            row |= {"verdict": "different" if detail else "same", "detail": detail}
        kernels = metrics(text(built, "metrics.csv"))
        if not kernels:
            row["detail"] = (row["detail"] + " " + last_line(text(built, "ncu"))).strip()
            found.append(row)
        for name, values in kernels.items():
            of = {"launched": name}
            for metric in measured:
                if metric in values:
                    of[metric] = sum(value for value, _ in values[metric]) / len(values[metric])
                    of["unit"] = values[metric][0][1] if metric.startswith("gpu__time") else of.get("unit", "")
            found.append(row | of)
    table(columns, found)


def summary(path):
    """How often there is which verdict, and what is not as it should be."""
    kinds = collections.Counter()
    for row in rows(path):
        kinds[(row["program"], row.get("tool", ""), row["verdict"])] += 1
        if row["verdict"] not in ("same", "clean", "not reached"):
            print(row["id"], row.get("tool", ""), row["verdict"], row["detail"])
    for (program, tool, verdict), count in sorted(kinds.items()):
        print(program, tool, verdict, count)


if __name__ == "__main__":
    modes = {"compare": compare, "check": check, "measure": measure}
    if sys.argv[1] == "summary":
        summary(sys.argv[2])
    else:
        modes[sys.argv[1]]()
