#include <vector>
namespace N { int g; thread_local int tl;
template <typename T> class C : public B { int m; std::atomic<int> at; std::vector<T> v_;
 public: C() : m(0) { for (int i = 0; i < 3; ++i) m += i; }
  void run(std::vector<T>& v, int &r, const T& c, T&& mv) const noexcept { 
   for (auto& x : v) { x += 1; this->m++; m_--; v.push_back(x); }
   for (const auto [a, b] : mp) s += a;
   auto f = [&, y](int q) mutable { total += q; };
   auto g2 = [=, &z] { return z; };
   std::for_each(v.begin(), v.end(), [&](T& e) { e = 1; });
   for (auto it = v.begin(); it != v.end(); ++it) *it = std::max(*it, 2);
   for (size_t i{0}; i < v.size(); ++i) v.at(i) = static_cast<int>(v[i]);
   try { throw 1; } catch (const std::exception& e) { x = 1; }
   int a(3), b{4}; int& ref = a; std::cin >> a; auto p = std::make_unique<int[]>(3);
   if (int k = 3; k > 2) {} 
   if constexpr (x) y = 1;
   for (int i = 0; auto x : v) ;
   co_await x; co_return; a[1,2] = 3; delete p; new int[3];
  }
};
}
template<class T> T N::C<T>::meth(int a = 3) { return a; }
kern<<<1,2>>>(a,b);
