/** Reads the JSON of a producer's alert. */
import { producerAlerts } from '../../db/tables/producer-alerts.ts';
import type { Severity } from '../../engine/alerting/events/event.ts';
import { boundedText } from '../../engine/core/text.ts';
import { HttpProblem } from '../problem.ts';
import { fieldsOf, textIn } from './parameter.ts';
import type { AnswerSchema } from './schema.ts';

export interface AlertAsked {
  readonly severity: Severity;
  readonly title: string;
  readonly message: string | null;
  readonly dedupKey: string | null;
  readonly tags: Readonly<Record<string, string>>;
}

const bounds = { title: 200, message: 2000, dedupKey: 200, tags: 20, tag: 100 };

export const alertBody: AnswerSchema = {
  type: 'object',
  required: ['title'],
  properties: {
    severity: { type: 'string', enum: producerAlerts.severities, default: 'info' },
    title: { type: 'string', minLength: 1, description: `At most ${bounds.title} characters are kept.` },
    message: { type: 'string', description: `At most ${bounds.message} characters are kept.` },
    dedup_key: { type: 'string', description: 'Repeats of it within the window are counted, not sent.' },
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
  const title = boundedText(redact(textIn(fields, 'title') ?? ''), bounds.title, ' ');
  if (title === '') throw new HttpProblem(400, 'title is missing: it must be a text that is not empty.');
  const message = boundedText(redact(textIn(fields, 'message') ?? ''), bounds.message, '\n');
  const dedupKey = boundedText(redact(textIn(fields, 'dedup_key') ?? ''), bounds.dedupKey, ' ');
  return {
    severity: severityOf(textIn(fields, 'severity')),
    title,
    message: message === '' ? null : message,
    dedupKey: dedupKey === '' ? null : dedupKey,
    tags: tagsOf(fields.get('tags') ?? null, redact),
  };
}

function severityOf(written: string | null): Severity {
  if (written === null) return 'info';
  const severity = producerAlerts.severities.find((each) => each === written);
  if (severity === undefined) {
    throw new HttpProblem(400, `severity must be one of ${producerAlerts.severities.join(', ')}.`);
  }
  return severity;
}

function tagsOf(value: unknown, redact: (text: string) => string): Readonly<Record<string, string>> {
  if (value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) {
    throw new HttpProblem(400, 'tags must be an object of texts.');
  }
  const tags = Object.entries(value as Readonly<Record<string, unknown>>).map(([name, tag]) => {
    if (typeof tag !== 'string') throw new HttpProblem(400, 'tags must be an object of texts.');
    return [boundedText(redact(name), bounds.tag, ' '), boundedText(redact(tag), bounds.tag, ' ')] as const;
  });
  return Object.fromEntries(tags.slice(0, bounds.tags));
}
