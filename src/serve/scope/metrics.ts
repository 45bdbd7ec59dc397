/** Writes the metrics of what exists for one viewer, in steps short enough for the probes not to notice. */
import { uptimeShare } from '../../db/read/share.ts';
import type { Store } from '../../db/store/store.ts';
import { decisions } from '../../db/tables/decisions.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { outbox } from '../../db/tables/outbox.ts';
import { endText, type MetricsFormat, headText, labelText, sampleText } from '../metrics/exposition.ts';
import {
  type MeasuredInside,
  type MeasuredMonitor,
  monitorFamilies,
  type MonitorFamily,
  nodeFamilies,
  type Spread,
} from '../metrics/families.ts';
import type { ProbeTally } from '../metrics/probe-tally.ts';
import { readPeers } from './frame.ts';
import { type GatherRequest, gather, type GatherSources } from './gather.ts';

export interface MetricsSources extends GatherSources {
  readonly version: string;
  readonly probes: Pick<ProbeTally, 'of'>;
  readonly lateness: () => Spread;
  readonly loopLag: () => Spread;
}

/** As many monitors are written in one step. */
const stepSize = 50;

/** Uptime is given in parts of a million, cut. */
const parts = 1_000_000;

/** In pieces, so that the whole of it is no string. */
export async function buildMetrics(
  sources: MetricsSources,
  gatherRequest: GatherRequest,
  format: MetricsFormat,
): Promise<readonly Buffer[]> {
  const { yieldTurn } = sources;
  const monitors = await measure(sources, gatherRequest);
  const pieces: Buffer[] = [];
  for (const family of monitorFamilies) {
    const before = pieces.push(Buffer.from(headText(family, format)));
    for (let from = 0; from < monitors.length; from += stepSize) {
      const text = samplesText(family, monitors.slice(from, from + stepSize));
      if (text !== '') pieces.push(Buffer.from(text));
      await yieldTurn();
    }
    // A family without a sample is left out.
    if (pieces.length === before) pieces.pop();
  }
  pieces.push(Buffer.from(nodeText(sources, gatherRequest, format)));
  return pieces;
}

function samplesText(family: MonitorFamily, monitors: readonly MeasuredMonitor[]): string {
  let text = '';
  for (const monitor of monitors) {
    for (const metricSample of family.samplesOf(monitor)) text += sampleText(family, metricSample);
  }
  return text;
}

function nodeText(sources: MetricsSources, gatherRequest: GatherRequest, format: MetricsFormat): string {
  const node = { version: sources.version, lateness: sources.lateness(), loopLag: sources.loopLag() };
  const families = nodeFamilies(
    node,
    gatherRequest.reader.isTrusted ? readInside(sources, gatherRequest) : null,
  );
  const texts = families.flatMap((family) =>
    family.samples.length === 0
      ? []
      : [headText(family, format), ...family.samples.map((metricSample) => sampleText(family, metricSample))],
  );
  return texts.join('') + endText(format);
}

async function measure(
  sources: MetricsSources,
  gatherRequest: GatherRequest,
): Promise<readonly MeasuredMonitor[]> {
  const { find } = await gather(sources, gatherRequest);
  const totals = incidents.totals(sources.store.sql);
  const measured: MeasuredMonitor[] = [];
  for (const [index, monitor] of gatherRequest.visible.entries()) {
    const { id, name, group, kind } = monitor;
    const { facts, day } = find(monitor);
    const uptime = day === null ? null : uptimeShare(day.secs, parts);
    measured.push({
      labels: labelText({ id, name, group: group ?? '' }),
      status: facts.status,
      uptime: uptime === null ? null : uptime / parts,
      certExpiresAt: facts.certExpiresAt,
      incidents: totals.get(id) ?? 0,
      probes: kind === 'push' ? null : sources.probes.of(id),
    });
    if (index % stepSize === stepSize - 1) await sources.yieldTurn();
  }
  return measured;
}

function readInside(
  { store: { sql } }: { readonly store: Pick<Store, 'sql'> },
  { config, reader }: GatherRequest,
): MeasuredInside {
  return {
    open: incidents.countOpen(sql),
    notifications: outbox.totals(sql),
    peers: readPeers(sql, config, reader.nowAt),
    decisions: decisions.totals(sql),
    databaseBytes:
      sql.get(
        'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
        [],
        (row) => row.number('bytes'),
      ) ?? 0,
  };
}
