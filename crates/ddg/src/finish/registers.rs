//! Names of the values that iterations hand on in registers.

use profile::{Kind, Object, ObjectKind, ObjectUse, Profile, StatementIndex};
use rustc_hash::FxHashMap;
use trace::block::{Instr, REG_GENERAL, REG_MASK, REG_MORE, RegRange};

use super::Tables;
use crate::engine::Engine;

/// Gives the carried flow dependences through registers of the program's own code the variables that are there by the debug
/// information: where the value is read, or else behind where it is computed. The register is the same all the while: what moves a
/// value to another one is a statement.
pub(super) fn name(engine: &Engine, tables: &Tables, profile: &mut Profile) {
    let Some(program) = engine.image.program() else { return };
    let code_of: FxHashMap<u32, u32> = tables
        .block_of
        .iter()
        .map(|(&instance, &block)| (block, engine.instances.get(instance).code))
        .collect();
    let instruction = |s: StatementIndex| -> Option<&Instr> {
        let block = profile.statements.get(s as usize)?.block;
        let first = profile.blocks.get(block as usize)?.first;
        engine.codes.get(*code_of.get(&block)?).instrs.get((s - first) as usize)
    };
    let mut questions = Vec::new();
    let mut asked = Vec::new();
    for (index, d) in profile.dependences.iter().enumerate() {
        let is_carried = d.levels.iter().any(|level| level.level < d.common);
        if d.memory || d.kind != Kind::Flow || !is_carried || !profile.is_own(profile.context_of(d.sink)) {
            continue;
        }
        let Some((source, sink)) = instruction(d.source).zip(instruction(d.sink)) else { continue };
        let meets = |a: &RegRange, b: &RegRange| a.reg == b.reg && a.lo < b.hi && b.lo < a.hi;
        let is_named = |own: &&RegRange| (REG_GENERAL..REG_MASK).contains(&own.reg) || own.reg >= REG_MORE;
        let shared = source
            .defs
            .iter()
            .filter(is_named)
            .filter(|own| sink.uses.iter().any(|used| meets(own, &used.range)));
        for own in shared {
            let behind = source.pc.wrapping_add(u64::from(source.len));
            questions.extend([sink.pc, behind].map(|pc| (pc.wrapping_sub(program.bias()), own.reg)));
            asked.push(index);
        }
    }
    let answers = program::kept::variables(program.path(), &questions);
    let mut objects: FxHashMap<String, u32> = FxHashMap::default();
    for (pair, index) in answers.chunks(2).zip(asked) {
        let Some(name) = pair.iter().flatten().next() else { continue };
        let next = profile.objects.len() as u32;
        let object = *objects.entry(name.clone()).or_insert(next);
        if object == next {
            profile.objects.push(Object::new(name.clone(), ObjectKind::Register));
        }
        let d = &mut profile.dependences[index];
        let common = d.common;
        for level in d.levels.iter_mut().filter(|level| level.level < common && level.objects.is_empty()) {
            level.objects.push(ObjectUse { object, offset: 0, callee: false });
        }
    }
}
