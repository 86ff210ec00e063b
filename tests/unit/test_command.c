/* Secrets that must never be seen, and ordinary flags that must stay as they are (SPEC section 1,
 * rule 7). In a row arguments are separated by '|'. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "inspect/command.h"

#define R "[redacted]"

struct row {
    const char *command, *expected; /* expected NULL: unchanged */
};

static const struct row rows[] = {
    /* flags and their values */
    {"llama-server|-m|a.gguf|--api-key|s3cret", "llama-server|-m|a.gguf|--api-key|" R},
    {"llama-server|--api-key=s3cret|-c|4096", "llama-server|--api-key=" R "|-c|4096"},
    {"x|--api_key|abc", "x|--api_key|" R},
    {"x|--apikey|abc", "x|--apikey|" R},
    {"x|-api-key|abc", "x|-api-key|" R},
    {"x|--api-key|-dash1ng", "x|--api-key|" R},
    {"x|--hf-token|abc|--port|1", "x|--hf-token|" R "|--port|1"},
    {"x|--token|abc", "x|--token|" R},
    {"x|--token=with blanks in it", "x|--token=" R},
    {"x|--password|p w", "x|--password|" R},
    {"x|--authToken|abc", "x|--authToken|" R},
    {"x|--gradio-auth|user:pw", "x|--gradio-auth|" R},
    {"x|--secret-key|abc", "x|--secret-key|" R},
    {"x|--api-keys|a,b", "x|--api-keys|" R},
    {"vllm|serve|m|--api-key|a|b|--port|1", "vllm|serve|m|--api-key|" R "|" R "|--port|1"},
    {"curl|-u|ann:pw|http://h/", "curl|-u|ann:" R "|http://h/"},
    {"sshpass|-p|pw|ssh|h", "sshpass|-p|" R "|ssh|h"},
    {"mysql|-ppw|db", "mysql|-p" R "|db"},
    /* variables and pairs */
    {"env|HF_TOKEN=abc|python|a.py", "env|HF_TOKEN=" R "|python|a.py"},
    {"docker|run|-e|OPENAI_API_KEY=abc|img", "docker|run|-e|OPENAI_API_KEY=" R "|img"},
    {"x|--env=HF_TOKEN=abc", "x|--env=HF_TOKEN=" R},
    {"x|AWS_SECRET_ACCESS_KEY=abc", "x|AWS_SECRET_ACCESS_KEY=" R},
    {"x|DB_PASS=abc", "x|DB_PASS=" R},
    {"x|token=abc", "x|token=" R},
    {"x|{\"api_key\": \"a b\", \"n\": 1}", "x|{\"api_key\": \"" R "\", \"n\": 1}"},
    {"x|http://h/?token=abc&n=1", "x|http://h/?token=" R "&n=1"},
    {"x|https://ann:pw@host/p", "x|https://ann:" R "@host/p"},
    {"curl|-H|Authorization: Bearer abc def", "curl|-H|Authorization: " R},
    {"curl|-H|X-Api-Key: abcdefgh", "curl|-H|X-Api-Key: " R},
    {"x|Bearer abcdefghijkl", "x|Bearer " R},
    /* shapes of keys */
    {"x|sk-proj-0123456789abcdefABCDEF", "x|" R},
    {"x|a=sk-0123456789abcdef;b", "x|a=" R ";b"},
    {"x|hf_AbCdEfGhIjKlMnOpQrStUvWxYz", "x|" R},
    {"x|ghp_0123456789abcdefghij", "x|" R},
    {"x|AKIAIOSFODNN7EXAMPLE", "x|" R},
    {"x|eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abc", "x|" R},
    /* short and provider's own spellings */
    {"llama-server|-hft|abc|-c|1", "llama-server|-hft|" R "|-c|1"},
    {"x|PGPASSWORD=abc|MYSQL_PWD=def", "x|PGPASSWORD=" R "|MYSQL_PWD=" R},
    {"x|--pwd|abc", "x|--pwd|" R},
    {"x|X_AUTH=abc|--otp|123456", "x|X_AUTH=" R "|--otp|" R},
    {"x|--wandb-key|abc|--civitai-key=def", "x|--wandb-key|" R "|--civitai-key=" R},
    {"ngrok|authtoken|abc", "ngrok|authtoken|" R},
    {"ngrok|config|add-authtoken|abc", "ngrok|config|add-authtoken|" R},
    {"wandb|login|abc", "wandb|login|" R},
    {"/usr/bin/curl|-uann:pw|h", "/usr/bin/curl|-uann:" R "|h"},
    {"curl|--user=ann:pw|h", "curl|--user=ann:" R "|h"},
    {"curl|-b|s=abc|h", "curl|-b|" R "|h"},
    {"python|-m|vllm.entrypoints.openai.api_server|--api-key|a|b|--port|1",
     "python|-m|vllm.entrypoints.openai.api_server|--api-key|" R "|" R "|--port|1"},
    {"x|--api-key|--|abc", "x|--api-key|--|" R},
    {"x|--api-key\tabc", "x|--api-key\t" R},
    {"x|-c|import os; os.environ[\"HF_TOKEN\"]=\"abc\"; go()",
     "x|-c|import os; os.environ[\"HF_TOKEN\"]=\"" R "\"; go()"},
    {"x|-c|os.environ['HF_TOKEN'] = 'abc'", "x|-c|os.environ['HF_TOKEN'] = '" R "'"},
    /* in addresses */
    {"git|clone|https://abcdef@github.com/a/b", "git|clone|https://" R "@github.com/a/b"},
    {"x|git+https://abcdef@host/a", "x|git+https://" R "@host/a"},
    {"x|https://ghp_0123456789abcdefghij:x-oauth-basic@h/", "x|https://" R ":" R "@h/"},
    {"x|https://h/c?sv=1&sig=abc%3D&n=2", "x|https://h/c?sv=1&sig=" R "&n=2"},
    {"x|https://h/c?key=abc", "x|https://h/c?key=" R},
    {"x|https://h/c?X-Amz-Signature=abc&x=1", "x|https://h/c?X-Amz-Signature=" R "&x=1"},
    /* only the value tells */
    {"x|--pin|1234|--webpin|0-3", "x|--pin|" R "|--webpin|0-3"},
    {"x|--pin=12345678", "x|--pin=" R},
    {"x|--key|0123456789abcdef01234567|-k|40", "x|--key|" R "|-k|40"},
    {"x|-k|A1b2C3d4E5f6G7h8I9j0K1", "x|-k|" R},
    {"x|-p=0123456789abcdef01234567", "x|-p=" R},
    {"x|WANDB_API_KEY|0123456789abcdef0123456789abcdef01234567", "x|WANDB_API_KEY|" R},
    {"a.exe|/token|abc|/port|1", "a.exe|/token|" R "|/port|1"},
    {"a.exe|/password:abc|/v", "a.exe|/password:" R "|/v"},
    {"server --key 0123456789abcdef01234567 -k 40", "server --key " R " -k 40"},
    /* a process that replaced its arguments with one line */
    {"server --api-key abc --port 1", "server --api-key " R " --port 1"},
    {"server: token=abc worker 1", "server: token=" R " worker 1"},
    /* what must stay */
    {"llama-server|-m|/models/a.gguf|-ngl|99|-c|32768|--host|127.0.0.1|--port|8080", NULL},
    {"x|--max-tokens|512|--n-tokens=4|--tokenizer|llama", NULL},
    {"x|--eos-token|</s>|--pad-token-id|0|--tokens-per-second|3", NULL},
    {"x|--api-key-file|/run/secrets/key|--password-file=/x", NULL},
    {"x|--key|k.pem|--keyboard|us|--monkey|1", NULL},
    {"x|--no-auth|file|--author|ann|--authority=x", NULL},
    {"ffmpeg|-i|a.mkv|-pass|1|out.mkv", NULL},
    {"x|--render-pass|color|--passes|3|--compass|n", NULL},
    {"x|http://host:8080/path@v1|ssh://ann@host", NULL},
    {"x|disk-usage|task-0123456789abcdef|hf_transfer|sk-learn", NULL},
    {"x|--cache-type-k|q8_0|--key-value=1|PWD=/home/ann", NULL},
    {"python3|-u|train.py|--lr|1e-4|--secretary|x", NULL},
    {"/opt/sk-toolkit-2024/bin/x|/data/sk-learning-2024-v2", NULL},
    {"apptainer|run|--pwd|/work|a.sif", NULL},
    {"x|OLDPWD=/home/ann|key=value|sig=1|--pin|0-3", NULL},
    {"x|x[\"eos_token\"]=\"</s>\"|https://h/c?keyboard=us&size=1", NULL},
    {"curl|-b|cookies.txt|-O|http://h/", NULL},
    {"llama-server|-hf|user/model|--login|ann|wandb|sync", NULL},
    {"x|--key=server.pem|--key|/etc/ssl/private/0123456789abcdef0123.key|-k|0.9", NULL},
    {"pytest|-k|test_loading_of_models_2024|-p|no:cacheprovider", NULL},
    {"llama-cli|-p|Tell me about 2024|--top-k|40|-k|40", NULL},
    {"docker|run|-e|WANDB_API_KEY|nvcr.io/nvidia/pytorch:24.01|-p|8080:80", NULL},
    {"x|--signature=model.sig|--signature|0123456789abcdef01234567", NULL},
    {"ls|/tokens|/data/token|x|/secrets.d|y", NULL},
    {"x|-ot|blk\\.[0-9]+\\.ffn=CPU||last", NULL},
};

static struct raw_text arguments_of(const char *row, char *buffer, size_t size)
{
    size_t length = strlen(row);
    assert_true(length + 1 < size);
    memcpy(buffer, row, length + 1);
    for (size_t i = 0; i < length; i++)
        if (buffer[i] == '|')
            buffer[i] = '\0';
    return (struct raw_text){buffer, length + 1};
}

static void joined(const struct text_list *list, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < list->count; i++)
        used += (size_t)snprintf(out + used, size - used, "%s%.*s", i ? "|" : "",
                                 (int)list->items[i].size, list->items[i].utf8);
}

static void test_rows(void **state)
{
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char buffer[512], got[1024];
        struct raw_text raw = arguments_of(rows[i].command, buffer, sizeof buffer);
        struct text_list list = command_redact(*state, raw);
        assert_true(list.known);
        joined(&list, got, sizeof got);
        assert_string_equal(got, rows[i].expected ? rows[i].expected : rows[i].command);
    }
}

static void test_free_text(void **state)
{
    static const struct row texts[] = {
        {"loaded with api_key=abc ok", "loaded with api_key=" R " ok"},
        {"Authorization: Basic abc\nnext", "Authorization: " R "\nnext"},
        {"EOS token        = 2 '</s>'", NULL},
        {"llm_load: n_tokens = 512, max_token = 7", NULL},
        {"eval time per token: 12 ms", NULL},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        struct text got = text_redact(*state, raw_from_string(texts[i].command));
        const char *want = texts[i].expected ? texts[i].expected : texts[i].command;
        assert_string_equal(got.utf8, want);
    }
    assert_true(text_is_none(text_redact(*state, (struct raw_text){0})));
}

static void test_bounds(void **state)
{
    struct text_list list = command_redact(*state, (struct raw_text){0});
    assert_false(list.known);
    list = command_redact(*state, (struct raw_text){"", 0});
    assert_true(list.known);
    assert_int_equal(list.count, 0);
    /* NULs that a shorter title left behind, and a last argument without its NUL */
    list = command_redact(*state, (struct raw_text){"title\0\0\0\0", 9});
    assert_int_equal(list.count, 1);
    list = command_redact(*state, (struct raw_text){"a\0\0b", 4});
    assert_int_equal(list.count, 3);

    size_t size = 1 << 20;
    char *bytes = calloc(1, size);
    for (size_t i = 0; i < size; i += 2)
        bytes[i] = 'a';
    list = command_redact(*state, (struct raw_text){bytes, size});
    assert_int_equal(list.count, 256);
    memset(bytes, '\xc3', size);
    list = command_redact(*state, (struct raw_text){bytes, size});
    assert_int_equal(list.count, 1);
    free(bytes);
    list = command_redact(*state, raw_from_string("--password"));
    assert_int_equal(list.count, 1);
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
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_free_text),
        cmocka_unit_test(test_bounds),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
