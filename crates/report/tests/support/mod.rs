//! Profiles that tests share.

use profile::{Context, ContextKind, Function, Limit, Profile, Reached};
use report::html::{SourceText, Sources};
use schedule::synthetic::{self, Shape};

/// A name that would be a program if it were markup.
pub const MARKUP: &str =
    "f<img src=x onerror='window.hit=1'>\"&</script><script>window.hit=1</script><!--;\u{202e}\n9 7";

/// A stencil whose names are [`MARKUP`], with a call of a library and of the program inside it.
pub fn hostile() -> Profile {
    let mut profile = synthetic::profile(Shape::Stencil, 2);
    profile.program.argv = vec![MARKUP.to_owned(), MARKUP.to_owned()];
    for location in &mut profile.locations {
        location.function = MARKUP.to_owned();
        location.file = format!("{MARKUP}.c");
    }
    profile.objects.iter_mut().for_each(|object| object.name = MARKUP.to_owned());
    let limit = Limit::Input(MARKUP.to_owned());
    profile.trust.limits = vec![Reached { run: 0, limit }];
    profile.trust.unrecorded = 1000;
    let function = |name: &str, main| Function {
        name: name.to_owned(),
        module: MARKUP.to_owned(),
        main,
        ..Function::default()
    };
    for (name, main) in [(MARKUP, true), ("memcpy", false)] {
        let callee = profile.functions.len() as u32;
        profile.functions.push(function(name, main));
        let parent = profile.contexts.len() as u32 - 1;
        let mut context = Context::new(parent, ContextKind::Call { site: 0, callee }, callee);
        context.dims = profile.contexts[parent as usize].dims;
        context.own_instructions = 50_000;
        profile.trust.instructions += 50_000;
        profile.contexts.push(context);
    }
    profile
}

/// The text of its source.
pub fn hostile_sources() -> Sources {
    let text = format!("{MARKUP}\n</code></div><img src=x>\n").repeat(20);
    [(format!("{MARKUP}.c"), SourceText { text, is_newer: false })].into()
}
