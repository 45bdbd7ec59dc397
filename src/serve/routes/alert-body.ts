/** Reads the JSON of a producer's alert. */
import { producerAlerts } from '../../db/tables/producer-alerts.ts';
import type { Severity } from '../../engine/alerting/events/event.ts';
import { anObject, aText, oneOf, shape } from '../../engine/core/decode.ts';
import { boundedText, cleanLine } from '../../engine/core/text.ts';
import { HttpProblem } from '../problem.ts';
import { fieldIn, fieldsOf } from './parameter.ts';
import type { AnswerSchema } from './schema.ts';

export interface AlertAsked {
  readonly severity: Severity;
  readonly title: string;
  readonly message: string | null;
  readonly dedupKey: string | null;
  readonly tags: Readonly<Record<string, string>>;
}

const bounds = { title: 200, message: 2000, dedupKey: 200, tags: 20, tag: 100 };

const aSeverity = oneOf(producerAlerts.severities);
const textsByName = shape(
  'an object of texts',
  (value): value is Readonly<Record<string, string>> =>
    anObject(value) && Object.values(value).every((tag) => aText(tag)),
);

export const alertBody: AnswerSchema = {
  type: 'object',
  required: ['title'],
  properties: {
    severity: { type: 'string', enum: producerAlerts.severities, default: 'info' },
    title: {
      type: 'string',
      minLength: 1,
      examples: ['Backup failed'],
      description: `At most ${bounds.title} characters are kept.`,
    },
    message: { type: 'string', description: `At most ${bounds.message} characters are kept.` },
    dedup_key: {
      type: 'string',
      description: 'Repeats with the same key within the window are counted and not sent.',
    },
    tags: {
      type: 'object',
      additionalProperties: { type: 'string' },
      description: `At most ${bounds.tags} of ${bounds.tag} characters are kept.`,
    },
  },
};

/** Throws a 400 that names what is wrong. What is too long is cut; secrets of the configuration are masked. */
export function readAlert(body: Buffer, redact: (text: string) => string): AlertAsked {
  const fields = fieldsOf(body);
  const title = boundedText(redact(fieldIn(fields, 'title', aText) ?? ''), bounds.title, ' ');
  if (cleanLine(title).trim() === '')
    throw new HttpProblem(400, 'title is missing: it must be a text that is not empty.');
  const message = boundedText(redact(fieldIn(fields, 'message', aText) ?? ''), bounds.message, '\n');
  const dedupKey = boundedText(redact(fieldIn(fields, 'dedup_key', aText) ?? ''), bounds.dedupKey, ' ');
  return {
    severity: fieldIn(inLowerCase(fields, 'severity'), 'severity', aSeverity) ?? 'info',
    title,
    message: message === '' ? null : message,
    dedupKey: dedupKey === '' ? null : dedupKey,
    tags: tagsOf(fieldIn(fields, 'tags', textsByName) ?? {}, redact),
  };
}

/** An alert is not lost because its producer writes "ERROR". */
function inLowerCase(fields: ReadonlyMap<string, unknown>, name: string): ReadonlyMap<string, unknown> {
  const written = fields.get(name);
  return typeof written === 'string' ? new Map([[name, written.toLowerCase()]]) : fields;
}

function tagsOf(
  tags: Readonly<Record<string, string>>,
  redact: (text: string) => string,
): Readonly<Record<string, string>> {
  const bound = (text: string) => boundedText(redact(text), bounds.tag, ' ');
  const kept = Object.entries(tags).slice(0, bounds.tags);
  return Object.fromEntries(kept.map(([name, tag]) => [bound(name), bound(tag)]));
}
