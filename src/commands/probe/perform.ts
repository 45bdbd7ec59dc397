/** Probes one target once and prints the result. */
import { check } from '../../engine/probes/check.ts';
import { targetKinds } from '../../engine/core/probe.ts';
import { loadProbes } from '../../engine/probes/probe.ts';
import { failingStatuses } from '../check/verdict.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { environmentOf } from '../outside.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import { probeJson } from './json.ts';
import { pushJson, pushText } from './push.ts';
import { createRecorder } from './recorder.ts';
import { probeText, textsOf } from './render.ts';
import { type ProbeReport, reportOn } from './report.ts';
import type { Config, PushMonitor } from '../../engine/config/config.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { nearest } from '../../engine/core/nearest.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { quoted } from '../../engine/operations/arguments.ts';
import { oneMonitorNamed } from '../../engine/operations/select-monitors.ts';
import { type AskedConfig, questionConfig } from '../init/question-config.ts';
import { type ProbeQuestion, wantedFrom } from '../init/target.ts';
import { openConfig } from '../open-config.ts';

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

/** One attempt: what a retry would hide is what a closer look is for. */
async function probeOnce(
  { monitor, isConfigured, ...loaded }: Extract<ProbeSubject, { kind: 'monitor' }>,
  context: Context,
): Promise<ProbeReport> {
  const { clock } = context;
  await loadProbes([monitor.kind]);
  const recorder = createRecorder(() => clock.monotonic());
  const ctx = { ...environmentOf(context, loaded), openTracer: recorder.openTracer };
  const { startedAt, result } = await check({ ...monitor, probe_retries: 0 }, ctx);
  const probed = { monitor, isConfigured, checkedAt: startedAt, result, tracks: recorder.tracks() };
  return reportOn(probed, ctx);
}

type ProbeSubject =
  | (AskedConfig & { readonly kind: 'monitor'; readonly isConfigured: boolean })
  | { readonly kind: 'push'; readonly monitor: PushMonitor; readonly server: Config['server'] };

interface TypedWord {
  readonly word: string;
  /** The kind to probe it as, which makes it a target; null: by its form. */
  readonly kind: string | null;
  readonly configFile: string | null;
}

/**
 * Tells what a word of the command line means: a monitor of the configuration, or a target of its own. Only a word of
 * letters, digits, blanks, `_` and `-` names a monitor: for any other one no configuration is read, and for such a one only
 * where there is one. Throws `usage` for a target that is none, `not_found` for an id that is none.
 */
async function subjectOf(asked: TypedWord, context: Context): Promise<ProbeSubject> {
  const { word, kind } = asked;
  if (kind === null && /^[\p{L}\p{N}\s_-]+$/u.test(word)) {
    const found = await configured(asked, context);
    if (found !== null) return found;
  }
  const question = kind === null ? wantedFrom(word).questions[0] : forced(kind, word);
  return { kind: 'monitor', ...(await questionConfig(question)), isConfigured: false };
}

/** Null where there is no configuration, or it says nothing of a name that every host has. */
async function configured({ word, configFile }: TypedWord, context: Context): Promise<ProbeSubject | null> {
  const { stderr } = context;
  const loaded = await openConfig(configFile, context).catch((error: unknown) => {
    const isMissing = error instanceof StatusdError && error.code === 'config_missing';
    if (isMissing && configFile === null) return null;
    throw error;
  });
  if (loaded === null) {
    if (word !== 'localhost')
      stderr.write(`statusd: no configuration was found, so ${word} is taken for a host\n`);
    return null;
  }
  const { config, redact } = loaded;
  const monitor = oneMonitorNamed(config.monitors, word);
  if (monitor?.kind === 'push') return { kind: 'push', monitor, server: config.server };
  if (monitor !== null) return { kind: 'monitor', monitor, redact, config, isConfigured: true };
  if (word === 'localhost') return null;
  throw new StatusdError('not_found', `there is no monitor ${quoted(word)}`, {
    hint: `${knownText(word, config)} A host of this name is probed with --kind, or as https://${word}/.`,
  });
}

function knownText(word: string, { monitors }: Config): string {
  const ids = monitors.map(({ id }) => id);
  const guess = nearest(word, ids);
  if (guess !== null) return `Did you mean ${cleanLine(guess)}?`;
  if (ids.length === 0) return 'The configuration has none.';
  return `There are: ${cleanLine(ids.slice(0, 10).join(', '))}${ids.length > 10 ? ` and ${ids.length - 10} more` : ''}.`;
}

/** The same word under another kind: a scheme of its own gives way, but for https. */
function forced(kind: string, word: string): ProbeQuestion {
  const known = targetKinds.find((one) => one === kind);
  if (known === undefined) {
    const guess = nearest(kind, targetKinds);
    throw new StatusdError('usage', `a target cannot be probed as ${quoted(kind)}`, {
      hint: guess === null ? `The targetKinds are: ${targetKinds.join(', ')}.` : `Did you mean ${guess}?`,
    });
  }
  const bare = word.replace(/^[A-Za-z][A-Za-z0-9+.-]*:\/\//, '');
  if (known !== 'http') return wantedFrom(`${known}://${bare}`).questions[0];
  return wantedFrom(/^https?:\/\//i.test(word) ? word : `https://${bare}`).questions[0];
}
