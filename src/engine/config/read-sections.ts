/** All tables of the file to a draft of the configuration. */
import type { DisabledChannel } from './config.ts';
import type { ConfigDraft } from './draft.ts';
import { failure, faulty, warning, type ConfigFinding } from './finding.ts';
import type { RawTable } from './parse.ts';
import {
  readTable,
  withoutEmptySecrets,
  type Pending,
  type TableSurroundings,
  type TableReading,
} from './read-table.ts';
import type { Rows, Values } from './row.ts';
import { resolveSecretFiles, type FileTools } from './secret-files.ts';
import { allSections, heading, knownKeys, tablesOf, type ConfigSection } from './sections.ts';
import { choice } from './types/choice.ts';
import { isTable, kindOf, type Path } from './types/value.ts';
import { unknownSection, type KeyPlace } from './unknown-key.ts';

export interface SectionsReading {
  readonly draft: ConfigDraft;
  readonly findings: readonly ConfigFinding[];
  readonly pending: readonly Pending[];
  /** By index of the file's channels: those that an empty secret disables. */
  readonly disabled: ReadonlyMap<number, DisabledChannel>;
  /** Every text that a secret key was given, good or not. */
  readonly secrets: readonly string[];
}

export async function readSections(file: RawTable, tools: FileTools): Promise<SectionsReading> {
  const findings: ConfigFinding[] = [];
  const pending: Pending[] = [];
  const secrets: string[] = [];
  const disabled = new Map<number, DisabledChannel>();
  const draft: Record<string, unknown> = {};
  const inherited: Record<'alerts' | 'health', Values> = { alerts: {}, health: {} };

  const read = async (section: ConfigSection, raw: unknown, path: Path): Promise<Values> => {
    if (!isTable(raw)) {
      findings.push(
        failure(path, `must be a table, not ${kindOf(raw)}`, `write ${heading(section)} above its keys`),
      );
      return {};
    }
    const { place, findings: misplaced, table } = placeOf(section, raw, path);
    const resolved = await resolveSecretFiles(table, { rows: place.rows, path, tools });
    secrets.push(...secretTexts(section, raw));
    if (resolved.table !== raw) secrets.push(...secretTexts(section, resolved.table));
    const around: TableSurroundings = { path, place, sections: inherited, ...resolved };
    const reading = readTable(resolved.table, around);
    const settled =
      section.name === 'channels'
        ? switchOff(reading, around)
        : { ...withoutEmptySecrets(reading, around), off: null };
    if (settled.off !== null && typeof path[1] === 'number') disabled.set(path[1], settled.off);
    findings.push(...misplaced, ...resolved.findings, ...settled.findings);
    pending.push(...reading.pending);
    return settled.values;
  };

  for (const section of inheritedFirst) {
    const raw = Object.hasOwn(file, section.name) ? file[section.name] : undefined;
    if (section.isList) {
      const { items, findings: wrong } = tablesIn(section, raw);
      findings.push(...wrong);
      const values: Values[] = [];
      for (const [index, item] of items.entries()) {
        values.push(await read(section, item, [section.name, index]));
        await tools.yieldTurn?.();
      }
      draft[section.name] = values;
    } else if (raw === undefined && 'isSwitch' in section) {
      draft[section.name] = null;
    } else {
      const values = await read(section, raw ?? {}, [section.name]);
      draft[section.name] = values;
      if (section.name === 'alerts' || section.name === 'health') inherited[section.name] = values;
    }
  }
  const names = allSections.map((section) => section.name);
  findings.push(
    ...Object.keys(file)
      .filter((key) => !names.includes(key))
      .map((key) => unknownSection(key)),
  );
  return { draft: draft as unknown as ConfigDraft, findings, pending, disabled, secrets };
}

/** Other sections take defaults from these two. */
const inheritedFirst = allSections.toSorted((a, b) => Number(isInherited(b)) - Number(isInherited(a)));

function isInherited(section: ConfigSection): boolean {
  return section.name === 'alerts' || section.name === 'health';
}

/** The tables of a list, also where it is written as a single one. */
export function tablesIn(
  section: ConfigSection,
  raw: unknown,
): { readonly items: readonly unknown[]; readonly findings: readonly ConfigFinding[] } {
  if (raw === undefined) return { items: [], findings: [] };
  if (Array.isArray(raw)) return { items: raw, findings: [] };
  const hint = `write ${heading(section)} above each`;
  const findings = [failure([section.name], `must be an array of tables, not ${kindOf(raw)}`, hint)];
  return { items: isTable(raw) ? [raw] : [], findings };
}

/** Which rows a table is read by. A table of no known kind is read by what all kinds share. */
function placeOf(
  section: ConfigSection,
  raw: RawTable,
  path: Path,
): { readonly place: KeyPlace; readonly table: RawTable; readonly findings: readonly ConfigFinding[] } {
  if (!('by' in section))
    return { place: { section, variant: null, rows: section.rows }, table: raw, findings: [] };
  const { by, usual, variants } = section;
  const given = Object.hasOwn(raw, by) ? raw[by] : (usual ?? undefined);
  const known = typeof given === 'string' && Object.hasOwn(variants, given) ? variants[given] : undefined;
  if (typeof given === 'string' && known !== undefined)
    return { place: { section, variant: given, rows: known }, table: raw, findings: [] };
  const names = Object.keys(variants);
  const reading = choice(names).read(given);
  const at = [...path, by];
  const findings =
    given === undefined
      ? [failure(at, 'is required', `one of ${names.join(', ')}`)]
      : (reading.isGood ? [] : reading.faults).map((fault) => {
          const cure = starttlsCure(given, variants);
          return faulty(at, cure === null ? fault : { ...fault, hint: cure });
        });
  const all = tablesOf(section).map(([, rows]) => rows);
  const shared = Object.entries(all[0] ?? {}).filter(
    ([key]) => key !== by && all.every((rows) => Object.hasOwn(rows, key)),
  );
  const rows: Rows = Object.fromEntries(shared);
  const elsewhere = all.flatMap(knownKeys).filter((key) => !Object.hasOwn(rows, key));
  const table = Object.fromEntries(Object.entries(raw).filter(([key]) => !elsewhere.includes(key)));
  return { place: { section, variant: null, rows }, table, findings };
}

/** For a kind that is a protocol in which a monitor of kind tcp starts TLS; null: it is none. */
function starttlsCure(given: unknown, variants: Readonly<Record<string, Rows>>): string | null {
  const protocol = typeof given === 'string' ? given.toLowerCase() : given;
  const isSpoken = variants['tcp']?.['starttls']?.type.read(protocol).isGood === true;
  return isSpoken ? `write kind = "tcp" with starttls = "${String(protocol)}"` : null;
}

/** A channel with an empty secret is disabled; what else is empty in it then does not matter. */
function switchOff(
  reading: TableReading,
  around: TableSurroundings,
): TableReading & { readonly off: DisabledChannel | null } {
  const [key] = reading.emptySecrets;
  if (key === undefined) return { ...reading, off: null };
  const { values, findings } = reading;
  const at = [...around.path, around.writtenAs[key] ?? key];
  const message = 'is empty, channel disabled';
  return {
    ...reading,
    findings: [
      ...findings.filter((finding) => finding.message !== 'must not be empty'),
      warning(at, message, 'is its variable set?'),
    ],
    off: { name: String(values['name']), type: values['type'] as DisabledChannel['type'], key },
  };
}

/** The texts under the secret keys of a section, those of all its kinds: a misplaced secret is one, too. */
function secretTexts(section: ConfigSection, table: RawTable): readonly string[] {
  const secret = secretKeys[section.name];
  return Object.keys(table)
    .filter((key) => secret?.has(key) === true)
    .flatMap((key) => (isTable(table[key]) ? Object.values(table[key]) : [table[key]]))
    .filter((value): value is string => typeof value === 'string');
}

const secretKeys: Readonly<Record<string, ReadonlySet<string>>> = Object.fromEntries(
  allSections.map((section) => {
    const rows = tablesOf(section).flatMap(([, table]) => Object.entries(table));
    return [section.name, new Set(rows.filter(([, row]) => row.type.isSecret).map(([key]) => key))];
  }),
);
