! Smoothing of a field by the mean of its four neighbours, and the square of the difference, column-major as Fortran is.
!
! smooth, loops j and i: reads one field, writes the other: parallel.
! change, loops j and i: carry total alone: parallel as reductions.
module fields
  implicit none
contains
  subroutine smooth(n, a, b)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n)
    real(8), intent(inout) :: b(n, n)
    integer :: i, j
    do j = 2, n - 1 ! @j
      do i = 2, n - 1 ! @i
        b(i, j) = 0.25d0 * (a(i - 1, j) + a(i + 1, j) + a(i, j - 1) + a(i, j + 1)) ! @smooth-body
      end do
    end do
  end subroutine smooth

  function change(n, a, b) result(total)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n), b(n, n)
    real(8) :: total
    integer :: i, j
    total = 0d0
    do j = 1, n ! @change-j
      do i = 1, n ! @change-i
        total = total + (a(i, j) - b(i, j))**2 ! @change-body
      end do
    end do
  end function change
end module fields

program main
  use fields
  implicit none
  real(8), allocatable :: a(:, :), b(:, :)
  character(len=16) :: argument
  integer :: n, sweeps, i, j, s
  n = 50
  sweeps = 1
  if (command_argument_count() > 0) then
    call get_command_argument(1, argument)
    read (argument, *) n
  end if
  if (command_argument_count() > 1) then
    call get_command_argument(2, argument)
    read (argument, *) sweeps
  end if
  allocate (a(n, n), b(n, n))
  do j = 1, n
    do i = 1, n
      a(i, j) = mod(i * 7 + j * 3, 11)
      b(i, j) = 0d0
    end do
  end do
  do s = 1, sweeps
    call smooth(n, a, b)
    call smooth(n, b, a)
  end do
  print '(f16.6)', change(n, a, b)
end program main
