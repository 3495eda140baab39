//! Unordered dependences of a team (see [`crate::teams`]) in a profile.
//!
//! Members of a team run one loop in trees of contexts of their own. A dependence between them becomes one between the statements of one
//! tree: the loop carries it there, as it would if one thread ran all iterations. The twin of a statement is the instruction at the same
//! address, in the same calls and loops from the region's function on. Where no loop of the region carries it, it is one of one iteration of
//! the loops around both, from what comes first in the text to the other. What has no twin stays between two trees, with no loop around both.

use profile::{
    AccessIndex, ContextIndex, ContextKind, Dependence, Gap, Kind, LevelSummary, ObjectUse, Profile,
    StatementIndex, Use,
};
use rustc_hash::{FxHashMap, FxHashSet};

use super::{Tables, canonical_id, last_instruction};
use crate::engine::Engine;
use crate::teams::{Teams, Unordered};

/// Adds them.
pub(super) fn add(engine: &mut Engine, tables: &Tables, profile: &mut Profile) {
    let mut teams = std::mem::take(&mut engine.threads.teams);
    let all = teams.unordered(&engine.contexts);
    if all.is_empty() {
        return;
    }
    let region = Regions::new(engine, profile, &teams);
    let (mut found, mut open) = (Vec::new(), Vec::new());
    for ((kind, source, sink), own) in all {
        let ends = [source, sink].map(|id| tables.access_of.get(&canonical_id(engine, id)).copied());
        let [Some(source), Some(sink)] = ends else { continue };
        match region.dependence(profile, kind, [source, sink], &own) {
            Some(dependence) => found.push(dependence),
            None => {
                // What one member alone has executed, and the other has not, has no twin: it stays between the two.
                found.push(region.apart(profile, kind, [source, sink], &own));
                if own.is_carried {
                    open.extend([source, sink]);
                }
            }
        }
    }
    profile.dependences.append(&mut found);
    // Where there is no twin nothing is claimed.
    for access in open {
        let Some(statement) = profile.accesses.get(access as usize).map(|access| access.statement) else {
            continue;
        };
        for context in profile.loops_around(profile.context_of(statement)) {
            let gap = &mut profile.contexts[context as usize].gap;
            *gap = gap.or(Some(Gap::Threads));
        }
    }
}

struct Regions<'a> {
    teams: &'a Teams,
    /// Instructions that call functions of regions.
    sites: FxHashSet<u64>,
    children: FxHashMap<ContextIndex, Vec<ContextIndex>>,
    statements: FxHashMap<(ContextIndex, u64), Vec<StatementIndex>>,
    accesses: FxHashMap<StatementIndex, Vec<AccessIndex>>,
}

impl<'a> Regions<'a> {
    fn new(engine: &Engine, profile: &Profile, teams: &'a Teams) -> Regions<'a> {
        let sites = teams.sites().map(|site| last_instruction(engine, site).unwrap_or(site));
        let mut out = Regions {
            teams,
            sites: sites.collect(),
            children: FxHashMap::default(),
            statements: FxHashMap::default(),
            accesses: FxHashMap::default(),
        };
        for (index, context) in profile.contexts.iter().enumerate().skip(1) {
            out.children.entry(context.parent).or_default().push(index as ContextIndex);
        }
        for (index, statement) in profile.statements.iter().enumerate() {
            let index = index as StatementIndex;
            out.statements.entry((profile.context_of(index), statement.pc)).or_default().push(index);
        }
        for (index, access) in profile.accesses.iter().enumerate() {
            out.accesses.entry(access.statement).or_default().push(index as AccessIndex);
        }
        out
    }

    /// The chain of contexts from the function of the region on that a context lies in, that function's first.
    fn in_region(&self, profile: &Profile, context: ContextIndex) -> Option<Vec<ContextIndex>> {
        let mut out = vec![context];
        let mut at = context;
        loop {
            let node = profile.contexts.get(at as usize)?;
            if let ContextKind::Call { callee, .. } = node.kind
                && (self.teams.is_region(callee) || self.sites.contains(&node.at))
            {
                out.reverse();
                return Some(out);
            }
            if at == 0 || node.parent == at {
                return None;
            }
            at = node.parent;
            out.push(at);
        }
    }

    /// The access that is what another one is, in the region that a chain begins with.
    fn twin(
        &self,
        profile: &Profile,
        access: AccessIndex,
        chain: &[ContextIndex],
        root: ContextIndex,
    ) -> Option<AccessIndex> {
        let mut at = root;
        for &context in chain.get(1..)? {
            let own = profile.contexts.get(context as usize)?;
            let is_same = |&&other: &&ContextIndex| {
                let other = &profile.contexts[other as usize];
                let is_one_kind = match (own.kind, other.kind) {
                    (ContextKind::Call { callee: a, .. }, ContextKind::Call { callee: b, .. }) => a == b,
                    (a, b) => a == b,
                };
                is_one_kind && (own.function, own.at) == (other.function, other.at)
            };
            at = *self.children.get(&at)?.iter().find(is_same)?;
        }
        let statement = profile.accesses.get(access as usize)?.statement;
        let nth = self.accesses.get(&statement)?.iter().position(|&own| own == access)?;
        let pc = profile.statements.get(statement as usize)?.pc;
        let twins = self.statements.get(&(at, pc))?.iter();
        let twin = twins.max_by_key(|&&twin| profile.executions(twin))?;
        let found = *self.accesses.get(twin)?.get(nth)?;
        let is_write = |access: AccessIndex| profile.accesses[access as usize].write;
        (is_write(found) == is_write(access)).then_some(found)
    }

    fn dependence(
        &self,
        profile: &Profile,
        kind: Kind,
        ends: [AccessIndex; 2],
        own: &Unordered,
    ) -> Option<Dependence> {
        let contexts = ends.map(|end| profile.context_of(profile.accesses[end as usize].statement));
        let chains = [self.in_region(profile, contexts[0])?, self.in_region(profile, contexts[1])?];
        let roots = [*chains[0].first()?, *chains[1].first()?];
        // Both in the tree of the sink, or of the source.
        let (ends, root) = match self.twin(profile, ends[0], &chains[0], roots[1]) {
            Some(source) => ([source, ends[1]], roots[1]),
            None => ([ends[0], self.twin(profile, ends[1], &chains[1], roots[0])?], roots[0]),
        };
        let statements = ends.map(|end| profile.accesses[end as usize].statement);
        let new = statements.map(|statement| profile.context_of(statement));
        let outside = usize::from(profile.contexts[root as usize].dims);
        let around = new.map(|context| profile.loops_around(context));
        let shared = around[0].iter().zip(&around[1]).take_while(|(a, b)| a == b);
        let shared: Vec<ContextIndex> = shared.map(|(&context, _)| context).collect();
        let is_barred = |context: ContextIndex| {
            let node = &profile.contexts[context as usize];
            self.teams.is_barred(node.function, node.at)
        };
        let level = match own.is_carried {
            true => (outside..shared.len()).find(|&level| !is_barred(shared[level]))?,
            false => shared.len(),
        };
        let is_turned = !own.is_carried && self.comes_later(profile, statements, new);
        let (kind, ends, statements, new) = match is_turned {
            false => (kind, ends, statements, new),
            true => (turned(kind), turn(ends), turn(statements), turn(new)),
        };
        // Which of its iterations a member got is not known: any two may be meant.
        let trips = |q: usize| {
            let node = &profile.contexts[shared[q] as usize];
            let most = node.trips.map_or(node.iterations, |trips| trips.1);
            i64::try_from(most).unwrap_or(i64::MAX).saturating_sub(1).max(1)
        };
        let bounds = |q: usize| match q.cmp(&level) {
            std::cmp::Ordering::Less => (0, 0),
            std::cmp::Ordering::Equal => (1, trips(q)),
            std::cmp::Ordering::Greater => (-trips(q), trips(q)),
        };
        let (minimum, maximum) = (0..shared.len()).map(bounds).unzip();
        let dims = |context: ContextIndex| usize::from(profile.contexts[context as usize].dims);
        // The loops around the region are those of the tree that both are in now.
        let vectors = [&own.source_iv, &own.sink_iv];
        let outer = &vectors[usize::from(root == roots[1])].0[..outside];
        let vector = |end: usize| {
            let of = if is_turned { 1 - end } else { end };
            let (from, to) = (dims(roots[of]), dims(contexts[of]));
            let mut out = outer.to_vec();
            out.extend(&vectors[of].0[from..to.max(from)]);
            out.resize(dims(new[end]), 0);
            if !own.is_carried {
                // One iteration of all loops around both.
                out[outside..shared.len()].fill(0);
            }
            out
        };
        let objects = own.object.map(|(object, offset)| ObjectUse { object, offset, callee: false });
        Some(Dependence {
            kind,
            memory: true,
            source: statements[0],
            sink: statements[1],
            source_access: Some(ends[0]),
            sink_access: Some(ends[1]),
            role: role(profile, kind, ends[1]),
            common: u8::try_from(shared.len()).ok()?,
            count: own.count,
            levels: vec![LevelSummary {
                level: u8::try_from(level).ok()?,
                count: own.count,
                minimum,
                maximum,
                later: u8::MAX,
                source_iv: vector(0),
                sink_iv: vector(1),
                address: own.address,
                objects: objects.into_iter().collect(),
            }],
            relation: None,
            between_members: true,
            tasks: own.task_order(),
            exclusion: Some(own.exclusion),
        })
    }

    /// A dependence whose ends stay in the trees of their threads, with no loop around both.
    fn apart(&self, profile: &Profile, kind: Kind, ends: [AccessIndex; 2], own: &Unordered) -> Dependence {
        let statements = ends.map(|end| profile.accesses[end as usize].statement);
        let dims = statements.map(|s| usize::from(profile.contexts[profile.context_of(s) as usize].dims));
        let objects = own.object.map(|(object, offset)| ObjectUse { object, offset, callee: false });
        let level = LevelSummary {
            level: 0,
            count: own.count,
            minimum: Vec::new(),
            maximum: Vec::new(),
            later: u8::MAX,
            source_iv: own.source_iv.0[..dims[0]].to_vec(),
            sink_iv: own.sink_iv.0[..dims[1]].to_vec(),
            address: own.address,
            objects: objects.into_iter().collect(),
        };
        Dependence {
            kind,
            memory: true,
            source: statements[0],
            sink: statements[1],
            source_access: Some(ends[0]),
            sink_access: Some(ends[1]),
            role: role(profile, kind, ends[1]),
            common: 0,
            count: own.count,
            levels: vec![level],
            relation: None,
            between_members: true,
            tasks: own.task_order(),
            exclusion: Some(own.exclusion),
        }
    }

    /// Whether the first of two statements comes after the second in one iteration of the loops around both, as far as their places tell:
    /// contexts and code are in the order in which they were met.
    fn comes_later(&self, profile: &Profile, statements: [StatementIndex; 2], at: [ContextIndex; 2]) -> bool {
        let chain = |context: ContextIndex| {
            let mut out: Vec<ContextIndex> = profile.chain(context).collect();
            out.reverse();
            out
        };
        let chains = at.map(chain);
        let apart = chains[0].iter().zip(&chains[1]).find(|(a, b)| a != b);
        match apart {
            Some((a, b)) => profile.contexts[*a as usize].at > profile.contexts[*b as usize].at,
            None => statements.map(|s| profile.statements[s as usize].pc).is_sorted_by(|a, b| a > b),
        }
    }
}

/// What a dependence's sink takes its value for.
fn role(profile: &Profile, kind: Kind, sink: AccessIndex) -> Use {
    match kind {
        Kind::Flow => profile.accesses[sink as usize].role,
        Kind::Anti | Kind::Output => Use::Value,
    }
}

fn turn<T: Copy>([a, b]: [T; 2]) -> [T; 2] {
    [b, a]
}

/// The kind of a dependence whose ends are in the other order.
fn turned(kind: Kind) -> Kind {
    match kind {
        Kind::Flow => Kind::Anti,
        Kind::Anti => Kind::Flow,
        Kind::Output => Kind::Output,
    }
}
