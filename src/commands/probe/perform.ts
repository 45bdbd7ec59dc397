/** Probes one subject once and prints what was seen. */
import { check } from '../../engine/probes/check.ts';
import { loadProbes } from '../../engine/probes/probe.ts';
import { failingStatuses } from '../check/verdict.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { environmentOf } from '../outside.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import { probeJson } from './json.ts';
import { pushJson, pushText } from './push.ts';
import { createRecorder } from './recorder.ts';
import { probeText, textsOf } from './render.ts';
import { type ProbeReport, reportOn } from './report.ts';
import { type ProbeSubject, subjectOf } from './subject.ts';

export interface ProbeRun extends RunOptions {
  readonly word: string;
  /** Null: by the form of the word. */
  readonly kind: string | null;
}

/** Throws the reason of the interrupt when there is one. */
export async function performProbe(run: ProbeRun, context: Context): Promise<ExitCode> {
  const { stdout } = context;
  const subject = await subjectOf(run, context);
  if (subject.kind === 'push') {
    const { monitor, server } = subject;
    const output = await openTerminalOutput(context, run.isColourRefused, []);
    stdout.write(run.isJson ? `${toJson(pushJson(monitor, server))}\n` : pushText(monitor, server, output));
    return exitCodes.ok;
  }
  const report = await probeOnce(subject, context);
  if (run.isJson) stdout.write(`${toJson(probeJson(report))}\n`);
  else {
    const output = await openTerminalOutput(context, run.isColourRefused, textsOf(report));
    stdout.write(probeText(report, run.isQuiet, output));
  }
  return failingStatuses('down').includes(report.status) ? exitCodes.wrong : exitCodes.ok;
}

/** One attempt: what a retry would hide is what somebody who looks closely wants to see. */
async function probeOnce(
  { monitor, redact, isConfigured }: Extract<ProbeSubject, { kind: 'monitor' }>,
  context: Context,
): Promise<ProbeReport> {
  const { clock } = context;
  await loadProbes([monitor.kind]);
  const recorder = createRecorder(() => clock.monotonic());
  const ctx = { ...environmentOf(context, redact), openTracer: recorder.openTracer };
  const { startedAt, result } = await check({ ...monitor, probe_retries: 0 }, ctx);
  const probed = { monitor, isConfigured, checkedAt: startedAt, result, tracks: recorder.tracks() };
  return reportOn(probed, ctx);
}
