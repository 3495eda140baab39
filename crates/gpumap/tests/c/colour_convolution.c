/* Two-dimensional convolution of an image with three colours, without its border. */
typedef struct {
    int width;
    int height;
    unsigned char *pixels;
} image_t;

void convolve(const image_t *in, image_t *out, const float *filter, int filter_width, int filter_height)
{
    int half_width = filter_width / 2;
    int half_height = filter_height / 2;
    for (int y = 0; y < in->height; y++) {
        for (int x = 0; x < in->width; x++) {
            float red = 0, green = 0, blue = 0;
            for (int v = 0; v < filter_height; v++) {
                for (int u = 0; u < filter_width; u++) {
                    int px = x + u - half_width;
                    int py = y + v - half_height;
                    if (px >= 0 && px < in->width && py >= 0 && py < in->height) {
                        float weight = filter[v * filter_width + u];
                        const unsigned char *pixel = &in->pixels[3 * (py * in->width + px)];
                        red += weight * pixel[0];
                        green += weight * pixel[1];
                        blue += weight * pixel[2];
                    }
                }
            }
            out->pixels[3 * (y * in->width + x)] = (unsigned char)red;
            out->pixels[3 * (y * in->width + x) + 1] = (unsigned char)green;
            out->pixels[3 * (y * in->width + x) + 2] = (unsigned char)blue;
        }
    }
}
