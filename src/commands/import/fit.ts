/** Makes sure that the written configuration loads: what the loader refuses is left out, with the reason. */
import type { DisabledChannel } from '../../engine/config/config.ts';
import { parseConfig } from '../../engine/config/load.ts';
import { readSmallFile } from '../../engine/config/read-file.ts';
import { ConfigError, type LoadProblem, sentence } from '../../engine/config/problem.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { importDocument, type Imported } from './document.ts';
import { handleOf, type Item, type ImportRemark, tableOf } from './item.ts';
import type { TomlValue } from './toml-value.ts';

export interface Fitted {
  readonly imported: Imported;
  readonly text: string;
}

export interface FitTools {
  /** Where the file will be: relative paths start there. */
  readonly file: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/**
 * Loads the configuration with the values of its variables. Items that the loader finds wrong are left out and what
 * refers to them is mended, until it loads; variables that nothing uses then are wanted no more.
 */
export async function fitToLoad(imported: Imported, { file, env }: FitTools): Promise<Fitted> {
  const values = Object.fromEntries(
    imported.wanted.map(({ name, value, standIn }) => [name, value ?? (env[name] || standIn)]),
  );
  let items = imported.items;
  for (;;) {
    const { text, placeOf } = importDocument({ ...imported, items });
    const { problems, disabled } = await judged(text, { file, env: values });
    const off = disabled.flatMap(({ name, key }) => {
      const item = items.find((one) => one.kind === 'channel' && handleIn(one) === name);
      return item === undefined ? [] : [{ item, key }];
    });
    for (const { item, key } of off) items = leaveOut(items, item, `its ${key} is empty`);
    if (off.length > 0) continue;
    if (problems.length === 0) {
      const fitted = {
        ...imported,
        items,
        wanted: imported.wanted.filter(({ name }) => text.includes(`\${${name}}`)),
      };
      return { imported: fitted, text: importDocument(fitted).text };
    }
    const refused = new Map<Item, string[]>();
    for (const problem of problems) {
      const item = placeOf.get(placeIn(problem.path));
      if (item === undefined) throw unfit(problem);
      refused.set(item, [...(refused.get(item) ?? []), `${problem.key} ${problem.message}`.trim()]);
    }
    for (const [item, reasons] of refused) items = leaveOut(items, item, reasons.join('; '));
  }
}

interface Judged {
  readonly problems: readonly LoadProblem[];
  /** Channels that load, and that an empty secret disables. */
  readonly disabled: readonly DisabledChannel[];
}

async function judged(text: string, { file, env }: FitTools): Promise<Judged> {
  try {
    const { config } = await parseConfig(text, { file, env, readFile: readSmallFile });
    return { problems: [], disabled: config.disabled_channels };
  } catch (error) {
    if (error instanceof ConfigError) return { problems: error.problems, disabled: [] };
    throw error;
  }
}

function handleIn(item: Item): string | null {
  const table = tableOf(item);
  return table === null ? null : handleOf(table);
}

/** `monitors[2].target` stands at `monitors.2`, `alerts.fail_threshold` at `alerts`. */
function placeIn(path: string): string {
  const [, section = '', index] = /^([a-z]+)(?:\[(\d+)\])?/.exec(path) ?? [];
  return index === undefined ? section : `${section}.${index}`;
}

function unfit(problem: LoadProblem): StatusdError {
  return new StatusdError(
    'config_invalid',
    `the imported configuration does not load: ${sentence(problem)}`,
    {
      hint: 'This is a fault of the import; please report it, with the kind of monitor it is about.',
    },
  );
}

/** The items without this one: what referred to it refers to the others. */
function leaveOut(items: readonly Item[], gone: Item, reason: string): readonly Item[] {
  const handle = handleIn(gone);
  const key = gone.kind === 'channel' ? 'notify' : gone.kind === 'monitor' ? 'monitors' : null;
  return items.map((item) => {
    if (item === gone) return { ...gone, result: { kind: 'left_out' }, remarks: [dropped(reason)] };
    return key === null || handle === null ? item : without(item, key, handle);
  });
}

function dropped(text: string): ImportRemark {
  return { level: 'dropped', text };
}

/** An empty `notify` would notify no channel, an empty `monitors` would cover all: neither is what was meant. */
function without(item: Item, key: 'notify' | 'monitors', handle: string): Item {
  const table = tableOf(item);
  const list = table?.settings.get(key);
  if (table === null || !isList(list) || !list.includes(handle)) return item;
  const rest = list.filter((one) => one !== handle);
  if (rest.length > 0) return withSettings(item, new Map(table.settings).set(key, rest));
  if (key === 'monitors') {
    return { ...item, result: { kind: 'left_out' }, remarks: [dropped('none of its monitors was imported')] };
  }
  const settings = new Map(table.settings);
  settings.delete(key);
  const notified: ImportRemark = { level: 'approximated', text: reportedEverywhere };
  return { ...withSettings(item, settings), remarks: [...item.remarks, notified] };
}

export const reportedEverywhere = 'none of its channels was imported: it notifies every channel';

function withSettings(item: Item, settings: ReadonlyMap<string, TomlValue>): Item {
  if (!('table' in item.result)) return item;
  return { ...item, result: { ...item.result, table: { ...item.result.table, settings } } };
}

function isList(value: TomlValue | undefined): value is readonly TomlValue[] {
  return Array.isArray(value);
}
