"""Which loops of a function are parallel by the dependences that Polly prints.

Arguments: a file with what `print<polly-function-scops>` prints and one with what `scop(print<polly-dependences>)` prints, both
of one function with one region that Polly models. Prints JSON: the loops of the region in the order of the source, outer
before inner, each with its depth and whether some dependence is carried by it, by kind.
"""

import json
import re
import sys

import islpy


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


def path(schedule, depth):
    """The loops around a statement: per loop the constants of the schedule before it, and its own coordinate."""
    loops, constants = [], []
    loop = 0
    for position in range(schedule.dim(islpy.dim_type.out)):
        affine = schedule.project_out(
            islpy.dim_type.out, position + 1, schedule.dim(islpy.dim_type.out) - position - 1
        ).project_out(islpy.dim_type.out, 0, position)
        value = affine.range().coalesce()
        constant = affine.is_single_valued() and value.is_singleton()
        if constant and not affine.involves_dims(islpy.dim_type.in_, 0, depth):
            constants.append(int(str(value.sample_point().get_coordinate_val(islpy.dim_type.set, 0))))
        else:
            loops.append((tuple(constants), position))
            constants = []
            loop += 1
    return loops, tuple(constants)


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        scops = file.read()
    with open(sys.argv[2], encoding="utf-8") as file:
        dependences = file.read()
    of = statements(scops)
    paths = {name: path(schedule, domain.dim(islpy.dim_type.set)) for name, (domain, schedule) in of.items()}
    # A loop is named by the constants on the way to it.
    keys = {
        name: [tuple(step[0] for step in loops[: k + 1]) for k in range(len(loops))]
        for name, (loops, _) in paths.items()
    }
    carried = {key: set() for all_ in keys.values() for key in all_}
    for kind in ("RAW", "WAR", "WAW"):
        maps = []
        islpy.UnionMap(section(dependences, f"{kind} dependences:")).foreach_map(maps.append)
        for pairs in maps:
            source = pairs.get_tuple_name(islpy.dim_type.in_)
            sink = pairs.get_tuple_name(islpy.dim_type.out)
            if source not in of or sink not in of:
                continue
            times = pairs.apply_domain(of[source][1]).apply_range(of[sink][1])
            common = [a for a, b in zip(keys[source], keys[sink]) if a == b]
            for depth, key in enumerate(common):
                position = paths[source][0][depth][1]
                here = times
                for before in range(position):
                    here = here.equate(islpy.dim_type.in_, before, islpy.dim_type.out, before)
                here = here.intersect(
                    islpy.Map.from_basic_map(islpy.BasicMap.universe(here.space)).order_lt(
                        islpy.dim_type.in_, position, islpy.dim_type.out, position
                    )
                )
                if not here.is_empty():
                    carried[key].add(kind)
    loops = [{"depth": len(key), "carried": sorted(carried[key])} for key in sorted(carried)]
    print(json.dumps(loops))


main()
