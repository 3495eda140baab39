! Elements that threads choose by their number, by way of a function that a build without OpenMP has otherwise.
module ranks
contains
  integer function rank()
    !$ use omp_lib
    rank = 1
    !$ rank = omp_get_thread_num() + 1
  end function
  subroutine put(cell, x)
    real(8), intent(inout) :: cell
    real(8), intent(in) :: x
    cell = cell + x
  end subroutine
end module
program main
  use ranks
  implicit none
  integer, parameter :: n = 120
  real(8) :: x(n), part(64), other(64), s
  integer :: i, me
  do i = 1, n
    x(i) = mod(i * 31, 97)
  end do
  part = 0; other = 0; s = 0
  !$omp parallel private(me)
  me = rank()
  !$omp do
  do i = 1, n !@
    part(me) = part(me) + x(i)
  end do
  !$omp end do
  !$omp end parallel
  !$omp parallel do private(me)
  do i = 1, n !@
    me = rank()
    part(me) = part(me) + x(i)
  end do
  !$omp end parallel do
  !$omp parallel do
  do i = 1, n !@ reduction s
    s = s + x(i)
  end do
  !$omp end parallel do
  print '(3g0.8)', sum(part), sum(other), s
end program
