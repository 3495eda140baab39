"""Which loops carry memory dependences, as isl computes them from the accesses of `loopwright report --format isl`.

Reads the file named by the argument; prints JSON: the loops in the order of the source, outer before inner.
"""

import json
import sys

import islpy
from polyhedral_program import carried, read


def main():
    of = read(sys.argv[1])
    schedules = []
    of["schedule"].foreach_map(schedules.append)
    schedules = {schedule.get_tuple_name(islpy.dim_type.in_): schedule for schedule in schedules}
    order = of["schedule"].intersect_domain(of["domain"].union(of["approximate_domain"]))

    def found(sink, source):
        info = islpy.UnionAccessInfo.from_sink(sink).set_may_source(source).set_schedule_map(order)
        return info.compute_flow().get_may_dependence()

    reads, writes = of["read"], of["write"]
    flow = islpy.UnionAccessInfo.from_sink(reads).set_must_source(writes).set_schedule_map(order)
    pairs = {
        "flow": flow.compute_flow().get_must_dependence(),
        "anti": found(writes, reads),
        "output": found(writes, writes),
    }
    print(json.dumps(carried(schedules, pairs)))


main()
