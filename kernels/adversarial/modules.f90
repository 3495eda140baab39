! Loops of Fortran around state: modules, saved variables, internal procedures, derived types, pointers, common blocks, equivalence.
module store
  implicit none
  integer :: top = 0
  integer :: stack(400)
  real(8) :: total = 0
  type cell
    real(8) :: u, f
    integer :: n
  end type
contains

  subroutine push(v)
    integer, intent(in) :: v
    top = top + 1
    stack(top) = v
  end subroutine

  integer function ticket()
    integer, save :: k = 0
    k = k + 1
    ticket = k
  end function

  real(8) function square(x)
    real(8), intent(in) :: x
    square = x * x
  end function

  subroutine add_total(x)
    real(8), intent(in) :: x
    total = total + x
  end subroutine

  subroutine next(s, x)
    integer, intent(inout) :: s
    integer, intent(out) :: x
    s = mod(s * 37 + 11, 1009)
    x = s
  end subroutine
end module

module loops
  use store
  implicit none
contains

  subroutine sweep(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 2, n != no
      a(i) = a(i) - 0.5d0 * a(i - 1)
    end do
  end subroutine

  subroutine smooth(b, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    integer :: i
    do i = 2, n - 1 != yes
      b(i) = (a(i - 1) + a(i + 1)) * 0.5d0
    end do
  end subroutine

  subroutine pushes(k, n)
    integer, intent(in) :: n, k(n)
    integer :: i
    do i = 1, n != no|induction
      call push(k(i))
    end do
  end subroutine

  subroutine tickets(o, n)
    integer, intent(in) :: n
    integer, intent(out) :: o(n)
    integer :: i
    do i = 1, n != no|induction
      o(i) = ticket()
    end do
  end subroutine

  subroutine squares(b, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    integer :: i
    do i = 1, n != yes
      b(i) = square(a(i)) + 1
    end do
  end subroutine

  subroutine totals(a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    integer :: i
    do i = 1, n != reduction|words
      call add_total(a(i))
    end do
  end subroutine

  subroutine totals_seen(b, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    integer :: i
    do i = 1, n != no
      call add_total(a(i))
      b(i) = total
    end do
  end subroutine

  subroutine generated(o, n)
    integer, intent(in) :: n
    integer, intent(out) :: o(n)
    integer :: i, s
    s = 5
    do i = 1, n != no
      call next(s, o(i))
    end do
  end subroutine

  subroutine internal(o, k, n)
    integer, intent(in) :: n, k(n)
    integer, intent(out) :: o(n)
    integer :: i, pos
    pos = 0
    do i = 1, n != no|induction
      call put(k(i))
    end do
  contains
    subroutine put(v)
      integer, intent(in) :: v
      pos = pos + 1
      o(pos) = v
    end subroutine
  end subroutine

  subroutine cells(c, n)
    integer, intent(in) :: n
    type(cell), intent(inout) :: c(n)
    integer :: i
    do i = 1, n != yes
      c(i)%u = c(i)%u + c(i)%f
      c(i)%n = c(i)%n + 1
    end do
  end subroutine

  subroutine cells_along(c, n)
    integer, intent(in) :: n
    type(cell), intent(inout) :: c(n)
    integer :: i
    do i = 2, n != no
      c(i)%u = c(i - 1)%u + c(i)%f
    end do
  end subroutine

  subroutine cell_sum(c, s, n)
    integer, intent(in) :: n
    type(cell), intent(in) :: c(n)
    type(cell), intent(inout) :: s
    integer :: i
    do i = 1, n != reduction|words
      s%u = s%u + c(i)%u
    end do
  end subroutine

  subroutine pointed(a, n)
    integer, intent(in) :: n
    real(8), intent(inout), target :: a(n)
    real(8), pointer :: p(:)
    integer :: i
    p => a(2:n)
    do i = 1, n - 1 != no
      p(i) = a(i) * 0.5d0 + 1
    end do
  end subroutine

  subroutine shifted(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    real(8) :: before, own
    before = 0
    do i = 1, n != no
      own = a(i)
      a(i) = own + before
      before = own
    end do
  end subroutine

  subroutine extremes(a, n, lo, hi, at)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(out) :: lo, hi
    integer, intent(out) :: at
    integer :: i
    lo = a(1)
    hi = a(1)
    at = 1
    do i = 2, n != reduction|no
      lo = min(lo, a(i))
      if (a(i) > hi) then
        hi = a(i)
        at = i
      end if
    end do
  end subroutine

  subroutine row_scratch(b, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    real(8) :: t(4)
    integer :: i, j
    do i = 1, n != private
      do j = 1, 4
        t(j) = a(i) * j
      end do
      b(i) = t(2) + t(4)
    end do
  end subroutine

  subroutine row_kept(b, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    real(8) :: t(4)
    integer :: i, j
    t = 0
    do i = 1, n != no
      do j = 1, mod(i, 5)
        t(j) = a(i) * j
      end do
      b(i) = t(2) + t(4)
    end do
  end subroutine

  subroutine compacted(o, k, n, m)
    integer, intent(in) :: n, k(n)
    integer, intent(out) :: o(n), m
    integer :: i
    m = 0
    do i = 1, n != no
      if (k(i) > 0) then
        m = m + 1
        o(m) = k(i)
      end if
    end do
  end subroutine

  subroutine common_counter(o, n)
    integer, intent(in) :: n
    integer, intent(out) :: o(n)
    integer :: i, count
    common /state/ count
    do i = 1, n != no|induction
      count = count + 2
      o(i) = count
    end do
  end subroutine

  subroutine common_callee(o, n)
    integer, intent(in) :: n
    integer, intent(out) :: o(n)
    integer :: i
    do i = 1, n != no|induction
      call advance(o(i))
    end do
  end subroutine

  subroutine advance(x)
    integer, intent(out) :: x
    integer :: count
    common /state/ count
    count = count + 1
    x = count
  end subroutine

  subroutine equivalent(o, k, n)
    integer, intent(in) :: n, k(n)
    integer, intent(out) :: o(n)
    integer :: i, s, t
    equivalence (s, t)
    s = 0
    do i = 1, n != no
      o(i) = t + k(i)
      s = k(i)
    end do
  end subroutine

  subroutine matrix(c, a, b, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n), b(n, n)
    real(8), intent(inout) :: c(n, n)
    integer :: i, j, k
    do j = 1, n != yes
      do i = 1, n != yes
        c(i, j) = 0
        do k = 1, n != reduction
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  subroutine recurrence_2d(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    do j = 2, n != no
      do i = 1, n != yes
        a(i, j) = a(i, j - 1) * 0.5d0 + 1
      end do
    end do
  end subroutine
end module

program modules
  use loops
  implicit none
  integer, parameter :: n = 60
  real(8) :: a(n), b(n), c(n, n), d(n, n), lo, hi
  integer :: o(n), k(n), i, m, at, count
  type(cell) :: t(n), s
  common /state/ count
  count = 0
  do i = 1, n
    a(i) = mod(i * 37, 101) / 8d0
    k(i) = mod(i * 53, 97) - 40
    t(i) = cell(i, 2 * i, 0)
  end do
  s = cell(0, 0, 0)
  b = 0
  call sweep(a, n)
  call smooth(b, a, n)
  call pushes(k, n)
  call tickets(o, n)
  call squares(b, a, n)
  call totals(a, n)
  call totals_seen(b, a, n)
  call generated(o, n)
  print *, top, stack(7), o(9), b(n), total
  call internal(o, k, n)
  call cells(t, n)
  call cells_along(t, n)
  call cell_sum(t, s, n)
  call pointed(a, n)
  call shifted(a, n)
  call extremes(a, n, lo, hi, at)
  call row_scratch(b, a, n)
  print *, o(9), t(n)%u, s%u, a(n), lo, hi, at, b(n)
  call row_kept(b, a, n)
  call compacted(o, k, n, m)
  print *, o(3), m, b(n)
  call common_counter(o, n)
  call common_callee(o, n)
  print *, o(n), count
  call equivalent(o, k, n)
  c = 1
  d = 2
  call matrix(c, d, d, n)
  call recurrence_2d(c, n)
  print *, o(n), c(7, n)
end program
