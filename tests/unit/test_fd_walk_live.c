/* SPEC section 5, "When looks are skipped", with real processes: a GPU descriptor that is passed
 * over a socket, duplicated or inherited is noticed within the time stated there. The descriptors
 * are of a device node without a driver, opened with O_PATH. The clock is the test's own, so that
 * 16 s take no time; a walk that ran out of its own time says that it is a partial one, and such a
 * walk promises nothing. Random steps; the seed is printed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/arena.h"
#include "os/linux/fd_walk.h"
#include "os/root.h"
#include "tree.h"

enum { ACTORS = 6, STEPS = 60, SPARES = 4, HELD_MAX = 8 };

#define SECOND_NS INT64_C(1000000000)
#define LIFE_NS (16 * SECOND_NS)

/* Told to an actor in one byte, with a descriptor where it is to receive one. */
enum order {
    ORDER_RECEIVE = 'r', /* one descriptor more */
    ORDER_SWAP = 's',    /* receives, and closes another: their number stays */
    ORDER_DUPLICATE = 'd',
    ORDER_FORK = 'f', /* its child inherits everything */
    ORDER_DROP = 'x', /* closes all GPU descriptors */
};

struct actor {
    pid_t pid, child; /* child: 0 none */
    int socket;
    int held;              /* GPU descriptors, as the test knows */
    int64_t held_since_ns; /* of the first of them */
    bool count_changed;    /* then, or the process was new: the next walk must know */
    int64_t child_since_ns;
};

static struct {
    struct actor actors[ACTORS];
    struct fd_walk *walk;
    struct root *root;
    struct arena *arena;
    struct walk_reading reading;
    int64_t now_ns;
    uint64_t number;
    int node;
} stage;

/* ---- the actors' side ---- */

static int receive(int socket, char *order)
{
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {.iov_base = order, .iov_len = 1};
    struct msghdr message = {.msg_iov = &part,
                             .msg_iovlen = 1,
                             .msg_control = &control,
                             .msg_controllen = sizeof control};
    int descriptor = -1;
    if (recvmsg(socket, &message, 0) <= 0)
        _exit(0);
    const struct cmsghdr *header = CMSG_FIRSTHDR(&message);
    if (header)
        memcpy(&descriptor, CMSG_DATA(header), sizeof descriptor);
    return descriptor;
}

static void inherit(int socket)
{
    char byte;
    if (fork() != 0)
        return;
    /* Ends with the actor: the test's end of the socket is closed then. */
    while (recv(socket, &byte, 1, MSG_PEEK) > 0)
        usleep(20000);
    _exit(0);
}

static _Noreturn void act(int socket)
{
    int spares[SPARES * STEPS], held[HELD_MAX * STEPS], spare_count = 0, held_count = 0;
    for (; spare_count < STEPS; spare_count++)
        spares[spare_count] = open("/dev/null", O_RDONLY);
    for (char order = 0; send(socket, &order, 1, MSG_NOSIGNAL) == 1;) {
        int descriptor = receive(socket, &order);
        if (descriptor >= 0)
            held[held_count++] = descriptor;
        if (order == ORDER_SWAP)
            close(spares[--spare_count]);
        if (order == ORDER_DUPLICATE)
            held[held_count++] = dup(held[0]);
        if (order == ORDER_FORK)
            inherit(socket);
        while (order == ORDER_DROP && held_count > 0)
            close(held[--held_count]);
    }
    _exit(0);
}

/* ---- the test's side ---- */

static void wait_for(const struct actor *actor)
{
    char byte;
    assert_int_equal(recv(actor->socket, &byte, 1, 0), 1);
}

static void tell(const struct actor *actor, enum order order)
{
    char byte = (char)order;
    union {
        struct cmsghdr header;
        char bytes[CMSG_SPACE(sizeof(int))];
    } control;
    struct iovec part = {.iov_base = &byte, .iov_len = 1};
    struct msghdr message = {.msg_iov = &part, .msg_iovlen = 1};
    if (order == ORDER_RECEIVE || order == ORDER_SWAP) {
        memset(&control, 0, sizeof control);
        message.msg_control = &control;
        message.msg_controllen = sizeof control;
        control.header.cmsg_level = SOL_SOCKET;
        control.header.cmsg_type = SCM_RIGHTS;
        control.header.cmsg_len = CMSG_LEN(sizeof(int));
        memcpy(CMSG_DATA(&control.header), &stage.node, sizeof stage.node);
    }
    assert_int_equal(sendmsg(actor->socket, &message, 0), 1);
    wait_for(actor);
}

static void start(struct actor *actor)
{
    int pair[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, pair), 0);
    pid_t pid = fork();
    if (pid == 0) {
        close(pair[0]);
        close(stage.node);
        for (size_t i = 0; i < ACTORS; i++)
            if (stage.actors[i].socket > 0)
                close(stage.actors[i].socket);
        act(pair[1]);
    }
    close(pair[1]);
    *actor = (struct actor){.pid = pid, .socket = pair[0]};
    wait_for(actor);
}

static size_t listed_files(pid_t pid)
{
    for (size_t i = 0; i < stage.reading.process_count; i++)
        if (stage.reading.processes[i].identity.pid == pid)
            return stage.reading.processes[i].device_file_count;
    return 0;
}

static void check(const struct actor *actor)
{
    int64_t age_ns = stage.now_ns - actor->held_since_ns;
    if (actor->held > 0 && (actor->count_changed || age_ns > LIFE_NS))
        assert_int_equal(listed_files(actor->pid), actor->held);
    if (actor->held == 0)
        assert_int_equal(listed_files(actor->pid), 0);
}

/* One refresh. What a partial one does not know it does not claim. */
static void refresh(void)
{
    stage.now_ns += SECOND_NS;
    struct pass pass = {
        .number = stage.number++, .running_ns = stage.now_ns, .interval_ns = SECOND_NS};
    arena_reset(stage.arena);
    fd_walk_run(stage.walk, stage.root, &pass, stage.arena, &stage.reading);
    for (size_t i = 0; i < ACTORS && stage.reading.complete; i++)
        check(&stage.actors[i]);
}

static void hold_more(struct actor *actor, int more, bool count_changed)
{
    if (actor->held == 0) {
        actor->held_since_ns = stage.now_ns;
        actor->count_changed = count_changed;
    }
    actor->held += more;
}

/* A process that took its first in silence keeps its secret for up to 16 s; what it does after that
 * with others changes their number and gives it away. */
static void step(struct actor *actor)
{
    switch (rand() % 6) {
    case 0:
        tell(actor, ORDER_RECEIVE);
        hold_more(actor, 1, true);
        actor->count_changed = true;
        break;
    case 1:
    case 2:
        tell(actor, ORDER_SWAP);
        hold_more(actor, 1, false);
        break;
    case 3:
        if (actor->held == 0)
            break;
        tell(actor, ORDER_DUPLICATE);
        hold_more(actor, 1, true);
        actor->count_changed = true;
        break;
    case 4:
        if (actor->held == 0)
            break;
        tell(actor, ORDER_DROP);
        actor->held = 0;
        break;
    default:
        break;
    }
}

/* False where device nodes cannot be made. */
static bool make_node(void)
{
    char path[TREE_PATH_SIZE + 16], top[TREE_PATH_SIZE];
    tree_new(top);
    snprintf(path, sizeof path, "%s/renderD128", top);
    stage.node = mknod(path, S_IFCHR | 0600, makedev(226, 128)) == 0 ? open(path, O_PATH) : -1;
    struct stat about;
    bool made = stage.node >= 0 && fstat(stage.node, &about) == 0 && S_ISCHR(about.st_mode);
    tree_remove(top);
    /* Before Linux 6.2 the number of descriptors is not told: other times hold. */
    return made && stat("/proc/self/fd", &about) == 0 && about.st_size > 0;
}

static void test_passed_descriptors(void **state)
{
    (void)state;
    unsigned seed = (unsigned)getpid();
    if (!make_node())
        skip();
    print_message("# seed %u\n", seed);
    srand(seed);
    signal(SIGPIPE, SIG_IGN);
    stage.walk = fd_walk_new();
    stage.root = root_open("/");
    stage.arena = arena_new();
    stage.now_ns = 1000 * SECOND_NS;
    for (size_t i = 0; i < ACTORS; i++)
        start(&stage.actors[i]);
    for (int i = 0; i < 4; i++)
        refresh(); /* nobody is young any more */
    for (int i = 0; i < STEPS; i++) {
        step(&stage.actors[rand() % ACTORS]);
        refresh();
    }
    for (int i = 0; i < 17; i++)
        refresh();
    for (size_t i = 0; i < ACTORS; i++) {
        close(stage.actors[i].socket);
        waitpid(stage.actors[i].pid, NULL, 0);
    }
    fd_walk_free(&stage.walk);
    root_close(&stage.root);
    arena_free(&stage.arena);
    close(stage.node);
}

/* A child inherits what its parent holds: it is new, so the next refresh looks at it. */
static void test_inherited_descriptors(void **state)
{
    (void)state;
    if (!make_node())
        skip();
    stage.walk = fd_walk_new();
    stage.root = root_open("/");
    stage.arena = arena_new();
    memset(stage.actors, 0, sizeof stage.actors);
    struct actor *actor = &stage.actors[0];
    start(actor);
    tell(actor, ORDER_RECEIVE);
    hold_more(actor, 1, true);
    for (int i = 0; i < 5; i++)
        refresh();
    size_t before = 0, after = 0;
    for (size_t i = 0; i < stage.reading.process_count; i++)
        before += stage.reading.processes[i].device_file_count > 0;
    tell(actor, ORDER_FORK);
    for (int tries = 0; tries == 0 || (tries < 50 && !stage.reading.complete); tries++)
        refresh();
    for (size_t i = 0; i < stage.reading.process_count; i++)
        after += stage.reading.processes[i].device_file_count > 0;
    assert_int_equal(after, before + 1);
    close(actor->socket);
    waitpid(actor->pid, NULL, 0);
    fd_walk_free(&stage.walk);
    root_close(&stage.root);
    arena_free(&stage.arena);
    close(stage.node);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_passed_descriptors),
        cmocka_unit_test(test_inherited_descriptors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
