/** Every key of a test, declared like the settings of the configuration. */
import { optional, required, setting, type Rows, type RowValues } from '../../../engine/config/row.ts';
import type { PlainSection } from '../../../engine/config/sections.ts';
import { choice } from '../../../engine/config/types/choice.ts';
import { listOf, oneOrMany } from '../../../engine/config/types/collection.ts';
import { flag } from '../../../engine/config/types/flag.ts';
import { instant } from '../../../engine/config/types/instant.ts';
import { identifier, text } from '../../../engine/config/types/text.ts';
import { bad, good, isTable, notA, type ValueType } from '../../../engine/config/types/value.ts';
import type { RawTable } from '../../../engine/config/parse.ts';
import { statuses } from '../../../engine/core/status.ts';
import { eventNames } from '../../../engine/alerting/events/catalogue.ts';
import { between, offset, span } from './times.ts';

const ids = listOf(identifier, { name: 'an array of monitor ids' });
const idOrIds = oneOrMany(identifier, { name: 'a monitor id or an array of them' });
const channelNames = oneOrMany(text({ max: 200 }), { name: 'a channel or an array of channels' });

function tableType(name: string): ValueType<RawTable> {
  return {
    name,
    schema: { type: 'object' },
    isSecret: false,
    read: (raw) => (isTable(raw) ? good(raw) : notA(name, raw)),
  };
}

/** Settings as they are written in the configuration, read when they are laid over it. */
const settings = tableType('a table of settings');

/** Read one by one. */
const series = tableType('a table of series by monitor');

/** Tables that are read one by one. */
const tables: ValueType<readonly unknown[]> = {
  name: 'an array of tables',
  schema: { type: 'array', items: { type: 'object' } },
  isSecret: false,
  read: (raw) => (Array.isArray(raw) ? good(raw) : bad('must be an array of tables', 'write it as [[…]]')),
};

const testRows = {
  name: required(text({ max: 300 }), {
    doc: 'What the test checks.',
    example: '"a flap stays silent"',
  }),
  start: setting(instant, Date.UTC(2026, 0, 1), {
    doc: 'The time of the clock when it starts.',
    example: '"2026-01-01T00:00:00Z"',
  }),
  until: optional(span, { doc: 'How long it lasts.', example: '"30m"' }),
  settings: setting(
    settings,
    {},
    {
      doc: 'Settings that differ from the configuration.',
      example: '{ alerts = { fail_threshold = 1 } }',
    },
  ),
  series: setting(
    series,
    {},
    {
      doc: 'What each monitor is like.',
      example: '{ api = "up, down x3, up" }',
    },
  ),
  events: setting(tables, [], { doc: 'What else happens.', example: '[]' }),
  expect: setting(tables, [], { doc: 'What is sent.', example: '[]' }),
};

const eventRows = {
  at: required(offset, { doc: 'When it happens.', example: '"2m"' }),
  silence: optional(idOrIds, { doc: 'Silences monitors, or "all".', example: '"api"' }),
  clear_silences: setting(flag, false, { doc: 'Ends all silences.', example: 'true' }),
  acknowledge: optional(identifier, {
    doc: 'The outage of the monitor is acknowledged.',
    example: '"api"',
  }),
  restart: setting(flag, false, { doc: 'The daemon stops and starts again.', example: 'true' }),
  reload: optional(settings, {
    doc: 'Settings that change.',
    example: '{ alerts = { group_window_secs = 0 } }',
  }),
  channel_fails: optional(text({ max: 200 }), {
    doc: 'A channel takes no message.',
    example: '"ops"',
  }),
  for: optional(span, { doc: 'For how long.', example: '"10m"' }),
};

const expectRows = {
  at: optional(offset, { doc: 'When.', example: '"2m30s"' }),
  between: optional(between, { doc: 'Or when at the earliest and the latest.', example: '["2m", "3m"]' }),
  channel: optional(channelNames, { doc: 'Through which channel.', example: '"ops"' }),
  event: optional(choice(eventNames), { doc: 'What is sent.', example: '"down"' }),
  monitor: optional(identifier, { doc: 'Of which monitor.', example: '"api"' }),
  impacted: optional(ids, { doc: 'Which others the message names.', example: '["web"]' }),
  cause: optional(identifier, { doc: 'The upstream that the message names as the cause.', example: '"db"' }),
  late: setting(flag, false, { doc: 'Sent late, after it was over.', example: 'true' }),
  nothing: setting(flag, false, { doc: 'Nothing is sent.', example: 'true' }),
  status: optional(choice(statuses), { doc: 'The status shown then.', example: '"degraded"' }),
  incident: optional(flag, { doc: 'Whether an incident is open then.', example: 'false' }),
};

export type TestValues = RowValues<typeof testRows>;
export type EventValues = RowValues<typeof eventRows>;
export type ExpectValues = RowValues<typeof expectRows>;

function sectionOf(name: string, rows: Rows): PlainSection {
  return { name, doc: '', isList: true, rows };
}

export const testsSection = sectionOf('tests', testRows);
export const eventsSection = sectionOf('tests.events', eventRows);
export const expectSection = sectionOf('tests.expect', expectRows);
