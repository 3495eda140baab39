      SUBROUTINE SUB(A,N)
C     a comment
      DOUBLE PRECISION A(N),S
      COMMON /X/ Y
      DO 10 I=1,N
        S=S+A(I)
     &    *2
   10 CONTINUE
      DO 20 I=1,N
      DO 20 J=1,N
   20 A(I)=0
c$omp parallel do
      DO I=1,N
        IF (A(I).GT.S) GOTO 30
        CALL FOO(I)
      ENDDO
   30 RETURN
      END
