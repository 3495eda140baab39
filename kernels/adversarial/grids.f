c     Loops of fixed form over arrays of common blocks that a text declares which every unit includes.
      program grids
      implicit none
      include 'grids.inc'
      integer m
      double precision rms(5), s
      call fill
      call derived
      call stencil
      call lines
      call columns
      call swept
      call added
      call norms(rms)
      call by_threads(s)
      do m = 1, 5                                                       != no
         print *, rms(m), s
      end do
      end

      subroutine fill
      implicit none
      include 'grids.inc'
      integer i, j, m
      do j = 1, ny                                                      != yes|private
         do i = 1, nx                                                   != yes|private
            do m = 1, 5                                                 != yes
               u(m,i,j) = 1.0d0 + 0.01d0*m*i + 0.02d0*j
               rhs(m,i,j) = 0.001d0*m
            end do
         end do
      end do
      end

      subroutine derived
      implicit none
      include 'grids.inc'
      integer i, j
      double precision inverse
      do j = 1, ny                                                      != private
         do i = 1, nx                                                   != private
            inverse = 1.0d0/u(1,i,j)
            us(i,j) = u(2,i,j)*inverse
            qs(i,j) = 0.5d0*us(i,j)*us(i,j)*
     >                inverse
         end do
      end do
      end

      subroutine stencil
      implicit none
      include 'grids.inc'
      integer i, j, m
      double precision here, next
      do j = 2, ny-1                                                    != private
         do i = 2, nx-1                                                 != private
            here = us(i,j)
            next = us(i+1,j)
            rhs(1,i,j) = rhs(1,i,j) + 0.75d0*
     >                   (u(1,i+1,j) - 2.0d0*u(1,i,j) +
     >                    u(1,i-1,j))*(next - here)
            do m = 2, 5                                                 != yes
               rhs(m,i,j) = rhs(m,i,j) -
     >                      0.4d0*qs(i,j)*qs(i,j-1)
            end do
         end do
      end do
      end

      subroutine lines
      implicit none
      include 'grids.inc'
      integer i, j
      do j = 2, ny-1                                                    != private
         do i = 1, nx                                                   != yes
            cv(i) = us(i,j)
         end do
         do i = 2, nx-1                                                 != yes
            lhs(1,i) = -0.1d0*cv(i-1)
            lhs(2,i) = 1.0d0 + cv(i)
            lhs(3,i) = 0.1d0*cv(i+1)
         end do
         do i = 3, nx-1                                                 != no
            lhs(2,i) = lhs(2,i) -
     >                 lhs(1,i)*lhs(3,i-1)/lhs(2,i-1)
            rhs(1,i,j) = rhs(1,i,j) -
     >                   lhs(1,i)*rhs(1,i-1,j)
         end do
      end do
      end

      subroutine columns
      implicit none
      include 'grids.inc'
      integer i, j
      do j = 2, ny                                                      != no
         do i = 1, nx                                                   != yes
            qs(i,j) = qs(i,j-1) +
     >                us(i,j)
         end do
      end do
      end

      subroutine swept
      implicit none
      include 'grids.inc'
      integer i, j
      do j = 2, ny-1                                                    != no
         do i = 2, nx-1                                                 != no
            us(i,j) = 0.25d0*(us(i-1,j) + us(i+1,j) +
     >                        us(i,j-1) + us(i,j+1))
         end do
      end do
      end

      subroutine added
      implicit none
      include 'grids.inc'
      integer i, j, m
      do j = 2, ny-1                                                    != yes|private
         do i = 2, nx-1                                                 != yes|private
            do m = 1, 5                                                 != yes
               u(m,i,j) = u(m,i,j) +
     >                    0.1d0*rhs(m,i,j)
            end do
         end do
      end do
      end

      subroutine norms(rms)
      implicit none
      include 'grids.inc'
      integer i, j, m
      double precision rms(5), one
      do m = 1, 5                                                       != yes
         rms(m) = 0.0d0
      end do
      do j = 2, ny-1                                                    != reduction|private
         do i = 2, nx-1                                                 != reduction|private
            do m = 1, 5                                                 != private
               one = u(m,i,j)
               rms(m) = rms(m) + one*one
            end do
         end do
      end do
      end

      subroutine by_threads(s)
      implicit none
      include 'grids.inc'
      integer i, j
      double precision s
      s = 0.0d0
      do j = 2, ny-1                                                    != reduction|private ## copyin(own)
         do i = 1, nx                                                   != yes ## none
            own(i) = us(i,j)*0.5d0
         end do
         do i = 2, nx-1                                                 != reduction
            s = s + own(i-1)*own(i+1)
         end do
      end do
      end
