/** One table of the file to values, by its rows. */
import { mayMean } from '../core/nearest.ts';
import { failure, faulty, warning, type ConfigFinding } from './finding.ts';
import type { RawTable } from './parse.ts';
import type { ConfigRow, Rows, Values } from './row.ts';
import { Secret } from './secret.ts';
import { unknownKey, type KeyPlace } from './unknown-key.ts';
import type { ValueFault, Path } from './types/value.ts';

/** A check that needs a heavy package, waiting to be made. */
export interface Pending {
  readonly path: Path;
  readonly verify: () => Promise<ValueFault | null>;
}

export interface TableReading {
  /** Key to value. Keys whose value is wrong are missing. */
  readonly values: Values;
  readonly findings: readonly ConfigFinding[];
  readonly pending: readonly Pending[];
  /** The keys of secrets that are there, and empty. */
  readonly emptySecrets: readonly string[];
}

/** What reading a table needs to know of the rest of the file. */
export interface TableSurroundings {
  readonly path: Path;
  readonly place: KeyPlace;
  /** The values of the sections that defaults come from. */
  readonly sections: Readonly<Record<'alerts' | 'health', Values>>;
  /** Under which key a value was written, where that is not its own: secrets read from files. */
  readonly writtenAs: Readonly<Record<string, string>>;
  /** Keys that were given and already found wrong. */
  readonly spoiled: readonly string[];
}

/** Values come in the order of the rows, whatever that of the file is: two tables that say the same are alike. */
export function readTable(raw: RawTable, around: TableSurroundings): TableReading {
  const { rows } = around.place;
  const values: Record<string, unknown> = Object.assign({}, blankOf(rows));
  const findings: ConfigFinding[] = [];
  const pending: Pending[] = [];
  const emptySecrets: string[] = [];
  const computed: string[] = [];

  const readGiven = (key: string, row: ConfigRow<unknown, unknown>): void => {
    const path = [...around.path, around.writtenAs[key] ?? key];
    const given = raw[key];
    const reading = row.type.read(given);
    if (!reading.isGood) {
      Reflect.deleteProperty(values, key);
      for (const fault of reading.faults) findings.push(faulty(path, fault));
      return;
    }
    values[key] = reading.value;
    if (reading.caution !== undefined)
      findings.push({ ...faulty(path, reading.caution), severity: 'warning' });
    if (reading.value instanceof Secret && reading.value.reveal() === '') emptySecrets.push(key);
    const { verify } = row.type;
    if (verify !== undefined && typeof given === 'string')
      pending.push({ path, verify: () => verify(given) });
  };
  const fillIn = (key: string, { fallback, example }: ConfigRow<unknown, unknown>): void => {
    switch (fallback.kind) {
      case 'required':
        Reflect.deleteProperty(values, key);
        findings.push(failure([...around.path, key], 'is required', missingHint(key, example, raw)));
        return;
      case 'value':
        return;
      case 'inherited':
        values[key] = around.sections[fallback.section][fallback.key];
        return;
      case 'computed':
        computed.push(key);
    }
  };

  for (const key in rows) {
    const row = rows[key];
    if (row === undefined) continue;
    if (around.spoiled.includes(key)) Reflect.deleteProperty(values, key);
    else if (Object.hasOwn(raw, key)) readGiven(key, row);
    else fillIn(key, row);
  }
  // Computed last, because they may read all the others.
  for (const key of computed) {
    const fallback = rows[key]?.fallback;
    if (fallback?.kind === 'computed') values[key] = fallback.compute(values);
  }
  for (const key of Object.keys(raw)) {
    if (!Object.hasOwn(rows, key))
      findings.push(unknownKey([...around.path, key], key, { ...around.place, raw }));
  }
  return { values, findings, pending, emptySecrets };
}

const blanks = new WeakMap<Rows, Values>();

/**
 * What a table has that gives nothing, in the order of its rows; null for what depends on others. V8 keeps objects that are
 * copied from it as it keeps those of a class; where sixty keys are set one by one, each is a dictionary of its own: three
 * times as large, and read as much slower.
 */
/** The cure for a required key that is missing: another key may have its value. */
function missingHint(key: string, example: string, raw: RawTable): string {
  const other = Object.keys(raw).find((given) => mayMean(given, key));
  return other === undefined
    ? `for example ${key} = ${example}`
    : `did you mean ${key} where you wrote ${other}?`;
}

function blankOf(rows: Rows): Values {
  const known = blanks.get(rows);
  if (known !== undefined) return known;
  const blank = Object.fromEntries(
    Object.entries(rows).map(([key, { fallback }]) => [
      key,
      fallback.kind === 'value' ? fallback.value : null,
    ]),
  );
  blanks.set(rows, blank);
  return blank;
}

/** Outside of channels an empty secret is as if it were absent; that is worth a warning. */
export function withoutEmptySecrets(reading: TableReading, around: TableSurroundings): TableReading {
  if (reading.emptySecrets.length === 0) return reading;
  const nothing = Object.fromEntries(reading.emptySecrets.map((key) => [key, null]));
  const findings = reading.emptySecrets.map((key) =>
    warning(
      [...around.path, around.writtenAs[key] ?? key],
      'is empty, as if it were absent',
      'is its variable set?',
    ),
  );
  return {
    ...reading,
    values: { ...reading.values, ...nothing },
    findings: [...reading.findings, ...findings],
  };
}
