/** Writes the metrics of what exists for one viewer, in steps short enough for the probes not to notice. */
import { uptimeShare } from '../../db/read/share.ts';
import type { Store } from '../../db/store.ts';
import { certificates } from '../../db/topics/certificates.ts';
import { decisions } from '../../db/topics/decisions.ts';
import { incidents } from '../../db/topics/incidents.ts';
import { outbox } from '../../db/topics/outbox.ts';
import { endText, type Format, headText, sampleText } from '../metrics/exposition.ts';
import {
  type MeasuredInside,
  type MeasuredMonitor,
  monitorFamilies,
  nodeFamilies,
  type Spread,
} from '../metrics/families.ts';
import type { ProbeTally } from '../metrics/probe-tally.ts';
import { type Asked, gather, type GatherSources } from './gather.ts';

export interface MetricsSources extends GatherSources {
  readonly version: string;
  readonly probes: Pick<ProbeTally, 'of'>;
  readonly lateness: () => Spread;
  readonly loopLag: () => Spread;
}

/** As many monitors are written in one step. */
const stepSize = 50;

/** Uptime is told in parts of a million, cut. */
const parts = 1_000_000;

export async function buildMetrics(sources: MetricsSources, asked: Asked, format: Format): Promise<Buffer> {
  const { breathe } = sources;
  const { reader } = asked;
  const monitors = await measure(sources, asked);
  const pieces: string[] = [];
  for (const family of monitorFamilies) {
    const before = pieces.push(headText(family, format));
    for (let from = 0; from < monitors.length; from += stepSize) {
      const samples = monitors.slice(from, from + stepSize).flatMap(family.samplesOf);
      if (samples.length > 0) pieces.push(samples.map((sample) => sampleText(family, sample)).join(''));
      await breathe();
    }
    // A family without a sample is left out.
    if (pieces.length === before) pieces.pop();
  }
  const node = { version: sources.version, lateness: sources.lateness(), loopLag: sources.loopLag() };
  for (const family of nodeFamilies(node, reader.isTrusted ? readInside(sources) : null)) {
    if (family.samples.length === 0) continue;
    pieces.push(headText(family, format), ...family.samples.map((sample) => sampleText(family, sample)));
  }
  return Buffer.from(pieces.join('') + endText(format));
}

async function measure(sources: MetricsSources, asked: Asked): Promise<readonly MeasuredMonitor[]> {
  const { sql } = sources.store;
  const { days, factsOf } = await gather(sources, asked);
  const certs = new Map(certificates.list(sql).map((row) => [row.monitor, row.validToAt]));
  const totals = incidents.totals(sql);
  return asked.visible.map((monitor) => {
    const { id, name, group, kind } = monitor;
    const day = days.get(id);
    const uptime = day === undefined ? null : uptimeShare(day.secs, parts);
    return {
      id,
      name,
      group,
      status: factsOf(monitor).status,
      uptime: uptime === null ? null : uptime / parts,
      certExpiresAt: certs.get(id) ?? null,
      incidents: totals.get(id) ?? 0,
      probes: kind === 'push' ? null : sources.probes.of(id),
    };
  });
}

function readInside({ store: { sql } }: { readonly store: Pick<Store, 'sql'> }): MeasuredInside {
  return {
    notifications: outbox.totals(sql),
    spared: decisions.totals(sql).filter(({ verdict }) => verdict === 'spared'),
    databaseBytes:
      sql.get(
        'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
        [],
        (row) => row.number('bytes'),
      ) ?? 0,
  };
}
