/* fake_nvml.c - a scriptable stand-in for libnvidia-ml.so.1
 *
 * Own code; the only thing taken from the real library is its public ABI
 * (symbol names, argument order, struct layouts, numeric codes).
 *
 *   cc -std=c11 -O1 -g -Wall -Wextra -shared -fPIC \
 *      -Wl,-soname,libnvidia-ml.so.1 -o libnvidia-ml.so.1 fake_nvml.c
 *
 * See README.md for the scenario file.
 */
#define _GNU_SOURCE
#ifdef _WIN32
#include "../windows/fakes/fake_nvml_windows.h"
#else
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#endif
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

typedef unsigned int u32;
typedef unsigned long long u64;

enum {
  OK = 0, UNINIT = 1, INVALID = 2, NOTSUP = 3, NOPERM = 4, NOTFOUND = 6,
  TOOSMALL = 7, NODRIVER = 9, TIMEOUT = 10, LOST = 15, VERSION_MISMATCH = 25, UNKNOWN = 999
};
#define VALUE_NA 0xFFFFFFFFFFFFFFFFULL
#define NO_ID 0xFFFFFFFFu

/* ------------------------------------------------------------------ model */

#define MAX_DEV 32
#define MAX_MIG 8

struct kv { char *key, *val; };

struct dev {
  bool used, is_mig;
  int index;              /* index among devices, or among the parent's MIG */
  struct dev *parent;     /* MIG only */
  struct dev *mig[MAX_MIG];
  u32 gi, ci;
  struct kv *kv; size_t nkv;
};

struct proc {
  int dev; u32 pid, gi, ci; bool c, g, m;
  char *mem, *ccmem; double from, to; char *name;
};

struct sample {
  int dev; u32 pid; char *sm, *mem, *enc, *dec, *jpg, *ofa;
  double from, to; double age_us, every; bool has_abs; u64 abs_ts;
};

struct event { int dev; u64 xid; double at; bool told; };

struct rule {              /* fail, latency, crash, lost */
  char *pat; int code; int dev; double from, to, ms; int sig;
  atomic_int times;
};

static struct dev devs[MAX_DEV + MAX_DEV * MAX_MIG];
static int ndev;
static struct proc *procs; static size_t nproc;
static struct sample *samples; static size_t nsample;
static struct event *events; static size_t nevent;
static struct rule *fails; static size_t nfail;
static struct rule *lats; static size_t nlat;
static struct rule *crashes; static size_t ncrash;
static char **missing; static size_t nmissing;
static char drv_version[80] = "550.54.14", nvml_version[80] = "12.550.54.14";
static int cuda_version = 12040;
static unsigned stride_v3 = 24, sample_slots = 100;
static bool sample_exact;
static int bad_version_code = VERSION_MISMATCH;   /* drivers of the R510 era answer 13 */
static atomic_int race_left;
static u64 epoch_us;
static bool epoch_set;
static struct timespec t_start;
static bool loaded, load_failed;
static atomic_int init_count;

/* ---------------------------------------------------------- call counting */

struct counter { const char *name; atomic_ullong calls, errors; };
#define MAX_FN 256
static struct counter counters[MAX_FN];
static atomic_int ncounters;
static int trace_fd = -1;

static struct counter *counter_for(const char *name) {
  int n = atomic_load(&ncounters);
  for (int i = 0; i < n; i++)
    if (!strcmp(counters[i].name, name)) return &counters[i];
  static atomic_flag lock = ATOMIC_FLAG_INIT;
  while (atomic_flag_test_and_set(&lock)) ;
  n = atomic_load(&ncounters);
  struct counter *c = NULL;
  for (int i = 0; i < n && !c; i++)
    if (!strcmp(counters[i].name, name)) c = &counters[i];
  if (!c && n < MAX_FN) {
    c = &counters[n];
    c->name = name;
    atomic_store(&ncounters, n + 1);
  }
  atomic_flag_clear(&lock);
  return c;
}

static void write_log(void) {
  const char *path = getenv("FAKE_NVML_LOG");
  if (!path || !*path) return;
  int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return;
  char line[200];
  u64 total = 0;
  int n = atomic_load(&ncounters);
  for (int i = 0; i < n; i++) {
    u64 c = atomic_load(&counters[i].calls), e = atomic_load(&counters[i].errors);
    total += c;
    int k = snprintf(line, sizeof line, "%s calls=%llu errors=%llu\n", counters[i].name, c, e);
    if (k > 0 && write(fd, line, (size_t)k) < 0) break;
  }
  int k = snprintf(line, sizeof line, "TOTAL calls=%llu\n", total);
  if (k > 0 && write(fd, line, (size_t)k) < 0) { /* nothing to do */ }
  close(fd);
}

/* ------------------------------------------------------------------- time */

/* Stepped scenarios. FAKE_NVML_TIMES lists the scenario time of each sample the client will take. Which sample it is
   at comes from FAKE_NVML_STEP_FILE where the client writes its number there; else it is counted from the calls: a
   per-sample question that was answered before about the same device opens the next step. */
#define MAX_STEPS 64
#define MAX_ASKED 1024
static double step_times[MAX_STEPS];
static int nsteps;
static atomic_int counted_step;
static struct { const char *fn; const void *handle; } asked[MAX_ASKED];
static size_t nasked;
static atomic_flag asked_lock = ATOMIC_FLAG_INIT;
static _Thread_local const void *asked_handle;
static _Thread_local bool asked_size_only;   /* an empty list answers 0 to a sizing call as well */
static const char *const sample_questions =
  "nvmlDeviceGetMemoryInfo*,nvmlDeviceGetUtilizationRates,nvmlDeviceGet*RunningProcesses*,"
  "nvmlDeviceGetProcessUtilization,nvmlDeviceGetProcessesUtilizationInfo,nvmlDeviceGetPowerUsage,"
  "nvmlDeviceGetEncoderUtilization,nvmlDeviceGetDecoderUtilization,nvmlDeviceGetPerformanceState";

static bool glob(const char *p, const char *s);

static void load_step_times(void) {
  const char *p = getenv("FAKE_NVML_TIMES");
  while (p && *p && nsteps < MAX_STEPS) {
    char *end;
    double t = strtod(p, &end);
    if (end == p) break;
    step_times[nsteps++] = t;
    p = *end == ',' ? end + 1 : end;
  }
}

static bool read_number_file(const char *env, double *out) {
  const char *file = getenv(env);
  if (!file || !*file) return false;
  int fd = open(file, O_RDONLY | O_CLOEXEC);
  if (fd < 0) return false;
  char b[64], *end;
  ssize_t n = read(fd, b, sizeof b - 1);
  close(fd);
  if (n <= 0) return false;
  b[n] = 0;
  *out = strtod(b, &end);
  return end != b;
}

static bool opens_step(const char *fn) {
  const char *p = getenv("FAKE_NVML_TICK");
  if (!p || !*p) p = sample_questions;
  while (*p) {
    char pat[128];
    size_t n = strcspn(p, ",");
    if (n < sizeof pat) {
      memcpy(pat, p, n);
      pat[n] = 0;
      if (glob(pat, fn)) return true;
    }
    p += n + (p[n] == ',');
  }
  return false;
}

static void step_before(const char *fn, const void *handle) {
  asked_handle = handle;
  asked_size_only = false;
  if (!nsteps || !opens_step(fn)) return;
  while (atomic_flag_test_and_set(&asked_lock)) ;
  for (size_t i = 0; i < nasked; i++)
    if (asked[i].handle == handle && !strcmp(asked[i].fn, fn)) {
      nasked = 0;
      atomic_fetch_add(&counted_step, 1);
      break;
    }
  atomic_flag_clear(&asked_lock);
}

/* only an answer counts: a sizing call, a retry and a fallback to an older symbol stay in the same step */
static void step_after(const char *fn, int rc) {
  if (!nsteps || rc != OK || asked_size_only || !opens_step(fn)) return;
  while (atomic_flag_test_and_set(&asked_lock)) ;
  if (nasked < MAX_ASKED) {
    asked[nasked].fn = fn;
    asked[nasked++].handle = asked_handle;
  }
  atomic_flag_clear(&asked_lock);
}

static double step_time(void) {
  double n = 0;
  if (!read_number_file("FAKE_NVML_STEP_FILE", &n)) n = atomic_load(&counted_step);
  int k = n < 0 ? 0 : n >= nsteps ? nsteps - 1 : (int)n;
  return step_times[k];
}

static double now_s(void) {
  const char *fix = getenv("FAKE_NVML_TIME");
  if (fix && *fix) return strtod(fix, NULL);
  if (nsteps) return step_time();
  double from_file;
  if (read_number_file("FAKE_NVML_TIME_FILE", &from_file)) return from_file;
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)(t.tv_sec - t_start.tv_sec) + (double)(t.tv_nsec - t_start.tv_nsec) / 1e9;
}

static bool in_window(double from, double to) {
  double t = now_s();
  return t >= from && t < to;
}

/* ------------------------------------------------------------ expressions */

static double number(const char *s, char **end) {
  char *e;
  double v;
  if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X')) v = (double)strtoull(s, &e, 16);
  else v = strtod(s, &e);
  if (!strncmp(e, "KiB", 3)) { v *= 1024.0; e += 3; }
  else if (!strncmp(e, "MiB", 3)) { v *= 1048576.0; e += 3; }
  else if (!strncmp(e, "GiB", 3)) { v *= 1073741824.0; e += 3; }
  *end = e;
  return v;
}

/* whole-number literals keep all 64 bits; everything else goes through double */
static int eval(const char *s, u64 *out) {
  char *e;
  if (!s) return NOTSUP;
  if (!strcmp(s, "na")) return NOTSUP;
  if (!strncmp(s, "err:", 4)) return atoi(s + 4);
  if (!strncmp(s, "ramp:", 5) || !strncmp(s, "saw:", 4)) {
    bool saw = s[0] == 's';
    double a = number(s + (saw ? 4 : 5), &e), b = 0, d = 1, t0 = 0;
    if (*e == ':') b = number(e + 1, &e);
    if (*e == ':') d = number(e + 1, &e);
    if (*e == ':') t0 = number(e + 1, &e);
    double t = now_s() - t0;
    if (t < 0) t = 0;
    if (saw && d > 0) { t = t - d * (double)(long long)(t / d); }
    double f = d > 0 ? t / d : 1;
    if (f > 1) f = 1;
    double v = a + (b - a) * f;
    *out = v < 0 ? 0 : (u64)(v + 0.5);
    return OK;
  }
  if (!strncmp(s, "frames:", 7)) {
    double t = now_s();
    const char *p = s + 7;
    char best[64] = "na";
    while (*p) {
      double at = strtod(p, &e);
      if (*e != '=') break;
      const char *v = e + 1, *q = strchr(v, ',');
      size_t n = q ? (size_t)(q - v) : strlen(v);
      if (at <= t && n < sizeof best) { memcpy(best, v, n); best[n] = 0; }
      if (!q) break;
      p = q + 1;
    }
    return eval(best, out);
  }
  u64 w = strtoull(s, &e, 0);
  if (*e == 0 && e != s) { *out = w; return OK; }
  double v = number(s, &e);
  *out = v < 0 ? 0 : (u64)(v + 0.5);
  return OK;
}

/* ---------------------------------------------------------------- parsing */

static bool glob(const char *p, const char *s) {
  for (; *p; p++, s++) {
    if (*p == '*') {
      while (p[1] == '*') p++;
      if (!p[1]) return true;
      for (; *s; s++) if (glob(p + 1, s)) return true;
      return false;
    }
    if (*p != *s) return false;
  }
  return *s == 0;
}

static void *grow(void *p, size_t n, size_t sz) {
  void *q = realloc(p, n * sz);
  if (!q) abort();
  return q;
}
static char *copy_str(const char *s) { char *d = strdup(s); if (!d) abort(); return d; }

static void set_kv(struct dev *d, const char *k, const char *v) {
  for (size_t i = 0; i < d->nkv; i++)
    if (!strcmp(d->kv[i].key, k)) { free(d->kv[i].val); d->kv[i].val = copy_str(v); return; }
  d->kv = grow(d->kv, d->nkv + 1, sizeof *d->kv);
  d->kv[d->nkv].key = copy_str(k);
  d->kv[d->nkv].val = copy_str(v);
  d->nkv++;
}
static const char *get_kv(const struct dev *d, const char *k) {
  for (size_t i = 0; i < d->nkv; i++)
    if (!strcmp(d->kv[i].key, k)) return d->kv[i].val;
  return NULL;
}

/* name=value words after the fixed words of a line */
static const char *word(char **w, int n, const char *key) {
  size_t l = strlen(key);
  for (int i = 0; i < n; i++)
    if (!strncmp(w[i], key, l) && w[i][l] == '=') return w[i] + l + 1;
  return NULL;
}
static double wnum(char **w, int n, const char *key, double dflt) {
  const char *v = word(w, n, key);
  return v ? strtod(v, NULL) : dflt;
}

static int bad(const char *path, int line, const char *why) {
  fprintf(stderr, "fake-nvml: %s:%d: %s\n", path, line, why);
  return -1;
}

static int add_rule(struct rule **arr, size_t *n, char **w, int nw, struct rule r) {
  *arr = grow(*arr, *n + 1, sizeof **arr);
  struct rule *x = &(*arr)[*n];
  memset(x, 0, sizeof *x);
  x->pat = r.pat; x->code = r.code; x->ms = r.ms; x->sig = r.sig;
  x->dev = (int)wnum(w, nw, "dev", -1);
  x->from = wnum(w, nw, "from", -1e18);
  x->to = wnum(w, nw, "to", 1e18);
  atomic_init(&x->times, (int)wnum(w, nw, "times", -1));
  (*n)++;
  return 0;
}

static int parse(const char *path) {
  FILE *f = fopen(path, "re");
  if (!f) return bad(path, 0, strerror(errno));
  char *line = NULL;
  size_t cap = 0;
  int ln = 0, rc = 0;
  struct dev *cur = NULL;
  while (rc == 0 && getline(&line, &cap, f) >= 0) {
    ln++;
    char *h = line;
    while (*h && isspace((unsigned char)*h)) h++;
    if (!*h || *h == '#') continue;
    size_t L = strlen(h);
    while (L && isspace((unsigned char)h[L - 1])) h[--L] = 0;
    char *sp = h;
    while (*sp && !isspace((unsigned char)*sp)) sp++;
    char *rest = sp;
    if (*rest) { *rest++ = 0; while (isspace((unsigned char)*rest)) rest++; }
    /* free-text keys before splitting */
    if (!strcmp(h, "driver")) { snprintf(drv_version, sizeof drv_version, "%s", rest); continue; }
    if (!strcmp(h, "nvml")) { snprintf(nvml_version, sizeof nvml_version, "%s", rest); continue; }
    if (cur && (!strcmp(h, "name") || !strcmp(h, "uuid") || !strcmp(h, "serial") || !strcmp(h, "vbios"))) {
      set_kv(cur, h, rest); continue;
    }
    char *w[40], *save = NULL; int nw = 0;
    for (char *p = strtok_r(rest, " \t", &save); p && nw < 40; p = strtok_r(NULL, " \t", &save)) {
      if (*p == '#') break;
      w[nw++] = p;
    }
    if (!strcmp(h, "cuda") && nw == 1) cuda_version = atoi(w[0]);
    else if (!strcmp(h, "bad_version") && nw == 1) bad_version_code = atoi(w[0]);
    else if (!strcmp(h, "epoch") && nw == 1) { epoch_us = strtoull(w[0], NULL, 0); epoch_set = true; }
    else if (!strcmp(h, "stride") && nw == 1) {
      stride_v3 = (unsigned)atoi(w[0]);
      if (stride_v3 != 16 && stride_v3 != 24 && stride_v3 != 32) rc = bad(path, ln, "stride is 16, 24 or 32");
    } else if (!strcmp(h, "race") && nw == 1) atomic_store(&race_left, atoi(w[0]));
    else if (!strcmp(h, "sample_slots") && nw == 1) {
      if (!strcmp(w[0], "exact")) sample_exact = true; else sample_slots = (unsigned)atoi(w[0]);
    } else if (!strcmp(h, "missing") && nw >= 1) {
      for (int i = 0; i < nw; i++) {
        missing = grow(missing, nmissing + 1, sizeof *missing);
        missing[nmissing++] = copy_str(w[i]);
      }
    } else if (!strcmp(h, "fail") && nw >= 2)
      add_rule(&fails, &nfail, w + 2, nw - 2, (struct rule){.pat = copy_str(w[0]), .code = atoi(w[1])});
    else if (!strcmp(h, "latency") && nw >= 2)
      add_rule(&lats, &nlat, w + 2, nw - 2, (struct rule){.pat = copy_str(w[0]), .ms = strtod(w[1], NULL)});
    else if (!strcmp(h, "crash") && nw >= 2)
      add_rule(&crashes, &ncrash, w + 2, nw - 2, (struct rule){.pat = copy_str(w[0]), .sig = atoi(w[1])});
    else if (!strcmp(h, "lost") && nw >= 1) {
      add_rule(&fails, &nfail, w + 1, nw - 1, (struct rule){.pat = copy_str("nvmlDevice*"), .code = LOST});
      fails[nfail - 1].dev = atoi(w[0]);
    } else if (!strcmp(h, "device") && nw == 1) {
      int i = atoi(w[0]);
      if (i != ndev || i >= MAX_DEV) { rc = bad(path, ln, "devices must be numbered 0,1,2,..."); break; }
      cur = &devs[ndev++];
      memset(cur, 0, sizeof *cur);
      cur->used = true; cur->index = i; cur->gi = cur->ci = NO_ID;
    } else if (!strcmp(h, "migdev") && nw >= 1 && ndev > 0) {
      struct dev *par = &devs[ndev - 1];
      int i = atoi(w[0]);
      if (i < 0 || i >= MAX_MIG) { rc = bad(path, ln, "MIG index is 0..7"); break; }
      cur = &devs[MAX_DEV + (ndev - 1) * MAX_MIG + i];
      memset(cur, 0, sizeof *cur);
      cur->used = cur->is_mig = true; cur->index = i; cur->parent = par;
      cur->gi = (u32)wnum(w, nw, "gi", 0); cur->ci = (u32)wnum(w, nw, "ci", 0);
      par->mig[i] = cur;
    } else if (!strcmp(h, "proc") && nw >= 2) {
      procs = grow(procs, nproc + 1, sizeof *procs);
      struct proc *p = &procs[nproc];
      memset(p, 0, sizeof *p);
      p->dev = atoi(w[0]);
      p->pid = (u32)strtoul(word(w, nw, "pid") ? word(w, nw, "pid") : "0", NULL, 0);
      const char *t = word(w, nw, "type"), *m = word(w, nw, "mem"), *cc = word(w, nw, "ccmem");
      if (!t) { rc = bad(path, ln, "proc needs type="); break; }
      p->c = strchr(t, 'C') != NULL; p->g = strchr(t, 'G') != NULL; p->m = strchr(t, 'M') != NULL;
      p->mem = copy_str(m ? m : "na"); p->ccmem = copy_str(cc ? cc : "0");
      p->gi = word(w, nw, "gi") ? (u32)strtoul(word(w, nw, "gi"), NULL, 0) : NO_ID;
      p->ci = word(w, nw, "ci") ? (u32)strtoul(word(w, nw, "ci"), NULL, 0) : NO_ID;
      p->from = wnum(w, nw, "from", -1e18); p->to = wnum(w, nw, "to", 1e18);
      p->name = copy_str(word(w, nw, "name") ? word(w, nw, "name") : "");
      nproc++;
    } else if (!strcmp(h, "sample") && nw >= 2) {
      samples = grow(samples, nsample + 1, sizeof *samples);
      struct sample *s = &samples[nsample];
      memset(s, 0, sizeof *s);
      s->dev = atoi(w[0]);
      s->pid = (u32)strtoul(word(w, nw, "pid") ? word(w, nw, "pid") : "0", NULL, 0);
#define SV(f, k) s->f = copy_str(word(w, nw, k) ? word(w, nw, k) : "0")
      SV(sm, "sm"); SV(mem, "mem"); SV(enc, "enc"); SV(dec, "dec"); SV(jpg, "jpg"); SV(ofa, "ofa");
#undef SV
      s->from = wnum(w, nw, "from", -1e18); s->to = wnum(w, nw, "to", 1e18);
      s->age_us = wnum(w, nw, "age_us", 200000); s->every = wnum(w, nw, "every", 0);
      const char *a = word(w, nw, "ts");
      if (a) { s->has_abs = true; s->abs_ts = strtoull(a, NULL, 0); }
      nsample++;
    } else if (!strcmp(h, "xid") && nw >= 2) {
      events = grow(events, nevent + 1, sizeof *events);
      events[nevent++] = (struct event){.dev = atoi(w[0]), .xid = strtoull(w[1], NULL, 0), .at = wnum(w, nw, "at", 0)};
    } else if (cur && nw >= 1) set_kv(cur, h, w[0]);
    else rc = bad(path, ln, "not understood");
  }
  free(line);
  fclose(f);
  return rc;
}

/* --------------------------------------- hide symbols named by `missing` */

#ifdef _WIN32

static bool is_missing(const char *name) {
  for (size_t k = 0; k < nmissing; k++)
    if (glob(missing[k], name)) return true;
  return false;
}

static void hide_missing(void) { if (nmissing) hide_exports(is_missing); }

#else

struct self { ElfW(Addr) base; const ElfW(Dyn) *dyn; };

static int find_self(struct dl_phdr_info *i, size_t sz, void *arg) {
  (void)sz;
  struct self *s = arg;
  ElfW(Addr) me = (ElfW(Addr))(uintptr_t)&find_self;
  const ElfW(Dyn) *dyn = NULL;
  bool mine = false;
  for (int k = 0; k < i->dlpi_phnum; k++) {
    const ElfW(Phdr) *p = &i->dlpi_phdr[k];
    if (p->p_type == PT_LOAD && me >= i->dlpi_addr + p->p_vaddr && me < i->dlpi_addr + p->p_vaddr + p->p_memsz) mine = true;
    if (p->p_type == PT_DYNAMIC) dyn = (const void *)(uintptr_t)(i->dlpi_addr + p->p_vaddr);
  }
  if (!mine) return 0;
  s->base = i->dlpi_addr; s->dyn = dyn;
  return 1;
}

static ElfW(Addr) rel(const struct self *s, ElfW(Addr) a) { return a < s->base ? a + s->base : a; }

static size_t gnu_hash_count(const u32 *h) {
  u32 nb = h[0], off = h[1], bloom = h[2], max = 0;
  const u32 *buckets = (const u32 *)(const void *)((const char *)(h + 4) + bloom * sizeof(ElfW(Addr)));
  const u32 *chain = buckets + nb;
  for (u32 i = 0; i < nb; i++) if (buckets[i] > max) max = buckets[i];
  if (max < off) return off;
  while (!(chain[max - off] & 1)) max++;
  return (size_t)max + 1;
}

static void hide_missing(void) {
  if (!nmissing) return;
  struct self s = {0, NULL};
  dl_iterate_phdr(find_self, &s);
  if (!s.dyn) return;
  ElfW(Sym) *tab = NULL; const char *str = NULL; const u32 *gh = NULL, *sh = NULL;
  for (const ElfW(Dyn) *d = s.dyn; d->d_tag != DT_NULL; d++) {
    if (d->d_tag == DT_SYMTAB) tab = (void *)(uintptr_t)rel(&s, d->d_un.d_ptr);
    if (d->d_tag == DT_STRTAB) str = (void *)(uintptr_t)rel(&s, d->d_un.d_ptr);
    if (d->d_tag == DT_GNU_HASH) gh = (void *)(uintptr_t)rel(&s, d->d_un.d_ptr);
    if (d->d_tag == DT_HASH) sh = (void *)(uintptr_t)rel(&s, d->d_un.d_ptr);
  }
  if (!tab || !str || (!gh && !sh)) return;
  size_t n = gh ? gnu_hash_count(gh) : sh[1];
  long pg = sysconf(_SC_PAGESIZE);
  uintptr_t a = (uintptr_t)tab & ~(uintptr_t)(pg - 1);
  uintptr_t b = ((uintptr_t)(tab + n) + (uintptr_t)pg - 1) & ~(uintptr_t)(pg - 1);
  if (mprotect((void *)a, b - a, PROT_READ | PROT_WRITE)) { perror("fake-nvml: mprotect"); return; }
  for (size_t i = 1; i < n; i++)
    for (size_t k = 0; k < nmissing; k++)
      if (tab[i].st_shndx != SHN_UNDEF && glob(missing[k], str + tab[i].st_name)) {
        tab[i].st_value = 0;           /* glibc and musl both skip it now */
        tab[i].st_shndx = SHN_UNDEF;
        break;
      }
  mprotect((void *)a, b - a, PROT_READ);
}

#endif

__attribute__((constructor)) static void load(void) {
  clock_gettime(CLOCK_MONOTONIC, &t_start);
  struct timespec r;
  clock_gettime(CLOCK_REALTIME, &r);
  epoch_us = (u64)r.tv_sec * 1000000ULL + (u64)r.tv_nsec / 1000ULL;
  const char *tr = getenv("FAKE_NVML_TRACE");
  if (tr && *tr) trace_fd = open(tr, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  const char *p = getenv("FAKE_NVML_SCENARIO");
  if (!p || !*p) return;
  load_step_times();
  if (parse(p)) { load_failed = true; return; }
  const char *ep = getenv("FAKE_NVML_EPOCH");
  if (!epoch_set && ep && *ep) { epoch_us = strtoull(ep, NULL, 0); epoch_set = true; }
  loaded = true;
  hide_missing();
}

__attribute__((destructor)) static void unload(void) {
  write_log();
  if (trace_fd >= 0) close(trace_fd);
  for (size_t i = 0; i < sizeof devs / sizeof devs[0]; i++) {
    for (size_t k = 0; k < devs[i].nkv; k++) { free(devs[i].kv[k].key); free(devs[i].kv[k].val); }
    free(devs[i].kv);
  }
  for (size_t i = 0; i < nproc; i++) { free(procs[i].mem); free(procs[i].ccmem); free(procs[i].name); }
  for (size_t i = 0; i < nsample; i++) {
    free(samples[i].sm); free(samples[i].mem); free(samples[i].enc);
    free(samples[i].dec); free(samples[i].jpg); free(samples[i].ofa);
  }
  for (size_t i = 0; i < nfail; i++) free(fails[i].pat);
  for (size_t i = 0; i < nlat; i++) free(lats[i].pat);
  for (size_t i = 0; i < ncrash; i++) free(crashes[i].pat);
  for (size_t i = 0; i < nmissing; i++) free(missing[i]);
  free(procs); free(samples); free(events); free(fails); free(lats); free(crashes); free(missing);
}

/* ------------------------------------------------------------ entry/leave */

static struct dev *as_dev(void *h) {
  struct dev *d = h;
  if (d < devs || d >= devs + sizeof devs / sizeof devs[0]) return NULL;
  return d->used ? d : NULL;
}
static int dev_index(void *h) {
  struct dev *d = as_dev(h);
  return !d ? -1 : d->is_mig ? d->parent->index : d->index;
}

static int leave(const char *fn, int dev, int rc) {
  step_after(fn, rc);
  struct counter *c = counter_for(fn);
  if (c) {
    atomic_fetch_add(&c->calls, 1);
    if (rc != OK) atomic_fetch_add(&c->errors, 1);
  }
  if (trace_fd >= 0) {
    char b[200];
    int k = snprintf(b, sizeof b, "%.3f %s dev=%d rc=%d\n", now_s(), fn, dev, rc);
    if (k > 0 && write(trace_fd, b, (size_t)k) < 0) { /* trace lost */ }
  }
  return rc;
}

/* latency, crashes, forced codes; >=0 means "return this" */
static int enter(const char *fn, int dev) {
  for (size_t i = 0; i < nlat; i++)
    if ((lats[i].dev < 0 || lats[i].dev == dev) && glob(lats[i].pat, fn) && in_window(lats[i].from, lats[i].to)) {
      struct timespec t = {(time_t)(lats[i].ms / 1000), (long)((lats[i].ms - 1000.0 * (double)(time_t)(lats[i].ms / 1000)) * 1e6)};
      while (nanosleep(&t, &t) && errno == EINTR) ;
    }
  for (size_t i = 0; i < ncrash; i++)
    if ((crashes[i].dev < 0 || crashes[i].dev == dev) && glob(crashes[i].pat, fn) && in_window(crashes[i].from, crashes[i].to))
      raise(crashes[i].sig);
  for (size_t i = 0; i < nfail; i++)
    if ((fails[i].dev < 0 || fails[i].dev == dev) && glob(fails[i].pat, fn) && in_window(fails[i].from, fails[i].to)) {
      int left = atomic_load(&fails[i].times);
      if (left == 0) continue;
      if (left > 0) atomic_fetch_sub(&fails[i].times, 1);
      return fails[i].code;
    }
  return -1;
}

#define BEGIN_SYS(fn)                                             \
  const char *fn_ = fn; int ix_ = -1;                             \
  step_before(fn_, NULL);                                         \
  { int r_ = enter(fn_, -1); if (r_ >= 0) return leave(fn_, -1, r_); } \
  if (atomic_load(&init_count) <= 0) return leave(fn_, -1, UNINIT);

#define BEGIN_DEV(fn, h)                                          \
  const char *fn_ = fn; int ix_ = dev_index(h);                   \
  if (atomic_load(&init_count) <= 0) return leave(fn_, ix_, UNINIT); \
  struct dev *d = as_dev(h);                                      \
  if (!d) return leave(fn_, ix_, INVALID);                        \
  step_before(fn_, h);                                            \
  { int r_ = enter(fn_, ix_); if (r_ >= 0) return leave(fn_, ix_, r_); }

#define END(rc) return leave(fn_, ix_, (rc))

static int metric(struct dev *d, const char *key, u64 *v) { return eval(get_kv(d, key), v); }
static int metric_u32(struct dev *d, const char *key, u32 *out) {
  u64 v = 0;
  if (!out) return INVALID;
  int r = metric(d, key, &v);
  if (r == OK) *out = (u32)v;
  return r;
}
static int text(const char *s, char *buf, u32 len) {
  if (!buf) return INVALID;
  if (!s) return NOTSUP;
  size_t n = strlen(s) + 1;
  if (n > len) return TOOSMALL;
  memcpy(buf, s, n);
  return OK;
}
static bool mig_on(struct dev *d) {
  u64 v = 0;
  struct dev *p = d->is_mig ? d->parent : d;
  return metric(p, "mig", &v) == OK && v == 1;
}

/* --------------------------------------------------------- init and system */

static int do_init(const char *fn) {
  int r = enter(fn, -1);
  if (r >= 0) { if (r == OK) atomic_fetch_add(&init_count, 1); return leave(fn, -1, r); }
  if (load_failed) return leave(fn, -1, UNKNOWN);
  if (!loaded) return leave(fn, -1, NODRIVER);
  atomic_fetch_add(&init_count, 1);
  return leave(fn, -1, OK);
}
API int nvmlInit(void) { return do_init("nvmlInit"); }
API int nvmlInit_v2(void) { return do_init("nvmlInit_v2"); }
API int nvmlInitWithFlags(u32 flags) { (void)flags; return do_init("nvmlInitWithFlags"); }
API int nvmlShutdown(void) {
  BEGIN_SYS("nvmlShutdown")
  atomic_fetch_sub(&init_count, 1);
  int r = leave(fn_, ix_, OK);
  write_log();
  return r;
}
API const char *nvmlErrorString(int r) {
  struct counter *c = counter_for("nvmlErrorString");
  if (c) atomic_fetch_add(&c->calls, 1);
  switch (r) {
  case 0: return "Success";
  case 1: return "Uninitialized";
  case 2: return "Invalid Argument";
  case 3: return "Not Supported";
  case 4: return "Insufficient Permissions";
  case 6: return "Not Found";
  case 7: return "Insufficient Size";
  case 9: return "Driver Not Loaded";
  case 10: return "Timeout";
  case 12: return "NVML Shared Library Not Found";
  case 13: return "Function Not Found";
  case 15: return "GPU is lost";
  case 16: return "GPU requires reset";
  case 17: return "GPU access blocked by the operating system";
  case 18: return "Driver/library version mismatch";
  case 20: return "Insufficient Memory";
  case 25: return "Argument version mismatch";
  case 999: return "Unknown Error";
  default: return "Unknown Error code";
  }
}
API int nvmlSystemGetDriverVersion(char *b, u32 n) { BEGIN_SYS("nvmlSystemGetDriverVersion") END(text(drv_version, b, n)); }
API int nvmlSystemGetNVMLVersion(char *b, u32 n) { BEGIN_SYS("nvmlSystemGetNVMLVersion") END(text(nvml_version, b, n)); }
API int nvmlSystemGetCudaDriverVersion(int *v) { BEGIN_SYS("nvmlSystemGetCudaDriverVersion") if (!v) END(INVALID); *v = cuda_version; END(OK); }
API int nvmlSystemGetCudaDriverVersion_v2(int *v) { BEGIN_SYS("nvmlSystemGetCudaDriverVersion_v2") if (!v) END(INVALID); *v = cuda_version; END(OK); }
API int nvmlSystemGetProcessName(u32 pid, char *b, u32 n) {
  BEGIN_SYS("nvmlSystemGetProcessName")
  if (!b || !n) END(INVALID);
  for (size_t i = 0; i < nproc; i++)
    if (procs[i].pid == pid && procs[i].name[0]) { snprintf(b, n, "%s", procs[i].name); END(OK); }
  END(NOTFOUND);
}

static int do_count(const char *fn, u32 *n) { BEGIN_SYS(fn) if (!n) END(INVALID); *n = (u32)ndev; END(OK); }
API int nvmlDeviceGetCount(u32 *n) { return do_count("nvmlDeviceGetCount", n); }
API int nvmlDeviceGetCount_v2(u32 *n) { return do_count("nvmlDeviceGetCount_v2", n); }

static int by_index(const char *fn, u32 i, void **h) {
  if (atomic_load(&init_count) <= 0) return leave(fn, (int)i, UNINIT);
  int r = enter(fn, (int)i);
  if (r >= 0) return leave(fn, (int)i, r);
  if (!h || i >= (u32)ndev) return leave(fn, (int)i, INVALID);
  *h = &devs[i];
  return leave(fn, (int)i, OK);
}
API int nvmlDeviceGetHandleByIndex(u32 i, void **h) { return by_index("nvmlDeviceGetHandleByIndex", i, h); }
API int nvmlDeviceGetHandleByIndex_v2(u32 i, void **h) { return by_index("nvmlDeviceGetHandleByIndex_v2", i, h); }

static int by_key(const char *fn, const char *key, const char *want, void **h) {
  BEGIN_SYS(fn)
  if (!h || !want) END(INVALID);
  for (size_t i = 0; i < sizeof devs / sizeof devs[0]; i++) {
    if (!devs[i].used) continue;
    const char *v = get_kv(&devs[i], key);
    if (v && (!strcasecmp(v, want) || (!strcmp(key, "pci") && strlen(v) == 16 && !strcasecmp(v + 4, want)))) {
      int r = enter("nvmlDeviceGetHandle", dev_index(&devs[i]));
      if (r >= 0) END(r);
      *h = &devs[i];
      END(OK);
    }
  }
  END(NOTFOUND);
}
API int nvmlDeviceGetHandleByUUID(const char *u, void **h) { return by_key("nvmlDeviceGetHandleByUUID", "uuid", u, h); }
API int nvmlDeviceGetHandleByPciBusId(const char *u, void **h) { return by_key("nvmlDeviceGetHandleByPciBusId", "pci", u, h); }
API int nvmlDeviceGetHandleByPciBusId_v2(const char *u, void **h) { return by_key("nvmlDeviceGetHandleByPciBusId_v2", "pci", u, h); }

/* -------------------------------------------------------------- identity */

API int nvmlDeviceGetName(void *h, char *b, u32 n) { BEGIN_DEV("nvmlDeviceGetName", h) END(text(get_kv(d, "name"), b, n)); }
API int nvmlDeviceGetUUID(void *h, char *b, u32 n) { BEGIN_DEV("nvmlDeviceGetUUID", h) END(text(get_kv(d, "uuid"), b, n)); }
API int nvmlDeviceGetSerial(void *h, char *b, u32 n) { BEGIN_DEV("nvmlDeviceGetSerial", h) END(text(get_kv(d, "serial"), b, n)); }
API int nvmlDeviceGetVbiosVersion(void *h, char *b, u32 n) { BEGIN_DEV("nvmlDeviceGetVbiosVersion", h) END(text(get_kv(d, "vbios"), b, n)); }
API int nvmlDeviceGetIndex(void *h, u32 *v) { BEGIN_DEV("nvmlDeviceGetIndex", h) if (!v) END(INVALID); *v = (u32)d->index; END(OK); }
API int nvmlDeviceGetMinorNumber(void *h, u32 *v) {
  BEGIN_DEV("nvmlDeviceGetMinorNumber", h)
  if (!v) END(INVALID);
  if (get_kv(d, "minor")) END(metric_u32(d, "minor", v));
  *v = (u32)dev_index(d);
  END(OK);
}
API int nvmlDeviceGetCudaComputeCapability(void *h, int *maj, int *min) {
  BEGIN_DEV("nvmlDeviceGetCudaComputeCapability", h)
  const char *s = get_kv(d, "cc");
  if (!maj || !min) END(INVALID);
  if (!s || sscanf(s, "%d.%d", maj, min) != 2) END(NOTSUP);
  END(OK);
}

struct pci { char legacy[16]; u32 domain, bus, device, dev_id, sub_id; char id[32]; };

static int do_pci(const char *fn, void *h, struct pci *p, bool full) {
  BEGIN_DEV(fn, h)
  struct dev *src = d->is_mig ? d->parent : d;
  const char *s = get_kv(src, "pci");
  u32 dom = 0, bus = 0, dv = 0;
  u64 id = 0;
  if (!p) END(INVALID);
  if (!s || sscanf(s, "%x:%x:%x", &dom, &bus, &dv) != 3) END(NOTSUP);
  snprintf(p->legacy, sizeof p->legacy, "%04X:%02X:%02X.0", dom & 0xffffu, bus & 0xffu, dv & 0x1fu);
  p->domain = dom; p->bus = bus; p->device = dv;
  p->dev_id = metric(src, "pci_device_id", &id) == OK ? (u32)id : 0x000010deu;
  p->sub_id = metric(src, "pci_subsys_id", &id) == OK ? (u32)id : 0;
  if (full) snprintf(p->id, sizeof p->id, "%08X:%02X:%02X.0", dom, bus & 0xffu, dv & 0x1fu);
  END(OK);
}
API int nvmlDeviceGetPciInfo(void *h, struct pci *p) { return do_pci("nvmlDeviceGetPciInfo", h, p, false); }
API int nvmlDeviceGetPciInfo_v2(void *h, struct pci *p) { return do_pci("nvmlDeviceGetPciInfo_v2", h, p, false); }
API int nvmlDeviceGetPciInfo_v3(void *h, struct pci *p) { return do_pci("nvmlDeviceGetPciInfo_v3", h, p, true); }

/* -------------------------------------------------- one-number getters
 * Each reads the scenario key of the same row; a key that is absent answers
 * "not supported".                                                        */
#define U32_GETTER(sym, key) \
  API int sym(void *h, u32 *v) { BEGIN_DEV(#sym, h) END(metric_u32(d, key, v)); }

U32_GETTER(nvmlDeviceGetPowerUsage, "power_mw")
U32_GETTER(nvmlDeviceGetPowerManagementLimit, "power_limit_mw")
U32_GETTER(nvmlDeviceGetEnforcedPowerLimit, "power_limit_mw")
U32_GETTER(nvmlDeviceGetPowerManagementDefaultLimit, "power_limit_mw")
U32_GETTER(nvmlDeviceGetFanSpeed, "fan_pct")
U32_GETTER(nvmlDeviceGetNumFans, "num_fans")
U32_GETTER(nvmlDeviceGetCurrPcieLinkGeneration, "pcie_gen")
U32_GETTER(nvmlDeviceGetCurrPcieLinkWidth, "pcie_width")
U32_GETTER(nvmlDeviceGetMaxPcieLinkGeneration, "pcie_gen_max")
U32_GETTER(nvmlDeviceGetGpuMaxPcieLinkGeneration, "pcie_gen_max")
U32_GETTER(nvmlDeviceGetMaxPcieLinkWidth, "pcie_width_max")
U32_GETTER(nvmlDeviceGetPcieReplayCounter, "pcie_replay")
U32_GETTER(nvmlDeviceGetPowerState, "pstate")
U32_GETTER(nvmlDeviceGetPerformanceState, "pstate")
U32_GETTER(nvmlDeviceGetPersistenceMode, "persistence")
U32_GETTER(nvmlDeviceGetDisplayMode, "display")
U32_GETTER(nvmlDeviceGetDisplayActive, "display_active")
U32_GETTER(nvmlDeviceGetComputeMode, "compute_mode")
U32_GETTER(nvmlDeviceGetBrand, "brand")
U32_GETTER(nvmlDeviceGetArchitecture, "arch")
U32_GETTER(nvmlDeviceGetBusType, "bus_type")
U32_GETTER(nvmlDeviceGetNumGpuCores, "cores")
U32_GETTER(nvmlDeviceGetMemoryBusWidth, "mem_bus_width")
U32_GETTER(nvmlDeviceGetVirtualizationMode, "virt_mode")
U32_GETTER(nvmlDeviceGetAccountingMode, "accounting")

API int nvmlDeviceGetFanSpeed_v2(void *h, u32 fan, u32 *v) { (void)fan; BEGIN_DEV("nvmlDeviceGetFanSpeed_v2", h) END(metric_u32(d, "fan_pct", v)); }
API int nvmlDeviceGetDriverModel(void *h, u32 *c, u32 *p) {
  BEGIN_DEV("nvmlDeviceGetDriverModel", h)
  int r = metric_u32(d, "driver_model", c);
  if (r == OK && p) *p = *c;
  END(r);
}
API int nvmlDeviceGetDriverModel_v2(void *h, u32 *c, u32 *p) {
  BEGIN_DEV("nvmlDeviceGetDriverModel_v2", h)
  int r = metric_u32(d, "driver_model", c);
  if (r == OK && p) *p = *c;
  END(r);
}
API int nvmlDeviceGetEccMode(void *h, u32 *c, u32 *p) {
  BEGIN_DEV("nvmlDeviceGetEccMode", h)
  int r = metric_u32(d, "ecc", c);
  if (r == OK && p) *p = *c;
  END(r);
}
API int nvmlDeviceGetTotalEccErrors(void *h, u32 type, u32 ctr, u64 *v) {
  (void)type; (void)ctr;
  BEGIN_DEV("nvmlDeviceGetTotalEccErrors", h)
  if (!v) END(INVALID);
  END(metric(d, "ecc_errors", v));
}
API int nvmlDeviceGetTotalEnergyConsumption(void *h, u64 *v) { BEGIN_DEV("nvmlDeviceGetTotalEnergyConsumption", h) if (!v) END(INVALID); END(metric(d, "energy_mj", v)); }
API int nvmlDeviceGetCurrentClocksThrottleReasons(void *h, u64 *v) { BEGIN_DEV("nvmlDeviceGetCurrentClocksThrottleReasons", h) if (!v) END(INVALID); END(metric(d, "throttle", v)); }
API int nvmlDeviceGetCurrentClocksEventReasons(void *h, u64 *v) { BEGIN_DEV("nvmlDeviceGetCurrentClocksEventReasons", h) if (!v) END(INVALID); END(metric(d, "throttle", v)); }
API int nvmlDeviceGetPowerManagementLimitConstraints(void *h, u32 *lo, u32 *hi) {
  BEGIN_DEV("nvmlDeviceGetPowerManagementLimitConstraints", h)
  if (!lo || !hi) END(INVALID);
  int r = metric_u32(d, "power_min_mw", lo);
  if (r == OK) r = metric_u32(d, "power_max_mw", hi);
  END(r);
}

static const char *const clock_key[4] = {"clock_gr", "clock_sm", "clock_mem", "clock_video"};
static const char *const clock_max_key[4] = {"clock_gr_max", "clock_sm_max", "clock_mem_max", "clock_video_max"};
API int nvmlDeviceGetClockInfo(void *h, u32 t, u32 *v) { BEGIN_DEV("nvmlDeviceGetClockInfo", h) if (t > 3) END(INVALID); END(metric_u32(d, clock_key[t], v)); }
API int nvmlDeviceGetMaxClockInfo(void *h, u32 t, u32 *v) { BEGIN_DEV("nvmlDeviceGetMaxClockInfo", h) if (t > 3) END(INVALID); END(metric_u32(d, clock_max_key[t], v)); }

API int nvmlDeviceGetTemperature(void *h, u32 s, u32 *v) { BEGIN_DEV("nvmlDeviceGetTemperature", h) if (s) END(INVALID); END(metric_u32(d, "temp", v)); }
struct temp_v1 { u32 version, sensor; int t; };
API int nvmlDeviceGetTemperatureV(void *h, struct temp_v1 *p) {
  BEGIN_DEV("nvmlDeviceGetTemperatureV", h)
  u32 v = 0;
  if (!p) END(INVALID);
  if (p->version != (12u | (1u << 24))) END(bad_version_code);
  int r = metric_u32(d, "temp", &v);
  if (r == OK) p->t = (int)v;
  END(r);
}
API int nvmlDeviceGetTemperatureThreshold(void *h, u32 t, u32 *v) {
  static const char *const k[4] = {"temp_shutdown", "temp_slowdown", "temp_mem_max", "temp_gpu_max"};
  BEGIN_DEV("nvmlDeviceGetTemperatureThreshold", h)
  if (t > 7) END(INVALID);
  END(t < 4 ? metric_u32(d, k[t], v) : NOTSUP);
}

/* --------------------------------------------------------- memory and load */

struct mem_v1 { u64 total, free, used; };
struct mem_v2 { u32 version; u64 total, reserved, free, used; };
_Static_assert(sizeof(struct mem_v2) == 40, "ABI");

static int mem_parts(struct dev *d, u64 *tot, u64 *res, u64 *used, u64 *fre) {
  int r = metric(d, "mem_total", tot);
  if (r == OK) r = metric(d, "mem_used", used);
  if (r != OK) return r;
  if (metric(d, "mem_reserved", res) != OK) *res = 0;
  if (metric(d, "mem_free", fre) != OK) *fre = *tot > *used + *res ? *tot - *used - *res : 0;
  return OK;
}
API int nvmlDeviceGetMemoryInfo(void *h, struct mem_v1 *m) {
  BEGIN_DEV("nvmlDeviceGetMemoryInfo", h)
  u64 t = 0, r0 = 0, u = 0, f = 0;
  if (!m) END(INVALID);
  int r = mem_parts(d, &t, &r0, &u, &f);
  if (r == OK) { m->total = t; m->free = f; m->used = t >= f ? t - f : u; }   /* v1: used includes reserved */
  END(r);
}
API int nvmlDeviceGetMemoryInfo_v2(void *h, struct mem_v2 *m) {
  BEGIN_DEV("nvmlDeviceGetMemoryInfo_v2", h)
  u64 t = 0, r0 = 0, u = 0, f = 0;
  if (!m) END(INVALID);
  if (m->version != (40u | (2u << 24))) END(bad_version_code);
  int r = mem_parts(d, &t, &r0, &u, &f);
  if (r == OK) { m->total = t; m->reserved = r0; m->free = f; m->used = u; }
  END(r);
}
API int nvmlDeviceGetBAR1MemoryInfo(void *h, struct mem_v1 *m) {
  BEGIN_DEV("nvmlDeviceGetBAR1MemoryInfo", h)
  u64 t = 0, u = 0;
  if (!m) END(INVALID);
  int r = metric(d, "bar1_total", &t);
  if (r == OK) r = metric(d, "bar1_used", &u);
  if (r == OK) { m->total = t; m->used = u; m->free = t - u; }
  END(r);
}
struct util { u32 gpu, mem; };
API int nvmlDeviceGetUtilizationRates(void *h, struct util *u) {
  BEGIN_DEV("nvmlDeviceGetUtilizationRates", h)
  if (!u) END(INVALID);
  if (mig_on(d)) END(NOTSUP);
  int r = metric_u32(d, "util_gpu", &u->gpu);
  if (r == OK) r = metric_u32(d, "util_mem", &u->mem);
  END(r);
}
#define ENGINE_GETTER(sym, key)                                      \
  API int sym(void *h, u32 *v, u32 *period) {                        \
    BEGIN_DEV(#sym, h)                                               \
    if (!v || !period) END(INVALID);                                 \
    if (mig_on(d)) END(NOTSUP);                                      \
    int r = metric_u32(d, key, v);                                   \
    if (r == OK) *period = 167000;                                   \
    END(r);                                                          \
  }
ENGINE_GETTER(nvmlDeviceGetEncoderUtilization, "util_enc")
ENGINE_GETTER(nvmlDeviceGetDecoderUtilization, "util_dec")
ENGINE_GETTER(nvmlDeviceGetJpgUtilization, "util_jpg")
ENGINE_GETTER(nvmlDeviceGetOfaUtilization, "util_ofa")

API int nvmlDeviceGetPcieThroughput(void *h, u32 c, u32 *v) {
  BEGIN_DEV("nvmlDeviceGetPcieThroughput", h)
  if (c > 1) END(INVALID);
  END(metric_u32(d, c ? "pcie_rx_kbs" : "pcie_tx_kbs", v));
}

struct field { u32 id, scope; long long ts, lat; u32 type; int ret; union { double d; u32 u; u64 ull; } v; };
_Static_assert(sizeof(struct field) == 40, "ABI");
API int nvmlDeviceGetFieldValues(void *h, int n, struct field *f) {
  BEGIN_DEV("nvmlDeviceGetFieldValues", h)
  if (!f || n <= 0) END(INVALID);
  for (int i = 0; i < n; i++) {
    const char *k = NULL;
    u32 ty = 1;                                   /* 1 unsigned int, 3 unsigned long long */
    switch (f[i].id) {
    case 82: k = "temp_mem"; break;
    case 83: k = "energy_mj"; ty = 3; break;
    case 185: k = "power_mw"; break;
    case 186: k = get_kv(d, "power_instant_mw") ? "power_instant_mw" : "power_mw"; break;
    case 197: k = "pcie_tx_bytes"; ty = 3; break;
    case 198: k = "pcie_rx_bytes"; ty = 3; break;
    default: break;
    }
    u64 v = 0;
    f[i].ts = (long long)epoch_us + (long long)(now_s() * 1e6);
    f[i].lat = 10;
    f[i].type = ty;
    f[i].ret = k ? metric(d, k, &v) : NOTSUP;
    if (f[i].ret == OK) { f[i].v.ull = 0; if (ty == 3) f[i].v.ull = v; else f[i].v.u = (u32)v; }
  }
  END(OK);
}

/* -------------------------------------------------------------------- MIG */

API int nvmlDeviceGetMigMode(void *h, u32 *cur, u32 *pend) {
  BEGIN_DEV("nvmlDeviceGetMigMode", h)
  if (!cur || !pend) END(INVALID);
  int r = metric_u32(d, "mig", cur);
  if (r == OK) { u64 p = *cur; (void)metric(d, "mig_pending", &p); *pend = (u32)p; }
  END(r);
}
API int nvmlDeviceGetMaxMigDeviceCount(void *h, u32 *n) {
  BEGIN_DEV("nvmlDeviceGetMaxMigDeviceCount", h)
  u64 v = 0;
  if (!n) END(INVALID);
  if (metric(d, "mig", &v) != OK) { *n = 0; END(OK); }
  *n = 7;
  END(OK);
}
API int nvmlDeviceGetMigDeviceHandleByIndex(void *h, u32 i, void **out) {
  BEGIN_DEV("nvmlDeviceGetMigDeviceHandleByIndex", h)
  if (!out || i >= MAX_MIG) END(INVALID);
  if (!mig_on(d)) END(NOTSUP);
  if (!d->mig[i]) END(NOTFOUND);
  *out = d->mig[i];
  END(OK);
}
API int nvmlDeviceIsMigDeviceHandle(void *h, u32 *v) { BEGIN_DEV("nvmlDeviceIsMigDeviceHandle", h) if (!v) END(INVALID); *v = d->is_mig; END(OK); }
API int nvmlDeviceGetGpuInstanceId(void *h, u32 *v) { BEGIN_DEV("nvmlDeviceGetGpuInstanceId", h) if (!v) END(INVALID); if (!d->is_mig) END(NOTSUP); *v = d->gi; END(OK); }
API int nvmlDeviceGetComputeInstanceId(void *h, u32 *v) { BEGIN_DEV("nvmlDeviceGetComputeInstanceId", h) if (!v) END(INVALID); if (!d->is_mig) END(NOTSUP); *v = d->ci; END(OK); }
API int nvmlDeviceGetDeviceHandleFromMigDeviceHandle(void *h, void **out) {
  BEGIN_DEV("nvmlDeviceGetDeviceHandleFromMigDeviceHandle", h)
  if (!out) END(INVALID);
  if (!d->is_mig) END(INVALID);
  *out = d->parent;
  END(OK);
}
struct attrs { u32 sm, ce, dec, enc, jpg, ofa, gi_slices, ci_slices; u64 mem_mib; };
_Static_assert(sizeof(struct attrs) == 40, "ABI");
static int do_attrs(const char *fn, void *h, struct attrs *a) {
  BEGIN_DEV(fn, h)
  u64 m = 0;
  if (!a) END(INVALID);
  if (!d->is_mig) END(NOTSUP);
  memset(a, 0, sizeof *a);
  (void)metric_u32(d, "attr_sm", &a->sm); (void)metric_u32(d, "attr_ce", &a->ce);
  (void)metric_u32(d, "attr_dec", &a->dec); (void)metric_u32(d, "attr_enc", &a->enc);
  (void)metric_u32(d, "attr_gi_slices", &a->gi_slices); (void)metric_u32(d, "attr_ci_slices", &a->ci_slices);
  if (metric(d, "mem_total", &m) == OK) a->mem_mib = m >> 20;
  END(OK);
}
API int nvmlDeviceGetAttributes(void *h, struct attrs *a) { return do_attrs("nvmlDeviceGetAttributes", h, a); }
API int nvmlDeviceGetAttributes_v2(void *h, struct attrs *a) { return do_attrs("nvmlDeviceGetAttributes_v2", h, a); }

/* -------------------------------------------------------------- processes */

struct pi_v1 { u32 pid; u64 mem; };
struct pi_v2 { u32 pid; u64 mem; u32 gi, ci; };
struct pi_v3 { u32 pid; u64 mem; u32 gi, ci; u64 cc; };
_Static_assert(sizeof(struct pi_v1) == 16 && sizeof(struct pi_v2) == 24 && sizeof(struct pi_v3) == 32, "ABI");

enum mode { M_C, M_G, M_MPS, M_ALL };

static bool listed(const struct proc *p, struct dev *d, enum mode m) {
  if (p->dev != dev_index(d) || !in_window(p->from, p->to)) return false;
  if (d->is_mig && (p->gi != d->gi || p->ci != d->ci)) return false;
  switch (m) {
  case M_C: return p->c;
  case M_G: return p->g;
  case M_MPS: return p->m;
  default: return true;
  }
}
static u64 proc_mem(const struct proc *p) {
  u64 v = 0;
  return eval(p->mem, &v) == OK ? v : VALUE_NA;
}

static int fill(struct dev *d, enum mode m, u32 *count, void *out, unsigned stride) {
  if (!count) return INVALID;
  asked_size_only = *count == 0 || !out;
  u32 need = 0;
  for (size_t i = 0; i < nproc; i++) need += listed(&procs[i], d, m);
  if (*count < need) { *count = need; return TOOSMALL; }
  if (need && !out) return INVALID;
  if (need && atomic_load(&race_left) > 0) { atomic_fetch_sub(&race_left, 1); *count = need + 1; return TOOSMALL; }
  u32 k = 0;
  for (size_t i = 0; i < nproc && k < need; i++) {
    if (!listed(&procs[i], d, m)) continue;
    struct pi_v3 r;
    memset(&r, 0, sizeof r);
    r.pid = procs[i].pid; r.mem = proc_mem(&procs[i]);
    r.gi = procs[i].gi; r.ci = procs[i].ci;
    u64 cc = 0;
    r.cc = eval(procs[i].ccmem, &cc) == OK ? cc : VALUE_NA;
    memcpy((char *)out + (size_t)k * stride, &r, stride);
    k++;
  }
  *count = k;
  return OK;
}

#define LIST_GETTER(sym, mode, stride) \
  API int sym(void *h, u32 *n, void *out) { BEGIN_DEV(#sym, h) END(fill(d, mode, n, out, stride)); }

LIST_GETTER(nvmlDeviceGetComputeRunningProcesses, M_C, 16)
LIST_GETTER(nvmlDeviceGetComputeRunningProcesses_v2, M_C, 24)
LIST_GETTER(nvmlDeviceGetComputeRunningProcesses_v3, M_C, stride_v3)
LIST_GETTER(nvmlDeviceGetGraphicsRunningProcesses, M_G, 16)
LIST_GETTER(nvmlDeviceGetGraphicsRunningProcesses_v2, M_G, 24)
LIST_GETTER(nvmlDeviceGetGraphicsRunningProcesses_v3, M_G, stride_v3)
LIST_GETTER(nvmlDeviceGetMPSComputeRunningProcesses, M_MPS, 16)
LIST_GETTER(nvmlDeviceGetMPSComputeRunningProcesses_v2, M_MPS, 24)
LIST_GETTER(nvmlDeviceGetMPSComputeRunningProcesses_v3, M_MPS, stride_v3)

struct plist { u32 version, mode, n; struct pi_v3 *a; };
API int nvmlDeviceGetRunningProcessDetailList(void *h, struct plist *p) {
  BEGIN_DEV("nvmlDeviceGetRunningProcessDetailList", h)
  if (!p) END(INVALID);
  if (p->version != (24u | (1u << 24))) END(bad_version_code);
  if (p->mode > 3) END(INVALID);
  END(fill(d, (enum mode)p->mode, &p->n, p->a, 32));
}

/* present only in drivers that can run confidential computing; clients use
 * its presence to tell driver generations apart */
API int nvmlDeviceGetConfComputeMemSizeInfo(void *h, void *out) {
  BEGIN_DEV("nvmlDeviceGetConfComputeMemSizeInfo", h)
  if (!out) END(INVALID);
  END(NOTSUP);
}

struct ps { u32 pid; u64 ts; u32 sm, mem, enc, dec; };
struct pu { u64 ts; u32 pid, sm, mem, enc, dec, jpg, ofa; };
struct pus { u32 version, n; u64 last; struct pu *a; };
_Static_assert(sizeof(struct ps) == 32 && sizeof(struct pu) == 40 && sizeof(struct pus) == 24, "ABI");

/* the wall clock, unless the scenario brings its own with `epoch` */
static u64 clock_us(void) {
  if (epoch_set) return epoch_us + (u64)(now_s() * 1e6);
  struct timespec r;
  clock_gettime(CLOCK_REALTIME, &r);
  return (u64)r.tv_sec * 1000000ULL + (u64)r.tv_nsec / 1000ULL;
}

static u64 sample_ts(const struct sample *s) {
  if (s->has_abs) return s->abs_ts;
  u64 now = clock_us(), step = (u64)(s->every * 1e6);
  if (step) return now / step * step;
  return now - (u64)s->age_us;
}
static u32 sval(const char *e) { u64 v = 0; return eval(e, &v) == OK ? (u32)v : 0; }

static u32 collect(struct dev *d, u64 last, struct pu *out, u32 cap) {
  u32 k = 0;
  for (size_t i = 0; i < nsample; i++) {
    if (samples[i].dev != dev_index(d) || !in_window(samples[i].from, samples[i].to)) continue;
    u64 ts = sample_ts(&samples[i]);
    if (ts <= last) continue;
    if (out && k < cap) {
      struct pu r = {ts, samples[i].pid, sval(samples[i].sm), sval(samples[i].mem), sval(samples[i].enc),
                     sval(samples[i].dec), sval(samples[i].jpg), sval(samples[i].ofa)};
      out[k] = r;
    }
    k++;
  }
  return k;
}

API int nvmlDeviceGetProcessUtilization(void *h, struct ps *out, u32 *n, u64 last) {
  BEGIN_DEV("nvmlDeviceGetProcessUtilization", h)
  if (!n) END(INVALID);
  if (mig_on(d) || get_kv(d, "no_process_util")) END(NOTSUP);
  u32 have = collect(d, last, NULL, 0);
  if (!out || *n == 0) {
    *n = sample_exact ? have : sample_slots;
    if (sample_exact && !have) END(NOTFOUND);
    END(TOOSMALL);
  }
  if (*n < have) { *n = sample_exact ? have : sample_slots; END(TOOSMALL); }
  if (!have) { *n = 0; END(NOTFOUND); }
  struct pu *tmp = calloc(have, sizeof *tmp);
  if (!tmp) END(20);
  u32 k = collect(d, last, tmp, have);
  if (k > have) k = have;
  for (u32 i = 0; i < k; i++) {
    memset(&out[i], 0, sizeof out[i]);
    out[i].pid = tmp[i].pid; out[i].ts = tmp[i].ts; out[i].sm = tmp[i].sm;
    out[i].mem = tmp[i].mem; out[i].enc = tmp[i].enc; out[i].dec = tmp[i].dec;
  }
  free(tmp);
  *n = k;
  END(k ? OK : NOTFOUND);
}

API int nvmlDeviceGetProcessesUtilizationInfo(void *h, struct pus *p) {
  BEGIN_DEV("nvmlDeviceGetProcessesUtilizationInfo", h)
  if (!p) END(INVALID);
  if (p->version != (24u | (1u << 24))) END(bad_version_code);
  if (mig_on(d) || get_kv(d, "no_process_util")) END(NOTSUP);
  u32 have = collect(d, p->last, NULL, 0);
  if (!p->a || p->n == 0) {
    p->n = sample_exact ? have : sample_slots;
    if (sample_exact && !have) END(NOTFOUND);
    END(TOOSMALL);
  }
  if (p->n < have) { p->n = sample_exact ? have : sample_slots; END(TOOSMALL); }
  if (!have) { p->n = 0; END(NOTFOUND); }
  u32 k = collect(d, p->last, p->a, p->n);
  p->n = k < p->n ? k : p->n;
  END(OK);
}

/* ----------------------------------------------------------------- events */

/* One set at a time. A device tells what happens after it was registered, once, in the order of the scenario. */
static struct { bool made; double since[MAX_DEV]; bool on[MAX_DEV]; } event_set;
struct event_data { void *device; u64 type, data; u32 gi, ci; };

API int nvmlDeviceGetSupportedEventTypes(void *h, u64 *types) {
  BEGIN_DEV("nvmlDeviceGetSupportedEventTypes", h)
  if (!types) END(INVALID);
  *types = get_kv(d, "no_events") || d->is_mig ? 0 : 8;
  END(OK);
}
API int nvmlEventSetCreate(void **set) {
  BEGIN_SYS("nvmlEventSetCreate")
  if (!set) END(INVALID);
  memset(&event_set, 0, sizeof event_set);
  event_set.made = true;
  *set = &event_set;
  END(OK);
}
API int nvmlEventSetFree(void *set) {
  BEGIN_SYS("nvmlEventSetFree")
  if (set != &event_set || !event_set.made) END(INVALID);
  event_set.made = false;
  END(OK);
}
API int nvmlDeviceRegisterEvents(void *h, u64 types, void *set) {
  BEGIN_DEV("nvmlDeviceRegisterEvents", h)
  if (set != &event_set || !event_set.made) END(INVALID);
  if (types != 8 || d->is_mig || get_kv(d, "no_events")) END(NOTSUP);
  event_set.on[d->index] = true;
  event_set.since[d->index] = now_s();
  END(OK);
}
static int do_wait(const char *fn, void *set, struct event_data *out, u32 ms, bool old) {
  BEGIN_SYS(fn)
  if (set != &event_set || !event_set.made || !out) END(INVALID);
  for (size_t i = 0; i < nevent; i++) {
    struct event *e = &events[i];
    if (e->told || e->dev < 0 || e->dev >= ndev || !event_set.on[e->dev] || e->at > now_s()) continue;
    e->told = true;
    if (e->at < event_set.since[e->dev]) continue;
    struct event_data data = {&devs[e->dev], 8, e->xid, NO_ID, NO_ID};
    memcpy(out, &data, old ? offsetof(struct event_data, gi) : sizeof data);
    END(OK);
  }
  struct timespec t = {ms / 1000, (long)(ms % 1000) * 1000000L};
  nanosleep(&t, NULL);
  END(TIMEOUT);
}
API int nvmlEventSetWait(void *set, struct event_data *out, u32 ms) { return do_wait("nvmlEventSetWait", set, out, ms, true); }
API int nvmlEventSetWait_v2(void *set, struct event_data *out, u32 ms) { return do_wait("nvmlEventSetWait_v2", set, out, ms, false); }
