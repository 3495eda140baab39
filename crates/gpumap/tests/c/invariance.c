/* Values inside a nest that change in none of its loops, in the outer one, in both. */
void nest(double *cells, const int *sizes, const double *offsets, int n, int m, int which)
{
    for (int i = 0; i < n; i++) {
        for (int j = 0; j < m; j++) {
            int quotient = n / m;
            int chosen;
            if (which)
                chosen = n;
            else
                chosen = m;
            int square = i * i;
            int picked;
            if (i < which)
                picked = n;
            else
                picked = m;
            cells[quotient + chosen + square + picked] = sizes[0] * offsets[0];
        }
    }
}
