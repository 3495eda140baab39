//! Contexts of isl and the objects that live in them.
//!
//! Invariant: an object owns its pointer, which is not null until it is taken, and keeps its context alive.

use std::ffi::{CStr, CString, c_char};
use std::rc::Rc;

use crate::library::{Library, Pointer};

/// `ISL_ON_ERROR_CONTINUE`: report failures by null pointers alone.
const CONTINUE: i32 = 1;

/// What can go wrong.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// There is no isl on this machine.
    #[error("isl is not installed ({0}); it comes with the package libisl23")]
    Missing(String),
    /// isl refused something.
    #[error("isl: {0}")]
    Refused(String),
    /// A text contains a zero byte.
    #[error("a text for isl contains a zero byte")]
    ZeroByte,
}

pub(crate) struct Inner {
    pub library: Library,
    pub raw: Pointer,
}

impl Drop for Inner {
    fn drop(&mut self) {
        // SAFETY: objects keep the context alive, so all of them are freed.
        unsafe { (self.library.ctx_free)(self.raw) }
    }
}

impl Inner {
    /// Why the latest call failed.
    pub fn error(&self) -> Error {
        // SAFETY: the context is alive; the text, if any, is a string that it owns.
        let text = unsafe { text_at((self.library.ctx_last_error_msg)(self.raw)) };
        Error::Refused(text.unwrap_or_else(|| "out of memory or budget".to_owned()))
    }

    /// A truth value of isl.
    pub fn truth(&self, value: i32) -> Result<bool, Error> {
        if value < 0 { Err(self.error()) } else { Ok(value != 0) }
    }

    /// A size of isl.
    pub fn size(&self, value: i32) -> Result<i32, Error> {
        if value < 0 { Err(self.error()) } else { Ok(value) }
    }
}

/// A string that isl owns, or none.
///
/// # Safety
/// The pointer is null or points to a string.
pub(crate) unsafe fn text_at(text: *const c_char) -> Option<String> {
    // SAFETY: as asked of the caller.
    (!text.is_null()).then(|| unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

/// A context; all objects of it stay in its thread.
#[derive(Clone)]
pub struct Context(pub(crate) Rc<Inner>);

impl Context {
    /// A context of the isl that is installed.
    ///
    /// # Errors
    /// [`Error::Missing`] if none is.
    pub fn new() -> Result<Context, Error> {
        let library = Library::load().map_err(Error::Missing)?;
        // SAFETY: no arguments.
        let raw = unsafe { (library.ctx_alloc)() };
        if raw.is_null() {
            return Err(Error::Refused("no context".to_owned()));
        }
        // SAFETY: the context is alive.
        unsafe { (library.options_set_on_error)(raw, CONTINUE) };
        Ok(Context(Rc::new(Inner { library, raw })))
    }

    /// Version and configuration of isl.
    pub fn version(&self) -> String {
        // SAFETY: a string that is part of the library.
        let text = unsafe { text_at((self.0.library.version)()) };
        text.unwrap_or_default().trim().to_owned()
    }
}

/// An object of isl that is freed by a function of its type.
pub(crate) struct Object {
    #[expect(dead_code, reason = "keeps the context alive")]
    context: Rc<Inner>,
    raw: Pointer,
    free: unsafe extern "C" fn(Pointer) -> Pointer,
}

impl Object {
    /// What isl returned, to be freed by `free`.
    ///
    /// # Errors
    /// isl's reason if it is null.
    pub fn new(
        context: &Rc<Inner>,
        raw: Pointer,
        free: unsafe extern "C" fn(Pointer) -> Pointer,
    ) -> Result<Object, Error> {
        if raw.is_null() {
            Err(context.error())
        } else {
            Ok(Object { context: Rc::clone(context), raw, free })
        }
    }

    /// Reads an object from its text.
    pub fn read(
        context: &Rc<Inner>,
        text: &str,
        read: unsafe extern "C" fn(Pointer, *const c_char) -> Pointer,
        free: unsafe extern "C" fn(Pointer) -> Pointer,
    ) -> Result<Object, Error> {
        let text = CString::new(text).map_err(|_| Error::ZeroByte)?;
        // SAFETY: the context is alive and the text is a string.
        Object::new(context, unsafe { read(context.raw, text.as_ptr()) }, free)
    }

    /// For arguments that isl keeps.
    pub fn keep(&self) -> Pointer {
        self.raw
    }

    /// For arguments that isl takes.
    pub fn take(mut self) -> Pointer {
        std::mem::replace(&mut self.raw, std::ptr::null_mut())
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        // SAFETY: the pointer is owned and of the type that `free` is for, or null, of which isl frees nothing.
        unsafe { (self.free)(self.raw) };
    }
}
