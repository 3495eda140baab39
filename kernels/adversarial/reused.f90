! Elements that compilers keep in a register for the next iteration, and counters handed on by address.
module reused_elements
  implicit none
  integer, parameter :: n = 40
  real(8) :: u(n, n), v(n, n), w(n)
contains

  subroutine one_column()
    integer :: i
    do i = 2, n - 1 != yes
      v(i, 1) = u(i - 1, 1) + u(i + 1, 1)
    end do
  end subroutine

  subroutine jacobi()
    integer :: i, j
    do j = 2, n - 1 != yes
      do i = 2, n - 1 != yes
        v(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
  end subroutine

  subroutine in_place()
    integer :: i, j
    do j = 2, n - 1 != no
      do i = 2, n - 1 != no
        u(i, j) = 0.25d0 * (u(i - 1, j) + u(i + 1, j) + u(i, j - 1) + u(i, j + 1))
      end do
    end do
  end subroutine

  subroutine the_one_before()
    integer :: i
    real(8) :: before, now
    before = w(1)
    do i = 2, n != no
      now = w(i)
      v(i, 2) = before + now
      before = now
    end do
  end subroutine

  real(8) function largest()
    integer :: i, j
    largest = 0
    do j = 1, n != reduction
      do i = 1, n != reduction
        largest = max(largest, abs(u(i, j)))
      end do
    end do
  end function

  subroutine by_address()
    integer :: j
    do j = 1, n != yes
      call put(w, j)
    end do
  end subroutine

  subroutine put(to, k)
    real(8) :: to(:)
    integer :: k
    to(k) = k * 2
  end subroutine

  subroutine advanced_by_another()
    integer :: j, k
    k = 0
    do j = 1, n / 2 != no
      call advance(w, k)
    end do
  end subroutine

  subroutine advance(to, k)
    real(8) :: to(:)
    integer :: k
    k = k + 1
    to(k) = to(k) + k
  end subroutine
end module

program main
  use reused_elements
  implicit none
  integer :: i, j
  do j = 1, n
    do i = 1, n
      u(i, j) = mod(i * j, 17)
    end do
  end do
  w = 1
  call one_column()
  call jacobi()
  call in_place()
  call the_one_before()
  call by_address()
  call advanced_by_another()
  print *, largest(), sum(v), sum(w)
end program
