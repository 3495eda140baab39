"""Compares the flow dependences of `loopwright report --format isl` with those that isl computes from the accesses.

Reads the file named by the argument; prints what differs and exits with 1 if anything does. Exact dependences are among
those of isl's; isl's are among the exact ones and those of which some coordinate is known by its range alone. Where not
all stores are known exactly, isl's sources are possible ones.
"""

import sys

import islpy
from polyhedral_program import read


def main():
    of = read(sys.argv[1])
    schedule = of["schedule"].intersect_domain(of["domain"].union(of["approximate_domain"]))
    info = islpy.UnionAccessInfo.from_sink(of["read"])
    info = info.set_must_source(of["write"]).set_may_source(of["may_write"]).set_schedule_map(schedule)
    flow = info.compute_flow()
    possible = flow.get_may_dependence()
    missing = flow.get_must_dependence().subtract(of["flow"].union(of["may_flow"]))
    if not of["may_write"].is_empty():
        # A source that may have been overwritten is none that has to be seen.
        missing = islpy.UnionMap("{ }")
    # What is read at addresses that are not affine is not in isl's answer.
    wrong = of["flow"].intersect_range(of["read"].domain()).subtract(possible)
    print(f"{of['flow'].n_map()} relations")
    if missing.is_empty() and wrong.is_empty():
        return 0
    print("not observed:", missing.coalesce())
    print("not possible:", wrong.coalesce())
    return 1


sys.exit(main())
