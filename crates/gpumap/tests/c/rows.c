/* A row pointer per iteration, and a sum over it. */
int total(const int *image, int n)
{
    int sum = 0;
    for (int i = 0; i < n; i++) {
        const int *row = image + i * n;
        for (int j = 0; j < n; j++) {
            int value = row[j];
            sum += value;
        }
    }
    return sum;
}
