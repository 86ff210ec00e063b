#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>

#include <stdio.h>
#include <string.h>

#include "inspect/container_names.h"
#include "inspect/containers.h"

#define ID "3f2a9c0d1e4b5a6978877665544332211000ffeeddccbbaa9988776655443322"
#define POD "0a1b2c3d-1111-2222-3333-444455556666"
#define POD_ "0a1b2c3d_1111_2222_3333_444455556666"

static const struct {
    const char *cgroup, *runtime, *id, *name, *pod; /* runtime NULL: in none */
} cases[] = {
    /* docker */
    {"0::/system.slice/docker-" ID ".scope\n", "docker", ID, NULL, NULL},
    {"0::/docker/" ID "\n", "docker", ID, NULL, NULL},
    {"12:memory:/docker/" ID "\n11:cpu,cpuacct:/docker/" ID "\n1:name=systemd:/docker/" ID
     "\n0::/system.slice/containerd.service\n",
     "docker", ID, NULL, NULL},
    {"0::/user.slice/user-1000.slice/user@1000.service/user.slice/docker-" ID ".scope\n", "docker",
     ID, NULL, NULL},
    {"0::/docker/" ID "/init.scope\n", "docker", ID, NULL, NULL},
    {"0::/docker/buildkit/" ID "\n", "docker", ID, NULL, NULL},
    {"9:memory:/ecs/0123456789abcdef0123456789abcdef/" ID "\n", "docker", ID, NULL, NULL},
    {"0::/system.slice/docker.service\n", NULL, NULL, NULL, NULL},
    /* podman */
    {"0::/machine.slice/libpod-" ID ".scope/container\n", "podman", ID, NULL, NULL},
    {"0::/machine.slice/libpod-" ID ".scope\n", "podman", ID, NULL, NULL},
    {"0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-" ID ".scope/container\n",
     "podman", ID, NULL, NULL},
    {"5:memory:/libpod_parent/libpod-" ID "\n", "podman", ID, NULL, NULL},
    {"0::/machine.slice/libpod-conmon-" ID ".scope\n", NULL, NULL, NULL, NULL},
    {"0::/user.slice/user-1000.slice/user@1000.service/user.slice/libpod-conmon-" ID ".scope\n",
     NULL, NULL, NULL, NULL},
    /* Kubernetes, systemd driver */
    {"0::/kubepods.slice/kubepods-burstable.slice/kubepods-burstable-pod" POD_
     ".slice/cri-containerd-" ID ".scope\n",
     "kubernetes", ID, NULL, POD},
    {"0::/kubepods.slice/kubepods-besteffort.slice/kubepods-besteffort-pod" POD_ ".slice/crio-" ID
     ".scope\n",
     "kubernetes", ID, NULL, POD},
    {"0::/kubepods.slice/kubepods-pod" POD_ ".slice/docker-" ID ".scope\n", "kubernetes", ID, NULL,
     POD},
    {"0::/kubelet.slice/kubelet-kubepods.slice/kubelet-kubepods-burstable.slice/"
     "kubelet-kubepods-burstable-pod" POD_ ".slice/cri-containerd-" ID ".scope\n",
     "kubernetes", ID, NULL, POD},
    {"0::/kubepods.slice/kubepods-pod" POD_ ".slice/crio-conmon-" ID ".scope\n", NULL, NULL, NULL,
     NULL},
    /* Kubernetes, cgroupfs driver */
    {"0::/kubepods/burstable/pod" POD "/" ID "\n", "kubernetes", ID, NULL, POD},
    {"4:memory:/kubepods/pod" POD "/" ID "\n0::/\n", "kubernetes", ID, NULL, POD},
    {"0::/k3s/kubepods/besteffort/pod" POD "/" ID "\n", "kubernetes", ID, NULL, POD},
    {"0::/system.slice/containerd.service/kubepods-burstable-pod" POD_ ".slice:cri-containerd:" ID
     "\n",
     "kubernetes", ID, NULL, POD},
    /* kind: a pod in a container of docker */
    {"0::/docker/aaaabbbbccccddddeeeeffff00001111aaaabbbbccccddddeeeeffff00001111/kubelet.slice/"
     "kubelet-kubepods.slice/kubelet-kubepods-pod" POD_ ".slice/cri-containerd-" ID ".scope\n",
     "kubernetes", ID, NULL, POD},
    /* containerd, CRI-O */
    {"0::/default/" ID "\n", "containerd", ID, NULL, NULL},
    {"0::/system.slice/nerdctl-" ID ".scope\n", "containerd", ID, NULL, NULL},
    {"0::/system.slice:cri-containerd:" ID "\n", "containerd", ID, NULL, NULL},
    {"0::/system.slice/crio-" ID ".scope\n", "cri-o", ID, NULL, NULL},
    /* LXC, LXD, Incus */
    {"0::/lxc/web\n", "lxc", "web", "web", NULL},
    {"0::/lxc.payload.web/system.slice/cron.service\n", "lxc", "web", "web", NULL},
    {"0::/lxc.payload/web/init.scope\n", "lxc", "web", "web", NULL},
    {"0::/lxc.monitor.web\n", NULL, NULL, NULL, NULL},
    {"0::/lxc.payload.outer/system.slice/docker-" ID ".scope\n", "docker", ID, NULL, NULL},
    /* systemd-nspawn; virtual machines in the same slice */
    {"0::/machine.slice/machine-my\\x2dbox.scope/payload\n", "systemd-nspawn", "my-box", "my-box",
     NULL},
    {"0::/machine.slice/systemd-nspawn@build.service/payload/init.scope\n", "systemd-nspawn",
     "build", "build", NULL},
    {"0::/machine.slice/machine-qemu\\x2d3\\x2dwin11.scope/libvirt/emulator\n", NULL, NULL, NULL,
     NULL},
    /* Slurm */
    {"9:memory:/slurm/uid_1000/job_4711/step_0/task_0\n", "slurm", "4711", NULL, NULL},
    {"0::/system.slice/slurmstepd.scope/job_4711/step_batch/user/task_0\n", "slurm", "4711", NULL,
     NULL},
    {"0::/system.slice/node7_slurmstepd.scope/job_12/step_0/user\n", "slurm", "12", NULL, NULL},
    {"0::/user.slice/job_12\n", NULL, NULL, NULL, NULL},
    /* none */
    {"0::/user.slice/user-1000.slice/session-2.scope\n", NULL, NULL, NULL, NULL},
    {"0::/system.slice/ssh.service\n", NULL, NULL, NULL, NULL},
    {"0::/\n", NULL, NULL, NULL, NULL},
    {"", NULL, NULL, NULL, NULL},
    {"0::/docker-abc.scope\n", NULL, NULL, NULL, NULL},
    /* what merely looks like one: no runtime's id is shorter than 64 digits, or in capitals */
    {"0::/user.slice/user-1000.slice/user@1000.service/app.slice/docker-0123456789ab.scope\n", NULL,
     NULL, NULL, NULL},
    {"0::/user.slice/user-1000.slice/user@1000.service/app.slice/app-docker-desktop-4711.scope\n",
     NULL, NULL, NULL, NULL},
    {"0::/system.slice/docker-3F2A9C0D1E4B5A6978877665544332211000FFEEDDCCBBAA9988776655443322"
     ".scope\n",
     NULL, NULL, NULL, NULL},
    {"0::/system.slice/libpod-backup.service\n", NULL, NULL, NULL, NULL},
    {"0::/system.slice/kubepods-exporter.service\n", NULL, NULL, NULL, NULL},
    {"0::/user.slice/user-1000.slice/user@1000.service/app.slice/kubepods-burstable.slice\n", NULL,
     NULL, NULL, NULL},
    {"0::/system.slice/system-lxc.slice/lxc-autostart.service\n", NULL, NULL, NULL, NULL},
    {"0::/system.slice/lxc-monitord.service\n", NULL, NULL, NULL, NULL},
    {"0::/machine.slice/machine-.scope\n", NULL, NULL, NULL, NULL},
    {"0::/system.slice/systemd-machined.service\n", NULL, NULL, NULL, NULL},
    {"0::/system.slice/slurmd.service\n", NULL, NULL, NULL, NULL},
    {"0::/slurm/uid_1000/job_\n", NULL, NULL, NULL, NULL},
    {"0::/system.slice:docker:0123456789ab\n", NULL, NULL, NULL, NULL},
    {"0::/docker/" ID "zz\n", NULL, NULL, NULL, NULL},
};

static void assert_text(struct raw_text text, const char *expected)
{
    if (!expected)
        assert_null(text.bytes);
    else
        assert_true(raw_equal_string(text, expected));
}

static void test_paths(void **state)
{
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct container_place place;
        bool found = container_of_cgroup(*state, raw_from_string(cases[i].cgroup), &place);
        if (found != (cases[i].runtime != NULL) ||
            (found && strcmp(place.runtime, cases[i].runtime) != 0))
            print_message("# %s", cases[i].cgroup);
        assert_int_equal(found, cases[i].runtime != NULL);
        if (!found)
            continue;
        assert_string_equal(place.runtime, cases[i].runtime);
        assert_text(place.id, cases[i].id);
        assert_text(place.name, cases[i].name);
        assert_text(place.pod, cases[i].pod);
    }
}

static void test_nothing_known(void **state)
{
    struct container_place place;
    assert_false(container_of_cgroup(*state, (struct raw_text){NULL, 0}, &place));
}

static void test_podman_names(void **state)
{
    const char *json = "[{\"id\":\"" POD "\",\"names\":[\"other\"]},"
                       "{\"id\":\"" ID "\",\"names\":[\"web\",\"alias\"],\"image\":\"x\"}]";
    struct raw_text name;
    assert_true(podman_name(*state, raw_from_string(json), raw_from_string(ID), &name));
    assert_text(name, "web");
    assert_false(podman_name(*state, raw_from_string(json), raw_from_string("ab"), &name));
    static const char *const bad[] = {"", "{}", "[", "[1,null,{\"id\":3}]",
                                      "[{\"id\":\"" ID "\"}]"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(podman_name(*state, raw_from_string(bad[i]), raw_from_string(ID), &name));
}

static void test_kubelet_links(void **state)
{
    (void)state;
    struct raw_text name, pod;
    assert_true(kubelet_link_name(raw_from_string("llm-0_serving_vllm-" ID ".log"),
                                  raw_from_string(ID), &name, &pod));
    assert_text(name, "vllm");
    assert_text(pod, "llm-0");
    static const char *const bad[] = {"llm-0_serving_vllm-" ID, "vllm-" ID ".log", "_a_b.log",
                                      "x_y_-" ID ".log", "llm-0_serving_vllm-" POD ".log"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_false(kubelet_link_name(raw_from_string(bad[i]), raw_from_string(ID), &name, &pod));
}

static int set_up(void **state)
{
    *state = arena_new();
    return 0;
}

static int tear_down(void **state)
{
    struct arena *arena = *state;
    arena_free(&arena);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_paths),
        cmocka_unit_test(test_nothing_known),
        cmocka_unit_test(test_podman_names),
        cmocka_unit_test(test_kubelet_links),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
