#include "client.h"

#include <curl/curl.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BODY_MAX = 1 << 20, URL_SIZE = 2048, STATUS_OK = 200 };

bool client_open(struct client *client, const char *url, int timeout_ms, struct fail *fail)
{
    *client = (struct client){.url = url, .timeout_ms = timeout_ms};
    /* Plain HTTP needs nothing of what a full initialisation would load. */
    if (curl_global_init(CURL_GLOBAL_NOTHING) == CURLE_OK)
        client->curl = curl_easy_init();
    return client->curl || fail_with(fail, EXIT_CODE_SYSTEM, "libcurl could not be started");
}

void client_close(struct client *client)
{
    curl_easy_cleanup(client->curl);
    curl_global_cleanup();
    client->curl = NULL;
}

void client_answer_fini(struct client_answer *answer)
{
    free(answer->body);
    *answer = (struct client_answer){0};
}

static size_t take_body(char *bytes, size_t one, size_t size, void *context)
{
    struct client_answer *answer = context;
    (void)one;
    if (size > BODY_MAX - answer->size)
        return 0;
    char *body = realloc(answer->body, answer->size + size + 1);
    if (!body)
        return 0;
    answer->body = body;
    memcpy(body + answer->size, bytes, size);
    answer->size += size;
    body[answer->size] = '\0';
    return size;
}

/* What a request has in common with all others. */
static void set_common(const struct client *client, const char *url, struct client_answer *answer)
{
    CURL *curl = client->curl;
    curl_easy_reset(curl);
    curl_easy_setopt(curl, CURLOPT_URL, url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http");
    curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, 1L);
    curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, 1L);
    curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(curl, CURLOPT_TIMEOUT_MS, (long)client->timeout_ms);
    curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, take_body);
    curl_easy_setopt(curl, CURLOPT_WRITEDATA, answer);
    curl_easy_setopt(curl, CURLOPT_ERRORBUFFER, answer->problem);
}

static void perform(const struct client *client, struct client_answer *answer)
{
    const CURLcode code = curl_easy_perform(client->curl);
    curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &answer->status);
    answer->is_whole = code == CURLE_OK;
    if (!answer->is_whole && answer->problem[0] == '\0')
        snprintf(answer->problem, sizeof answer->problem, "%s", curl_easy_strerror(code));
    curl_easy_setopt(client->curl, CURLOPT_ERRORBUFFER, NULL); /* it moves with the answer */
}

static bool url_of(const struct client *client, const char *path, char url[URL_SIZE],
                   struct fail *fail)
{
    return snprintf(url, URL_SIZE, "%s%s", client->url, path) < URL_SIZE ||
           fail_with(fail, EXIT_CODE_USAGE, "--service: the URL is too long");
}

struct post {
    const char *path;
    const char *body;
    size_t size;
    const char *header; /* NULL: none of its own */
};

static bool send_post(struct client *client, const struct post *post, struct client_answer *answer,
                      struct fail *fail)
{
    char url[URL_SIZE];
    if (!url_of(client, post->path, url, fail))
        return false;
    struct curl_slist *type = curl_slist_append(NULL, "Content-Type: application/json");
    struct curl_slist *all = type && post->header ? curl_slist_append(type, post->header) : type;
    if (!all) {
        curl_slist_free_all(type);
        return fail_memory(fail);
    }
    set_common(client, url, answer);
    curl_easy_setopt(client->curl, CURLOPT_HTTPHEADER, all);
    curl_easy_setopt(client->curl, CURLOPT_POSTFIELDSIZE, (long)post->size);
    curl_easy_setopt(client->curl, CURLOPT_POSTFIELDS, post->body);
    perform(client, answer);
    curl_slist_free_all(all);
    return true;
}

/* Reads {"classification": word, "job_id": the job's}. */
static bool read_classification(const struct client_answer *answer, const struct job *job,
                                char out[CLIENT_WORD_SIZE], struct fail *fail)
{
    const char *word = NULL;
    const char *job_id = NULL;
    if (!answer->is_whole)
        return fail_with(fail, EXIT_CODE_SYSTEM, "classify: %s", answer->problem);
    json_t *root = json_loadb(answer->size > 0 ? answer->body : "", answer->size,
                              JSON_REJECT_DUPLICATES, NULL);
    const bool is_good =
        answer->status == STATUS_OK &&
        json_unpack(root, "{ss ss}", "classification", &word, "job_id", &job_id) == 0 &&
        strcmp(job_id, job->job_id) == 0 && word[0] != '\0' && strlen(word) < CLIENT_WORD_SIZE;
    if (is_good) {
        snprintf(out, CLIENT_WORD_SIZE, "%s", word);
    } else {
        fail_with(fail, EXIT_CODE_SYSTEM, "classify: status %ld, and no classification of this job",
                  answer->status);
    }
    json_decref(root);
    return is_good;
}

bool client_classify(struct client *client, const struct job *job, char out[CLIENT_WORD_SIZE],
                     struct fail *fail)
{
    struct client_answer answer = {0};
    json_t *question = json_pack("{ss ss ss}", "job_id", job->job_id, "ticket_id", job->ticket_id,
                                 "title", job->title);
    char *text = question ? json_dumps(question, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    json_decref(question);
    if (!text)
        return fail_memory(fail);
    const struct post post = {"/classifications", text, strlen(text), NULL};
    const bool is_good =
        send_post(client, &post, &answer, fail) && read_classification(&answer, job, out, fail);
    client_answer_fini(&answer);
    free(text);
    return is_good;
}

bool client_look_up(struct client *client, const char *action_id, struct client_answer *answer,
                    struct fail *fail)
{
    char url[URL_SIZE];
    char path[JOB_NAME_SIZE * 2];
    if (snprintf(path, sizeof path, "/actions/%s", action_id) >= (int)sizeof path)
        return fail_with(fail, EXIT_CODE_REFUSED, "the log's action id is too long");
    if (!url_of(client, path, url, fail))
        return false;
    set_common(client, url, answer);
    perform(client, answer);
    return true;
}

bool client_act(struct client *client, const struct client_action *action,
                struct client_answer *answer, struct fail *fail)
{
    char header[JOB_NAME_SIZE * 2];
    if (snprintf(header, sizeof header, "Idempotency-Key: \"%s\"", action->action_id) >=
        (int)sizeof header)
        return fail_with(fail, EXIT_CODE_REFUSED, "the log's action id is too long");
    const struct post post = {"/actions", action->payload, action->payload_size, header};
    return send_post(client, &post, answer, fail);
}
