! Assignments that procedures of the program make.
module tallies
  implicit none
  integer, parameter :: dp = kind(1d0)
  type tally
    real(dp) :: last = 0
    integer :: times = 0
  end type
  type copy
    real(dp) :: value = 0
  end type
  interface assignment(=)
    module procedure set_tally
    module procedure set_copy
  end interface
contains
  elemental subroutine set_tally(t, x)
    type(tally), intent(inout) :: t
    real(dp), intent(in) :: x
    t%last = x
    t%times = t%times + 1
  end subroutine
  elemental subroutine set_copy(c, x)
    type(copy), intent(out) :: c
    real(dp), intent(in) :: x
    c%value = x
  end subroutine
end module

program main
  use tallies
  implicit none
  integer, parameter :: n = 200
  type(tally) :: t
  real(dp) :: a(n), b(n)
  integer :: i
  do i = 1, n != yes
    a(i) = mod(i * 37, 101) + 0.5_dp
  end do
  do i = 1, n != no|reduction ## none
    t = a(i)
    b(i) = t%last * 2
  end do
  print *, t%times, sum(b)
end program
