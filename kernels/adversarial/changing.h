#undef MODE
#define MODE 2
