/** Probes by running a plugin that follows the convention of the Monitoring Plugins. */
import { secondsText } from '../core/duration.ts';
import { realpath } from 'node:fs/promises';
import { resolve, sep } from 'node:path';
import type { ExecMonitor } from '../config/config.ts';
import { ownFaultKey } from '../core/own-fault.ts';
import { noTimings, type Answer, type Outcome, type ProbeResult, type Reason } from '../core/probe.ts';
import { type ProgramRun, run } from './exec-run.ts';
import { printable, ProbeFault, unableFault } from '../net/faults.ts';
import { answerBody } from './probe-answer.ts';
import { attempt } from './probe-attempt.ts';
import type { ProbeContext } from './probe-context.ts';
import { traced } from '../net/tracer.ts';

/** All that a plugin finds programs with. */
export const plainPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

const messageCharacters = 500;

/**
 * Runs `command`, whose first word is a program in `ctx.execDir`. Exit 0 is healthy, 1 degraded, 2 failed, 3
 * unknown, above 3 failed; the first line of the output is the message, what follows a `|` in it the performance data. A
 * plugin that cannot be run or is killed by someone else is `unknown`. Of what it writes, 64 KiB are looked at.
 */
export function probeExec(monitor: ExecMonitor, ctx: ProbeContext): Promise<ProbeResult> {
  const { clock, redact } = ctx;
  const [word = '', ...args] = monitor.command;
  const name = printable(redact(word));
  return attempt(monitor, ctx, async (deadline) => {
    const late = () =>
      deadline.missed(`the plugin ${name} did not finish within ${secondsText(deadline.timeoutMs)}`);
    const { file, folder } = await deadline.bound(findPlugin(word, { name, execDir: ctx.execDir }), late);
    const startedAt = clock.monotonic();
    const env = { PATH: plainPath, LANG: 'C', STATUSD_MONITOR_ID: monitor.id };
    const done = await traced(ctx.openTracer?.([]), 'run', () =>
      run({ file, args, env, cwd: folder }, deadline),
    );
    const tookMs = clock.monotonic() - startedAt;
    return judge(exitCodeOf(done, name, late), { name, run: done, tookMs, redact });
  });
}

interface PluginPlace {
  /** For sentences. */
  readonly name: string;
  readonly execDir: string | null;
}

/**
 * The plugin behind the first word of a command. It must lie in the folder once every symbolic link is
 * followed; it is run under its own name, since some plugins are links to one program that looks at it.
 */
export async function findPlugin(
  word: string,
  { name, execDir }: PluginPlace,
): Promise<{ file: string; folder: string }> {
  if (execDir === null) {
    const message = 'there is no folder of plugins: name it in exec_dir of [probes], or in STATUSD_EXEC_DIR';
    throw cannot(ownFaultKey('plugin_folder'), message);
  }
  const folder = await realpath(execDir).catch((error: unknown) => {
    const message = `the plugin folder ${printable(execDir)} (exec_dir) cannot be used: ${why(error)}`;
    throw cannot(faultBehind(error) ?? ownFaultKey('plugin_folder'), message);
  });
  const file = resolve(folder, word);
  const plugin = ownFaultKey('plugin', name);
  const real = await realpath(file).catch((error: unknown) => {
    const message = `the plugin ${name} is not in ${printable(folder)} (exec_dir): ${why(error)}`;
    throw cannot(faultBehind(error) ?? plugin, message);
  });
  if (!real.startsWith(folder.endsWith(sep) ? folder : folder + sep)) {
    throw cannot(plugin, `the plugin ${name} lies outside of ${printable(folder)} (exec_dir) and is not run`);
  }
  return { file, folder };
}

/** Throws when the run says nothing of what the plugin looks at. */
export function exitCodeOf({ ending }: ProgramRun, name: string, late: () => Error): number {
  const plugin = ownFaultKey('plugin', name);
  switch (ending.kind) {
    case 'exited':
      return ending.code;
    case 'out_of_time':
      throw late();
    case 'killed':
      throw cannot(plugin, `the plugin ${name} was killed by ${ending.signal}`);
    case 'not_started':
      throw cannot(
        faultBehind(ending) ?? plugin,
        `the plugin ${name} cannot be started: ${startWords[ending.code] ?? ending.code}`,
      );
  }
}

const startWords: Readonly<Record<string, string>> = {
  EACCES: 'it is not an executable file (chmod +x makes it one)',
  EPERM: 'this host does not allow it',
  ENOENT: 'the interpreter that its first line names is missing',
  ENOEXEC: 'it is neither a program of this machine nor a script',
  EMFILE: 'this host has no file descriptors left (EMFILE)',
  ENFILE: 'this host has no file descriptors left (ENFILE)',
  EAGAIN: 'this host has no processes left (EAGAIN)',
  ENOMEM: 'this host has no memory left (ENOMEM)',
};

const pathWords: Readonly<Record<string, string>> = {
  ENOENT: 'no such file',
  ENOTDIR: 'no such file',
  EACCES: 'permission denied',
  ELOOP: 'its links lead in a circle',
  EMFILE: 'this host has no file descriptors left',
  ENFILE: 'this host has no file descriptors left',
};

function why(error: unknown): string {
  const { code = '' } = error as NodeJS.ErrnoException;
  return pathWords[code] ?? code;
}

/** What of this host ran out, when that is why a plugin could not be run. */
function faultBehind(error: unknown): string | null {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (code === 'EMFILE' || code === 'ENFILE') return ownFaultKey('descriptors');
  return code === 'EAGAIN' || code === 'ENOMEM' ? ownFaultKey('memory') : null;
}

const cannot = (ownFault: string, message: string) => new ProbeFault(unableFault(ownFault, message));

function reasonOf(outcome: Outcome, message: string, plugin: string): Reason | null {
  if (outcome === 'healthy') return null;
  if (outcome !== 'unknown') return { category: 'plugin', message };
  return { category: 'own_fault', message, ownFault: ownFaultKey('plugin_unknown', plugin) };
}

/** By exit status (Monitoring Plugins: OK, WARNING, CRITICAL, UNKNOWN); every other one is a failure. */
const outcomes: Readonly<Record<number, Outcome>> = {
  0: 'healthy',
  1: 'degraded',
  2: 'failed',
  3: 'unknown',
};

interface ExecObservation {
  /** Of the plugin, for sentences. */
  readonly name: string;
  readonly run: ProgramRun;
  readonly tookMs: number;
  readonly redact: (text: string) => string;
}

function judge(
  code: number,
  { name, run: { stdout, stderr, isCut }, tookMs, redact }: ExecObservation,
): ProbeResult {
  const lines = (stdout.trim() || stderr.trim()).split('\n');
  const [message = '', perfdata = ''] = redact(lines[0] ?? '').split('|', 2);
  const words = printable(message, messageCharacters) || `exit status ${code}, without output`;
  const outcome = outcomes[code] ?? 'failed';
  const reason = reasonOf(outcome, words, name);
  const measured = printable(perfdata, messageCharacters);
  const answer: Answer = {
    statusLine: `exit ${code}`,
    headers: [
      ...(measured === '' ? [] : [['perfdata', measured] as const]),
      ...(isCut ? [['output', 'cut after 64 KiB'] as const] : []),
    ],
    body: answerBody(lines, { redact }),
  };
  return {
    outcome,
    reason,
    latencyMs: outcome === 'unknown' ? null : tookMs,
    timings: { ...noTimings, totalMs: tookMs },
    answer,
    assertions: [],
    certificate: null,
    address: null,
  };
}
