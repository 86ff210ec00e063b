/* A libcuda.so.1 that is only there to be mapped. */
int cuda_stand_in(void);

int cuda_stand_in(void)
{
    return 0;
}
