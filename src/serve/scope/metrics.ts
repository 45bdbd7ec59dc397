/** Writes the metrics of what exists for one viewer, in steps short enough for the probes not to notice. */
import { uptimeShare } from '../../db/read/share.ts';
import type { Store } from '../../db/store/store.ts';
import { decisions } from '../../db/tables/decisions.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { outbox } from '../../db/tables/outbox.ts';
import type { Monitor } from '../../engine/config/config.ts';
import {
  type MeasuredMonitor,
  type MetricReading,
  monitorFamilies,
  type MonitorFamily,
  nodeFamilies,
  type Spread,
} from '../../engine/views/metrics/families.ts';
import type { NodeFamily } from '../../engine/views/metrics/family.ts';
import type {
  MeasuredInside,
  NodeCheckCounts,
  OutputCounts,
} from '../../engine/views/metrics/inside-families.ts';
import { type MetricLabels, labelsOf } from '../../engine/views/metrics/labels.ts';
import { endText, type MetricsFormat, headText, sampleText } from '../metrics/exposition.ts';
import type { Refusals } from '../limit/refusals.ts';
import type { ProbeTally } from '../metrics/probe-tally.ts';
import { readPeers } from './frame.ts';
import { type GatherRequest, gather, type GatherSources } from './gather.ts';

export interface MetricsSources extends GatherSources {
  readonly version: string;
  readonly probes: Pick<ProbeTally, 'of'>;
  readonly lateness: () => Spread;
  readonly loopLag: () => Spread;
  readonly outputs: () => readonly OutputCounts[];
  readonly refused: Refusals['counts'];
  /** Null: it has its database to itself. */
  readonly nodeChecks: () => NodeCheckCounts | null;
}

/** How many monitors are written in one step. */
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
  pieces.push(Buffer.from(nodeText(nodeOf(sources, gatherRequest), format)));
  return pieces;
}

/** The same as values, for what sends them elsewhere. */
export async function readMetrics(
  sources: MetricsSources,
  gatherRequest: GatherRequest,
): Promise<MetricReading> {
  const monitors = await measure(sources, gatherRequest);
  return { at: gatherRequest.reader.nowAt, monitors, node: nodeOf(sources, gatherRequest) };
}

function samplesText(family: MonitorFamily, monitors: readonly MeasuredMonitor[]): string {
  let text = '';
  for (const monitor of monitors) {
    for (const metricSample of family.samplesOf(monitor)) text += sampleText(family, metricSample);
  }
  return text;
}

function nodeOf(sources: MetricsSources, gatherRequest: GatherRequest): readonly NodeFamily[] {
  const node = { version: sources.version, lateness: sources.lateness(), loopLag: sources.loopLag() };
  return nodeFamilies(node, gatherRequest.reader.isTrusted ? readInside(sources, gatherRequest) : null);
}

function nodeText(families: readonly NodeFamily[], format: MetricsFormat): string {
  const texts = families.flatMap((family) =>
    family.samples.length === 0
      ? []
      : [headText(family, format), ...family.samples.map((metricSample) => sampleText(family, metricSample))],
  );
  return texts.join('') + endText(format);
}

const labelsOfMonitor = new WeakMap<Monitor, MetricLabels>();

/** Made once for each monitor of a configuration: they are asked for every few seconds. */
function monitorLabels(monitor: Monitor): MetricLabels {
  let labels = labelsOfMonitor.get(monitor);
  if (labels === undefined) {
    const { id, name, group } = monitor;
    labels = labelsOf({ id, name, group: group ?? '' });
    labelsOfMonitor.set(monitor, labels);
  }
  return labels;
}

async function measure(
  sources: MetricsSources,
  gatherRequest: GatherRequest,
): Promise<readonly MeasuredMonitor[]> {
  const { find } = await gather(sources, gatherRequest);
  const totals = incidents.totals(sources.store.sql);
  const measured: MeasuredMonitor[] = [];
  for (const [index, monitor] of gatherRequest.visible.entries()) {
    const { id, kind } = monitor;
    const { facts, day } = find(monitor);
    const uptime = day === null ? null : uptimeShare(day.secs, parts);
    measured.push({
      id,
      labels: monitorLabels(monitor),
      status: facts.status,
      uptime: uptime === null ? null : uptime / parts,
      certExpiresAt: facts.certExpiresAt,
      isUnstable: (facts.unstableSinceAt ?? null) !== null,
      incidents: totals.get(id) ?? 0,
      probes: kind === 'push' ? null : sources.probes.of(id),
    });
    if (index % stepSize === stepSize - 1) await sources.yieldTurn();
  }
  return measured;
}

function readInside(
  {
    store: { sql },
    outputs,
    refused,
    nodeChecks,
  }: Pick<MetricsSources, 'outputs' | 'refused' | 'nodeChecks'> & { readonly store: Pick<Store, 'sql'> },
  { config, reader }: GatherRequest,
): MeasuredInside {
  return {
    open: incidents.countOpen(sql),
    notifications: outbox.totals(sql),
    peers: readPeers(sql, config, reader.nowAt),
    decisions: decisions.totals(sql),
    outputs: outputs(),
    refused: refused(),
    nodes: nodeChecks(),
    databaseBytes:
      sql.get(
        'SELECT page_count * page_size AS bytes FROM pragma_page_count(), pragma_page_size()',
        [],
        (row) => row.number('bytes'),
      ) ?? 0,
  };
}
