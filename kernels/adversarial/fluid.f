c     Time steps of a solver in blocks and lines, as codes of fluid dynamics have them: arrays in common, scratch arrays of the procedures.
      program solver
      implicit none
      integer n
      parameter (n=10)
      double precision u(5,0:n-1,0:n-1,0:n-1)
      double precision rhs(5,0:n-1,0:n-1,0:n-1)
      double precision us(0:n-1,0:n-1,0:n-1)
      double precision forcing(5,0:n-1,0:n-1,0:n-1)
      common /fields/ u, us, rhs, forcing
      integer step
      double precision rms(5)
      call initialize
      do step = 1, 6 != no
         call compute_rhs
         call x_solve
         call y_solve
         call add
      end do
      call norms(rms)
      write(*,'(5e12.4)') rms
      end

      subroutine initialize
      implicit none
      integer n
      parameter (n=10)
      double precision u(5,0:n-1,0:n-1,0:n-1)
      double precision rhs(5,0:n-1,0:n-1,0:n-1)
      double precision us(0:n-1,0:n-1,0:n-1)
      double precision forcing(5,0:n-1,0:n-1,0:n-1)
      common /fields/ u, us, rhs, forcing
      integer i,j,k,m
      do k = 0, n-1 != yes|private
        do j = 0, n-1 != yes|private
          do i = 0, n-1 != yes|private
            do m = 1, 5 != yes|private
              u(m,i,j,k) = 1.0d0 + 0.01d0*(i+2*j+3*k)+0.1d0*m
              forcing(m,i,j,k) = 0.001d0*(i-j+k)
            end do
          end do
        end do
      end do
      return
      end

      subroutine compute_rhs
      implicit none
      integer n
      parameter (n=10)
      double precision u(5,0:n-1,0:n-1,0:n-1)
      double precision rhs(5,0:n-1,0:n-1,0:n-1)
      double precision us(0:n-1,0:n-1,0:n-1)
      double precision forcing(5,0:n-1,0:n-1,0:n-1)
      common /fields/ u, us, rhs, forcing
      integer i,j,k,m
      double precision rho_inv, uijk, up1, um1
      do k = 0, n-1 != yes|private
        do j = 0, n-1 != yes|private
          do i = 0, n-1 != yes|private
            rho_inv = 1.0d0/u(1,i,j,k)
            us(i,j,k) = u(2,i,j,k) * rho_inv
            do m = 1, 5 != yes|private
              rhs(m,i,j,k) = forcing(m,i,j,k)
            end do
          end do
        end do
      end do
      do k = 1, n-2 != yes|private
        do j = 1, n-2 != yes|private
          do i = 1, n-2 != yes|private
            uijk = us(i,j,k)
            up1 = us(i+1,j,k)
            um1 = us(i-1,j,k)
            rhs(1,i,j,k) = rhs(1,i,j,k) + 0.1d0*(u(1,i+1,j,k)
     >           -2.0d0*u(1,i,j,k)+u(1,i-1,j,k)) - 0.05d0*(up1-um1)
            rhs(2,i,j,k) = rhs(2,i,j,k) + 0.1d0*(up1-2.0d0*uijk+um1)
            do m = 3, 5 != yes|private
              rhs(m,i,j,k) = rhs(m,i,j,k) + 0.1d0*(u(m,i,j+1,k)
     >           -2.0d0*u(m,i,j,k)+u(m,i,j-1,k))
            end do
          end do
          do i = 1, n-2 != yes|private
            do m = 1, 5 != yes|private
              rhs(m,i,j,k) = rhs(m,i,j,k) * 0.5d0
            end do
          end do
        end do
      end do
      return
      end

      subroutine x_solve
      implicit none
      integer n
      parameter (n=10)
      double precision u(5,0:n-1,0:n-1,0:n-1)
      double precision rhs(5,0:n-1,0:n-1,0:n-1)
      double precision us(0:n-1,0:n-1,0:n-1)
      double precision forcing(5,0:n-1,0:n-1,0:n-1)
      common /fields/ u, us, rhs, forcing
      double precision lhs(5,0:n-1), cv(0:n-1), rhon(0:n-1)
      double precision fac1, ru1
      integer i,j,k,m,i1,i2
      do k = 1, n-2 != private
        do j = 1, n-2 != private
          do i = 0, n-1 != yes|private
            ru1 = 0.1d0/u(1,i,j,k)
            cv(i) = us(i,j,k)
            rhon(i) = max(0.75d0+ru1, 0.5d0, 1.0d0+ru1)
          end do
          do m = 1, 5 != yes|private
            lhs(m,0) = 0.0d0
            lhs(m,n-1) = 0.0d0
          end do
          lhs(3,0) = 1.0d0
          lhs(3,n-1) = 1.0d0
          do i = 1, n-2 != yes|private
            lhs(1,i) = 0.0d0
            lhs(2,i) = -0.1d0*cv(i-1) - 0.01d0*rhon(i-1)
            lhs(3,i) = 1.0d0 + 0.02d0*rhon(i)
            lhs(4,i) = 0.1d0*cv(i+1) - 0.01d0*rhon(i+1)
            lhs(5,i) = 0.0d0
          end do
          do i = 0, n-3 != no
            i1 = i + 1
            i2 = i + 2
            fac1 = 1.d0/lhs(3,i)
            lhs(4,i) = fac1*lhs(4,i)
            lhs(5,i) = fac1*lhs(5,i)
            do m = 1, 3 != yes|private
              rhs(m,i,j,k) = fac1*rhs(m,i,j,k)
            end do
            lhs(3,i1) = lhs(3,i1) - lhs(2,i1)*lhs(4,i)
            lhs(4,i1) = lhs(4,i1) - lhs(2,i1)*lhs(5,i)
            do m = 1, 3 != yes|private
              rhs(m,i1,j,k) = rhs(m,i1,j,k) - lhs(2,i1)*rhs(m,i,j,k)
            end do
            lhs(2,i2) = lhs(2,i2) - lhs(1,i2)*lhs(4,i)
            lhs(3,i2) = lhs(3,i2) - lhs(1,i2)*lhs(5,i)
            do m = 1, 3 != yes|private
              rhs(m,i2,j,k) = rhs(m,i2,j,k) - lhs(1,i2)*rhs(m,i,j,k)
            end do
          end do
          do i = n-3, 0, -1 != no
            i1 = i + 1
            i2 = i + 2
            do m = 1, 3 != yes|private
              rhs(m,i,j,k) = rhs(m,i,j,k) - lhs(4,i)*rhs(m,i1,j,k) -
     >                       lhs(5,i)*rhs(m,i2,j,k)
            end do
          end do
        end do
      end do
      return
      end

      subroutine y_solve
      implicit none
      integer n
      parameter (n=10)
      double precision u(5,0:n-1,0:n-1,0:n-1)
      double precision rhs(5,0:n-1,0:n-1,0:n-1)
      double precision us(0:n-1,0:n-1,0:n-1)
      double precision forcing(5,0:n-1,0:n-1,0:n-1)
      common /fields/ u, us, rhs, forcing
      double precision lhs(5,5,3,0:n-1)
      integer i,j,k,m,l,p
      double precision pivot, coeff
      do k = 1, n-2 != private
        do i = 1, n-2 != private
          do j = 0, n-1 != yes|private
            do m = 1, 5 != yes|private
              do l = 1, 5 != yes|private
                lhs(l,m,1,j) = 0.01d0*u(l,i,j,k)
                lhs(l,m,2,j) = 0.0d0
                lhs(l,m,3,j) = 0.01d0*u(m,i,j,k)
              end do
              lhs(m,m,2,j) = 1.0d0 + 0.1d0*us(i,j,k)
            end do
          end do
          do j = 1, n-2 != no
            do m = 1, 5 != yes|private
              do l = 1, 5 != reduction
                rhs(m,i,j,k) = rhs(m,i,j,k)
     >             - lhs(m,l,1,j)*rhs(l,i,j-1,k)
              end do
            end do
            do p = 1, 5 != no
              pivot = 1.0d0/lhs(p,p,2,j)
              do l = p+1, 5 != yes|private
                lhs(p,l,2,j) = lhs(p,l,2,j)*pivot
              end do
              rhs(p,i,j,k) = rhs(p,i,j,k)*pivot
              do m = 1, 5 != yes|private
                if (m .ne. p) then
                  coeff = lhs(m,p,2,j)
                  do l = p+1, 5 != yes|private
                    lhs(m,l,2,j) = lhs(m,l,2,j) - coeff*lhs(p,l,2,j)
                  end do
                  rhs(m,i,j,k) = rhs(m,i,j,k) - coeff*rhs(p,i,j,k)
                end if
              end do
            end do
          end do
        end do
      end do
      return
      end

      subroutine add
      implicit none
      integer n
      parameter (n=10)
      double precision u(5,0:n-1,0:n-1,0:n-1)
      double precision rhs(5,0:n-1,0:n-1,0:n-1)
      double precision us(0:n-1,0:n-1,0:n-1)
      double precision forcing(5,0:n-1,0:n-1,0:n-1)
      common /fields/ u, us, rhs, forcing
      integer i,j,k,m
      do k = 1, n-2 != yes|private
        do j = 1, n-2 != yes|private
          do i = 1, n-2 != yes|private
            do m = 1, 5 != yes|private
              u(m,i,j,k) = u(m,i,j,k) + 0.1d0*rhs(m,i,j,k)
            end do
          end do
        end do
      end do
      return
      end

      subroutine norms(rms)
      implicit none
      integer n
      parameter (n=10)
      double precision u(5,0:n-1,0:n-1,0:n-1)
      double precision rhs(5,0:n-1,0:n-1,0:n-1)
      double precision us(0:n-1,0:n-1,0:n-1)
      double precision forcing(5,0:n-1,0:n-1,0:n-1)
      common /fields/ u, us, rhs, forcing
      double precision rms(5)
      integer i,j,k,m
      do m = 1, 5 != yes|private
        rms(m) = 0.0d0
      end do
      do k = 1, n-2 != reduction|private|yes
        do j = 1, n-2 != reduction|private|yes
          do i = 1, n-2 != reduction|private|yes
            do m = 1, 5 != yes|private
              rms(m) = rms(m) + rhs(m,i,j,k)**2
            end do
          end do
        end do
      end do
      do m = 1, 5 != yes|private
        rms(m) = sqrt(rms(m)/n)
      end do
      return
      end
