/* The machines of the plain-text golden outputs. */
#ifndef TESTS_UNIT_TEXT_PICTURES_H
#define TESTS_UNIT_TEXT_PICTURES_H

#include "snapshot_builder.h"

/* A workstation: one busy discrete card, an APU whose clients share. */
static inline struct snapshot *picture_workstation(void)
{
    struct snapshot *s = build_snapshot();
    s->host.name = build_text("box");
    s->host.cpu_percent = build_figure(7.5);
    s->host.memory_total_bytes = build_bytes(62.7 * GIB);
    s->host.memory_used_bytes = build_bytes(21.3 * GIB);
    s->process_status.gpu_clients = measured_known(6);
    s->process_status.scanned = measured_known(412);
    s->process_status.unreadable = measured_known(31);
    s->process_status.advice = build_text(
        "31 processes could not be read: run with sudo to see what they hold on the GPUs");
    struct adapter *card =
        build_adapter(s, "pci:0000:01:00.0", "NVIDIA GeForce RTX 4090", ADAPTER_DISCRETE);
    build_memory(card, 24 * GIB, 20.4 * GIB);
    card->memory.vram_reserved_bytes = build_bytes(0.3 * GIB);
    card->driver = build_text("nvidia");
    card->driver_version = build_text("580.65.06");
    card->load_percent = build_figure(97);
    card->temperatures_celsius.edge = build_figure(64);
    card->power_watts = build_figure(371.3);
    card->power_limit_watts = build_figure(450);
    card->clocks_mhz.graphics = build_figure(2640);
    card->fan_percent = build_figure(58);
    card->pcie = (struct pcie){build_figure(1.2e9), build_figure(3.4e8), build_figure(4),
                               build_figure(16),    build_figure(4),     build_figure(16)};
    struct adapter *apu =
        build_adapter(s, "pci:0000:c5:00.0", "AMD Radeon 890M Graphics", ADAPTER_INTEGRATED);
    build_memory(apu, 2 * GIB, 0.9 * GIB);
    apu->memory.unified = true;
    apu->memory.shared_total_bytes = build_bytes(30 * GIB);
    apu->memory.shared_used_bytes = build_bytes(2.3 * GIB);
    apu->driver = build_text("amdgpu");
    apu->load_percent = figure_known(4, HOW_REPORTED);
    apu->temperatures_celsius.edge = build_figure(41);
    apu->power_watts = build_figure(9.1);

    struct process *llama = build_process(s, 4242, "llama-server", CLASS_LLM);
    struct gpu_use *use = build_use(llama, card, 18 * GIB, 95);
    use->type = GPU_USE_COMPUTE;
    build_device(s, build_model(s, llama, "Qwen3-32B", "Q4_K_M"), card, 12.9 * GIB, 4.1 * GIB)
        ->compute_bytes = figure_known(0.7 * GIB, HOW_REPORTED);
    static const struct runtime llama_cpp[] = {{{"llama.cpp", 9}, {NULL, 0}},
                                               {{"CUDA", 4}, {NULL, 0}}};
    llama->runtimes = llama_cpp;
    llama->runtime_count = 2;
    llama->cpu_percent = build_figure(103.2);
    llama->ram_bytes = build_bytes(1.9 * GIB);
    llama->start_time_ns = s->taken_at_ns - 19321LL * 1000000000;
    struct process *game = build_process(s, 9001, "factorio", CLASS_GAME);
    build_use(game, card, 1.1 * GIB, 2)->type = GPU_USE_GRAPHICS;
    game->cpu_percent = build_figure(44);
    game->ram_bytes = build_bytes(2.2 * GIB);
    struct process *firefox = build_process(s, 3310, "firefox", CLASS_BROWSER);
    use = build_use(firefox, apu, 312 * MIB, 1);
    use->shared_bytes = build_bytes(700 * MIB);
    use->spill_bytes = measured_unknown(REASON_unified_memory);
    use->engines_percent[ENGINE_gfx] = build_figure(1.2);
    firefox->cpu_percent = build_figure(12);
    firefox->ram_bytes = build_bytes(900 * MIB);
    static const char *const desktop[] = {"kwin_wayland", "Xwayland"};
    for (int i = 0; i < 2; i++) {
        struct process *process = build_process(s, 1800 + i, desktop[i], CLASS_COMPOSITOR);
        use = build_use(process, apu, -1, 0.3);
        use->engines_percent[ENGINE_gfx] = build_figure(0.3);
        use->vram_bytes = use->shared_bytes = measured_unknown(REASON_primary_node);
        reason_set_add(&use->vram_unattributed_reasons, REASON_primary_node);
        reason_set_add(&use->vram_unattributed_reasons, REASON_shared_buffers);
        process->cpu_percent = build_figure(0);
        process->ram_bytes = build_bytes(150 * MIB);
    }
    struct process *idle = build_process(s, 5000, "idle-viewer", CLASS_OTHER);
    build_use(idle, card, 0, 0);
    return s;
}

/* A container: matched, guessed and outside rows, and hostile names. */
static inline struct snapshot *picture_container(void)
{
    struct snapshot *s = build_snapshot();
    s->mode = SNAPSHOT_CONTAINER;
    struct adapter *card =
        build_adapter(s, "pci:0000:01:00.0", "NVIDIA RTX A6000", ADAPTER_DISCRETE);
    build_memory(card, 48 * GIB, 11.1 * GIB);
    card->load_percent = build_figure(12);
    struct process *matched = build_process(s, 17, "ollama runner", CLASS_LLM);
    struct gpu_use *use = build_use(matched, card, -1, -1);
    use->vram_bytes = measured_unknown(REASON_no_context_assigned);
    use->vram_inferred_bytes = figure_known(3.9 * GIB, HOW_INFERRED);
    use->inferred_by = INFERRED_MATCHED;
    use->load_percent = figure_unknown(REASON_driver_hides);
    struct process *guess =
        build_process(s, 18, "python\033[31m\xe2\x80\xae\xe6\xbc\xa2\xe5\xad\x97", CLASS_PYTHON_AI);
    use = build_use(guess, card, -1, 12);
    use->vram_inferred_bytes = figure_known(5 * GIB, HOW_INFERRED);
    use->inferred_by = INFERRED_GUESS;
    use->load_inferred_by = INFERRED_GUESS;
    struct process *outside = build_process(s, 645400, NULL, CLASS_OTHER);
    build_space(s, outside, NAMESPACE_HOST);
    outside->user = TEXT_NONE;
    build_use(outside, card, 2 * GIB, 0);
    struct source_status *source = &s->sources[s->source_count++];
    source->name = build_text("nvml");
    source->state = SOURCE_STALE;
    source->detail = build_text("the last answer is 4.2 s old");
    return s;
}

/* A sleeping card beside a discrete AMD one with spill, and a list that could not be read. */
static inline struct snapshot *picture_laptop(void)
{
    static const struct text thermal[] = {{"thermal_gpu", 11}};
    struct snapshot *s = build_snapshot();
    s->origin = ORIGIN_RECORDED_MACHINE;
    struct adapter *card =
        build_adapter(s, "pci:0000:03:00.0", "AMD Radeon RX 7600M XT", ADAPTER_DISCRETE);
    build_memory(card, 8 * GIB, 7.6 * GIB);
    card->memory.shared_total_bytes = build_bytes(32 * GIB);
    card->memory.shared_used_bytes = build_bytes(1.4 * GIB);
    card->load_percent = figure_known(88, HOW_REPORTED);
    card->throttle_reasons = (struct text_list){.items = thermal, .count = 1, .known = true};
    card->throttle_how = HOW_REPORTED;
    struct adapter *asleep = build_adapter(s, "pci:0000:01:00.0",
                                           "NVIDIA GeForce RTX 3050 Laptop GPU", ADAPTER_DISCRETE);
    asleep->power_state = POWER_SUSPENDED;
    asleep->memory.vram_total_bytes = measured_unknown(REASON_device_suspended);
    struct process *comfy = build_process(s, 700, "python3", CLASS_DIFFUSION);
    struct gpu_use *use = build_use(comfy, card, 6.9 * GIB, 88);
    use->spill_bytes = use->shared_bytes = build_bytes(1.3 * GIB);
    use->engines_percent[ENGINE_gfx] = figure_unknown(REASON_rocm_kfd_process);
    use->engines_percent[ENGINE_copy] = build_figure(3);
    for (int i = 0; i < 5; i++) {
        struct process *small = build_process(s, 800 + i, "helper", CLASS_OTHER);
        build_use(small, card, (12 + i) * MIB, 0)->spill_bytes = build_bytes(0);
        small->cpu_percent = figure_unknown(REASON_need_two_samples);
        small->ram_bytes = build_bytes(50 * MIB);
    }
    return s;
}

#endif
