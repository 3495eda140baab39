//! The functions of isl, by their names without the prefix `isl_`.
//!
//! Conventions of isl: `take` arguments are freed by the callee, also where it fails; `keep` arguments are not; results are
//! owned by the caller. A null pointer, a size below 0 and a truth value below 0 say that something failed.

use std::ffi::{c_char, c_int, c_long, c_uint, c_void};

/// An object of isl.
pub type Pointer = *mut c_void;
/// What is called for every part of an object, which it takes.
pub type Visit = unsafe extern "C" fn(Pointer, Pointer) -> c_int;
/// The same for a part that consists of two objects.
pub type VisitPair = unsafe extern "C" fn(Pointer, Pointer, Pointer) -> c_int;

/// Names under which distributions install isl, newest first.
const NAMES: [&str; 4] = ["libisl.so.23", "libisl.so.22", "libisl.so.21", "libisl.so"];

macro_rules! functions {
    ($($name:ident($($argument:ty),*) $(-> $result:ty)?;)*) => {
        /// The functions.
        #[allow(missing_docs, non_snake_case)]
        pub struct Library {
            $(pub $name: unsafe extern "C" fn($($argument),*) $(-> $result)?,)*
            // After the functions: they point into it.
            _handle: libloading::Library,
        }

        impl Library {
            fn of(handle: libloading::Library) -> Result<Library, libloading::Error> {
                // SAFETY: the signatures are those of isl's headers, which are stable in all versions named above.
                unsafe {
                    Ok(Library {
                        $($name: *handle.get(concat!("isl_", stringify!($name), "\0").as_bytes())?,)*
                        _handle: handle,
                    })
                }
            }
        }
    };
}

functions! {
    version() -> *const c_char;
    ctx_alloc() -> Pointer;
    ctx_free(Pointer);
    ctx_last_error_msg(Pointer) -> *const c_char;
    options_set_on_error(Pointer, c_int) -> c_int;
    options_set_schedule_algorithm(Pointer, c_int) -> c_int;
    options_set_schedule_whole_component(Pointer, c_int) -> c_int;
    options_set_schedule_maximize_coincidence(Pointer, c_int) -> c_int;
    options_set_schedule_serialize_sccs(Pointer, c_int) -> c_int;
    options_set_schedule_maximize_band_depth(Pointer, c_int) -> c_int;
    set_read_from_str(Pointer, *const c_char) -> Pointer;
    set_get_tuple_name(Pointer) -> *const c_char;
    set_free(Pointer) -> Pointer;
    union_set_read_from_str(Pointer, *const c_char) -> Pointer;
    union_set_foreach_set(Pointer, Visit, Pointer) -> c_int;
    union_set_free(Pointer) -> Pointer;
    union_map_read_from_str(Pointer, *const c_char) -> Pointer;
    union_map_copy(Pointer) -> Pointer;
    union_map_free(Pointer) -> Pointer;
    union_map_lex_lt_union_map(Pointer, Pointer) -> Pointer;
    union_map_is_subset(Pointer, Pointer) -> c_int;
    union_map_union(Pointer, Pointer) -> Pointer;
    union_map_coalesce(Pointer) -> Pointer;
    union_map_gist_domain(Pointer, Pointer) -> Pointer;
    union_map_gist_range(Pointer, Pointer) -> Pointer;
    union_map_intersect_domain(Pointer, Pointer) -> Pointer;
    union_map_intersect_range(Pointer, Pointer) -> Pointer;
    union_set_copy(Pointer) -> Pointer;
    schedule_constraints_on_domain(Pointer) -> Pointer;
    schedule_constraints_set_context(Pointer, Pointer) -> Pointer;
    schedule_constraints_set_validity(Pointer, Pointer) -> Pointer;
    schedule_constraints_set_coincidence(Pointer, Pointer) -> Pointer;
    schedule_constraints_set_proximity(Pointer, Pointer) -> Pointer;
    schedule_constraints_compute_schedule(Pointer) -> Pointer;
    schedule_get_map(Pointer) -> Pointer;
    schedule_get_root(Pointer) -> Pointer;
    schedule_free(Pointer) -> Pointer;
    schedule_node_free(Pointer) -> Pointer;
    schedule_node_get_type(Pointer) -> c_int;
    schedule_node_n_children(Pointer) -> c_int;
    schedule_node_get_child(Pointer, c_int) -> Pointer;
    schedule_node_filter_get_filter(Pointer) -> Pointer;
    schedule_node_band_n_member(Pointer) -> c_int;
    schedule_node_band_get_permutable(Pointer) -> c_int;
    schedule_node_band_member_get_coincident(Pointer, c_int) -> c_int;
    schedule_node_band_get_partial_schedule(Pointer) -> Pointer;
    multi_union_pw_aff_get_union_pw_aff(Pointer, c_int) -> Pointer;
    multi_union_pw_aff_free(Pointer) -> Pointer;
    union_pw_aff_foreach_pw_aff(Pointer, Visit, Pointer) -> c_int;
    union_pw_aff_free(Pointer) -> Pointer;
    pw_aff_get_tuple_name(Pointer, c_int) -> *const c_char;
    pw_aff_foreach_piece(Pointer, VisitPair, Pointer) -> c_int;
    pw_aff_to_str(Pointer) -> *mut c_char;
    pw_aff_free(Pointer) -> Pointer;
    aff_dim(Pointer, c_int) -> c_int;
    aff_get_dim_name(Pointer, c_int, c_int) -> *const c_char;
    aff_get_coefficient_val(Pointer, c_int, c_int) -> Pointer;
    aff_get_constant_val(Pointer) -> Pointer;
    aff_involves_dims(Pointer, c_int, c_uint, c_uint) -> c_int;
    aff_free(Pointer) -> Pointer;
    union_map_apply_domain(Pointer, Pointer) -> Pointer;
    union_map_apply_range(Pointer, Pointer) -> Pointer;
    union_set_apply(Pointer, Pointer) -> Pointer;
    union_set_union(Pointer, Pointer) -> Pointer;
    id_alloc(Pointer, *const c_char, Pointer) -> Pointer;
    id_list_alloc(Pointer, c_int) -> Pointer;
    id_list_add(Pointer, Pointer) -> Pointer;
    ast_build_from_context(Pointer) -> Pointer;
    ast_build_set_iterators(Pointer, Pointer) -> Pointer;
    ast_build_node_from_schedule_map(Pointer, Pointer) -> Pointer;
    ast_build_set_options(Pointer, Pointer) -> Pointer;
    ast_build_free(Pointer) -> Pointer;
    ast_node_get_type(Pointer) -> c_int;
    ast_node_for_get_iterator(Pointer) -> Pointer;
    ast_node_for_get_init(Pointer) -> Pointer;
    ast_node_for_get_cond(Pointer) -> Pointer;
    ast_node_for_get_inc(Pointer) -> Pointer;
    ast_node_for_get_body(Pointer) -> Pointer;
    ast_node_for_is_degenerate(Pointer) -> c_int;
    ast_node_if_get_cond(Pointer) -> Pointer;
    ast_node_if_get_then(Pointer) -> Pointer;
    ast_node_if_has_else(Pointer) -> c_int;
    ast_node_if_get_else(Pointer) -> Pointer;
    ast_node_block_get_children(Pointer) -> Pointer;
    ast_node_mark_get_node(Pointer) -> Pointer;
    ast_node_user_get_expr(Pointer) -> Pointer;
    ast_node_free(Pointer) -> Pointer;
    ast_node_list_n_ast_node(Pointer) -> c_int;
    ast_node_list_get_ast_node(Pointer, c_int) -> Pointer;
    ast_node_list_free(Pointer) -> Pointer;
    ast_expr_get_op_n_arg(Pointer) -> c_int;
    ast_expr_get_op_arg(Pointer, c_int) -> Pointer;
    ast_expr_to_C_str(Pointer) -> *mut c_char;
    ast_expr_free(Pointer) -> Pointer;
    val_is_int(Pointer) -> c_int;
    val_get_num_si(Pointer) -> c_long;
    val_free(Pointer) -> Pointer;
}

impl Library {
    /// The first isl that is installed.
    ///
    /// # Errors
    /// Why the last candidate could not be loaded.
    pub fn load() -> Result<Library, String> {
        let mut why = String::new();
        for name in NAMES {
            // SAFETY: isl has no initialisers with requirements of their own.
            let loaded = unsafe { libloading::Library::new(name) }.and_then(Library::of);
            match loaded {
                Ok(library) => return Ok(library),
                Err(error) => why = error.to_string(),
            }
        }
        Err(why)
    }
}
