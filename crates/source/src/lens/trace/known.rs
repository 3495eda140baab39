//! Functions whose names say what they do.

use profile::lens::{Language, Operator};

/// The operator that a function of two operands applies.
pub(in super::super) fn operator(function: &str) -> Option<Operator> {
    Some(match function.to_ascii_lowercase().as_str() {
        "max" | "fmax" | "fmaxf" | "fmaxl" | "amax1" | "dmax1" | "max0" | "umax" | "imax" => {
            Operator::Maximum
        }
        "min" | "fmin" | "fminf" | "fminl" | "amin1" | "dmin1" | "min0" | "umin" | "imin" => {
            Operator::Minimum
        }
        "wrapping_add" => Operator::Add,
        "wrapping_sub" => Operator::Subtract,
        "wrapping_mul" => Operator::Multiply,
        "iand" => Operator::And,
        "ior" => Operator::Or,
        "ieor" => Operator::Xor,
        _ => return None,
    })
}

/// Whether a function computes `a * b + c`.
pub(super) fn is_multiply_add(function: &str) -> bool {
    matches!(function, "fma" | "fmaf" | "fmal" | "mul_add")
}

/// Whether a call of it ends the program, or leaves the function in a way that is not seen.
pub(super) fn is_exit(function: &str) -> bool {
    matches!(
        function.rsplit("::").next().unwrap_or(function),
        "exit" | "_exit" | "_Exit" | "quick_exit" | "abort" | "longjmp" | "siglongjmp" | "terminate"
    )
}

/// Whether a function of the library of C++ may write an argument that it is handed by its name.
pub(in super::super) fn writes_argument(function: &str, argument: usize) -> bool {
    // `invoke` and `apply` hand them on to what they are handed first.
    let name = function.strip_prefix("std::").unwrap_or(function);
    let name = name.split('<').next().unwrap_or(name);
    match name {
        "exchange" | "advance" => argument == 0,
        _ => matches!(name, "swap" | "iter_swap" | "invoke" | "invoke_r" | "apply" | "tie"),
    }
}

/// Whether a function takes its arguments by value or for reading alone, in every library that is in use.
pub(in super::super) fn takes_values(function: &str, language: Language) -> bool {
    let name = function.rsplit("::").next().unwrap_or(function);
    let lower = name.to_ascii_lowercase();
    let stem = match lower.strip_suffix(['f', 'l']) {
        Some(stem) if is_mathematical(stem) => stem,
        _ => lower.as_str(),
    };
    if is_mathematical(stem) || operator(name).is_some() || is_multiply_add(name) {
        return true;
    }
    match language {
        Language::Fortran | Language::FixedFortran => is_intrinsic(&lower),
        Language::Rust => true,
        Language::C | Language::Cpp => matches!(
            name,
            "printf"
                | "fprintf"
                | "puts"
                | "putchar"
                | "malloc"
                | "calloc"
                | "realloc"
                | "free"
                | "memcpy"
                | "memset"
                | "memmove"
                | "memcmp"
                | "strlen"
                | "strcmp"
                | "strncmp"
                | "strcpy"
                | "strncpy"
                | "rand"
                | "drand48"
                | "random"
                | "isdigit"
                | "isalpha"
                | "isspace"
                | "toupper"
                | "tolower"
                | "atoi"
                | "atof"
                | "isnan"
                | "isinf"
                | "isfinite"
                | "signbit"
                | "assert"
                | "labs"
                | "llabs"
                | "to_string"
                | "norm"
                | "real"
                | "imag"
                | "conj"
                | "clamp"
                | "size_t"
                | "int64_t"
                | "uint64_t"
                | "int32_t"
                | "uint32_t"
                | "make_pair"
                | "make_tuple"
        ),
    }
}

/// Whether a name is one of a type, whatever is declared.
pub(in super::super) fn is_type(name: &str) -> bool {
    let name = name.rsplit("::").next().unwrap_or(name);
    name.ends_with("_t")
        || name.ends_with("_type")
        || matches!(name, "bool" | "char" | "short" | "int" | "unsigned" | "long" | "float" | "double")
}

/// Whether a function or macro is of the standard library of C, or of the compiler: its state lies in the library, where
/// the run shows it. `va_arg` is not among them: it moves a variable of the program.
pub(super) fn is_of_c(name: &str) -> bool {
    const NAMES: &str = "isalnum iscntrl isgraph islower isprint ispunct isupper isxdigit tolower toupper atoi atol atoll \
        atof strtol strtoll strtoul strtoull strtof strtod strtold bsearch qsort labs llabs div ldiv \
        strcat strncat strchr strrchr strstr strspn strcspn strpbrk strtok strdup strndup strnlen memchr \
        getc putc getchar fgetc fputc fputs fgets fread fwrite fopen fclose fflush sprintf snprintf \
        scanf sscanf fscanf perror vprintf vfprintf vsnprintf srand srandom srand48 isnan isinf isfinite \
        isnormal signbit fpclassify isgreater isless islessgreater isunordered frexp ldexp modf scalbn \
        scalbln ilogb logb fdim fma fmaf nan lrint llrint erf erfc tgamma lgamma remquo sincos clock \
        time difftime clock_gettime gettimeofday assert static_assert va_start va_end va_copy offsetof \
        cabs carg cexp clog cpow csqrt csin ccos ctan csinh ccosh ctanh conj cproj creal cimag \
        cabsf cargf cexpf clogf cpowf csqrtf csinf ccosf conjf crealf cimagf \
        alloca abort exit getenv aligned_alloc posix_memalign";
    const STARTS: &[&str] = &["__builtin_", "__sync_", "__atomic_", "atomic_", "_mm", "omp_", "pthread_"];
    NAMES.split(' ').any(|own| own == name) || STARTS.iter().any(|start| name.starts_with(start))
}

pub(super) fn is_mathematical(name: &str) -> bool {
    matches!(
        name,
        "sqrt"
            | "cbrt"
            | "abs"
            | "fabs"
            | "exp"
            | "exp2"
            | "expm1"
            | "log"
            | "log2"
            | "log10"
            | "log1p"
            | "sin"
            | "cos"
            | "tan"
            | "asin"
            | "acos"
            | "atan"
            | "atan2"
            | "sinh"
            | "cosh"
            | "tanh"
            | "pow"
            | "floor"
            | "ceil"
            | "round"
            | "trunc"
            | "rint"
            | "nearbyint"
            | "lround"
            | "llround"
            | "fmod"
            | "remainder"
            | "hypot"
            | "copysign"
            | "erf"
            | "erfc"
            | "tgamma"
            | "lgamma"
            | "ldexp"
    )
}

/// Intrinsic functions of Fortran that write none of their arguments.
pub(in super::super) fn is_intrinsic(name: &str) -> bool {
    is_mathematical(name)
        || operator(name).is_some()
        || matches!(
            name,
            "mod"
                | "modulo"
                | "int"
                | "nint"
                | "real"
                | "dble"
                | "float"
                | "cmplx"
                | "dcmplx"
                | "aimag"
                | "conjg"
                | "sign"
                | "dabs"
                | "dsqrt"
                | "dexp"
                | "dlog"
                | "dsin"
                | "dcos"
                | "dtan"
                | "datan"
                | "iabs"
                | "alog"
                | "amod"
                | "dmod"
                | "ifix"
                | "idint"
                | "sngl"
                | "aint"
                | "anint"
                | "dim"
                | "size"
                | "shape"
                | "lbound"
                | "ubound"
                | "sum"
                | "product"
                | "maxval"
                | "minval"
                | "maxloc"
                | "minloc"
                | "dot_product"
                | "matmul"
                | "transpose"
                | "reshape"
                | "spread"
                | "merge"
                | "pack"
                | "any"
                | "all"
                | "count"
                | "present"
                | "allocated"
                | "associated"
                | "len"
                | "len_trim"
                | "trim"
                | "adjustl"
                | "char"
                | "ichar"
                | "achar"
                | "iachar"
                | "index"
                | "kind"
                | "huge"
                | "tiny"
                | "epsilon"
                | "ishft"
                | "ibits"
                | "btest"
                | "not"
                | "ibset"
                | "ibclr"
                | "selected_real_kind"
                | "bit_size"
                | "logical"
                | "repeat"
                | "scan"
                | "verify"
                | "cshift"
                | "eoshift"
                | "norm2"
                | "atan2"
        )
}

/// Whether a method leaves its object unchanged, whatever the object is.
pub(in super::super) fn only_reads(method: &str) -> bool {
    operator(method).is_some()
        || is_mathematical(method)
        || is_multiply_add(method)
        || matches!(
            method,
            "size"
                | "length"
                | "empty"
                | "c_str"
                | "count"
                | "find"
                | "capacity"
                | "max_size"
                | "cbegin"
                | "cend"
                | "end"
                | "has_value"
                | "first"
                | "substr"
                | "compare"
                | "rows"
                | "cols"
                | "norm"
                | "dot"
                | "len"
                | "is_empty"
                | "iter"
                | "clone"
                | "get"
                | "contains"
                | "contains_key"
                | "to_vec"
                | "to_owned"
                | "to_string"
                | "as_str"
                | "as_slice"
                | "as_ref"
                | "is_some"
                | "is_none"
                | "is_ok"
                | "is_err"
                | "chars"
                | "bytes"
                | "last"
                | "powi"
                | "powf"
                | "signum"
                | "is_nan"
                | "cmp"
                | "partial_cmp"
                | "eq"
                | "ne"
                | "lt"
                | "le"
                | "gt"
                | "ge"
                | "keys"
                | "values"
                | "windows"
                | "chunks"
                | "as_bytes"
                | "starts_with"
                | "ends_with"
                | "copied"
                | "cloned"
                | "min"
                | "max"
                | "abs_diff"
                | "pow"
                | "ln"
                | "checked_add"
                | "checked_sub"
                | "checked_mul"
                | "saturating_add"
                | "saturating_sub"
                | "count_ones"
                | "wrapping_add"
                | "wrapping_sub"
                | "wrapping_mul"
                | "leading_zeros"
                | "trailing_zeros"
                | "rotate_left"
                | "is_finite"
                | "unwrap"
                | "expect"
                | "unwrap_or"
                | "position"
                | "split_at"
                | "rem_euclid"
                | "recip"
        )
}

/// Whether a method of the containers of C++ only says where elements are.
pub(super) fn gives_places(method: &str) -> bool {
    matches!(method, "begin" | "rbegin" | "rend" | "data" | "front" | "back" | "at")
}

/// Whether a method of Rust changes what it is called on although that cannot be assigned.
pub(super) fn changes_inside(method: &str) -> bool {
    matches!(
        method,
        "set"
            | "replace"
            | "borrow_mut"
            | "fetch_add"
            | "fetch_sub"
            | "fetch_max"
            | "fetch_min"
            | "store"
            | "lock"
            | "write"
            | "get_mut"
            | "update"
    )
}

/// Whether a name is written as names of macros are.
pub(super) fn is_in_capitals(name: &str) -> bool {
    name.len() > 1
        && name.chars().any(|c| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// Whether a macro of Rust reads its arguments and nothing else.
pub(super) fn is_harmless_macro(name: &str) -> bool {
    matches!(
        name,
        "println!"
            | "print!"
            | "eprintln!"
            | "eprint!"
            | "format!"
            | "write!"
            | "writeln!"
            | "panic!"
            | "assert!"
            | "assert_eq!"
            | "assert_ne!"
            | "debug_assert!"
            | "debug_assert_eq!"
            | "debug_assert_ne!"
            | "vec!"
            | "unreachable!"
            | "todo!"
            | "unimplemented!"
            | "matches!"
            | "dbg!"
            | "concat!"
            | "stringify!"
            | "env!"
            | "include_str!"
            | "include_bytes!"
            | "cfg!"
            | "line!"
            | "file!"
            | "trace!"
            | "debug!"
            | "info!"
            | "warn!"
            | "error!"
            | "anyhow!"
            | "bail!"
            | "ensure!"
    )
}

/// The argument that a function of a library copies to from another one.
pub(super) fn written_by_copy(function: &str) -> Option<usize> {
    match function.rsplit("::").next()? {
        "memcpy" | "memmove" | "strcpy" | "strncpy" | "mempcpy" | "wmemcpy" | "__builtin_memcpy" => Some(0),
        "copy" | "copy_n" | "copy_backward" | "move_backward" => Some(2),
        _ => None,
    }
}
