/** Reads one table of [[tests.expect]]. */
import { type ConfigFinding, failure } from '../../../engine/config/finding.ts';
import type { RawTable } from '../../../engine/config/parse.ts';
import { isTable, kindOf, type Path } from '../../../engine/config/types/value.ts';
import { expectSection, type ExpectValues } from './rows.ts';
import type { Expectation, ExpectedMessage } from './test-file.ts';
import { readTable } from '../../../engine/config/read-table.ts';
import type { PlainSection } from '../../../engine/config/sections.ts';

/** Which keys an expectation of each kind may have, beside at and monitor. */
const keysOf = {
  message: ['between', 'channel', 'event', 'impacted', 'cause', 'late'],
  nothing: ['between', 'channel', 'nothing'],
  state: ['status', 'incident'],
} as const;

export function readExpectation(raw: unknown, path: Path): ReadKey<Expectation> {
  const { values, findings } = readKeys<ExpectValues>(raw, path, expectSection);
  if (findings.length > 0 || !isTable(raw)) return { found: [], findings };
  const kind = kindOfExpectation(raw);
  const refuse = (message: string, hint: string, key?: string): ReadKey<Expectation> => ({
    found: [],
    findings: [failure(key === undefined ? path : [...path, key], message, hint)],
  });
  if (kind === null)
    return refuse('expects nothing in particular', 'give it an event, nothing = true, or a status');
  const fitting: readonly string[] = ['at', 'monitor', ...keysOf[kind]];
  const stray = Object.keys(raw).find((key) => !fitting.includes(key));
  if (stray !== undefined) return refuse('does not go with the rest', `this one expects a ${kind}`, stray);
  const { at = null, between = null, monitor = null } = values;
  if (at !== null && between !== null) return refuse('gives two times', 'keep at or between');
  switch (kind) {
    case 'message':
      if (at === null && between === null)
        return refuse('does not say when', 'give it at = "2m30s" or between = ["2m", "3m"]');
      return { found: messagesOf(values, path), findings: [] };
    case 'nothing': {
      if (values.nothing === false) return refuse('must be true', 'or remove it', 'nothing');
      const time = between ?? { fromMs: at ?? 0, toMs: at ?? Infinity };
      return { found: [{ kind, ...time, path, channels: values.channel ?? null, monitor }], findings: [] };
    }
    case 'state': {
      if (at === null) return refuse('does not say when', 'give it at = "2m"');
      if (monitor === null) return refuse('does not say of which monitor', 'give it a monitor');
      const { status = null, incident: hasIncident = null } = values;
      return { found: [{ kind, atMs: at, path, monitor, status, hasIncident }], findings: [] };
    }
  }
}

function kindOfExpectation(raw: RawTable): keyof typeof keysOf | null {
  if (Object.hasOwn(raw, 'event')) return 'message';
  if (Object.hasOwn(raw, 'nothing')) return 'nothing';
  return Object.hasOwn(raw, 'status') || Object.hasOwn(raw, 'incident') ? 'state' : null;
}

/** One for each channel. */
function messagesOf(values: Partly<ExpectValues>, path: Path): readonly ExpectedMessage[] {
  const { at, between, event, monitor = null, impacted = null, cause = null, late = false } = values;
  if (event === undefined || event === null) return [];
  const time = between ?? { fromMs: at ?? 0, toMs: at ?? 0 };
  return (values.channel ?? [null]).map((channel) => ({
    kind: 'message',
    ...time,
    path,
    channel,
    event,
    monitor,
    impacted,
    cause,
    isLate: late,
  }));
}

/** Values of which the wrong ones are missing. */
type Partly<T> = { readonly [Key in keyof T]?: T[Key] };

interface Reading<T> {
  readonly values: Partly<T>;
  readonly findings: readonly ConfigFinding[];
}

export function readKeys<T>(raw: unknown, path: Path, section: PlainSection): Reading<T> {
  if (!isTable(raw)) return { values: {}, findings: [failure(path, `must be a table, not ${kindOf(raw)}`)] };
  const place = { section, variant: null, rows: section.rows };
  const around = { path, place, sections: { alerts: {}, health: {} }, writtenAs: {}, spoiled: [] };
  const { values, findings } = readTable(raw, around);
  return { values: values as Partly<T>, findings };
}

/** What a table stands for, and what is wrong with it. */
export interface ReadKey<T> {
  readonly found: readonly T[];
  readonly findings: readonly ConfigFinding[];
}

export function each<T>(
  raws: readonly unknown[] | undefined,
  path: Path,
  readOne: (raw: unknown, path: Path) => ReadKey<T>,
): ReadKey<T> {
  const all = (raws ?? []).map((raw, index) => readOne(raw, [...path, index]));
  return { found: all.flatMap(({ found }) => found), findings: all.flatMap(({ findings }) => findings) };
}
