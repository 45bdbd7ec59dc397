/** One table of the file to values, by its rows. */
import { failure, faulty, warning, type ConfigFinding } from './finding.ts';
import type { RawTable } from './parse.ts';
import type { ConfigRow, Values } from './row.ts';
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
  const values: Record<string, unknown> = {};
  const findings: ConfigFinding[] = [];
  const pending: Pending[] = [];
  const emptySecrets: string[] = [];
  const computed: string[] = [];

  const readGiven = (key: string, row: ConfigRow<unknown, unknown>): void => {
    const path = [...around.path, around.writtenAs[key] ?? key];
    const given = raw[key];
    const reading = row.type.read(given);
    if (!reading.isGood) {
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
        findings.push(failure([...around.path, key], 'is required', `for example ${key} = ${example}`));
        return;
      case 'value':
        values[key] = fallback.value;
        return;
      case 'inherited':
        values[key] = around.sections[fallback.section][fallback.key];
        return;
      case 'computed':
        values[key] = null;
        computed.push(key);
    }
  };

  for (const key in rows) {
    const row = rows[key];
    if (row === undefined || around.spoiled.includes(key)) continue;
    if (Object.hasOwn(raw, key)) readGiven(key, row);
    else fillIn(key, row);
  }
  // Computed last, for they may look at all the others.
  for (const key of computed) {
    const fallback = rows[key]?.fallback;
    if (fallback?.kind === 'computed') values[key] = fallback.compute(values);
  }
  for (const key of Object.keys(raw)) {
    if (!Object.hasOwn(rows, key)) findings.push(unknownKey([...around.path, key], key, around.place));
  }
  return { values, findings, pending, emptySecrets };
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
