/* Readers of a run's lines, one a family of runtimes. Each takes a line in which some word of
 * log_words.def was found and puts what it says into the run. Private to the load log parser. */
#ifndef INSPECT_LOAD_LINES_H
#define INSPECT_LOAD_LINES_H

#include "inspect/load_run.h"
#include "inspect/log_words.h"

/* llama.cpp since GGUF (2023-08), and what embeds it. */
void load_lines_llama(struct load_run_reading *run, const struct log_line *line);
/* Its settings and buffers: parts of the above. */
void load_lines_settings(struct load_run_reading *run, const struct log_line *line);
void load_lines_buffers(struct load_run_reading *run, const struct log_line *line);
/* llama.cpp of 2023, which prints sums. */
void load_lines_sums(struct load_run_reading *run, const struct log_line *line);
/* Ollama's own engine. */
void load_lines_ollama(struct load_run_reading *run, const struct log_line *line);
/* False: the line is not vLLM's, not SGLang's. */
bool load_lines_vllm(struct load_run_reading *run, const struct log_line *line);
bool load_lines_sglang(struct load_run_reading *run, const struct log_line *line);
/* False: the line is not whisper.cpp's. */
bool load_lines_whisper(struct load_run_reading *run, const struct log_line *line);
/* False: the line is not stable-diffusion.cpp's. */
bool load_lines_diffusion(struct load_run_reading *run, const struct log_line *line);

#endif
