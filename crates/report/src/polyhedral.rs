//! The polyhedral program of a profile: what exports to polyhedral tools print.
//!
//! Definition: the *statements* are the instructions that access memory, in the program's own functions (or in one
//! function and what it calls). Each has an iteration domain, a place in the order of execution (Kelly's numbering:
//! static positions and loop counters alternate), its accesses and the dependences that end at it.
//!
//! Positions: the parts of a loop body stand in the order of their addresses, the header first, unless a dependence inside one iteration
//! goes against that (compilers move unlikely code out of line). Where dependences inside one iteration form a cycle
//! among parts, which happens when parts alternate in the course of one iteration, addresses decide.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use fold::Folded;
use profile::place::{self, Part, fork, way};
use profile::{Access, ContextIndex, Dependence, Profile, StatementIndex};

/// A selection of a profile, in order of execution.
pub struct Program<'a> {
    /// The whole.
    pub profile: &'a Profile,
    /// Statements in order of execution.
    pub statements: Vec<Statement<'a>>,
    /// Dependences through memory between them.
    pub dependences: Vec<&'a Dependence>,
    /// Loop bodies with parts of which no order agrees with all dependences.
    pub unordered: usize,
}

/// One statement.
pub struct Statement<'a> {
    /// Which.
    pub index: StatementIndex,
    /// Number of dimensions.
    pub dims: usize,
    /// Static positions, `dims + 1`: before, between and after the loop counters.
    pub positions: Vec<usize>,
    /// Its iteration domain.
    pub domain: &'a [Folded],
    /// Its memory accesses.
    pub accesses: Vec<&'a Access>,
}

impl<'a> Program<'a> {
    /// Selects statements: those of the program's own functions, or of one function and what it calls.
    pub fn of(profile: &'a Profile, function: Option<&str>) -> Program<'a> {
        let selected = selected_contexts(profile, function);
        let mut accesses: BTreeMap<StatementIndex, Vec<&Access>> = BTreeMap::new();
        for access in profile.accesses.iter().filter(|access| !access.is_of_calls()) {
            if selected[profile.context_of(access.statement) as usize] && access.executions > 0 {
                accesses.entry(access.statement).or_default().push(access);
            }
        }
        let is_selected =
            |d: &&Dependence| d.memory && accesses.contains_key(&d.source) && accesses.contains_key(&d.sink);
        let dependences: Vec<&Dependence> = profile.dependences.iter().filter(is_selected).collect();
        let (order, unordered) = Order::of(profile, accesses.keys().copied(), &dependences);
        let mut statements: Vec<(Vec<Vec<usize>>, Statement)> = Vec::new();
        for (index, accesses) in accesses {
            let block = &profile.blocks[profile.statements[index as usize].block as usize];
            let dims = usize::from(profile.contexts[block.context as usize].dims);
            let statement = Statement { index, dims, positions: Vec::new(), domain: &block.domain, accesses };
            statements.push((order.place(profile, index), statement));
        }
        number(&mut statements);
        statements.sort_by(|(_, a), (_, b)| a.positions.cmp(&b.positions));
        let statements = statements.into_iter().map(|(_, statement)| statement).collect();
        Program { profile, statements, dependences, unordered }
    }
}

/// Gives every statement positions that count from 0 and are in the order of the places.
fn number(statements: &mut [(Vec<Vec<usize>>, Statement)]) {
    let mut groups: BTreeMap<Vec<Vec<usize>>, BTreeSet<Vec<usize>>> = BTreeMap::new();
    for (place, _) in statements.iter() {
        for (q, part) in place.iter().enumerate() {
            groups.entry(place[..q].to_vec()).or_default().insert(part.clone());
        }
    }
    for (place, statement) in statements {
        let position = |q: usize| groups[&place[..q]].iter().position(|part| *part == place[q]).unwrap_or(0);
        statement.positions = (0..place.len()).map(position).collect();
    }
}

/// Per context whether its statements are wanted.
pub(crate) fn selected_contexts(profile: &Profile, function: Option<&str>) -> Vec<bool> {
    let mut selected: Vec<bool> = Vec::with_capacity(profile.contexts.len());
    for node in &profile.contexts {
        let function_of = |f: u32| profile.functions.get(f as usize);
        let is_selected = match function {
            None => function_of(node.function).is_some_and(|f| f.main),
            Some(wanted) => {
                // Parents stand before children.
                let inherited = selected.get(node.parent as usize).is_some_and(|s| *s);
                inherited || function_of(node.function).is_some_and(|f| f.name == wanted)
            }
        };
        selected.push(is_selected && !node.allocator);
    }
    selected
}

/// The order of the parts of every context that holds a selected statement.
struct Order {
    of: BTreeMap<ContextIndex, BTreeMap<Part, usize>>,
}

impl Order {
    fn of(
        profile: &Profile,
        statements: impl Iterator<Item = StatementIndex>,
        dependences: &[&Dependence],
    ) -> (Order, usize) {
        let mut parts: BTreeMap<ContextIndex, BTreeSet<Part>> = BTreeMap::new();
        for statement in statements {
            for (context, part) in way(profile, statement) {
                parts.entry(context).or_default().insert(part);
            }
        }
        let mut before: BTreeMap<ContextIndex, BTreeSet<(Part, Part)>> = BTreeMap::new();
        for d in dependences {
            // Inside one iteration of all common loops.
            if d.levels.iter().any(|l| l.level == d.common)
                && let Some((context, from, to)) = fork(&way(profile, d.source), &way(profile, d.sink))
            {
                before.entry(context).or_default().insert((from, to));
            }
        }
        let mut unordered = 0;
        let of = parts
            .into_iter()
            .map(|(context, parts)| {
                let edges = before.remove(&context).unwrap_or_default();
                let (order, is_acyclic) = sorted(profile, context, &parts, &edges);
                unordered += usize::from(!is_acyclic);
                (context, order.into_iter().enumerate().map(|(position, part)| (part, position)).collect())
            })
            .collect();
        (Order { of }, unordered)
    }

    /// The positions of a statement: one list per stretch between loop counters.
    fn place(&self, profile: &Profile, statement: StatementIndex) -> Vec<Vec<usize>> {
        let mut place = vec![Vec::new()];
        for (context, part) in way(profile, statement) {
            if profile.contexts[context as usize].is_dimension {
                place.push(Vec::new());
            }
            let position = self.of.get(&context).and_then(|parts| parts.get(&part)).copied();
            if let Some(stretch) = place.last_mut() {
                stretch.push(position.unwrap_or(0));
            }
        }
        let block = &profile.blocks[profile.statements[statement as usize].block as usize];
        if let Some(stretch) = place.last_mut() {
            stretch.push((statement - block.first) as usize);
        }
        place
    }
}

/// What parts are ordered by: not the header, address, not a block.
type Address = (bool, u64, bool);

/// The parts of a context in order of address, its header first, as far as the edges allow, and whether these have no
/// cycle.
fn sorted(
    profile: &Profile,
    context: ContextIndex,
    parts: &BTreeSet<Part>,
    edges: &BTreeSet<(Part, Part)>,
) -> (Vec<Part>, bool) {
    let header = profile.contexts[context as usize].at;
    let address = |part: &Part| -> Address {
        // A call ends the block it stands in.
        let after = matches!(part, Part::Context(_));
        let at = place::address(profile, *part);
        (at != header, at, after)
    };
    let mut missing: BTreeMap<Part, usize> = parts.iter().map(|part| (*part, 0)).collect();
    for (_, to) in edges {
        missing.entry(*to).and_modify(|n| *n += 1);
    }
    let mut ready: BinaryHeap<Reverse<(Address, Part)>> = BinaryHeap::new();
    let mut order = Vec::with_capacity(parts.len());
    let mut is_acyclic = true;
    while !missing.is_empty() {
        let free: Vec<Part> = missing.iter().filter(|(_, n)| **n == 0).map(|(part, _)| *part).collect();
        ready.extend(free.iter().map(|part| Reverse((address(part), *part))));
        for part in free {
            missing.remove(&part);
        }
        if ready.is_empty() {
            is_acyclic = false;
            // All that is left waits for something else that is left.
            let first = missing.keys().copied().min_by_key(|part| address(part));
            ready.extend(first.map(|part| Reverse((address(&part), part))));
            first.map(|part| missing.remove(&part));
        }
        while let Some(Reverse((_, part))) = ready.pop() {
            order.push(part);
            let mut freed = false;
            for (_, to) in edges.range((part, Part::Block(0))..).take_while(|(from, _)| *from == part) {
                if let Some(n) = missing.get_mut(to) {
                    *n = n.saturating_sub(1);
                    freed |= *n == 0;
                }
            }
            if freed {
                break;
            }
        }
    }
    order.extend(std::iter::from_fn(|| ready.pop()).map(|Reverse((_, part))| part));
    (order, is_acyclic)
}
