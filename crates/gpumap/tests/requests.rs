//! Requests and threads of runs: functions are run on numbers and iterations of a loop are cut into warps. The sectors and lines that
//! each full warp touches lie between what is said of them; no thread touches more bytes than are said, nor has more in common with
//! the next one.

use crate::support;

use std::collections::{BTreeSet, HashMap};

use gpumap::access::Accesses;
use gpumap::calls::{Cone, LENGTH};
use gpumap::coalescing::{Coalescing, Factor, Units};
use gpumap::control::{Control, LoopId};
use gpumap::device::{Block, Device, WARP};
use gpumap::ir::{BlockId, Function, Instruction, Module, Operand, Operation, Value, ValueId};
use gpumap::memory::Object;
use gpumap::memory::effects::Summaries;
use gpumap::recurrence::Forms;

use gpumap::shared::{Scheme, Shape, opportunities};
use gpumap::symbolic::Polynomial;
use num_traits::{Signed, ToPrimitive};
use support::interpreter::{Sequence, State};
use support::numbers::{Symbols, number, symbols};

/// What is said of an access if a loop is mapped to x.
struct Claim {
    x: LoopId,
    /// The block of the access, and its place there.
    place: (BlockId, usize),
    /// Loops inside of that one, around the access.
    inside: Vec<LoopId>,
    address: Operand,
    size: u32,
    sectors: Factor,
    lines: Factor,
    distances: Vec<Polynomial>,
    /// What a thread touches, if it is a sub-matrix.
    shape: Option<Shape>,
}

/// A warp's access: the claim, the entry of the loop, the warp in it, and iterations of the loops inside.
type Request = (usize, u64, i64, Vec<i64>);

/// Addresses of lanes, and between how many sectors and lines they are said to be.
type Seen = HashMap<Request, (Vec<u64>, [(u32, u32); 2])>;

/// By claim, entry of the loop and iteration: bytes of a thread, and how many are said of it and to be in common with the next one.
type Threads = HashMap<(usize, u64, i64), (BTreeSet<u64>, usize, usize)>;

fn claims(accesses: &mut Accesses<'_>, control: &Control, device: &Device) -> Vec<Claim> {
    let mut list = Vec::new();
    for (id, _) in control.loops.iter() {
        let Some(found) = Coalescing::new(accesses, &[id], Block::default(), device) else { continue };
        let shapes = opportunities(accesses, &found, Block::default(), device, Scheme::Close(0));
        for requested in &found.accesses {
            let own = shapes.iter().filter(|of| of.accesses == [requested.access]).collect::<Vec<_>>();
            let shape = if let [own] = own.as_slice() { own.shape.as_ref().ok().cloned() } else { None };
            let access = &accesses.list[requested.access];
            // Runs give any numbers for addresses that are loaded or allocated.
            let is_placed = |object: Object| !matches!(object, Object::Pointed(_) | Object::Heap(_));
            let Ok([mapped]) = requested.mappings[0].as_deref() else { continue };
            if is_placed(mapped.object) {
                list.push(Claim {
                    x: id,
                    place: (access.block, access.place),
                    inside: control.loops.around(access.block).take_while(|inner| *inner != id).collect(),
                    address: access.address,
                    size: u32::try_from(access.bytes.unwrap()).unwrap(),
                    sectors: mapped.sectors.clone(),
                    lines: mapped.lines.clone(),
                    distances: mapped.linear.iter().map(|linear| linear.distance.clone()).collect(),
                    shape,
                });
            }
        }
    }
    list
}

/// The value of an expression in a state, capped.
fn value(forms: &Forms<'_>, state: &State<'_>, symbols: &Symbols, units: &Units) -> Option<u32> {
    let values = units.of.iter().map(|of| number(forms, state, symbols, of)?.to_integer().to_u64());
    let most = values.collect::<Option<Vec<u64>>>()?.into_iter().max()?;
    u32::try_from(most.min(units.cap.into())).ok()
}

/// Whether all strides are as they are assumed to be.
fn is_as_assumed(forms: &Forms<'_>, state: &State<'_>, symbols: &Symbols, claim: &Claim) -> bool {
    let is_good = |of| number(forms, state, symbols, of).is_some_and(|distance| !distance.is_negative());
    claim.distances.iter().all(is_good)
}

/// Bytes of a thread and those in common with the next one, as said, if what is assumed holds.
fn of_thread(
    forms: &Forms<'_>,
    state: &State<'_>,
    symbols: &Symbols,
    shape: &Shape,
) -> Option<(usize, usize)> {
    let value = |of: &Polynomial| number(forms, state, symbols, of);
    if !shape.assumed.iter().all(|spare| value(spare).is_some_and(|spare| !spare.is_negative())) {
        return None;
    }
    let count = |of: &Polynomial| value(of)?.to_integer().max(0.into()).to_usize();
    Some((count(&shape.of_thread)?, count(&shape.common.first()?.bytes)?))
}

/// Compares what threads touched; gives how many touched as much as is said.
fn compare_threads(threads: &Threads, claims: &[Claim], name: &str) -> usize {
    for ((at, entry, iteration), (bytes, own, common)) in threads {
        let line = claims[*at].place.0.index();
        assert!(bytes.len() <= *own, "{name}, block {line}: {} bytes of {own}", bytes.len());
        if let Some((next, ..)) = threads.get(&(*at, *entry, iteration + 1)) {
            let seen = bytes.intersection(next).count();
            assert!(seen <= *common, "{name}, block {line}: {seen} in common, not {common}");
        }
    }
    threads.values().filter(|(bytes, own, _)| bytes.len() == *own).count()
}

/// Claims by the value whose computation comes with the access: what is loaded, or the address of a store, where it is computed in
/// the block of the store.
fn by_value(function: &Function, claims: &[Claim]) -> HashMap<ValueId, Vec<usize>> {
    let mut list: HashMap<ValueId, Vec<usize>> = HashMap::new();
    for (at, claim) in claims.iter().enumerate() {
        let instructions = &function.block(claim.place.0).instructions;
        let is_computed =
            |value: ValueId| instructions[..claim.place.1].iter().any(|i| i.result == Some(value));
        let value = match &instructions[claim.place.1].operation {
            Operation::Load { .. } => instructions[claim.place.1].result,
            _ => match claim.address.value {
                Value::Local(value) => Some(value).filter(|&value| is_computed(value)),
                Value::Constant(_) => None,
            },
        };
        if let Some(value) = value {
            list.entry(value).or_default().push(at);
        }
    }
    list
}

/// Compares all claims of a function with runs; gives how many warps were compared, and of how many threads all is said exactly.
fn compare(module: &Module, function: &Function, runs: u64) -> (usize, usize) {
    let cone = Cone::new(module, function, LENGTH);
    let control = Control::new(&cone.function);
    let mut accesses = Accesses::new(module, &cone.function, &control, &mut Summaries::default());
    let device = Device::named("sm_90").unwrap();
    let claims = claims(&mut accesses, &control, device);
    let by_value = by_value(&cone.function, &claims);
    let forms = accesses.assumed_mut();
    let symbols = symbols(forms);
    let mut compared = (0, 0);
    for seed in 0..runs {
        let mut from = Sequence(seed * 31 + 7);
        let mut state = State::new(module, &cone.function, &control, &mut from);
        enlarge(&mut state, module, seed);
        let (mut seen, mut threads) = (Seen::new(), Threads::new());
        let mut entries = vec![0u64; control.loops.len()];
        state.run(&mut from, 200_000, &mut |state: &State<'_>,
                                            instruction: Option<&Instruction>,
                                            (block, to)| {
            let Some(result) = instruction.and_then(|instruction| instruction.result) else {
                if let Some(id) = control.loops.headed_by(to)
                    && !control.loops.contains(id, block)
                {
                    entries[id.index()] += 1;
                }
                return;
            };
            for &at in by_value.get(&result).into_iter().flatten() {
                let claim = &claims[at];
                let iteration = state.iterations[claim.x.index()];
                let inside = claim.inside.iter().map(|id| state.iterations[id.index()]).collect();
                let key = (at, entries[claim.x.index()], iteration / i64::from(WARP), inside);
                let address = state.unsigned(claim.address).unwrap();
                let thread = (at, entries[claim.x.index()], iteration);
                let bytes = address..address + u64::from(claim.size);
                if let Some((all, ..)) = threads.get_mut(&thread) {
                    all.extend(bytes);
                } else if let Some(shape) = &claim.shape
                    && let Some((own, common)) = of_thread(forms, state, &symbols, shape)
                {
                    threads.insert(thread, (bytes.collect(), own, common));
                }
                let said = |factor: &Factor| {
                    let value = |units| value(forms, state, &symbols, units);
                    Some((value(&factor.least)?, value(&factor.most)?))
                };
                if let Some((lanes, _)) = seen.get_mut(&key) {
                    lanes.push(address);
                } else if is_as_assumed(forms, state, &symbols, claim)
                    && let (Some(sectors), Some(lines)) = (said(&claim.sectors), said(&claim.lines))
                {
                    seen.insert(key, (vec![address], [sectors, lines]));
                }
            }
        });
        for ((at, ..), (lanes, said)) in seen.iter().filter(|(_, (lanes, _))| lanes.len() == WARP as usize) {
            let claim = &claims[*at];
            for (unit, (least, most)) in [device.sector, device.line].into_iter().zip(said) {
                let bytes = lanes.iter().flat_map(|&lane| lane..lane + u64::from(claim.size));
                let units = bytes.map(|byte| byte / u64::from(unit)).collect::<BTreeSet<_>>().len() as u32;
                let name = module.name(function.symbol);
                assert!(
                    (*least..=*most).contains(&units),
                    "{name}: {units} in {least} to {most}, seed {seed}"
                );
            }
            compared.0 += 1;
        }
        compared.1 += compare_threads(&threads, &claims, module.name(function.symbol));
    }
    compared
}

/// Numbers for which loops run for more than a warp, mostly.
fn enlarge(state: &mut State<'_>, module: &Module, seed: u64) {
    let mut from = Sequence(seed + 1000);
    for parameter in &state.function.parameters {
        let of = state.function.value(parameter.value).of;
        if module.types.integer_bits(of).is_some_and(|bits| bits >= 8) {
            let number =
                if from.next().is_multiple_of(4) { 1 + from.next() % 6 } else { 33 + from.next() % 40 };
            state.values.insert(parameter.value, number);
        }
    }
}

#[test]
fn requests_and_threads_of_runs_are_those_that_are_said() {
    let mut all = (0, 0);
    let runs = kernels::cases(2, 1);
    let corpus = kernels::corpus().unwrap().into_iter().map(|kernel| kernel.path());
    for source in support::sources().into_iter().chain(corpus) {
        let module = gpumap::Compiler::find().unwrap().read(&source, &[]).unwrap();
        for function in module.defined().filter(|function| module.name(function.symbol) != "main") {
            let compared = compare(&module, function, runs);
            all = (all.0 + compared.0, all.1 + compared.1);
        }
    }
    println!("{} warps, {} threads that touch what is said", all.0, all.1);
    assert!(all.0 > kernels::cases(15_000, 3_000) && all.1 > kernels::cases(300_000, 100_000), "{all:?}");
}
