/** Probes monitors once each and puts together the report. */
import type { Monitor } from '../../engine/config/config.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { check } from '../../engine/probes/check.ts';
import { curlLine } from '../../engine/probes/http/curl.ts';
import { prepareProbes } from '../../engine/probes/probe.ts';
import type { ProbeContext } from '../../engine/probes/probe-context.ts';
import type { Context } from '../context.ts';
import { environmentOf } from '../outside.ts';
import { causesOf, certificateNotes, checkedMonitor, skippedMonitor } from './assemble.ts';
import { hasPositions } from './formats.ts';
import type { CheckOptions } from './options.ts';
import type { Output } from './output.ts';
import {
  countStatuses,
  type CheckedMonitor,
  type CheckReport,
  type Note,
  type FilePosition,
} from './report.ts';
import { runChecks } from './run-checks.ts';
import { failingStatuses } from './verdict.ts';
import { isHttp2 } from '../../engine/probes/http/answer.ts';
import type { ProbeResult } from '../../engine/core/probe.ts';

export interface ProbingTask {
  readonly monitors: readonly Monitor[];
  readonly loaded: LoadedConfig;
  /** How the report names a file. */
  readonly nameOf: (file: string) => string;
  readonly options: CheckOptions;
  readonly context: Context;
  readonly output: Output;
}

/** The report on `monitors`; after an interrupt, on those of them that were known by then. */
export async function probeMonitors(task: ProbingTask): Promise<CheckReport> {
  const { monitors, loaded, nameOf, options, context } = task;
  const { clock, interrupt } = context;
  const checkedAt = clock.now();
  const startedAt = clock.monotonic();
  const ctx = environmentOf(context, loaded);
  const domains = lookUpDomains(task, ctx);
  const verdicts = await verdictsOn(task, ctx);
  const domainNotes = await domains;
  const results = monitors.flatMap(({ id }) => verdicts.get(id) ?? []);
  const failing = failingStatuses(options.failOn);
  return {
    file: nameOf(loaded.file),
    isOk: !interrupt.aborted && !results.some(({ status }) => failing.includes(status)),
    failing,
    isInterrupted: interrupt.aborted,
    checkedAt,
    elapsedMs: clock.monotonic() - startedAt,
    counts: countStatuses(results),
    results,
    causes: causesOf(results, loaded.config),
    notes: [...certificateNotes(results, loaded.config), ...domainNotes],
  };
}

/** The verdicts by id, reported as they come: to the progress line, and to the output where it streams. */
async function verdictsOn(
  task: ProbingTask,
  ctx: ProbeContext,
): Promise<ReadonlyMap<string, CheckedMonitor>> {
  const { monitors, options, output } = task;
  const positionOf = await positions(task);
  const probed = monitors.filter((monitor) => monitor.kind !== 'push');
  await prepareProbes(probed.map(({ kind }) => kind));
  const progress = await output.progress(probed.map(({ name }) => name));
  const verdicts = new Map<string, CheckedMonitor>();
  const settle = (verdict: CheckedMonitor) => {
    verdicts.set(verdict.id, verdict);
    if (output.result === null) return;
    progress.clear();
    output.result(verdict);
  };
  for (const monitor of monitors) {
    if (monitor.kind === 'push') settle(skippedMonitor(monitor, positionOf(monitor)));
  }
  try {
    await runChecks(probed, {
      concurrency: options.concurrency,
      signal: ctx.signal,
      check: (monitor) => check(monitor, ctx),
      onStart: ({ name }) => {
        progress.start(cleanLine(name));
      },
      onDone: (monitor, result) => {
        progress.done(cleanLine(monitor.name));
        settle(
          checkedMonitor(monitor, result, {
            position: positionOf(monitor),
            curl: curlOf(monitor, result.result, ctx),
          }),
        );
      },
    });
  } finally {
    progress.end();
  }
  return verdicts;
}

/** The library for it is loaded only when a monitor asks; the run waits no longer than for a slow target. */
async function lookUpDomains({ monitors, loaded }: ProbingTask, ctx: ProbeContext): Promise<Note[]> {
  if (!monitors.some((monitor) => 'domain_expiry' in monitor && monitor.domain_expiry !== null)) return [];
  const { createDomainProbe } = await import('../../engine/probes/domain.ts');
  const { domainNotes } = await import('./domain-notes.ts');
  const probe = createDomainProbe({ timeoutMs: 10_000 });
  return domainNotes(monitors, {
    alerts: loaded.config.alerts,
    now: ctx.clock.now(),
    probe: (domain) => probe(domain, ctx),
  });
}

/** Where each monitor stands in its file, for the formats that say so. */
async function positions({
  loaded,
  nameOf,
  options,
}: ProbingTask): Promise<(monitor: Monitor) => FilePosition | null> {
  if (!hasPositions(options.format)) return () => null;
  const known = new Map<string, FilePosition>();
  for (const [index, { id }] of loaded.config.monitors.entries()) {
    const { file, line, column } = await loaded.locate(['monitors', index], 'key');
    known.set(id, { file: nameOf(file), line, column });
  }
  return ({ id }) => known.get(id) ?? null;
}

function curlOf(
  monitor: Monitor,
  { answer, reason }: ProbeResult,
  { redact, version }: ProbeContext,
): string | null {
  if (monitor.kind !== 'http') return null;
  const isRedirectRefused = reason?.category === 'redirect';
  return curlLine(monitor, { redact, version, isHttp2: isHttp2(answer), isRedirectRefused });
}
