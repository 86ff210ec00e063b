/* Stands in for llama-server on Windows: maps the model of -m, listens on 127.0.0.1 and answers as
 * a llama-server of its --api-key does, until its input ends. Prints "PID PORT". Own code. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <winsock2.h>

static const char *value_of(int count, char **words, const char *flag)
{
    for (int i = 1; i + 1 < count; i++)
        if (strcmp(words[i], flag) == 0)
            return words[i + 1];
    return NULL;
}

static const void *map(const char *path)
{
    HANDLE file = CreateFileA(path, GENERIC_READ, FILE_SHARE_READ, NULL, OPEN_EXISTING, 0, NULL);
    HANDLE section = CreateFileMappingA(file, NULL, PAGE_READONLY, 0, 0, NULL);
    const void *mapped = section ? MapViewOfFile(section, FILE_MAP_READ, 0, 0, 0) : NULL;
    CloseHandle(file);
    return mapped;
}

static const char *body_of(const char *request)
{
    if (strncmp(request, "GET /props ", 11) == 0)
        return "{\"default_generation_settings\":{\"n_ctx\":4096},\"total_slots\":2,"
               "\"model_alias\":\"tiny\",\"model_path\":\"tiny.gguf\",\"build_info\":\"b9999-x\"}";
    if (strncmp(request, "GET /slots ", 11) == 0)
        return "[{\"id\":0,\"n_ctx\":2048,\"is_processing\":true},"
               "{\"id\":1,\"n_ctx\":2048,\"is_processing\":false}]";
    if (strncmp(request, "GET /v1/models ", 15) == 0)
        return "{\"data\":[{\"id\":\"tiny\",\"meta\":{\"n_ctx_train\":4096}}]}";
    return NULL;
}

static void answer(SOCKET client, const char *key)
{
    char request[4096] = "", reply[2048], wanted[256];
    int got = recv(client, request, sizeof request - 1, 0);
    request[got > 0 ? got : 0] = '\0';
    snprintf(wanted, sizeof wanted, "Bearer %s", key ? key : "");
    const char *body = body_of(request);
    int status = key && !strstr(request, wanted) ? 401 : body ? 200 : 501;
    if (status != 200)
        body = "{}";
    snprintf(reply, sizeof reply,
             "HTTP/1.1 %d X\r\nContent-Type: application/json\r\nContent-Length: %u\r\n"
             "Connection: close\r\n\r\n%s",
             status, (unsigned)strlen(body), body);
    send(client, reply, (int)strlen(reply), 0);
    shutdown(client, SD_SEND);
    closesocket(client);
}

static DWORD WINAPI end_with_input(void *unused)
{
    (void)unused;
    while (getchar() != EOF)
        ;
    ExitProcess(0);
}

int main(int count, char **words)
{
    WSADATA data;
    struct sockaddr_in address = {.sin_family = AF_INET};
    int size = sizeof address;
    const char *model = value_of(count, words, "-m");
    const void *mapped = model ? map(model) : NULL;
    if (model && !mapped)
        return 1;
    for (int i = 1; i + 1 < count; i++)
        if (strcmp(words[i], "--load") == 0 && !LoadLibraryA(words[i + 1]))
            return 2;
    WSAStartup(MAKEWORD(2, 2), &data);
    SOCKET listener = socket(AF_INET, SOCK_STREAM, 0);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (bind(listener, (struct sockaddr *)&address, size) != 0 || listen(listener, 8) != 0 ||
        getsockname(listener, (struct sockaddr *)&address, &size) != 0)
        return 3;
    printf("%lu %d\n", GetCurrentProcessId(), ntohs(address.sin_port));
    fflush(stdout);
    CreateThread(NULL, 0, end_with_input, NULL, 0, NULL);
    for (;;) {
        SOCKET client = accept(listener, NULL, NULL);
        if (client != INVALID_SOCKET)
            answer(client, value_of(count, words, "--api-key"));
    }
}
