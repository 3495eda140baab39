! Loops of Fortran: bounds, array expressions, sections, and what is carried.
module places
  implicit none
  integer :: filled = 0
  real(8) :: work(50)
contains

  subroutine lower_bounds(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(-3:n)
    integer :: i
    do i = -2, n != no
      a(i) = a(i - 1) * 0.5d0 + 1
    end do
  end subroutine

  subroutine zero_based(a, b, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(0:n), b(0:n)
    integer :: i
    do i = 0, n != yes
      a(i) = b(n - i) * 2
    end do
  end subroutine

  subroutine negative_step(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = n, 2, -1 != no
      a(i) = a(i - 1) + 1
    end do
  end subroutine

  subroutine strided(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 2, n, 2 != yes
      a(i) = a(i - 1) + 1
    end do
  end subroutine

  subroutine columns(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    do j = 1, n != yes|private
      do i = 2, n != no
        a(i, j) = a(i, j) + a(i - 1, j)
      end do
    end do
  end subroutine

  subroutine stencil(b, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n)
    real(8), intent(inout) :: b(n, n)
    integer :: i, j
    do j = 2, n - 1 != yes|private
      do i = 2, n - 1 != yes
        b(i, j) = 0.25d0 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1))
      end do
    end do
  end subroutine

  subroutine matrix_product(c, a, b, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n), b(n, n)
    real(8), intent(inout) :: c(n, n)
    integer :: i, j, k
    do j = 1, n != yes|private
      do k = 1, n != reduction
        do i = 1, n != yes
          c(i, j) = c(i, j) + a(i, k) * b(k, j)
        end do
      end do
    end do
  end subroutine

  function total(a, n) result(s)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8) :: s
    integer :: i
    s = 0
    do i = 1, n != reduction
      s = s + a(i)
    end do
  end function

  function largest(a, n) result(m)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8) :: m
    integer :: i
    m = a(1)
    do i = 2, n != reduction
      m = max(m, a(i))
    end do
  end function

  subroutine module_position(out, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: out(n)
    integer :: i
    do i = 1, n != induction
      filled = filled + 1
      out(filled) = a(i)
    end do
  end subroutine

  subroutine packed(out, a, n, k)
    integer, intent(in) :: n
    integer, intent(out) :: k
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: out(n)
    integer :: i
    k = 0
    do i = 1, n != no
      if (a(i) > 4) then
        k = k + 1
        out(k) = a(i)
      end if
    end do
  end subroutine

  subroutine module_row(out, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: out(n)
    integer :: i, j
    do i = 1, n != private
      do j = 1, 50 != yes
        work(j) = a(i) * j
      end do
      out(i) = work(1) + work(50)
    end do
  end subroutine

  subroutine scalar_temporary(out, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: out(n)
    real(8) :: t
    integer :: i
    do i = 1, n != private
      t = a(i) * 2
      out(i) = t * t
    end do
  end subroutine

  subroutine saved_variable(out, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: out(n)
    real(8), save :: kept = 1
    integer :: i
    do i = 1, n != no
      out(i) = kept
      kept = kept * 0.5d0 + i
    end do
  end subroutine

  subroutine block_scope(out, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: out(n)
    integer :: i
    do i = 1, n != yes
      block
        real(8) :: t(4)
        t(1) = a(i)
        t(4) = t(1) * 3
        out(i) = t(4)
      end block
    end do
  end subroutine

  subroutine row_expression(a, b, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n, n)
    real(8), intent(in) :: b(n, n)
    integer :: j
    do j = 1, n != yes
      a(:, j) = b(:, j) * 2 + 1
    end do
  end subroutine

  subroutine overlapping_sections(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: t
    do t = 1, 20 != no
      a(2:n) = a(1:n - 1) + 1
    end do
  end subroutine

  subroutine early_exit(a, n, at)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    integer, intent(out) :: at
    integer :: i
    at = 0
    do i = 1, n != no|exit
      if (a(i) > 11) then
        at = i
        exit
      end if
    end do
  end subroutine

  subroutine gathered(b, a, p, n)
    integer, intent(in) :: n, p(n)
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    integer :: i
    do i = 1, n != yes
      b(i) = a(p(i))
    end do
  end subroutine

  subroutine scattered(b, a, p, n)
    integer, intent(in) :: n, p(n)
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    integer :: i
    do i = 1, n != no
      b((p(i) + 1) / 2) = a(i)
    end do
  end subroutine

  subroutine tridiagonal(x, a, b, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n), b(n)
    real(8), intent(inout) :: x(n)
    integer :: i
    do i = 2, n != no
      x(i) = (x(i) - a(i) * x(i - 1)) / (b(i) + 10)
    end do
    do i = n - 1, 1, -1 != no
      x(i) = x(i) - a(i) * 0.01d0 * x(i + 1)
    end do
  end subroutine

  subroutine written(a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    integer :: i
    do i = 1, n != no
      write (*, '(f8.3)') a(i)
    end do
  end subroutine

  subroutine written_into_text(text, n)
    integer, intent(in) :: n
    character(8), intent(inout) :: text(n)
    integer :: i
    do i = 1, n != yes
      write (text(i), '(i8)') i * 3
    end do
  end subroutine

  elemental function smooth(x) result(y)
    real(8), intent(in) :: x
    real(8) :: y
    y = x / (1 + abs(x))
  end function

  subroutine elemental_calls(b, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    integer :: i
    do i = 1, n != yes
      b(i) = smooth(a(i)) + sin(a(i))
    end do
  end subroutine

  subroutine allocated_in_the_body(b, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    integer :: i
    do i = 1, n != yes
      block
        real(8), allocatable :: t(:)
        allocate (t(i))
        t = a(i)
        b(i) = sum(t)
        deallocate (t)
      end block
    end do
  end subroutine

  subroutine masked(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n, n)
    integer :: j
    do j = 1, n != yes
      where (a(:, j) > 5)
        a(:, j) = 5
      end where
    end do
  end subroutine

  subroutine concurrent_loop(b, a, n)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(inout) :: b(n)
    integer :: i
    do concurrent (i = 1:n) != yes
      b(i) = a(i) + 3
    end do
  end subroutine

  subroutine while_loop(a, n)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    i = 1
    do while (i <= n) != induction
      a(i) = i
      i = i + 1
    end do
  end subroutine

  subroutine first_last(a, n, first, last)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    integer, intent(out) :: first, last
    integer :: i
    first = 0
    last = 0
    do i = 1, n != no
      if (a(i) > 6) then
        if (first == 0) first = i
        last = i
      end if
    end do
  end subroutine

  subroutine histogram(h, p, n)
    integer, intent(in) :: n, p(n)
    integer, intent(inout) :: h(0:7)
    integer :: i
    do i = 1, n != reduction
      h(iand(p(i), 7)) = h(iand(p(i), 7)) + 1
    end do
  end subroutine
end module

program arrays
  use places
  implicit none
  integer, parameter :: n = 40
  real(8) :: a(0:n), b(0:n), c(n, n), d(n, n), low(-3:n), out(2 * n)
  integer :: i, j, k, p(n), h(0:7), first, last
  character(8) :: text(n)
  do i = 0, n
    a(i) = 0.5d0 + mod(i * 37, 101) / 8.0d0
    b(i) = a(i) + i
  end do
  do i = 1, n
    p(i) = mod(i * 7, n) + 1
    do j = 1, n
      c(i, j) = mod(i * 3 + j, 11)
      d(i, j) = mod(i + j * 5, 7)
    end do
  end do
  low = 1
  out = 0
  h = 0
  call lower_bounds(low, n)
  call zero_based(a, b, n)
  call negative_step(a(1), n)
  call strided(a(1), n)
  call columns(c, n)
  call stencil(d, c, n)
  call matrix_product(c, d, d, n)
  print '(4es12.4)', low(n), a(n), c(3, 4), d(5, 6)
  print '(2es12.4)', total(a(1), n), largest(a(1), n)
  call module_position(out, a(1), n)
  call packed(out, a(1), n, k)
  call module_row(out, a(1), n)
  call scalar_temporary(out, a(1), n)
  print '(i4, 2es12.4)', k, out(3), out(n)
  call saved_variable(out, n)
  call block_scope(b, a, n)
  call row_expression(c, d, n)
  call overlapping_sections(a(1), n)
  call early_exit(b(1), n, k)
  call gathered(b(1), a(1), p, n)
  call scattered(out, a(1), p, n)
  call tridiagonal(b(1), a(1), a(1), n)
  print '(i4, 3es12.4)', k, out(4), b(7), c(3, 3)
  call written(a(1), n)
  call written_into_text(text, n)
  call elemental_calls(b(1), a(1), n)
  call allocated_in_the_body(b(1), a(1), n)
  call masked(c, n)
  call concurrent_loop(b(1), a(1), n)
  call while_loop(a(1), n)
  call first_last(b(1), n, first, last)
  call histogram(h, p, n)
  print '(a, 2i4, 8i3, 2es12.4)', text(n), first, last, h, a(n), b(n)
end program
