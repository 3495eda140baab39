//! Names and kinds of the objects that memory consists of.

use profile::{Location, Object as ProfileObject, ObjectKind};
use rustc_hash::FxHashMap;
use trace::contract::STATES;

use super::locations::{Locations, function_name};
use crate::engine::Engine;
use crate::objects::Object;

/// The objects that the accesses of a run are in, in the order of their ids.
pub(super) fn objects(engine: &mut Engine, locations: &mut Locations) -> Vec<ProfileObject> {
    let all = engine.objects.all().to_vec();
    // Blocks allocated by several calls on one line are told apart by columns.
    let mut shared: FxHashMap<String, u32> = FxHashMap::default();
    for object in &all {
        if let Object::Heap(site) = object {
            let at = locations.of_text(&engine.image, site.wrapping_sub(1));
            *shared.entry(of_line(&locations.list[at as usize]).0).or_insert(0) += 1;
        }
    }
    all.into_iter()
        .map(|object| match object {
            Object::Global(address) => {
                let name =
                    engine.image.data_symbol(address).map_or_else(|| format!("{address:#x}"), |s| s.name);
                let (element, bytes, is_volatile) = global_type(engine, address);
                let library = !engine.image.is_own_data(address);
                ProfileObject {
                    element,
                    bytes,
                    library,
                    is_volatile,
                    ..ProfileObject::new(name, ObjectKind::Global)
                }
            }
            Object::Variable { module, index } => {
                let bias = engine.image.modules().get(module).map_or(0, |m| m.bias());
                let variable = &engine.objects.variables(&engine.image, module)[index];
                let kind = if variable.in_common { ObjectKind::Global } else { ObjectKind::Stack };
                let scope = variable
                    .scope
                    .iter()
                    .map(|&(a, b)| (a.wrapping_add(bias), b.wrapping_add(bias)))
                    .collect();
                ProfileObject {
                    element: variable.element as u32,
                    bytes: variable.size,
                    scope,
                    library: engine.image.modules().get(module).map(|m| m.path())
                        != engine.image.program().map(|m| m.path()),
                    owner: variable.function.map(|(a, b)| (a.wrapping_add(bias), b.wrapping_add(bias))),
                    is_volatile: variable.is_volatile,
                    ..ProfileObject::new(variable.name.clone(), kind)
                }
            }
            Object::Frame(0) => ProfileObject::new("stack of called functions", ObjectKind::Frame),
            Object::Frame(function) => {
                let name = format!("stack of {}", function_name(&engine.image, function));
                let owner = Some((function, function.saturating_add(1)));
                ProfileObject { owner, ..ProfileObject::new(name, ObjectKind::Frame) }
            }
            Object::Heap(site) => {
                // The return address follows the call.
                let at = locations.of_text(&engine.image, site.wrapping_sub(1));
                let (line, column) = of_line(&locations.list[at as usize]);
                let is_shared = shared.get(&line).is_some_and(|&sites| sites > 1);
                let name = if is_shared { column } else { line };
                ProfileObject::new(name, ObjectKind::Heap)
            }
            Object::Descriptor(descriptor) => {
                let name = match descriptor {
                    0 => "position of standard input".to_owned(),
                    1 => "order of standard output".to_owned(),
                    2 => "order of standard error".to_owned(),
                    _ => format!("position of descriptor {descriptor}"),
                };
                ProfileObject::new(name, ObjectKind::System)
            }
            Object::Content(_) => ProfileObject::new("what a file holds", ObjectKind::System),
            Object::Hidden(number) => {
                let named = STATES.get(usize::try_from(number).unwrap_or(usize::MAX));
                ProfileObject::new(named.map_or("state of a library", |own| own.1), ObjectKind::System)
            }
            Object::Stream { site, is_output } => {
                let what = if is_output { "order of output to a stream" } else { "position of a stream" };
                let name = if site == 0 {
                    what.to_owned()
                } else {
                    let at = locations.of_text(&engine.image, site.wrapping_sub(1));
                    let location = &locations.list[at as usize];
                    match location.line {
                        0 => format!("{what} opened in {}", location.function),
                        line => format!("{what} opened in {}:{line}", base_name(&location.file)),
                    }
                };
                ProfileObject::new(name, ObjectKind::System)
            }
            Object::ThreadLocal(at) => {
                let symbol = engine.image.thread_symbol(at).filter(|symbol| symbol.address as i64 == at);
                let library = !engine.image.is_own_thread_local(at)
                    || symbol.as_ref().is_some_and(|symbol| symbol.name == "errno");
                let name = symbol.map_or_else(|| "thread-local data".to_owned(), |symbol| symbol.name);
                ProfileObject { library, thread_local: true, ..ProfileObject::new(name, ObjectKind::Global) }
            }
            Object::Library(module) => {
                let path = engine.image.modules().get(module).map(|module| module.path());
                let file = path.and_then(|path| path.file_name()).unwrap_or_default().to_string_lossy();
                ProfileObject {
                    library: true,
                    ..ProfileObject::new(format!("data of {file}"), ObjectKind::Global)
                }
            }
            Object::Other => ProfileObject::new("memory", ObjectKind::Other),
        })
        .collect()
}

/// Names of blocks allocated at a place: by line, and by column.
fn of_line(location: &Location) -> (String, String) {
    if location.line == 0 {
        let name = format!("heap block from {}", location.function);
        return (name.clone(), name);
    }
    let line = format!("heap block from {}:{}", base_name(&location.file), location.line);
    let column = if location.column > 0 { format!("{line}:{}", location.column) } else { line.clone() };
    (line, column)
}

fn base_name(path: &str) -> &str {
    path.rsplit('/').next().unwrap_or(path)
}

/// Sizes of an element of a global and of all of it, and whether it is volatile or atomic.
fn global_type(engine: &mut Engine, address: u64) -> (u32, u64, bool) {
    let modules: Vec<(usize, u64)> =
        engine.image.modules().iter().enumerate().map(|(i, m)| (i, m.bias())).collect();
    for (module, bias) in modules {
        let hit = engine
            .objects
            .variables(&engine.image, module)
            .iter()
            .filter(|variable| !variable.in_common)
            .find(|v| v.storage == program::variables::Storage::Fixed(address.wrapping_sub(bias)));
        if let Some(variable) = hit {
            return (variable.element as u32, variable.size, variable.is_volatile);
        }
    }
    (0, 0, false)
}
