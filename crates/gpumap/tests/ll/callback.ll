; What clang writes of a call of OpenMP's runtime: metadata stand before the type.
define void @f(ptr %x) personality ptr @__gxx_personality_v0 {
entry:
  invoke void (ptr, i32, ptr, ...) @__kmpc_fork_call(ptr %x, i32 1, ptr @f)
          to label %done unwind label %caught
done:
  ret void
caught:
  %pad = landingpad { ptr, i32 }
          cleanup
          catch ptr null
  resume { ptr, i32 } %pad
}
define i32 @g(i32 %x) {
entry:
  %y = frobnicate i32 %x
  ret i32 %y
}
declare i32 @__gxx_personality_v0(...)
declare !callback !0 void @__kmpc_fork_call(ptr, i32, ptr, ...) #0
attributes #0 = { nounwind }
!0 = !{!1}
!1 = !{i64 2, i64 -1, i64 -1, i1 true}
