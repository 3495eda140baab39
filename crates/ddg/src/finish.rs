//! From streams to a profile.

mod graphs;
mod locations;
mod objects;
mod registers;
mod teams;

use std::sync::Arc;

use fold::Folded;
use profile::{
    Access as ProfileAccess, Addend, Block as ProfileBlock, Context as ProfileContext, ContextIndex,
    ContextKind, Dependence, Function, IntermediatePieces, Kind as DependenceKind, LevelSummary, Limit,
    ObjectUse, Operation, Part, Profile, Program, Reached, Statement, Trust, Untracked, Use,
};
use program::image::Image;
use rustc_hash::{FxHashMap, FxHashSet};
use shadow::Iv;
use trace::block::{Access, Address, OpKind, Role, Terminator};

use crate::contexts::{ContextId, Kind};
use crate::dependences::{Level, Stream};
use crate::engine::Engine;
use crate::paths::Pair;
use crate::reference::AnyMemory;
use crate::relief::{GivenUp, Relieved};
use crate::walker::insert_zero;

pub(crate) use locations::{Locations, function_name};

/// What is known about the run besides its records.
#[derive(Debug, Clone, Default)]
pub struct About {
    /// The program.
    pub program: Program,
    /// Limits that were reached.
    pub limits: Vec<Limit>,
    /// What was not recorded.
    pub untracked: Vec<Untracked>,
    /// The part of the program that was recorded, if not all of it.
    pub part: Option<Part>,
    /// Only the program's own code was recorded.
    pub main_only: bool,
}

/// Turns everything the engine saw into a profile.
pub fn finish(mut engine: Engine, about: About) -> Profile {
    engine.end();
    if about.limits.iter().any(Limit::ends_recording) {
        engine.mark_unfinished();
    }
    // Byte by byte, all readers were seen.
    let is_reference = engine.is_reference();
    let folding = Arc::clone(&engine.folding);
    let most = IntermediatePieces {
        instructions: folding.instructions.most(),
        dependences: folding.dependences.most(),
    };
    // What is needed only while records come makes room for the profile.
    engine.memory = AnyMemory::runs();
    engine.canonical.update(&mut engine.contexts);
    let mut profile = Profile { program: about.program, ..Profile::default() };
    let mut locations = Locations::new();
    if profile.program.build_id.is_none() {
        profile.program.build_id = engine.image.program().and_then(|m| m.build_id());
    }
    profile.folding = profile::Folding {
        widened_dependences: folding.widen_dependences,
        give_up: folding.give_up,
        most_intermediate: most,
    };
    profile.trust = Trust {
        instructions: engine.instructions,
        memory_accesses: engine.accesses,
        main_accesses: engine.main_accesses.all,
        main_accesses_folded: engine.main_accesses.folded,
        main_accesses_partly_folded: engine.main_accesses.partly,
        unrecorded: engine.unrecorded,
        unanalysed: engine.unanalysed,
        dependences: 0,
        lost: 0,
        limits: Vec::new(),
        untracked: about.untracked,
        part: about.part,
        missing_debug_information: missing_debug_information(&engine.image),
        main_only: about.main_only,
        counted_only: false,
    };
    let mut limits = about.limits;
    limits.extend(engine.saturated.then_some(Limit::Memory));
    limits.extend(engine.is_out_of_time.then_some(Limit::Time));
    if engine.relieved.count > 0 {
        limits.push(given_up(&engine.relieved, &engine.image, &mut locations));
    }
    let between = engine.threads.exchange.dependences();
    if between > 0 {
        profile.trust.untracked.push(Untracked::BetweenThreads(between));
    }
    limits.extend((engine.malformed > 0).then_some(Limit::Malformed(engine.malformed)));
    let main = engine.image.program().map(|m| m.path().to_owned());
    let settled = main.as_deref().map(program::variables::settled_functions).unwrap_or_default();
    for function in engine.functions.all() {
        let module = engine.image.module(function.entry);
        profile.functions.push(Function {
            name: function_name(&engine.image, function.entry),
            entry: function.entry,
            module: module
                .and_then(|m| m.path().file_name())
                .map(|n| n.to_string_lossy().into_owned())
                .unwrap_or_default(),
            main: module.is_some_and(|m| Some(m.path()) == main.as_deref()),
            is_unoptimised: module.is_some_and(|m| {
                let inner = function.entry.wrapping_sub(m.bias());
                Some(m.path()) == main.as_deref() && settled.iter().any(|r| r.0 <= inner && inner < r.1)
            }),
        });
    }
    let context_of = contexts(&mut engine, &mut profile, &mut locations);
    if !engine.budget.given_up.is_empty() {
        let loops = engine.budget.given_up.iter().map(|&id| context_of[id as usize]);
        limits.push(Limit::Loops(loops.collect()));
    }
    let exchanging = engine.threads.exchange.marked().map(|id| context_of[id as usize]);
    let mut exchanging: Vec<ContextIndex> =
        exchanging.filter(|&index| profile.is_own(index) && is_loop(&profile, index)).collect();
    if !exchanging.is_empty() {
        exchanging.sort_unstable();
        profile.trust.untracked.push(Untracked::Exchanged(exchanging));
    }

    let mut tables = Tables::default();
    let paths = std::mem::take(&mut engine.paths).into_all();
    // Every instance that dependences may name gets a block, executed on a path or not (interrupted blocks).
    for (instance, read) in std::mem::take(&mut engine.effects) {
        *tables.effects.entry(canonical_instance(&mut engine, instance)).or_default() += read;
    }
    for instance in 0..engine.instances.all().len() as u32 {
        tables.place(&mut engine, &mut profile, &mut locations, &context_of, instance);
    }
    for (instance, columns, domain, words) in std::mem::take(&mut engine.shared).finish() {
        let own = *engine.instances.get(instance);
        if domain.points == 0 {
            continue;
        }
        let block = tables.place(&mut engine, &mut profile, &mut locations, &context_of, instance) as usize;
        let code = engine.codes.get(own.code).clone();
        for (k, operand) in code.operands.iter().enumerate() {
            let id = canonical_id(&mut engine, own.first + own.statements + k as u32);
            let access = tables.access_of.get(&id).copied();
            let access = engine.lost.expect(access, "every operand of a block is an access");
            let Some(access) = access else { continue };
            let base = engine.thread_base_in(own.context);
            let folded = addresses(&operand.address, &domain, (&columns, &words), base);
            if let Some(folded) = folded.filter(|f| f.points > 0) {
                let lifted = lift(folded, engine.canonical.inserted(own.context));
                add_alone(&mut profile.accesses[access as usize].address, lifted);
            }
        }
        add_alone(&mut profile.blocks[block].domain, lift(domain, engine.canonical.inserted(own.context)));
    }
    let mut static_pairs: FxHashMap<(u32, u32, Use), StaticPair> = FxHashMap::default();
    for path in paths {
        if path.executions == 0 {
            continue;
        }
        let (domain, words) = path.seen.finish();
        // Steps may lie in contexts that were replaced when a recursion was discovered: each is lifted on its own.
        for &instance in &path.steps {
            let own = engine.instances.get(instance).context;
            let block =
                tables.place(&mut engine, &mut profile, &mut locations, &context_of, instance) as usize;
            profile.blocks[block].executions += path.executions;
            if !path.flat && domain.points > 0 {
                let lifted = lift(domain.clone(), engine.canonical.inserted(own));
                add_alone(&mut profile.blocks[block].domain, lifted);
            }
            let unrecorded = engine.codes.get(engine.instances.get(instance).code).unrecorded;
            let count = u64::from(profile.blocks[block].count) + u64::from(unrecorded);
            let context = context_of[engine.canonical.get(own).map_or(own, |c| c.0) as usize];
            profile.contexts[context as usize].own_instructions += count * path.executions;
        }
        for operand in &path.operands {
            let Some(access) = tables.access_of.get(&canonical_id(&mut engine, operand.id)).copied() else {
                continue;
            };
            let access = &mut profile.accesses[access as usize];
            access.executions += path.executions;
            if path.flat {
                continue;
            }
            let context = engine.instances.owner(operand.id).context;
            let base = engine.thread_base_in(context);
            let folded = addresses(&operand.address, &domain, (&path.columns, &words), base);
            if let Some(folded) = folded.filter(|f| f.points > 0) {
                add_alone(&mut access.address, lift(folded, engine.canonical.inserted(context)));
            }
        }
        let dims = path.dims;
        let example = path.repeat_example.as_deref().copied();
        let mut pairs = |list: &[Pair], carried: bool, count: u64| {
            for pair in list.iter().filter(|_| count > 0) {
                let contexts = [pair.source, pair.sink].map(|id| engine.instances.owner(id).context);
                let [source, sink] = [pair.source, pair.sink].map(|id| canonical_id(&mut engine, id));
                let to = [source, sink].map(|id| engine.instances.owner(id).context);
                let common = engine.contexts.common(to[0], to[1]);
                let mut example = example;
                let mut lane = dims;
                for dim in engine.canonical.inserted(contexts[1]) {
                    example.iter_mut().for_each(|iv| insert_zero(iv, *dim));
                    lane += u8::from(*dim < lane);
                }
                let entry = static_pairs.entry((source, sink, pair.role)).or_insert((0, 0, common, None));
                if carried && lane == common {
                    entry.1 += count;
                    entry.3 = entry.3.or(example);
                } else {
                    entry.0 += count;
                }
            }
        };
        pairs(&path.inside, false, path.executions);
        pairs(&path.carried, true, path.repeats);
    }
    profile.objects = objects::objects(&mut engine, &mut locations);
    profile.graphs = graphs::graphs(&mut engine, &profile);
    let streams = std::mem::take(&mut engine.streams).into_all();
    let mut index: FxHashMap<(u32, u32, Use), usize> = FxHashMap::default();
    profile.dependences.reserve_exact(streams.len());
    let entries: FxHashSet<u64> = engine.functions.all().iter().map(|function| function.entry).collect();
    for mut stream in streams {
        let summary = lift_stream(&mut engine, &mut stream);
        let key = (stream.source, stream.sink, stream.role);
        let register = !stream.memory;
        if register && aligns_stack(&engine, &entries, stream.sink) {
            continue;
        }
        let Some(d) = dependence(&mut engine, stream, summary, &tables, &profile) else {
            continue;
        };
        if register {
            index.insert(key, profile.dependences.len());
        }
        profile.dependences.push(d);
    }
    let mut sorted: Vec<_> = static_pairs.into_iter().collect();
    sorted.sort_unstable_by_key(|(key, _)| *key);
    for (key, (inside, carried, dims, example)) in sorted {
        if aligns_stack(&engine, &entries, key.1) {
            continue;
        }
        let (Some(&source), Some(&sink)) = (tables.statement_of.get(&key.0), tables.statement_of.get(&key.1))
        else {
            continue;
        };
        let at = *index.entry(key).or_insert_with(|| {
            profile.dependences.push(Dependence {
                kind: DependenceKind::Flow,
                memory: false,
                source,
                sink,
                source_access: None,
                sink_access: None,
                role: key.2,
                common: dims,
                count: 0,
                levels: Vec::new(),
                relation: None,
                between_members: false,
                tasks: None,
                exclusion: None,
            });
            profile.dependences.len() - 1
        });
        let d = &mut profile.dependences[at];
        let common = usize::from(d.common);
        let mut add = |level: usize, count: u64, difference: i64, iv: Iv| {
            let mut distance = vec![0; common];
            if level < common {
                distance[level] = difference;
            }
            d.count += count;
            match d.levels.iter_mut().find(|l| usize::from(l.level) == level) {
                Some(l) => {
                    l.count += count;
                    for (q, &d) in distance.iter().enumerate() {
                        l.minimum[q] = l.minimum[q].min(d);
                        l.maximum[q] = l.maximum[q].max(d);
                    }
                }
                None => {
                    let source_iv = iv.0[..common].to_vec();
                    let sink_iv = source_iv.iter().zip(&distance).map(|(s, d)| s.wrapping_add(*d)).collect();
                    let summary = LevelSummary {
                        level: level as u8,
                        count,
                        minimum: distance.clone(),
                        maximum: distance,
                        // Whatever iteration repeats a path.
                        later: u8::MAX,
                        source_iv,
                        sink_iv,
                        address: 0,
                        objects: Vec::new(),
                    };
                    add_alone(&mut d.levels, summary);
                }
            }
        };
        if inside > 0 {
            add(common, inside, 0, example.unwrap_or(Iv::ZERO));
        }
        if carried > 0
            && let Some(level) = common.checked_sub(1)
        {
            add(level, carried, 1, example.unwrap_or(Iv::ZERO));
        }
    }
    registers::name(&engine, &tables, &mut profile);
    if !is_reference {
        let crowded = crate::antis::complete(&mut profile);
        if !crowded.is_empty() {
            limits.push(Limit::Crowded(crowded));
        }
    }
    teams::add(&mut engine, &tables, &mut profile);
    for d in &mut profile.dependences {
        d.levels.sort_by_key(|l| l.level);
    }
    let counters = [&engine.lost, &engine.paths.lost, &engine.functions.lost, &engine.streams.lost];
    profile.trust.lost = counters.iter().fold(0u64, |sum, lost| sum.saturating_add(lost.count()));
    profile.trust.dependences = profile.dependences.iter().fold(0u64, |sum, d| sum.saturating_add(d.count));
    profile.trust.limits = limits.into_iter().map(|limit| Reached { run: 0, limit }).collect();
    profile.locations = locations.list;
    profile
}

/// Which streams were given up to free memory.
fn given_up(relieved: &Relieved, image: &Image, locations: &mut Locations) -> Limit {
    let mut place = |pc: u64| (locations.at(image, pc), pc);
    let mut some: Vec<profile::GivenUp> = relieved
        .some
        .iter()
        .map(|stream| match *stream {
            GivenUp::Dependence { source, sink } => {
                profile::GivenUp::Dependence { source: place(source), sink: place(sink) }
            }
            GivenUp::Domain(pc) => profile::GivenUp::Domain(place(pc)),
            GivenUp::Addresses(pc) => profile::GivenUp::Addresses(place(pc)),
        })
        .collect();
    some.dedup();
    Limit::Streams { count: relieved.count as u64, some }
}

fn is_loop(profile: &Profile, index: ContextIndex) -> bool {
    matches!(profile.contexts[index as usize].kind, ContextKind::Loop | ContextKind::Recursive)
}

/// What a stream summarised: its levels and its relation.
type Summary = (Vec<Level>, Option<Folded>);

/// Appends to a list of a profile. There are many lists and most have one element: they grow by what is needed.
fn add_alone<T>(list: &mut Vec<T>, item: T) {
    if list.is_empty() {
        list.reserve_exact(1);
    }
    list.push(item);
}

/// Inserts dimensions into the vectors of a fold.
fn lift(folded: Folded, inserted: &[u8]) -> Folded {
    inserted.iter().fold(folded, |folded, &dim| folded.with_zero_dimension(usize::from(dim)))
}

/// Moves a stream that was filed before a recursion was discovered to the contexts that replaced its own.
fn lift_stream(engine: &mut Engine, stream: &mut Stream) -> Summary {
    let relation = stream.relation(&engine.folding);
    let mut levels = stream.levels();
    let inserted = |id: u32| engine.canonical.inserted(engine.instances.owner(id).context).to_vec();
    let (from, to) = (inserted(stream.source), inserted(stream.sink));
    if from.is_empty() && to.is_empty() {
        return (levels, relation);
    }
    stream.source = canonical_id(engine, stream.source);
    stream.sink = canonical_id(engine, stream.sink);
    let contexts = [stream.source, stream.sink].map(|id| engine.instances.owner(id).context);
    let (old, new) = (stream.common, engine.contexts.common(contexts[0], contexts[1]));
    stream.common = new;
    for level in &mut levels {
        let carried = level.level < old;
        for &dim in &from {
            insert_zero(&mut level.source_iv, dim);
        }
        for &dim in &to {
            insert_zero(&mut level.sink_iv, dim);
            let below = level.later & ((1u8 << dim.min(7)) - 1);
            level.later = below | (level.later ^ below) << 1;
            // Both ends get the coordinate 0 there, so that differences do too.
            let mut bounds = [Iv(level.minimum), Iv(level.maximum)];
            bounds.iter_mut().for_each(|b| insert_zero(b, dim));
            (level.minimum, level.maximum) = (bounds[0].0, bounds[1].0);
            level.level += u8::from(carried && dim <= level.level);
        }
        if !carried {
            level.level = new;
        }
    }
    let relation = relation
        .map(|folded| from.iter().fold(lift(folded, &to), |f, &d| f.with_zero_output(usize::from(d))));
    (levels, relation)
}

/// Where the engine's ids went in the profile.
#[derive(Default)]
struct Tables {
    block_of: FxHashMap<u32, u32>,
    statement_of: FxHashMap<u32, u32>,
    access_of: FxHashMap<u32, u32>,
    /// Bytes that calls have read, by the instance that stands for the one that made them.
    effects: FxHashMap<u32, u64>,
}

impl Tables {
    /// The profile's block for an instance, added with its statements and accesses when new.
    fn place(
        &mut self,
        engine: &mut Engine,
        profile: &mut Profile,
        locations: &mut Locations,
        context_of: &[u32],
        instance: u32,
    ) -> u32 {
        let instance = canonical_instance(engine, instance);
        if let Some(&block) = self.block_of.get(&instance) {
            return block;
        }
        let i = *engine.instances.get(instance);
        let code = engine.codes.get(i.code).clone();
        let block = profile.blocks.len() as u32;
        let first = profile.statements.len() as u32;
        for (k, instr) in code.instrs.iter().enumerate() {
            self.statement_of.insert(i.first + k as u32, first + k as u32);
            profile.statements.push(Statement {
                block,
                pc: instr.pc,
                location: locations.at(&engine.image, instr.pc),
                operation: operation(instr.operation.kind),
                float: instr.operation.float,
                linear: instr.operation.linear,
                addend: instr.operation.addend.map(addend),
            });
        }
        for (k, operand) in code.operands.iter().enumerate() {
            self.access_of.insert(i.first + i.statements + k as u32, profile.accesses.len() as u32);
            profile.accesses.push(ProfileAccess {
                statement: first + u32::from(operand.instr),
                write: operand.access == Access::Write,
                size: u32::from(operand.size),
                role: match operand.role {
                    Role::Accumulator => Use::Accumulator,
                    Role::Address => Use::Address,
                    _ => Use::Value,
                },
                executions: 0,
                address: Vec::new(),
            });
        }
        // As it is with their dependences, they belong to the last instruction.
        let last = i.statements.checked_sub(1).map(|last| first + last);
        if let Some((&read, statement)) = self.effects.get(&instance).filter(|read| **read > 0).zip(last) {
            profile.accesses.push(ProfileAccess {
                statement,
                write: false,
                size: 0,
                role: Use::Value,
                executions: read,
                address: Vec::new(),
            });
        }
        profile.blocks.push(ProfileBlock {
            context: context_of[i.context as usize],
            first,
            count: i.statements,
            executions: 0,
            domain: Vec::new(),
        });
        self.block_of.insert(instance, block);
        block
    }
}

/// The addresses of an operand, from the folded domain and words of what executed it.
fn addresses(
    recipe: &Address,
    domain: &Folded,
    (columns, words): (&[u16], &[Folded]),
    thread_base: u64,
) -> Option<Folded> {
    let of = |word: u16, by: i64| columns.binary_search(&word).ok().map(|c| words[c].clone().shifted(by));
    let constant = |address: i64| Some(domain.clone().with_constant_label(address));
    match *recipe {
        Address::Constant(address) => constant(address as i64),
        Address::Word { word, delta } => of(word, delta),
        Address::Segment { word: None, delta } => constant((thread_base as i64).wrapping_add(delta)),
        Address::Segment { word: Some(word), delta } => of(word, (thread_base as i64).wrapping_add(delta)),
        Address::Span { .. } | Address::Lane { .. } => None,
    }
}

/// The instance that an instance stands for.
fn canonical_instance(engine: &mut Engine, id: u32) -> u32 {
    let instance = *engine.instances.get(id);
    match engine.canonical.get(instance.context).cloned() {
        Some((context, _)) => engine.instances.intern(context, instance.code, &engine.codes),
        None => id,
    }
}

fn canonical_id(engine: &mut Engine, id: u32) -> u32 {
    let instance = *engine.instances.owner(id);
    let Some((context, _)) = engine.canonical.get(instance.context).cloned() else { return id };
    let to = engine.instances.intern(context, instance.code, &engine.codes);
    engine.instances.get(to).first + (id - instance.first)
}

pub(crate) fn missing_debug_information(image: &Image) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for module in image.modules() {
        if !module.has_debug_information() {
            let name = module.path().file_name().unwrap_or_default().to_string_lossy().into_owned();
            if !out.contains(&name) {
                out.push(name);
            }
        }
    }
    out
}

fn addend(addend: trace::block::Addend) -> Addend {
    match addend {
        trace::block::Addend::Constant(constant) => Addend::Constant(constant),
        trace::block::Addend::Register { to, from, negated } => {
            Addend::Register { to: to.reg, from: from.reg, bytes: to.hi, negated }
        }
    }
}

fn operation(kind: OpKind) -> Operation {
    match kind {
        OpKind::Nop | OpKind::Control => Operation::Control,
        OpKind::Constant => Operation::Constant,
        OpKind::Copy => Operation::Copy,
        OpKind::Shuffle => Operation::Shuffle,
        OpKind::Add => Operation::Add,
        OpKind::Multiply => Operation::Multiply,
        OpKind::Minimum => Operation::Minimum,
        OpKind::Maximum => Operation::Maximum,
        OpKind::And => Operation::And,
        OpKind::Or => Operation::Or,
        OpKind::Xor => Operation::Xor,
        OpKind::Compare => Operation::Compare,
        OpKind::Convert => Operation::Convert,
        OpKind::System => Operation::System,
        OpKind::Divide => Operation::Divide,
        OpKind::Shift => Operation::Shift,
        OpKind::Select => Operation::Select,
        OpKind::Other => Operation::Other,
    }
}

/// Fills the contexts; gives the index of each.
fn contexts(engine: &mut Engine, profile: &mut Profile, locations: &mut Locations) -> Vec<u32> {
    let count = engine.contexts.len();
    let mut index = vec![0u32; count];
    for id in 0..count as ContextId {
        // Replaced contexts stay as nodes, since what replaced them may stand below them; they hold nothing.
        let replaced = engine.canonical.get(id).is_some();
        let node = *engine.contexts.get(id);
        let parent = if id == 0 { 0 } else { index[node.parent as usize] };
        let above = profile.contexts.get(parent as usize).map_or(0, |p| p.function);
        let mut context = ProfileContext {
            dims: node.dims,
            allocator: profile.contexts.get(parent as usize).is_some_and(|p| p.allocator),
            ..ProfileContext::new(parent, ContextKind::Root, above)
        };
        match node.kind {
            Kind::Root => {}
            Kind::Entries | Kind::Thread { .. } => context.kind = ContextKind::Entries,
            Kind::Call { site, callee } => {
                let pc = last_instruction(engine, site).unwrap_or(site);
                context.kind = ContextKind::Call { site: locations.at(&engine.image, pc), callee };
                context.at = pc;
                context.function = callee;
                context.allocator |= profile
                    .functions
                    .get(callee as usize)
                    .is_some_and(|f| crate::allocator(&f.name).is_some());
            }
            Kind::Loop { function, header } => {
                context.kind = ContextKind::Loop;
                context.at = header;
                context.function = function;
                let statement = loop_statement(engine, function, header);
                (context.location, context.inlined_at) = locations.of_loop(&engine.image, &statement);
                context.code = statement.code;
                context.top_tested = statement.top_tested;
                context.exits = statement.exits;
            }
            Kind::Recursive { .. } => {
                context.kind = ContextKind::Recursive;
                // The function called here; a component is named after the function it is entered by.
                let entry = engine.functions.all().get(above as usize).map_or(0, |f| f.entry);
                context.location = locations.at(&engine.image, entry);
                context.at = entry;
            }
        }
        if node.kind.counts() {
            context.is_dimension = !node.flat;
            if !replaced {
                let counts = engine.loops.get(&id).copied().unwrap_or_default();
                context.entries = counts.entries;
                context.iterations = counts.iterations;
            }
            context.suspended = node.suspended;
            context.is_unwound = node.unwound;
        }
        context.handler = node.handler || profile.contexts.get(parent as usize).is_some_and(|p| p.handler);
        index[id as usize] = profile.contexts.len() as u32;
        profile.contexts.push(context);
    }
    let nodes = index.clone();
    // Counts of replaced contexts belong to what replaced them.
    for id in 0..count as ContextId {
        let Some((to, _)) = engine.canonical.get(id) else { continue };
        let to = nodes[*to as usize];
        index[id as usize] = to;
        if let Some(counts) = engine.loops.get(&id) {
            let context = &mut profile.contexts[to as usize];
            context.entries += counts.entries;
            context.iterations += counts.iterations;
        }
    }
    for id in 0..count as ContextId {
        let mut at = index[id as usize] as usize;
        // Of what was replaced, the loops around its replacement.
        let gap = engine.contexts.get(id).gap;
        while gap.is_some() && profile.contexts[at].gap.is_none() {
            profile.contexts[at].gap = gap;
            at = profile.contexts[at].parent as usize;
        }
    }
    // The first activation of a late recursion was entered as an ordinary call: one entry, one iteration.
    for &id in engine.contexts.late_entries() {
        let context = &mut profile.contexts[index[id as usize] as usize];
        context.entries += 1;
        context.iterations += 1;
    }
    index
}

pub(crate) fn last_instruction(engine: &Engine, block: u64) -> Option<u64> {
    engine.codes.find(block)?.instrs.last().map(|i| i.pc)
}

/// A register dependence of paths: instances inside executions and from one to the next, common dimensions, and a vector
/// of the latter.
type StaticPair = (u64, u64, u8, Option<Iv>);

/// Where a loop stands.
pub(crate) struct LoopStatement {
    /// Address whose source line is that of the loop statement.
    pub(crate) pc: u64,
    /// Address ranges of its code.
    pub(crate) code: Vec<(u64, u64)>,
    /// The condition is tested at the top.
    pub(crate) top_tested: bool,
    /// Number of blocks that leave it, other than through calls.
    pub(crate) exits: u32,
    /// Addresses of all its instructions.
    pub(crate) instructions: Vec<u64>,
}

/// How a block ends.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ending {
    /// Address of its last instruction.
    pub(crate) last: u64,
    /// That is a conditional branch.
    pub(crate) branches: bool,
    /// One of its ways leads out of the loop.
    pub(crate) leaves: bool,
    /// The block does nothing but jump.
    pub(crate) is_jump: bool,
}

/// Address whose source line is that of the loop statement, and whether its condition is tested at the top.
///
/// A conditional branch back to the header carries the line of the loop's condition; without one (unoptimised code
/// jumps back unconditionally) the header's own conditional branch does, if the loop can end there; else another one that
/// ends it. Where all other blocks of one in Fortran only jump, the header is the whole body, and its branch stands at the
/// end of that: so gfortran counts in steps.
pub(crate) fn deciding(
    image: &Image,
    header: Option<Ending>,
    latches: &[Ending],
    blocks: &[Ending],
) -> Option<(u64, bool)> {
    let line = |pc: u64| image.locations(pc).first().and_then(|l| l.line).unwrap_or(u32::MAX);
    let first = |pcs: &mut dyn Iterator<Item = u64>| pcs.min_by_key(|&pc| (line(pc), pc));
    if let Some(pc) = first(&mut latches.iter().filter(|l| l.branches).map(|l| l.last)) {
        return Some((pc, false));
    }
    if let Some(header) = header.filter(|h| h.branches && h.leaves) {
        let is_body =
            is_of_fortran(image, header.last) && blocks.iter().all(|b| b.last == header.last || b.is_jump);
        return Some((header.last, !is_body));
    }
    let exits = &mut blocks.iter().filter(|b| b.branches && b.leaves).map(|b| b.last);
    first(exits).or_else(|| first(&mut latches.iter().map(|l| l.last))).map(|pc| (pc, false))
}

/// Whether the file of an instruction has a name as those in Fortran have.
fn is_of_fortran(image: &Image, pc: u64) -> bool {
    let place = image.locations(pc).into_iter().next();
    let file = place.and_then(|place| place.file);
    let extension = file.as_deref().and_then(|file| file.rsplit_once('.')).map(|(_, end)| end);
    extension.is_some_and(|end| {
        let digits = end.trim_start_matches(['f', 'F']);
        matches!(end, "for" | "FOR" | "ftn" | "FTN")
            || digits.len() + 1 == end.len() && digits.bytes().all(|c| c.is_ascii_digit())
    })
}

fn loop_statement(engine: &mut Engine, function: u32, header: u64) -> LoopStatement {
    let fallback =
        LoopStatement { pc: header, code: Vec::new(), top_tested: false, exits: 0, instructions: Vec::new() };
    let Some(f) = engine.functions.all_mut().get_mut(function as usize) else { return fallback };
    let Some(node) = f.cfg.find(header) else { return fallback };
    let forest = f.cfg.forest();
    let Some(index) = forest.headed_by(node) else { return fallback };
    let nodes = forest.loops[index].nodes.clone();
    let latches: Vec<u64> = f.cfg.predecessors(node, &nodes).into_iter().map(|n| f.cfg.start(n)).collect();
    let starts: Vec<u64> = nodes.iter().map(|&n| f.cfg.start(n)).collect();
    let blocks: Vec<_> = starts.iter().filter_map(|&s| engine.codes.find(s)).collect();
    let low = blocks.iter().map(|b| b.pc).min().unwrap_or(header);
    let high = blocks.iter().map(|b| b.end).max().unwrap_or(header);
    let range = vec![(low, high)];
    let instructions: Vec<u64> = blocks.iter().flat_map(|b| &b.instrs).map(|i| i.pc).collect();
    let ending = |start: u64| {
        let block = engine.codes.find(start)?;
        let ways = match block.terminator {
            Terminator::Branch { taken, next } => Some([taken, next]),
            _ => None,
        };
        let leaves = ways.is_some_and(|ways| ways.iter().any(|to| !starts.contains(to)));
        let is_jump = block.instrs.len() == 1 && ways.is_none();
        Some(Ending { last: block.instrs.last()?.pc, branches: ways.is_some(), leaves, is_jump })
    };
    let latches: Vec<Ending> = latches.into_iter().filter_map(ending).collect();
    let ends: Vec<Ending> = starts.iter().copied().filter_map(ending).collect();
    let first = test_at_top(engine, header, &starts).and_then(ending);
    let (pc, top_tested) = deciding(&engine.image, first, &latches, &ends).unwrap_or((header, false));
    let exits = ends.iter().filter(|end| end.leaves).count() as u32;
    LoopStatement { pc, code: range, top_tested, exits, instructions }
}

/// The block with the first branch of a loop with these blocks, if control always comes to it from the header, and what
/// stands before it is of its line: the condition may call functions, as that of a range-for does.
fn test_at_top(engine: &Engine, header: u64, starts: &[u64]) -> Option<u64> {
    const LONGEST: usize = 8;
    let line = |pc: u64| engine.image.locations(pc).first().and_then(|place| place.line);
    let mut at = header;
    for _ in 0..LONGEST {
        let block = engine.codes.find(at)?;
        match block.terminator {
            Terminator::Branch { .. } => {
                let last = block.instrs.last()?.pc;
                return (at == header || line(last).is_some() && line(last) == line(header)).then_some(at);
            }
            Terminator::Call { next, .. }
            | Terminator::IndirectCall { next }
            | Terminator::Jump(next)
            | Terminator::Fallthrough(next) => at = Some(next).filter(|next| starts.contains(next))?,
            _ => return None,
        }
    }
    None
}

/// Whether a statement is the push of `rax` with which a function of x86-64 begins that has nothing to save and needs the stack aligned:
/// nothing is handed to a function in that register but the number of vector registers, which nobody pushes.
fn aligns_stack(engine: &Engine, entries: &FxHashSet<u64>, id: u32) -> bool {
    const RAX: u8 = 0;
    let instance = engine.instances.owner(id);
    let code = engine.codes.get(instance.code);
    let at = id.wrapping_sub(instance.first) as usize;
    let Some(instr) = code.instrs.get(at).filter(|_| entries.contains(&code.pc)) else { return false };
    let mut operands = code.operands.iter().filter(|operand| usize::from(operand.instr) == at);
    let is_push = operands.next().is_some_and(|own| own.access == Access::Write && own.size == 8);
    // Other machines have no instruction of one byte.
    instr.len == 1
        && is_push
        && operands.next().is_none()
        && instr.defs.is_empty()
        && instr.uses.iter().any(|own| own.range.reg == RAX && own.role == Role::Value)
}

fn dependence(
    engine: &mut Engine,
    stream: Stream,
    (levels, relation): Summary,
    tables: &Tables,
    profile: &Profile,
) -> Option<Dependence> {
    let (statement_of, access_of) = (&tables.statement_of, &tables.access_of);
    let statement = |engine: &Engine, id: u32| -> Option<u32> {
        if let Some(&access) = access_of.get(&id) {
            return profile.accesses.get(access as usize).map(|a| a.statement);
        }
        if let Some(&s) = statement_of.get(&id) {
            return Some(s);
        }
        // The effects of a system call belong to the instruction that makes it, the last of its block.
        let instance = engine.instances.owner(id);
        statement_of.get(&(instance.first + instance.statements.checked_sub(1)?)).copied()
    };
    let (source, sink) = (statement(engine, stream.source)?, statement(engine, stream.sink)?);
    let common = usize::from(stream.common);
    let dims = |s: u32| usize::from(profile.contexts[profile.context_of(s) as usize].dims);
    let (from, to) = (dims(source), dims(sink));
    // Collected in place the summaries would keep the room of the larger levels.
    let mut summaries = Vec::with_capacity(levels.len());
    summaries.extend(levels.into_iter().map(|l| {
        LevelSummary {
            level: l.level,
            count: l.count,
            minimum: l.minimum[..common].to_vec(),
            maximum: l.maximum[..common].to_vec(),
            later: l.later,
            source_iv: l.source_iv.0[..from].to_vec(),
            sink_iv: l.sink_iv.0[..to].to_vec(),
            address: l.address,
            objects: l
                .objects
                .into_iter()
                .map(|(object, offset, callee)| ObjectUse { object, offset, callee })
                .collect(),
        }
    }));
    Some(Dependence {
        kind: stream.kind,
        memory: stream.memory,
        source,
        sink,
        source_access: access_of.get(&stream.source).copied().filter(|_| stream.memory),
        sink_access: access_of.get(&stream.sink).copied().filter(|_| stream.memory),
        role: stream.role,
        common: stream.common,
        count: stream.count,
        levels: summaries,
        relation,
        between_members: false,
        tasks: None,
        exclusion: None,
    })
}
