/** The shapes of answers as JSON Schema (draft 2020-12, as OpenAPI 3.1 has it), put together from few words. */
import { peerStatuses } from '../../engine/peers/rules/state.ts';
import { incidentImpacts } from '../../engine/core/record.ts';
import { limits } from '../../engine/operations/limits.ts';
import { incidentKinds, shownStates } from '../../engine/views/incident.ts';

export type AnswerSchema = Readonly<Record<string, unknown>>;

export const text: AnswerSchema = { type: 'string' };
/** A name in the body of a request; blanks alone are none. */
export const writtenName: AnswerSchema = { type: 'string', pattern: '\\S' };
export const flag: AnswerSchema = { type: 'boolean' };
export const integer: AnswerSchema = { type: 'integer' };
export const count: AnswerSchema = { type: 'integer', minimum: 0 };
export const number: AnswerSchema = { type: 'number' };
export const permille: AnswerSchema = { type: 'integer', minimum: 0, maximum: 1000 };
/** RFC 3339, in UTC. */
export const instant: AnswerSchema = { type: 'string', format: 'date-time' };

export function oneOf(words: readonly string[]): AnswerSchema {
  return { type: 'string', enum: words };
}

export function listOf(items: AnswerSchema): AnswerSchema {
  return { type: 'array', items };
}

export function orNull(schema: AnswerSchema): AnswerSchema {
  return { anyOf: [schema, { const: null }] };
}

/** An object with all of these keys and no others; `absent` names those that not everybody gets. */
export function object(
  properties: Readonly<Record<string, AnswerSchema>>,
  absent: readonly string[] = [],
): AnswerSchema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((key) => !absent.includes(key)),
    additionalProperties: false,
  };
}

/** The body of an operator's request: an object of these fields and no others. */
export interface OwnFields extends AnswerSchema {
  readonly properties: Readonly<Record<string, AnswerSchema>>;
}

/** With `rules`: what else holds for them, such as those that are required. */
export function ownFields(properties: OwnFields['properties'], rules: AnswerSchema = {}): OwnFields {
  return { type: 'object', ...rules, properties, additionalProperties: false };
}

/** An object from any name to one shape. */
export function mapOf(values: AnswerSchema): AnswerSchema {
  return { type: 'object', additionalProperties: values };
}

export const problem: AnswerSchema = object({ type: text, title: text, status: integer, detail: text });

/** The shape of what happened to an incident or was said about it. */
const incidentUpdate = object(
  {
    uid: text,
    at: instant,
    /** From then on. */
    state: oneOf(shownStates),
    message: orNull(text),
    author: orNull(text),
  },
  ['author'],
);

/** Where a list goes on, as the answers write it. */
export const exampleCursor = '1780833600000-0a1b2c3d4e5f6071';

export const exampleTitle = 'Payments are slow';

/** In the body of a request: what an incident or an event is called, and which monitors it is about. */
export const bodySubject = {
  title: {
    type: 'string',
    minLength: 1,
    examples: [exampleTitle],
    description: `At most ${limits.title} characters are kept.`,
  },
  monitors: {
    type: 'array',
    items: writtenName,
    description: 'Ids of the monitors that are affected; none: everything.',
  },
} as const;

/** The shape of a marker of something that was changed. */
export const changed = object({ id: count, uid: text, title: text, monitors: listOf(text), at: instant }, [
  'id',
]);

/** What an incident has. */
export const incidentFields = {
  id: count,
  uid: text,
  /** Null: an operator opened it. */
  monitor: orNull(text),
  /** Of the monitor; the title of one that an operator opened. */
  name: text,
  /** unknown: it could not be checked, which is no downtime. operator: opened by hand, which is none either. */
  kind: oneOf(incidentKinds),
  started_at: instant,
  confirmed_at: instant,
  ended_at: orNull(instant),
  duration_secs: count,
  reason: orNull(text),
  error: orNull(text),
  /** Why its checks fail by now, where two in a row gave another reason than before; null: the one above. */
  latest_reason: orNull(object({ since: instant, reason: orNull(text), error: orNull(text) })),
  cause: orNull(text),
  impacted: listOf(text),
  note: orNull(text),
  snapshot: orNull(
    object(
      {
        status_line: text,
        headers: listOf({ type: 'array', items: text }),
        /** How many headers more there were. */
        more_headers: count,
        body: text,
      },
      ['more_headers'],
    ),
  ),
  vantage: orNull(
    listOf(object({ peer: orNull(text), verdict: orNull(oneOf(['up', 'down'])), error: orNull(text) })),
  ),
  state: oneOf(shownStates),
  impact: oneOf(incidentImpacts),
  /** Someone is working on it; who and why, for those who have the access token. */
  acknowledged: orNull(
    object(
      {
        at: instant,
        by: orNull(text),
        reason: orNull(text),
        /** The uid of the acknowledged incident before, which had ended less than 10 minutes earlier. */
        carried_from: orNull(text),
      },
      ['by', 'reason', 'carried_from'],
    ),
  ),
  /** Those it is about; empty: everything. */
  monitors: listOf(text),
  /** The newest first. */
  updates: listOf(incidentUpdate),
} as const;

/** The shape of an incident. */
export const incident = object(incidentFields, ['id', 'snapshot']);

/** An incident with more fields. */
export function incidentWith(more: Readonly<Record<string, AnswerSchema>>): AnswerSchema {
  return object({ ...incidentFields, ...more }, ['id', 'snapshot']);
}

/** The shapes in which peers are shown. */
export const peerState = oneOf(peerStatuses);

/** How many peers are in each state. */
/** Changes that a start could not restore, until `statusd doctor --seen`. */
export const lossShape = object({ at: instant, message: text });

export const peerCountsShape = object(Object.fromEntries(peerStatuses.map((state) => [state, count])));

export const peerShape = object({
  id: text,
  name: text,
  state: peerState,
  age: orNull(count),
  clock_skew_ms: orNull(integer),
  reason: orNull(text),
  seen_by: listOf(text),
});
