"""Polyhedral programs as `loopwright report --format isl` prints them, and which loops of a schedule carry dependences."""

import islpy


def read(path):
    """The assignments of a file by their names: sets and maps."""
    of = {}
    with open(path, encoding="utf-8") as file:
        for line in file:
            if not line.startswith("#"):
                name, _, value = line.rstrip("\n").removesuffix(";").partition(" := ")
                of[name] = islpy.UnionSet(value) if name.endswith("domain") else islpy.UnionMap(value)
    return of


def path(schedule):
    """The loops around a statement: per loop the constants of its schedule before it, and its own position there."""
    loops, constants = [], []
    for position in range(schedule.dim(islpy.dim_type.out)):
        affine = schedule.project_out(
            islpy.dim_type.out, position + 1, schedule.dim(islpy.dim_type.out) - position - 1
        ).project_out(islpy.dim_type.out, 0, position)
        value = affine.range().coalesce()
        constant = affine.is_single_valued() and value.is_singleton()
        if constant and not affine.involves_dims(islpy.dim_type.in_, 0, schedule.dim(islpy.dim_type.in_)):
            constants.append(int(str(value.sample_point().get_coordinate_val(islpy.dim_type.set, 0))))
        else:
            loops.append((tuple(constants), position))
            constants = []
    return loops


def carried(schedules, dependences):
    """The loops of some statements in the order of the source, outer before inner: depth, and what each carries.

    `schedules` has a map per statement, `dependences` a union map per kind.
    """
    paths = {name: path(schedule) for name, schedule in schedules.items()}
    # A loop is named by the constants on the way to it.
    keys = {
        name: [tuple(step[0] for step in loops[: k + 1]) for k in range(len(loops))]
        for name, loops in paths.items()
    }
    kinds = {key: set() for all_ in keys.values() for key in all_}
    for kind, union in dependences.items():
        maps = []
        union.foreach_map(maps.append)
        for pairs in maps:
            source = pairs.get_tuple_name(islpy.dim_type.in_)
            sink = pairs.get_tuple_name(islpy.dim_type.out)
            if source not in paths or sink not in paths:
                continue
            times = pairs.apply_domain(schedules[source]).apply_range(schedules[sink])
            common = [a for a, b in zip(keys[source], keys[sink]) if a == b]
            for depth, key in enumerate(common):
                position = paths[source][depth][1]
                here = times
                for before in range(position):
                    here = here.equate(islpy.dim_type.in_, before, islpy.dim_type.out, before)
                later = islpy.Map.from_basic_map(islpy.BasicMap.universe(here.space))
                later = later.order_lt(islpy.dim_type.in_, position, islpy.dim_type.out, position)
                if not here.intersect(later).is_empty():
                    kinds[key].add(kind)
    return [{"depth": len(key), "carried": sorted(kinds[key])} for key in sorted(kinds)]
