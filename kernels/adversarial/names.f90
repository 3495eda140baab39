! Fortran: names that share storage, procedures with memory, old loop forms, pointers.
module shapes
  implicit none
  integer :: counter = 0
  real(8), target :: pool(200)
  type :: particle
    real(8) :: x, v
    integer :: id
  end type
contains

  subroutine common_position(out, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: out(n)
    integer :: k, i
    common /place/ k
    do i = 1, n != induction
      k = k + 1
      out(k) = a(i)
    end do
  end subroutine

  subroutine equivalent_names(out, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: out(n)
    real(8) :: s, t
    integer :: i
    equivalence (s, t)
    s = 0
    do i = 1, n != no
      out(i) = s
      t = a(i)
    end do
  end subroutine

  subroutine through_pointers(a, n)
    integer, intent(in) :: n
    real(8), intent(inout), target :: a(n)
    real(8), pointer :: p(:), q(:)
    integer :: i
    p => a(2:n)
    q => a(1:n - 1)
    do i = 1, n - 1 != no
      p(i) = q(i) + 1
    end do
  end subroutine

  subroutine pointers_apart(a, n)
    integer, intent(in) :: n
    real(8), intent(inout), target :: a(n)
    real(8), pointer :: p(:), q(:)
    integer :: i
    p => a(1:n:2)
    q => a(2:n:2)
    do i = 1, n / 2 != yes
      p(i) = q(i) * 2
    end do
  end subroutine

  integer function next_id()
    integer, save :: last = 0
    last = last + 1
    next_id = last
  end function

  subroutine ids(p, n)
    integer, intent(in) :: n
    type(particle), intent(inout) :: p(n)
    integer :: i
    do i = 1, n != no|folded
      p(i)%id = next_id()
    end do
  end subroutine

  real(8) function difference(x)
    real(8), intent(in) :: x
    real(8), save :: before = 0
    difference = x - before
    before = x
  end function

  subroutine differences(out, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: out(n)
    integer :: i
    do i = 1, n != no
      out(i) = difference(a(i))
    end do
  end subroutine

  subroutine labelled(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do 10 i = 2, n != no
      a(i) = a(i) + a(i - 1)
10  continue
  end subroutine

  subroutine labelled_independent(a, b, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n), b(n)
    integer :: i
    do 20 i = 1, n != yes
      if (b(i) < 3) go to 20
      a(i) = b(i) * 2
20  continue
  end subroutine

  subroutine skipped_assignment(out, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: out(n)
    real(8) :: t
    integer :: i
    t = 0
    do i = 1, n != no
      if (a(i) > 1000) go to 30
      t = a(i)
30    out(i) = t
    end do
  end subroutine

  subroutine one_line_if(out, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: out(n)
    real(8) :: t
    integer :: i
    t = 0
    do i = 1, n != no
      if (a(i) < 1000) t = a(i)
      out(i) = t
    end do
  end subroutine

  subroutine selected(out, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: out(n)
    real(8) :: t
    integer :: i
    t = 0
    do i = 1, n != no
      select case (int(a(i)))
      case (:999)
        t = a(i)
      case default
      end select
      out(i) = t
    end do
  end subroutine

  subroutine move(p, n, h)
    integer, intent(in) :: n
    type(particle), intent(inout) :: p(n)
    real(8), intent(in) :: h
    integer :: i
    do i = 1, n != yes
      p(i)%x = p(i)%x + h * p(i)%v
      if (p(i)%x > 5) p(i)%v = -p(i)%v
    end do
  end subroutine

  subroutine associated_names(out, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: out(n)
    integer :: i
    associate (k => counter)
      do i = 1, n != induction|no
        k = k + 1
        out(k) = a(i)
      end do
    end associate
  end subroutine

  subroutine set_value(t, x)
    real(8), intent(out) :: t
    real(8), intent(in) :: x
    t = x * 2
  end subroutine

  subroutine out_argument(out, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: out(n)
    real(8) :: t
    integer :: i
    do i = 1, n != private
      call set_value(t, a(i))
      out(i) = t
    end do
  end subroutine

  subroutine accumulate(s, x)
    real(8), intent(inout) :: s
    real(8), intent(in) :: x
    s = s + x
  end subroutine

  subroutine inout_argument(s, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: s
    integer :: i
    do i = 1, n != words
      call accumulate(s, a(i))
    end do
  end subroutine

  subroutine whole_sums(s, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n)
    real(8), intent(inout) :: s(n)
    integer :: j
    do j = 1, n != reduction
      s = s + a(:, j)
    end do
  end subroutine

  subroutine shifted_rows(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n, n)
    integer :: j
    do j = 2, n != no
      a(:, j) = a(:, j - 1) + 1
    end do
  end subroutine

  subroutine cyclic(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n, n)
    integer :: j
    do j = 1, n != yes
      a(:, j) = cshift(a(:, j), 1)
    end do
  end subroutine

  subroutine dot_products(c, a, b, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n), b(n, n)
    real(8), intent(inout) :: c(n)
    integer :: j
    do j = 1, n != yes
      c(j) = dot_product(a(:, j), b(:, j)) + maxval(a(:, j))
    end do
  end subroutine

  function index_of_largest(a, n) result(at)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    integer :: at, i
    at = 1
    do i = 2, n != reduction|no
      if (a(i) > a(at)) at = i
    end do
  end function

  subroutine nested_named(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    outer: do j = 1, n != yes|private
      inner: do i = 1, n != yes|exit
        if (i > j) cycle outer
        a(i, j) = i + j
      end do inner
    end do outer
  end subroutine

  subroutine random_values(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 1, n != no
      call random_number(a(i))
    end do
  end subroutine

  subroutine read_values(a, text, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    character(8), intent(in) :: text(n)
    integer :: i
    do i = 1, n != yes
      read (text(i), '(f8.3)') a(i)
    end do
  end subroutine

  recursive function depth_of(k) result(d)
    integer, intent(in) :: k
    integer :: d
    d = 0
    if (k > 1) d = 1 + depth_of(k / 2)
  end function

  subroutine depths(out, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: out(n)
    integer :: i
    do i = 1, n != yes
      out(i) = depth_of(i)
    end do
  end subroutine

  subroutine prefix(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    real(8) :: s
    integer :: i
    s = 0
    do i = 1, n != no
      s = s + a(i)
      a(i) = s
    end do
  end subroutine

  subroutine logical_flag(a, n, any_large)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    logical, intent(out) :: any_large
    integer :: i
    any_large = .false.
    do i = 1, n != flag
      if (a(i) > 9) any_large = .true.
    end do
  end subroutine
end module

program names
  use shapes
  implicit none
  integer, parameter :: n = 40
  real(8) :: a(n), out(2 * n), c(n, n), d(n, n), s
  type(particle) :: p(n)
  character(8) :: text(n)
  logical :: large
  integer :: i, j, k
  common /place/ k
  k = 0
  out = 0
  do i = 1, n
    a(i) = 0.5d0 + mod(i * 37, 101) / 8.0d0
    p(i) = particle(i * 0.25d0, i - 20.0d0, 0)
    write (text(i), '(f8.3)') a(i)
    do j = 1, n
      c(i, j) = mod(i * 3 + j, 11)
      d(i, j) = mod(i + j * 5, 7)
    end do
  end do
  call common_position(out, a, n)
  call equivalent_names(out, a, n)
  call through_pointers(a, n)
  call pointers_apart(a, n)
  call ids(p, n)
  call differences(out, a, n)
  print '(2i4, 2es12.4)', k, p(n)%id, out(n), a(n)
  call labelled(a, n)
  call labelled_independent(a, out(1:n), n)
  call skipped_assignment(out, a, n)
  call one_line_if(out(n + 1:), a, n)
  call selected(out, a, n)
  print '(3es12.4)', a(n), out(n), out(2 * n)
  call move(p, n, 0.1d0)
  call associated_names(out, a, n)
  call out_argument(out(n + 1:), a, n)
  s = 0
  call inout_argument(s, a, n)
  print '(i4, 4es12.4)', counter, s, out(3), out(n + 4), p(7)%x
  call whole_sums(out, c, n)
  call shifted_rows(c, n)
  call cyclic(d, n)
  call dot_products(out(n + 1:), c, d, n)
  print '(i4, 3es12.4)', index_of_largest(out, n), out(4), out(n + 5), c(3, n)
  call nested_named(c, n)
  call random_values(a, n)
  call read_values(a, text, n)
  call depths(out, n)
  call prefix(a, n)
  call logical_flag(a, n, large)
  print '(l2, 3es12.4)', large, a(n), out(n), c(3, 5)
end program
