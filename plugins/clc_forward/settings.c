/* What clc_forward's parameters mean: mu and gamma may be `auto` or a value, which one row of a parameter table cannot
 * say. Values are checked in init(); ticks exist from begin() on. */
#include "../shared/numbers/number.h"
#include "clc_forward.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Returns what follows the number, NULL: there is none. */
static const char *number(const char *text, double *value)
{
    const size_t n = number_at(text, value);
    return n > 0 ? text + n + strspn(text + n, " ") : NULL;
}

static tcf_status parse_mu(tcf_self *self, const char *text)
{
    static const struct {
        const char *name;
        double seconds;
    } units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}};
    struct state *st = self->state;
    if (strcmp(text, "auto") == 0)
        return TCF_OK;
    st->mu_given = 1;
    const char *unit = number(text, &st->mu_fixed.value);
    if (unit && (strcmp(unit, "ticks") == 0 || strcmp(unit, "tick") == 0 || (!*unit && st->mu_fixed.value == 0))) {
        st->mu_fixed.in_ticks = 1;
        return TCF_OK;
    }
    for (size_t i = 0; unit && i < sizeof units / sizeof units[0]; i++)
        if (strcmp(unit, units[i].name) == 0) {
            st->mu_fixed.value *= units[i].seconds;
            return TCF_OK;
        }
    return self->host->fail(self, "mu = %s: expected auto, or a duration like 1us, 250ns or 3 ticks", text);
}

static tcf_status parse_gamma(tcf_self *self, const char *text)
{
    struct state *st = self->state;
    double gamma = 0;
    if ((st->control = strcmp(text, "auto") == 0))
        return TCF_OK;
    const char *rest = number(text, &gamma);
    if (!rest || *rest || gamma > 1)
        return self->host->fail(self, "gamma = %s: expected auto, or a number from 0 to 1", text);
    st->g = (uint64_t)llround(gamma * (double)G_ONE);
    return TCF_OK;
}

tcf_status settings_parse(tcf_self *self)
{
    const struct conf *conf = self->conf;
    return parse_mu(self, conf->mu) == TCF_OK ? parse_gamma(self, conf->gamma) : TCF_ERROR;
}

void settings_to_ticks(tcf_self *self)
{
    struct state *st = self->state;
    const struct conf *conf = self->conf;
    uint64_t n = 0, fixed = self->host->ticks(self, st->mu_fixed);
    const tcf_minimum_delay *learned = self->host->learned(self, TCF_MINIMUM_DELAYS, sizeof *learned, &n);
    for (uint64_t i = 0; learned && i < n; i++)
        if (learned[i].class_ < TCF_CLASSES && learned[i].distance < TCF_DISTANCES)
            st->mu[learned[i].class_][learned[i].distance] = learned[i].ticks;
    for (uint32_t c = 0; st->mu_given && c < TCF_CLASSES; c++)
        for (uint32_t d = 0; d < TCF_DISTANCES; d++)
            if (!tcf_between_threads(c))
                st->mu[c][d] = fixed;
    st->delta = self->host->ticks(self, conf->delta);
    st->decay = self->host->ticks(self, conf->decay);
    if (st->decay == 0)
        st->decay = 1;
    if (!st->mu_given && !learned)
        self->host->log(self, TCF_LOG_INFO, "no survey has measured minimum delays: mu = 0");
}
