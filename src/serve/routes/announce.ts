/** Pins banners to the status page, and takes them down. */
import { announcements } from '../../db/tables/announcements.ts';
import { parseUntil, rfc3339, untilFaults, untilHint } from '../../engine/core/instant.ts';
import { jsonAnswer } from '../http-types.ts';
import { HttpProblem } from '../problem.ts';
import { choice, line, lines, looseText, optional, required, withDefault } from './parameter.ts';
import { route } from './route.ts';
import { count, instant, object, oneOf, orNull, text } from './schema.ts';

export const announce = route({
  method: 'POST',
  path: '/api/announce',
  summary: 'Pin a banner to the status page',
  parameters: {
    title: required(line(200), { doc: 'The headline.' }),
    body: optional(lines(2000), { doc: 'What there is to say.' }),
    severity: withDefault(choice(announcements.severities), 'info', { doc: 'How it is drawn.' }),
    until: optional(looseText('a duration or a time of the day in UTC'), {
      doc: 'When it comes down: a duration (4h) or a time of the day in UTC (18:00 UTC). Absent: never.',
    }),
  },
  access: 'operator',
  limit: 'api',
  answers: {
    200: {
      doc: 'The banner is durable, and shows.',
      schema: object({
        id: count,
        title: text,
        severity: oneOf(announcements.severities),
        until: orNull(instant),
      }),
    },
  },
  problems: [400, 401, 413, 503],
  handle: async ({ values, effects, nowAt }) => {
    const { severity, title } = values;
    if (title === '') throw new HttpProblem(400, 'title is missing: it must be a text.');
    const body = values.body === '' ? null : values.body;
    const untilAt = values.until === null ? null : endOf(values.until, nowAt);
    const id = await announcements.create(
      { title, body, severity, untilAt, createdAt: nowAt },
      { write: effects.write, identity: effects.identity(announcements) },
    );
    return jsonAnswer(200, { id, title, severity, until: untilAt === null ? null : rfc3339(untilAt) });
  },
});

export const clearAnnouncements = route({
  method: 'DELETE',
  path: '/api/announce',
  summary: 'Take all banners down',
  parameters: {},
  access: 'operator',
  limit: 'api',
  answers: { 200: { doc: 'How many came down.', schema: object({ cleared: count }) } },
  problems: [401, 413, 503],
  handle: async ({ effects, nowAt }) => {
    // Those that are over are not counted: nobody saw them any more.
    const [, answer] = await effects.write([
      announcements.sweep({ at: nowAt }),
      announcements.clear({ id: null }),
    ]);
    return jsonAnswer(200, { cleared: announcements.clear.answer(answer) });
  },
});

function endOf(written: string, nowAt: number): number {
  const parsed = parseUntil(written, nowAt);
  if (parsed.kind === 'until') return parsed.at;
  throw new HttpProblem(400, `until ${untilFaults[parsed.fault]}. ${untilHint}`);
}
