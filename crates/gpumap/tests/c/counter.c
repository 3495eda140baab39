/* A counter beside the iterator; a fixed view of integers as characters. */
void count(int *a, int n)
{
    int k = 10;
    for (int i = 0; i < n; i++) {
        a[k] = i;
        k++;
    }
}

void widen(void)
{
    extern void use(int *, int *);
    int in[10] = {0}, out[15];
    for (int i = 0; i < 15; i++)
        out[i] = ((char *)in)[i];
    use(in, out);
}
