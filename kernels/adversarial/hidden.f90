! Procedures of Fortran that look like something else: elements handed on, statement functions, generic names, signs, components, names that
! a module keeps to itself; common blocks that units lay out in different ways; lines of inner loops that never ran.
module kept
  implicit none
  real(8), private :: look(400) = 1
  real(8) :: w(400) = 2
  integer :: calls = 0
  type thing
    real(8) :: x = 1
  contains
    procedure :: asked => ask
  end type
  interface operator(+)
    module procedure joined
  end interface
  interface either
    module procedure counted
  end interface
contains
  function joined(a, b) result(c)
    type(thing), intent(in) :: a, b
    type(thing) :: c
    calls = calls + 1
    c%x = a%x + b%x + calls
  end function
  real(8) function counted(k)
    integer, intent(in) :: k
    calls = calls + 1
    counted = calls + k
  end function
  real(8) function ask(o, k)
    class(thing), intent(in) :: o
    integer, intent(in) :: k
    calls = calls + 1
    ask = o%x + calls + k
  end function
end module

program hidden
  use kept
  implicit none
  integer :: i, told
  real(8) :: b(400), d(400), x(10), through, z
  integer :: n(5)
  type(thing) :: o, p
  integer :: k, last
  common /parts/ k(10), last
  through(i) = look(i) + w(i)
  told = 0
  n = 0
  x = 0
  d = 1
  call laid_out(3, z)
  do i = 1, 400 != no
    call step(n(2))
    d(i) = n(2) + d(i)
  end do
  do i = 1, 400 != private|words|unknown
    call put(x(3), i)
    d(i) = d(i) + x(3)
  end do
  do i = 1, 400 != no
    b(i) = through(i)*2
  end do
  do i = 1, 400 != no
    b(i) = look(i) + w(i)
  end do
  do i = 1, 400 != no
    d(i) = d(i) + either(i)
  end do
  do i = 1, 400 != no
    p = o + o
    d(i) = d(i) + p%x
  end do
  do i = 1, 400 != no
    d(i) = d(i) + o%asked(i)
  end do
  do i = 1, 400 != no
    k(2) = k(2) + 1
    d(i) = d(i) + k(2)
  end do
  call never(b, d, 400, 2)
  print *, sum(b), sum(d), k(2), last, n, x, told, calls
contains
  real(8) function look(j)
    integer, intent(in) :: j
    told = told + 1
    look = told + j
  end function
  subroutine step(m)
    integer, intent(inout) :: m
    m = m + 1
  end subroutine
  subroutine put(y, j)
    real(8), intent(inout) :: y
    integer, intent(in) :: j
    y = j
  end subroutine
end program

subroutine laid_out(i, r)
  implicit none
  integer :: i, first, rest
  real(8) :: r
  common /parts/ first, rest(10)
  first = i
  rest(3) = first*2
  r = rest(3)
end subroutine

subroutine never(b, w, n, m)
  implicit none
  integer :: n, m, i, j
  real(8) :: b(n), w(n)
  do i = 2, n != yes|private ## none
    w(i) = w(i) + 2
    do j = 5, m
      b(i) = b(i-1) + j
    end do
  end do
  do i = 2, n != yes|private|no ## none
    j = 9
    do while (j < m)
      b(i) = b(i-1) + j
      j = j + 1
    end do
    w(i) = w(i) + 1
  end do
end subroutine
