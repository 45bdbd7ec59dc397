/** Pins and removes banners of the status page. */
import { announcements } from '../../db/tables/announcements.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import { checkBanner, createBanner } from '../../engine/operations/announce.ts';
import { limits } from '../../engine/operations/limits.ts';
import { jsonAnswer } from '../http-types.ts';
import { HttpProblem } from '../problem.ts';
import {
  choice,
  force,
  lines,
  looseText,
  optional,
  required,
  title,
  whole,
  withDefault,
} from './parameter.ts';
import { route } from './route.ts';
import { count, instant, object, oneOf, orNull, text } from './schema.ts';

export const announce = route({
  method: 'POST',
  path: '/api/announce',
  summary: 'Pin a banner to the status page',
  parameters: {
    title: required(title(limits.title), { doc: 'The headline.' }),
    body: optional(lines(limits.body), { doc: 'What there is to say.' }),
    severity: withDefault(choice(announcements.severities), 'info', { doc: 'The style of the banner.' }),
    until: optional(looseText('a duration or a time of the day in UTC', ['4h', '18:00']), {
      doc: 'When the banner is removed: after a duration (4h) or at a time of day in UTC (18:00 UTC). Absent: never.',
    }),
    force,
  },
  access: 'operator',
  limit: 'api',
  answers: {
    200: {
      doc: 'The banner is durable and is shown.',
      schema: object({
        id: count,
        title: text,
        severity: oneOf(announcements.severities),
        until: orNull(instant),
      }),
    },
  },
  problems: [400, 401, 413, 503],
  handle: async ({ values, scope, effects, nowAt, redact }) => {
    const checked = checkBanner(
      { ...values, body: values.body ?? '', until: values.until === null ? null : redact(values.until) },
      nowAt,
    );
    const { id, title, severity, untilAt } = await createBanner(checked, {
      redact,
      publishing: { config: scope.publicTexts, isForced: values.force },
      write: effects.write,
      identity: effects.identity(announcements),
    });
    return jsonAnswer(200, { id, title, severity, until: untilAt === null ? null : rfc3339(untilAt) });
  },
});

export const clearAnnouncements = route({
  method: 'DELETE',
  path: '/api/announce',
  summary: 'Remove one banner, or all',
  parameters: {
    id: optional(whole(1, Number.MAX_SAFE_INTEGER), { doc: 'The number of the banner. Absent: all.' }),
  },
  access: 'operator',
  limit: 'api',
  answers: { 200: { doc: 'The number of banners removed.', schema: object({ cleared: count }) } },
  problems: [400, 401, 404, 413, 503],
  handle: async ({ values: { id }, effects, nowAt }) => {
    if (id !== null) {
      const cleared = await effects.end(announcements, id);
      if (cleared === 0) throw new HttpProblem(404, 'There is no such banner.');
      return jsonAnswer(200, { cleared });
    }
    // Those that are over are not counted: nobody saw them any more.
    const [, answer] = await effects.write([
      announcements.sweep({ at: nowAt }),
      announcements.clear({ id: null }),
    ]);
    return jsonAnswer(200, { cleared: announcements.clear.answer(answer) });
  },
});
