; As opt 18 writes it: records of variables are calls, and nothing else differs.
source_filename = "twice.c"
target datalayout = "e-m:e-p270:32:32-p271:32:32-p272:64:64-i64:64-i128:128-f80:128-n8:16:32:64-S128"

define dso_local i32 @twice(i32 noundef %x) #0 !dbg !4 {
entry:
  call void @llvm.dbg.value(metadata i32 %x, metadata !8, metadata !DIExpression()), !dbg !10
  %mul = mul nsw i32 2, %x, !dbg !11
  call void @llvm.dbg.value(metadata i32 %mul, metadata !9, metadata !DIExpression()), !dbg !10
  ret i32 %mul, !dbg !12
}

declare void @llvm.dbg.value(metadata, metadata, metadata) #1

attributes #0 = { nounwind uwtable "no-trapping-math"="true" }
attributes #1 = { nocallback nofree nosync nounwind speculatable willreturn memory(none) }

!llvm.dbg.cu = !{!0}
!0 = distinct !DICompileUnit(language: DW_LANG_C11, file: !1, producer: "clang", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug)
!1 = !DIFile(filename: "twice.c", directory: "/src")
!4 = distinct !DISubprogram(name: "twice", scope: !1, file: !1, line: 1, type: !5, scopeLine: 1, unit: !0, retainedNodes: !7)
!5 = !DISubroutineType(types: !6)
!6 = !{!13, !13}
!7 = !{!8, !9}
!8 = !DILocalVariable(name: "x", arg: 1, scope: !4, file: !1, line: 1, type: !13)
!9 = !DILocalVariable(name: "y", scope: !4, file: !1, line: 2, type: !13)
!10 = !DILocation(line: 0, scope: !4)
!11 = !DILocation(line: 2, column: 15, scope: !4)
!12 = !DILocation(line: 3, column: 5, scope: !4)
!13 = !DIBasicType(name: "int", size: 32, encoding: DW_ATE_signed)
