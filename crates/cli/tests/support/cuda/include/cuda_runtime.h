/* Stands in for CUDA in tests on machines without a GPU: blocks run one after the other, their threads take turns at barriers. */
#include <stdlib.h>
#include <string.h>

typedef enum { cudaSuccess, cudaErrorMemoryAllocation } cudaError_t;

static inline cudaError_t cudaGetDeviceCount(int *count)
{
    *count = getenv("LW_NO_GPU") == NULL;
    return cudaSuccess;
}

#ifdef __cplusplus
#include <functional>
#include <math.h>
#include <ucontext.h>
#include <vector>

#define __global__
#define __device__
/* One block runs at a time. */
#define __shared__ static
#define __align__(n) __attribute__((aligned(n)))
#define __launch_bounds__(n)

enum cudaMemcpyKind { cudaMemcpyHostToDevice, cudaMemcpyDeviceToHost };
enum cudaDeviceAttr { cudaDevAttrMaxSharedMemoryPerBlock };
enum { LW_SHARED = 48 * 1024, LW_STACK = 64 * 1024 };

struct dim3 {
    unsigned x, y, z;
    dim3(unsigned x, unsigned y = 1, unsigned z = 1) : x(x), y(y), z(z) {}
};

static dim3 threadIdx(0), blockIdx(0);
alignas(16) static char lw_emulated_pool[LW_SHARED];

/* What was not copied is something else than what lies beside it. */
static cudaError_t cudaMalloc(void **at, size_t size)
{
    *at = malloc(size);
    if (*at == NULL)
        return cudaErrorMemoryAllocation;
    memset(*at, 0x5a, size);
    return cudaSuccess;
}

static cudaError_t cudaFree(void *at)
{
    free(at);
    return cudaSuccess;
}

static cudaError_t cudaMemcpy(void *to, const void *from, size_t size, cudaMemcpyKind)
{
    memcpy(to, from, size);
    return cudaSuccess;
}

static cudaError_t cudaGetDevice(int *device)
{
    *device = 0;
    return cudaSuccess;
}

static cudaError_t cudaDeviceGetAttribute(int *value, cudaDeviceAttr, int)
{
    *value = LW_SHARED;
    return cudaSuccess;
}

static cudaError_t cudaGetLastError()
{
    return cudaSuccess;
}

static cudaError_t cudaDeviceSynchronize()
{
    return cudaSuccess;
}

struct lw_thread {
    ucontext_t context;
    std::vector<char> stack;
    dim3 place = dim3(0);
    bool has_ended = false;
};

static ucontext_t lw_scheduler;
static lw_thread *lw_current;
static const std::function<void()> *lw_body;

static void lw_start()
{
    (*lw_body)();
    lw_current->has_ended = true;
    swapcontext(&lw_current->context, &lw_scheduler);
}

static void __syncthreads()
{
    swapcontext(&lw_current->context, &lw_scheduler);
}

/* Each round brings every thread to its next barrier; a barrier that only some threads come to is an error of the kernel. */
static void lw_block(std::vector<lw_thread> &threads)
{
    for (lw_thread &thread : threads) {
        getcontext(&thread.context);
        thread.stack.resize(LW_STACK);
        thread.context.uc_stack.ss_sp = thread.stack.data();
        thread.context.uc_stack.ss_size = thread.stack.size();
        thread.context.uc_link = NULL;
        thread.has_ended = false;
        makecontext(&thread.context, lw_start, 0);
    }
    for (;;) {
        size_t ended = 0;
        for (lw_thread &thread : threads) {
            if (thread.has_ended)
                abort();
            lw_current = &thread;
            threadIdx = thread.place;
            swapcontext(&lw_scheduler, &thread.context);
            ended += thread.has_ended;
        }
        if (ended == threads.size())
            return;
        if (ended != 0)
            abort();
    }
}

static void lw_launch(const std::function<void()> &body, dim3 grid, dim3 block, size_t = 0)
{
    /* For a test of what is wrong. */
    if (getenv("LW_LOST_THREADS") != NULL)
        block.x = 1;
    std::vector<lw_thread> threads(block.x * block.y * block.z);
    size_t next = 0;
    lw_body = &body;
    for (unsigned z = 0; z < block.z; z++)
        for (unsigned y = 0; y < block.y; y++)
            for (unsigned x = 0; x < block.x; x++)
                threads[next++].place = dim3(x, y, z);
    for (unsigned z = 0; z < grid.z; z++)
        for (unsigned y = 0; y < grid.y; y++)
            for (unsigned x = 0; x < grid.x; x++) {
                blockIdx = dim3(x, y, z);
                lw_block(threads);
            }
}
#endif
