#include "view/play_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECOND_NS 1000000000LL
enum { DAY_SECONDS = 86400 };

static bool parse_by(const char *words, struct play_time *time)
{
    char *end;
    double amount = strtod(words, &end);
    double unit = *end == 'h' ? 3600 : *end == 'm' ? 60 : *end == 'd' ? DAY_SECONDS : 1;
    end += strchr("hmsd", *end) && *end ? 1 : 0;
    double ns = amount * unit * 1e9;
    *time = (struct play_time){.kind = PLAY_TIME_BY};
    if (*end != '\0' || !(ns > -9e18 && ns < 9e18)) {
        return false;
    }
    time->ns = (int64_t)ns;
    return true;
}

static bool parse_share(const char *words, struct play_time *time)
{
    char *end;
    double percent = strtod(words, &end);
    *time = (struct play_time){.kind = PLAY_TIME_SHARE, .share = percent / 100};
    return end > words && strcmp(end, "%") == 0 && percent >= 0 && percent <= 100;
}

/* A day and a time of it, or a time of the day of `here_ns`. */
static bool parse_wall(const char *words, int64_t here_ns, struct play_time *time)
{
    time_t here = (time_t)(here_ns / SECOND_NS);
    const struct tm *local = localtime(&here);
    struct tm day = local ? *local : (struct tm){.tm_mday = 1};
    int year, month, date, hour, minute, second = 0, used = 0;
    char blank;
    if (sscanf(words, "%4d-%2d-%2d%c%n", &year, &month, &date, &blank, &used) == 4 &&
        (blank == ' ' || blank == 'T')) {
        day.tm_year = year - 1900;
        day.tm_mon = month - 1;
        day.tm_mday = date;
        words += used;
    }
    used = 0;
    if (sscanf(words, "%2d:%2d%n", &hour, &minute, &used) != 2) {
        return false;
    }
    words += used;
    used = 0;
    if (sscanf(words, ":%2d%n", &second, &used) == 1) {
        words += used;
    }
    day.tm_hour = hour;
    day.tm_min = minute;
    day.tm_sec = second;
    day.tm_isdst = -1;
    bool sound = *words == '\0' && hour >= 0 && hour < 24 && minute >= 0 && minute < 60 &&
                 second >= 0 && second <= 60 && day.tm_mon >= 0 && day.tm_mon < 12;
    *time = (struct play_time){.kind = PLAY_TIME_WALL, .ns = (int64_t)mktime(&day) * SECOND_NS};
    return sound;
}

bool play_time_parse(const char *words, int64_t here_ns, struct play_time *time,
                     struct problem *problem)
{
    bool good = *words == '+' || *words == '-' ? parse_by(words, time)
                : strchr(words, '%')           ? parse_share(words, time)
                                               : parse_wall(words, here_ns, time);
    return good || problem_set(problem,
                               "'%.60s' is no place: write 14:02, 14:02:11, 2026-11-29 14:02, +90, "
                               "-5m or 50%%",
                               words);
}

void play_time_words(int64_t ns, char out[PLAY_TIME_SIZE])
{
    long long seconds = ns / SECOND_NS, hours = seconds / 3600;
    int minute = (int)(seconds / 60 % 60), second = (int)(seconds % 60);
    if (hours > 0) {
        snprintf(out, PLAY_TIME_SIZE, "%lld:%02d:%02d", hours, minute, second);
    } else {
        snprintf(out, PLAY_TIME_SIZE, "%d:%02d", minute, second);
    }
}

void play_time_clock(int64_t wall_ns, bool day, char out[PLAY_TIME_SIZE])
{
    time_t seconds = (time_t)(wall_ns / SECOND_NS);
    const struct tm *local = localtime(&seconds);
    out[0] = '\0';
    if (local) {
        (void)strftime(out, PLAY_TIME_SIZE, day ? "%Y-%m-%d %H:%M:%S" : "%H:%M:%S", local);
    }
}
