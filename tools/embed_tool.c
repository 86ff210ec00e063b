/* embed_tool NAME FILE: prints FILE as a C array, for what is built into the program. */
#include <stdio.h>

int main(int argc, char **argv)
{
    FILE *file = argc == 3 ? fopen(argv[2], "rb") : NULL;
    if (!file) {
        fprintf(stderr, "usage: embed_tool NAME FILE\n");
        return 2;
    }
    printf("#include <stddef.h>\n\nextern const char %s[];\nextern const size_t %s_size;\n\n",
           argv[1], argv[1]);
    printf("const char %s[] = {", argv[1]);
    size_t size = 0;
    for (int c; (c = getc(file)) != EOF; size++) {
        printf("%s%d,", size % 20 ? "" : "\n", c);
    }
    printf("0\n};\nconst size_t %s_size = %zu;\n", argv[1], size);
    return ferror(file) || fclose(file) != 0;
}
