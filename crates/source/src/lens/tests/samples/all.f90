module m
  implicit none
  integer, parameter :: n = 10
  real(8), save :: acc, tab(100)
  common /blk/ cx, cy
contains
  subroutine foo(a, b, k)
    real(8), intent(inout) :: a(:,:)
    real(8), dimension(10) :: b
    integer, intent(in) :: k
    integer :: i, j; real(8) :: s = 0.0, t
    integer, allocatable :: w(:)
    real, pointer :: p(:)
    type(pt) :: q
    !$omp parallel do private(j) &
    !$omp reduction(+:s)
    do i = 1, n, 2
      do j = i, k
        a(i,j) = b(j)*2 + q%x
        if (a(i,j) > s) s = a(i,j)
        if (a(i,j) .gt. t .and. .not. ok) then
          t = max(t, a(i,j)); cycle
        else if (x == 1) then
          exit
        else
          return
        end if
      end do
      call bar(a(i,1), s)
    end do
    !$omp end parallel do
    outer: do while (s < 10)
      s = s + f(s)
      exit outer
    end do outer
    do
      if (x) exit
    end do
    do 10 i = 1, n
      s = s + b(i)
10  continue
    do 20 i = 1, n
20  b(i) = 0
    do concurrent (i = 1:n, j = 1:k, i /= j) local(t) reduce(+:s)
      a(i,j) = 0
    end do
    forall (i = 1:n) b(i) = i
    forall (i = 1:n:2, j = 1:3)
      a(i,j) = 1
    end forall
    a(:,1) = b(:) + 1
    b = b * 2
    where (b > 0) b = 1
    where (b > 0)
      b = 1
    elsewhere
      b = 2
    end where
    select case (k)
    case (1); s = 1
    case default; s = 2
    end select
    read(*,*) s, b(1)
    write(*,*) s
    print *, s
    goto 30
30  stop
    allocate(w(10))
    s = sum((/ (i*2, i=1,10) /))
    q%x = q%x + 1
    q%arr(i) = 3
    associate (z => a(1,1))
      z = 1
    end associate
    block
      integer :: loc
      loc = 1
    end block
  end subroutine
  function f(x) result(r)
    real :: x, r
    r = x
  end function
end module
program main
  integer i
  do i=1,3
  enddo
end program
