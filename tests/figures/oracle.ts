/**
 * Computes every figure anew from its definition, in a shape of its own: a byte a second and monitor. Nothing here is shared
 * with the sources. Shares are cut to the digits shown and never rounded up; null stands for "no data".
 */
import { beginsAt, endsAt, type MadeMonitor, type MadeOutage, type MadeWorld } from './world.ts';

const dayMs = 86_400_000;
const codes = { up: 1, degraded: 2, down: 3, unknown: 4 } as const;
const statusBits = 7;
const maintainedBit = 8;
const outageBit = 16;

/** From `fromAt` to before `toAt`, epoch ms in whole seconds. */
export interface Span {
  readonly fromAt: number;
  readonly toAt: number;
}

/** Seconds outside of maintenance; `maintained` are those inside of it. `out`: an outage was open. */
export interface Counted {
  readonly known: number;
  readonly down: number;
  readonly degraded: number;
  readonly out: number;
  readonly measured: number;
  readonly maintained: number;
}

export interface ExpectedReport {
  readonly uptime: number | null;
  readonly coverage: number;
  readonly incidents: number;
  readonly downtimeSecs: number;
  readonly mttrSecs: number | null;
  readonly maintenanceSecs: number;
}

export interface ExpectedDay {
  readonly date: string;
  readonly state: 'up' | 'degraded' | 'down' | 'unknown';
  readonly uptimePermille: number | null;
  readonly downMinutes: number;
  /** The outages that the day touches. */
  readonly incidents: number;
  readonly isMaintained: boolean;
}

type Outage = MadeOutage & { readonly toAt: number };

export class Oracle {
  readonly #monitors: readonly MadeMonitor[];
  readonly #bytes = new Map<string, Uint8Array>();
  /** Results by question and span; spans that are long over do not change. */
  readonly #settled = new Map<string, unknown>();
  #recent = new Map<string, unknown>();
  #nowAt = beginsAt;

  constructor({ monitors, windows }: MadeWorld) {
    this.#monitors = monitors;
    for (const { id, samples, outages } of monitors) {
      const own = windows.filter((window) => window.monitors.length === 0 || window.monitors.includes(id));
      const ends = [
        ...own.map(({ toAt }) => toAt),
        ...samples.map(({ at, holdSecs }) => at + holdSecs * 1000),
        ...outages.map(({ endedAt }) => endedAt ?? endsAt),
      ];
      const bytes = new Uint8Array(placeOf(ends.reduce((last, at) => Math.max(last, at), beginsAt)));
      this.#bytes.set(id, bytes);
      samples.forEach(({ at, status, holdSecs }, index) => {
        const until = Math.min(samples[index + 1]?.at ?? Infinity, at + holdSecs * 1000);
        bytes.fill(codes[status], placeOf(at), placeOf(until));
      });
      for (const window of own) this.#mark(id, window, maintainedBit);
    }
  }

  /** The present moves on: outages that were confirmed by then are on record. Nothing is asked beyond it. */
  goOn(nowAt: number): void {
    for (const { id, outages } of this.#monitors)
      for (const { startedAt, confirmedAt, endedAt } of outages)
        if (confirmedAt > this.#nowAt && confirmedAt <= nowAt)
          this.#mark(id, { fromAt: startedAt, toAt: endedAt ?? endsAt }, outageBit);
    this.#nowAt = nowAt;
    this.#recent = new Map();
  }

  /** Computes once what is asked often of a span. An outage is confirmed within a day. */
  #once<T>(asked: string, { fromAt, toAt }: Span, compute: () => T): T {
    const known = toAt < this.#nowAt - 2 * dayMs ? this.#settled : this.#recent;
    const key = `${asked} ${fromAt} ${toAt}`;
    if (!known.has(key)) known.set(key, compute());
    return known.get(key) as T;
  }

  /** Counts the seconds of a monitor in a span, until the monitor is removed. */
  counted(id: string, span: Span): Counted {
    return this.#once(id, span, () => this.#count(id, span));
  }

  #count(id: string, { fromAt, toAt: endAt }: Span): Counted {
    const toAt = Math.max(fromAt, Math.min(endAt, this.#find(id)?.removedAt ?? Infinity));
    const counts = countsOf(this.#bytesOf(id), placeFrom(fromAt), placeFrom(toAt));
    const sumOf = (isSo: (byte: number) => boolean) =>
      counts.reduce((sum, secs, byte) => (isSo(byte) ? sum + secs : sum), 0);
    const of = (code: number) =>
      sumOf((byte) => (byte & maintainedBit) === 0 && (byte & statusBits) === code);
    const maintained = sumOf((byte) => (byte & maintainedBit) !== 0);
    return {
      known: of(codes.up) + of(codes.degraded) + of(codes.down),
      down: of(codes.down),
      degraded: of(codes.degraded),
      out: sumOf((byte) => (byte & (maintainedBit | outageBit)) === outageBit),
      measured: (toAt - fromAt) / 1000 - maintained,
      maintained,
    };
  }

  /** The last `days` times 24 hours. */
  rolling(id: string, days: number): Counted {
    return this.counted(id, { fromAt: this.#nowAt - days * dayMs, toAt: this.#nowAt });
  }

  /** All that are on record, cut to the present. */
  recorded(id: string): readonly Outage[] {
    return (this.#find(id)?.outages ?? [])
      .filter(({ confirmedAt }) => confirmedAt <= this.#nowAt)
      .map((outage) => {
        const endedAt = outage.endedAt !== null && outage.endedAt <= this.#nowAt ? outage.endedAt : null;
        return { ...outage, endedAt, toAt: endedAt ?? this.#nowAt };
      });
  }

  /** Outages of which something lies in the span outside of maintenance. */
  touching(id: string, span: Span): readonly Outage[] {
    return this.recorded(id).filter((outage) => this.#partOf(id, outage, span) > 0);
  }

  /** Computes the report of several monitors over a span. */
  report(ids: readonly string[], span: Span): ExpectedReport {
    return this.#once(`report ${ids.join(' ')}`, span, () => this.#report(ids, span));
  }

  #report(ids: readonly string[], span: Span): ExpectedReport {
    const counted = ids.map((id) => this.counted(id, span));
    const sum = (of: (each: Counted) => number) => counted.reduce((all, each) => all + of(each), 0);
    const known = sum((one) => one.known);
    const begun = ids.flatMap((id) =>
      this.touching(id, { fromAt: beginsAt, toAt: this.#nowAt }).filter(
        ({ startedAt }) => startedAt >= span.fromAt && startedAt < span.toAt,
      ),
    );
    const parts = ids.flatMap((id) =>
      this.touching(id, span).map((outage) => this.#partOf(id, outage, span)),
    );
    const union = this.#union(ids, span);
    return {
      uptime: shareOf(known - sum((one) => one.down), known, 10_000),
      coverage:
        shareOf(
          known,
          sum((one) => one.measured),
          10_000,
        ) ?? 0,
      incidents: begun.length,
      downtimeSecs: union.out,
      mttrSecs: parts.length === 0 ? null : parts.reduce((all, secs) => all + secs, 0) / parts.length,
      maintenanceSecs: union.maintained,
    };
  }

  /** The mean over those with data or outages. */
  meanDowntimeSecs(ids: readonly string[], span: Span): number {
    const each = ids
      .map((id) => this.counted(id, span))
      .filter(({ known, out }) => known > 0 || out > 0)
      .map(({ out }) => out);
    return each.length === 0 ? 0 : each.reduce((sum, out) => sum + out, 0) / each.length;
  }

  /** A UTC day, up to now. */
  #day(id: string, span: Span): ExpectedDay {
    const { known, down, degraded, out, maintained } = this.counted(id, span);
    // Nothing but failures that lasted.
    const isOnlyDown = out === 0 && known === down && down >= 600;
    const downMinutes = out > 0 ? Math.max(1, Math.floor(out / 60)) : isOnlyDown ? Math.floor(down / 60) : 0;
    const isKnown = known > down;
    const state = downMinutes > 0 ? 'down' : !isKnown ? 'unknown' : degraded >= 600 ? 'degraded' : 'up';
    return {
      date: new Date(span.fromAt).toISOString().slice(0, 10),
      state,
      uptimePermille: state === 'unknown' ? null : shareOf(known - down, known, 1000),
      downMinutes,
      incidents: this.touching(id, span).length,
      isMaintained: maintained >= 600,
    };
  }

  /** The last `count` UTC days, today last. */
  days(id: string, count: number): readonly ExpectedDay[] {
    const today = Math.floor(this.#nowAt / dayMs) * dayMs;
    return Array.from({ length: count }, (_, index) => {
      const at = today - (count - 1 - index) * dayMs;
      const span = { fromAt: at, toAt: Math.min(at + dayMs, this.#nowAt) };
      return this.#once(`day ${id}`, span, () => this.#day(id, span));
    });
  }

  /** The seconds of a span in which an outage was open outside of maintenance, or maintenance went on, of at least one. */
  #union(ids: readonly string[], span: Span): Pick<Counted, 'out' | 'maintained'> {
    const [first] = ids;
    if (ids.length === 1 && first !== undefined) return this.counted(first, span);
    const isOut = (byte: number) => (byte & (outageBit | maintainedBit)) === outageBit;
    const marks = Uint8Array.from({ length: 32 }, (_, byte) =>
      isOut(byte) ? outageBit : byte & maintainedBit,
    );
    const from = placeFrom(span.fromAt);
    const found = new Uint8Array(placeFrom(span.toAt) - from);
    for (const id of ids) {
      const bytes = this.#bytesOf(id);
      const end = Math.min(found.length, bytes.length - from);
      for (let place = 0; place < end; place += 1)
        found[place] = (found[place] ?? 0) | (marks[bytes[from + place] ?? 0] ?? 0);
    }
    const counts = countsOf(found, 0, found.length);
    const secsOf = (bit: number) =>
      counts.reduce((sum, secs, byte) => ((byte & bit) === 0 ? sum : sum + secs), 0);
    return { out: secsOf(outageBit), maintained: secsOf(maintainedBit) };
  }

  /** The seconds of an outage that lie in a span, outside of maintenance. */
  #partOf(id: string, { startedAt, toAt }: Outage, span: Span): number {
    return this.counted(id, {
      fromAt: Math.max(startedAt, span.fromAt),
      toAt: Math.max(startedAt, span.fromAt, Math.min(toAt, span.toAt)),
    }).measured;
  }

  #mark(id: string, { fromAt, toAt }: Span, bit: number): void {
    const bytes = this.#bytesOf(id);
    const end = Math.min(placeOf(toAt), bytes.length);
    for (let place = placeOf(fromAt); place < end; place += 1) bytes[place] = (bytes[place] ?? 0) | bit;
  }

  #find(id: string): MadeMonitor | undefined {
    return this.#monitors.find((monitor) => monitor.id === id);
  }

  #bytesOf(id: string): Uint8Array {
    return this.#bytes.get(id) ?? new Uint8Array(0);
  }
}

/** How often each byte stands from one place to before another. */
function countsOf(bytes: Uint8Array, from: number, to: number): Uint32Array {
  const counts = new Uint32Array(32);
  const end = Math.min(to, bytes.length);
  for (let place = from; place < end; place += 1) {
    const byte = bytes[place] ?? 0;
    counts[byte] = (counts[byte] ?? 0) + 1;
  }
  return counts;
}

/** Negative before the beginning of the world, where there is nothing. */
function placeOf(at: number): number {
  return Math.floor((at - beginsAt) / 1000);
}

function placeFrom(at: number): number {
  return Math.max(0, placeOf(at));
}

/** In so many parts of the whole, cut. */
export function shareOf(part: number, whole: number, parts: number): number | null {
  return whole <= 0 ? null : Math.floor((part * parts) / whole);
}

export interface ExpectedBudget {
  readonly totalSecs: number;
  readonly spentSecs: number;
  /** Null: there is no data. */
  readonly isMet: boolean | null;
}

export function budgetOf(percent: number, { known, down, measured }: Counted): ExpectedBudget {
  const allowed = (100 - percent) / 100;
  return {
    totalSecs: Number((measured * allowed).toPrecision(12)),
    spentSecs: down,
    isMet: known === 0 ? null : ((known - down) * 100) / known >= percent,
  };
}
