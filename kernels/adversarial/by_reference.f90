! Scalars that procedures take by reference: only read, though they do not say so, or changed.
module calls
  implicit none
contains

  subroutine scale(is, n, x)
    integer :: is, n, i
    real(8) :: x(n)
    do i = 1, n != yes
      if (is >= 1) then
        x(i) = 2 * x(i)
      else
        x(i) = -x(i)
      end if
    end do
  end subroutine

  subroutine hands_on(is, n, x)
    integer :: is, n
    real(8) :: x(n)
    call scale(is, n, x)
  end subroutine

  subroutine turns(is, n, x)
    integer :: is, n, i
    real(8) :: x(n)
    is = -is
    do i = 1, n != yes
      x(i) = is * x(i)
    end do
  end subroutine

  subroutine turns_inside(is, n, x)
    integer :: is, n
    real(8) :: x(n)
    call turns(is, n, x)
  end subroutine

  subroutine sets(is, n, x)
    integer :: is, n
    real(8) :: x(n)
    is = n + int(x(2))
    x(1) = is
  end subroutine

  subroutine only_read(is, n, m, a)
    integer :: is, n, m, k
    real(8) :: a(n, m)
    do k = 1, m != yes
      call scale(is, n, a(1, k))
    end do
  end subroutine

  subroutine read_by_others(is, n, m, a)
    integer :: is, n, m, k
    real(8) :: a(n, m)
    do k = 1, m != yes
      call hands_on(is, n, a(1, k))
    end do
  end subroutine

  subroutine changed(is, n, m, a)
    integer :: is, n, m, k
    real(8) :: a(n, m)
    do k = 1, m != no
      call turns(is, n, a(1, k))
    end do
  end subroutine

  subroutine changed_by_others(is, n, m, a)
    integer :: is, n, m, k
    real(8) :: a(n, m)
    do k = 1, m != no
      call turns_inside(is, n, a(1, k))
    end do
  end subroutine

  subroutine set_by_each(n, m, a)
    integer :: n, m, k, is
    real(8) :: a(n, m)
    do k = 1, m != private
      call sets(is, n, a(1, k))
      a(2, k) = is
    end do
  end subroutine

  subroutine own_row(n, m, a)
    integer :: n, m, k, i
    real(8) :: a(n, m), w(40)
    do k = 1, m != private
      do i = 1, n != yes
        w(i) = 2 * a(i, k)
      end do
      call scale(k, n, w)
      do i = 2, n != yes
        a(i, k) = w(i) + w(i - 1)
      end do
    end do
  end subroutine

  subroutine row_of_before(n, m, a)
    integer :: n, m, k, i
    real(8) :: a(n, m), w(40)
    w = 1
    do k = 1, m != no
      call scale(k, n, w)
      do i = 2, n != yes
        a(i, k) = w(i) + w(i - 1)
      end do
    end do
  end subroutine
end module

program main
  use calls
  implicit none
  real(8) :: a(40, 60)
  integer :: is
  a = 1.5d0
  is = 1
  call only_read(is, 40, 60, a)
  call read_by_others(is, 40, 60, a)
  call changed(is, 40, 60, a)
  call changed_by_others(is, 40, 60, a)
  call set_by_each(40, 60, a)
  call own_row(40, 60, a)
  call row_of_before(40, 60, a)
  print *, sum(a)
end program
