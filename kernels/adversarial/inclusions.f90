! Text that lies in other files: statements of a body, whole loops, functions that the compiler puts into the loop.
module parts
    implicit none
    integer :: drawn = 0
    real(8) :: total = 0
contains
    include 'parts.inc'
end module

module uses
    use parts
    implicit none
contains
    subroutine body_that_carries(a, b, n)
        real(8), intent(in) :: a(:)
        real(8), intent(inout) :: b(:)
        integer, intent(in) :: n
        real(8) :: t
        integer :: i
        t = 0
        do i = 1, n != no
            include 'carrying.inc'
        end do
    end subroutine
    subroutine body_that_does_not(a, b, n)
        real(8), intent(in) :: a(:)
        real(8), intent(inout) :: b(:)
        integer, intent(in) :: n
        real(8) :: u
        integer :: i
        do i = 1, n != private|yes
            include 'independent.inc'
        end do
    end subroutine
    subroutine keeps_a_level(b, a, n)
        real(8), intent(inout) :: b(:)
        real(8), intent(in) :: a(:)
        integer, intent(in) :: n
        integer :: i
        do i = 1, n != no
            call stepped(b(i), a(i))
        end do
    end subroutine
    subroutine keeps_nothing(b, a, n)
        real(8), intent(inout) :: b(:)
        real(8), intent(in) :: a(:)
        integer, intent(in) :: n
        integer :: i
        do i = 1, n != yes
            call doubled(b(i), a(i))
        end do
    end subroutine
    subroutine draws(k, n)
        integer, intent(inout) :: k(:)
        integer, intent(in) :: n
        integer :: i
        do i = 1, n != no
            call counted(k(i))
        end do
    end subroutine
    subroutine draws_now_and_then(k, n)
        integer, intent(inout) :: k(:)
        integer, intent(in) :: n
        integer :: i
        do i = 1, n != no
            if (mod(k(i), 3) == 0) call counted(k(i))
        end do
    end subroutine
    subroutine adds_up(a, n)
        real(8), intent(in) :: a(:)
        integer, intent(in) :: n
        integer :: i
        do i = 1, n != reduction|words
            call added(a(i))
        end do
    end subroutine
    subroutine adds_up_and_looks(b, a, n)
        real(8), intent(inout) :: b(:)
        real(8), intent(in) :: a(:)
        integer, intent(in) :: n
        integer :: i
        do i = 1, n != no
            call added(a(i))
            b(i) = total
        end do
    end subroutine
    subroutine halves(b, a, n)
        real(8), intent(inout) :: b(:)
        real(8), intent(in) :: a(:)
        integer, intent(in) :: n
        integer :: i
        do i = 1, n != yes
            b(i) = half(a(i))
        end do
    end subroutine
    subroutine halves_of_the_one_before(b, n)
        real(8), intent(inout) :: b(:)
        integer, intent(in) :: n
        integer :: i
        do i = 2, n != no
            b(i) = half(b(i - 1)) + b(i)
        end do
    end subroutine
    subroutine loops_elsewhere(a, b, n)
        real(8), intent(inout) :: a(:), b(:)
        integer, intent(in) :: n
        integer :: i
        include 'looped.inc'
    end subroutine
end module

program inclusions
    use uses
    implicit none
    integer, parameter :: n = 60
    real(8) :: a(n), b(n)
    integer :: k(n), i
    do i = 1, n
        a(i) = 0.5d0 + mod(i * 37, 101) / 8d0
        b(i) = 0
        k(i) = i
    end do
    call body_that_carries(a, b, n)
    print '(f12.4)', b(n)
    call body_that_does_not(a, b, n)
    print '(f12.4)', b(n)
    call keeps_a_level(b, a, n)
    print '(f12.4)', b(n)
    call keeps_nothing(b, a, n)
    print '(f12.4)', b(n)
    call draws(k, n)
    call draws_now_and_then(k, n)
    print '(i6)', k(n - 1)
    call adds_up(a, n)
    call adds_up_and_looks(b, a, n)
    print '(2f12.4)', total, b(n)
    call halves(b, a, n)
    call halves_of_the_one_before(b, n)
    print '(f12.4)', b(n)
    call loops_elsewhere(a, b, n)
    call smoothed(a, n)
    print '(2f12.4)', a(n), b(n)
end program
