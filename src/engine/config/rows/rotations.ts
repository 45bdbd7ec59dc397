/** The rows of `[[rotations]]` and `[[escalations]]`: who is notified when, and who after them. */
import { optional, required, setting } from '../row.ts';
import { listOf } from '../types/collection.ts';
import { duration, instant } from '../types/instant.ts';
import { integer } from '../types/number.ts';
import { timeZone } from '../types/page-part.ts';
import { text } from '../types/text.ts';
import {
  fault,
  good,
  isTable,
  notA,
  type ValueFault,
  type ValueReading,
  type ValueType,
} from '../types/value.ts';

const names = listOf(text({ max: 200 }), { name: 'an array of channel names', min: 1 });

export const rotationRows = {
  name: required(text({ max: 200 }), {
    doc: 'Name of the rotation, used in notify in place of a channel.',
    example: '"primary"',
  }),
  members: required(names, {
    doc: 'Channels of the people on call, in order. A disabled channel is skipped.',
    example: '["ops", "ops-email"]',
  }),
  every: required(duration, {
    doc: 'Length of a turn: numbers with a unit (m, h, d), at least 1m.',
    example: '"7d"',
  }),
  from: required(instant, {
    doc: 'Start of the first turn of the first member: RFC 3339, with an offset. Earlier turns are counted backwards from it.',
    example: '"2026-06-01T09:00:00+02:00"',
  }),
  timezone: setting(timeZone, 'UTC', {
    doc: 'Time zone of the turns: they start at the same local time across daylight-saving changes.',
    example: '"Europe/Berlin"',
  }),
};

export interface EscalationStep {
  readonly after_secs: number;
  readonly notify: readonly string[];
}

const stepKeys = { after_secs: integer({ min: 0, max: 2_592_000 }), notify: names };

const step: ValueType<EscalationStep> = {
  name: 'a step',
  schema: {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(Object.entries(stepKeys).map(([key, { schema }]) => [key, schema])),
    required: Object.keys(stepKeys),
  },
  isSecret: false,
  read: (raw) => {
    if (!isTable(raw)) return notA('a step such as { after_secs = 900, notify = ["boss"] }', raw);
    const faults: ValueFault[] = Object.keys(raw)
      .filter((key) => !Object.hasOwn(stepKeys, key))
      .map((key) => ({
        ...fault('is an unknown key', 'a step has after_secs and notify'),
        at: [key],
        spot: 'key',
      }));
    const read = <T>(key: keyof typeof stepKeys, type: ValueType<T>): T | undefined => {
      const reading: ValueReading<T> = Object.hasOwn(raw, key)
        ? type.read(raw[key])
        : { isGood: false, faults: [fault('is required')] };
      if (reading.isGood) return reading.value;
      faults.push(...reading.faults.map((one) => ({ ...one, at: [key, ...one.at] })));
      return undefined;
    };
    const after_secs = read('after_secs', stepKeys.after_secs);
    const notify = read('notify', stepKeys.notify);
    return faults.length > 0 || after_secs === undefined || notify === undefined
      ? { isGood: false, faults }
      : good({ after_secs, notify });
  },
};

export const escalationRows = {
  name: required(text({ max: 200 }), {
    doc: 'Name of the escalation, as used in escalation.',
    example: '"page"',
  }),
  steps: required(listOf(step, { name: 'an array of steps', min: 1 }), {
    doc: 'Channels or rotations to notify next, each with a delay from the time the first alert was due, while the incident is open and not acknowledged. If a step reaches nobody, the next one follows at once.',
    example: '[{ after_secs = 900, notify = ["primary"] }, { after_secs = 3600, notify = ["ops"] }]',
  }),
};

/** The name of an escalation; `false`: none. */
export const escalationName: ValueType<string | null> = {
  name: 'the name of an escalation, or false',
  schema: { anyOf: [{ type: 'string', minLength: 1 }, { const: false }] },
  isSecret: false,
  read: (raw) =>
    raw === false ? good(null) : text({ name: 'the name of an escalation, or false', max: 200 }).read(raw),
};

export const escalation = optional(escalationName, {
  doc: 'Escalation for monitors that set none: who is notified next while nobody acknowledges an outage.',
  example: '"page"',
});
