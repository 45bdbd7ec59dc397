/** Whether maintenance schedules leave time between their windows: an outage in one that never ends goes unnoticed. */
import { durationText } from '../../core/duration.ts';
import { inWords } from '../../core/words.ts';
import type { ConfigDraft } from '../draft.ts';
import { type ConfigFinding, failure, pathText, quote, warning } from '../finding.ts';
import type { Recurrence } from '../occurrences.ts';

/** Five weeks in which no clock is set to or from daylight-saving time: schedules repeat by the day, week or month. */
const horizon = { fromAt: Date.UTC(2024, 0, 1), toAt: Date.UTC(2024, 1, 5) } as const;

/** Each schedule alone, then those that cover a monitor together. */
export async function checkSchedules({
  maintenance,
  monitors,
}: ConfigDraft): Promise<readonly ConfigFinding[]> {
  if (maintenance.every(({ schedule = null }) => schedule === null)) return [];
  const { firstGap, shortestGapMs } = await import('../occurrences.ts');
  const endless: EndlessTable[] = [];
  const findings = maintenance.flatMap((table, index): readonly ConfigFinding[] => {
    const { schedule = null, duration = null, end = null, timezone = 'UTC', monitors: covered = [] } = table;
    if (schedule === null) return [];
    const gapMs = shortestGapMs(schedule);
    if (gapMs < 3_600_000) return [tooOften(index)];
    if (duration === null) return [];
    if (duration >= gapMs) return [withoutTime(index, gapMs)];
    // One that ends some day mutes nothing for ever.
    const recurrence = { schedule, timezone, durationMs: duration, fromAt: null, untilAt: null };
    if (end === null) endless.push({ index, covered, recurrence, mostShare: duration / gapMs });
    return [];
  });
  if (findings.length > 0) return findings;
  const isForEver = (tables: readonly EndlessTable[]) =>
    tables.reduce((sum, { mostShare }) => sum + mostShare, 0) >= 1 &&
    firstGap(
      tables.map(({ recurrence }) => recurrence),
      horizon,
    ) === null;
  const ofAll = endless.filter(({ covered }) => covered.length === 0);
  const title = ({ index }: EndlessTable) => titleAt(maintenance, index);
  if (isForEver(ofAll)) return [unending(ofAll.map(title), ofAll, 'any monitor')];
  return sharedTables(endless, monitors)
    .filter(({ tables }) => isForEver(tables))
    .map(({ tables, ids }) => unending(tables.map(title), tables, inWords(ids.map(quote), 6)));
}

function tooOften(index: number): ConfigFinding {
  const message = 'comes more often than once an hour';
  return failure(['maintenance', index, 'schedule'], message, 'let one longer window cover them');
}

function withoutTime(index: number, gapMs: number): ConfigFinding {
  const message = `leaves no time between two windows, which come every ${durationText(gapMs)}`;
  return failure(['maintenance', index, 'duration'], message, 'shorten it');
}

/** At the last of the tables. `who`: the monitors they cover. */
function unending(titles: readonly string[], tables: readonly EndlessTable[], who: string): ConfigFinding {
  return warning(
    ['maintenance', tables.at(-1)?.index ?? 0, 'schedule'],
    `leaves, with ${inWords(titles.slice(0, -1), 6)}, no time without maintenance: no alert about ${who} is ever sent`,
    'shorten one of them, or set its end',
  );
}

/** A schedule without an end. */
interface EndlessTable {
  readonly index: number;
  /** Ids of monitors; empty: all. */
  readonly covered: readonly string[];
  readonly recurrence: Recurrence;
  /** Of all time; its windows may come less often. */
  readonly mostShare: number;
}

/** The tables that cover the same monitors, each set once, with these monitors. */
function sharedTables(endless: readonly EndlessTable[], monitors: ConfigDraft['monitors']) {
  const sets = new Map<string, { readonly tables: readonly EndlessTable[]; readonly ids: string[] }>();
  for (const { id } of monitors) {
    if (id === undefined) continue;
    const tables = endless.filter(({ covered }) => covered.length === 0 || covered.includes(id));
    const key = tables.map(({ index }) => index).join();
    const known = sets.get(key);
    if (known === undefined) sets.set(key, { tables, ids: [id] });
    else known.ids.push(id);
  }
  return [...sets.values()];
}

function titleAt(maintenance: ConfigDraft['maintenance'], index: number): string {
  const title = maintenance[index]?.title;
  return title === undefined || title === 'Maintenance' ? pathText(['maintenance', index]) : quote(title);
}
