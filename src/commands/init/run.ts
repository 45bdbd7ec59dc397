/** Runs `init`: probes, writes, prints the next steps. */
import { counted } from '../../engine/core/words.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { runChecks } from '../check/run-checks.ts';
import type { Context } from '../context.ts';
import { toJson } from '../terminal/json.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { channelsFrom } from './channels.ts';
import { configDocument } from './document.ts';
import { measure } from './measure.ts';
import { closingLines, outcomeJson, progressLine, type WrittenPlace } from './outcome.ts';
import { observe, propose, type TargetObservation } from './proposal.ts';
import { type ProbeQuestion, wantedFrom, type WantedTarget } from './target.ts';
import { secretsFileOf, writeSecrets } from '../document/secrets-file.ts';
import type { RunOptions } from '../run-options.ts';
import { canAsk, isYes } from '../terminal/ask.ts';
import { fileToMake, refuseUnwritable, writeWhole } from '../document/write-file.ts';
import type { Redact } from '../../engine/config/redact.ts';
import type { ProbeResult } from '../../engine/core/probe.ts';
import { check } from '../../engine/probes/check.ts';
import { environmentOf } from '../outside.ts';
import { type AskedConfig, questionConfig } from './question-config.ts';

export interface InitOptions extends Omit<RunOptions, 'configFile'> {
  readonly targets: readonly string[];
  /** Each as `TYPE` or `TYPE=VALUE`. */
  readonly channels: readonly string[];
  /** As typed; `-` is standard output. */
  readonly out: string;
  readonly isForced: boolean;
  /** Sends a test through the channels without a question; without it a person at a terminal is asked. */
  readonly isTested: boolean;
}

/** What commands look for in the working directory. */
const usualFile = 'statusd.toml';

/** Many targets are not asked one after the other, nor all at once from a small host. */
const concurrency = 8;

/**
 * Writes the configuration, then tests its channels if that is wanted. What can be refused is refused before anything is
 * asked; an interrupt writes nothing. Answers 1 when a channel did not take the test.
 */
export async function init(wishes: InitOptions, context: Context): Promise<ExitCode> {
  const { out, isForced, isJson, isQuiet } = wishes;
  const { stdout, stderr, interrupt, clock, env } = context;
  const wanted = [...new Set(wishes.targets)].map(wantedFrom);
  const channels = await channelsFrom(wishes.channels);
  const secrets = channels.flatMap((channel) => channel.secrets);
  const file = out === '-' ? null : fileToMake(context.cwd, out, usualFile);
  const secretsPath = file === null ? null : secretsFileOf(secrets, file);
  for (const path of [file, secretsPath]) if (path !== null) await refuseUnwritable(path, isForced);
  const proposals = propose(await survey(wanted, context, isQuiet));
  interrupt.throwIfAborted();
  const text = configDocument(proposals, channels);
  const isFound = out === usualFile && (env['STATUSD_CONFIG'] ?? '') === '';
  const writtenPlace: WrittenPlace =
    file === null ? { kind: 'stdout' } : { kind: 'file', file: out, isFound };
  const unset = secrets
    .filter(({ name, value }) => (file === null || value === null) && (env[name] ?? '') === '')
    .map(({ name }) => name);
  const closing = closingLines(writtenPlace, proposals, { channels: channels.length, unset });
  if (file === null) {
    stdout.write(text);
    if (!isQuiet) stderr.write(`${closing.join('\n')}\n`);
    return exitCodes.ok;
  }
  await writeSecrets(secrets, { file, isForced });
  await writeWhole(file, text, isForced);
  if (isJson) stdout.write(`${toJson(outcomeJson(file, proposals, clock.now()))}\n`);
  else if (!isQuiet) stdout.write(`${closing.join('\n')}\n`);
  const isReady = channels.some((channel) => channel.secrets.every(({ name }) => !unset.includes(name)));
  const isTested = wishes.isTested || (isReady && !isJson && !isQuiet && (await isTestWanted(context)));
  return isTested ? testChannels(file, wishes, context) : exitCodes.ok;
}

/** Asks a person at a terminal; where there is none, nobody is asked. */
async function isTestWanted(context: Context): Promise<boolean> {
  if (!canAsk(context)) return false;
  return isYes('Send a test message through the channels now?', context, { default: true });
}

async function testChannels(file: string, wishes: InitOptions, context: Context): Promise<ExitCode> {
  const { isJson, isQuiet, isColourRefused } = wishes;
  const { performTestAlert } = await import('../test-alert/perform.ts');
  return performTestAlert({ monitor: null, configFile: file, isJson, isQuiet, isColourRefused }, context);
}

/** Asks all targets and reports each to standard error when it is done; `isQuiet`: only those with something wrong. */
export async function survey(
  wanted: readonly WantedTarget[],
  context: Context,
  isQuiet: boolean,
): Promise<TargetObservation[]> {
  if (wanted.length === 0) return [];
  const { clock, interrupt, stderr } = context;
  const report = (line: string, isWarning: boolean) => {
    if (isWarning || !isQuiet) stderr.write(`statusd: ${cleanLine(line)}\n`);
  };
  const asker = createAsker(context);
  report(`probing ${counted(wanted.length, 'target')}`, false);
  const seen = await runChecks(wanted, {
    concurrency,
    signal: interrupt,
    check: async (one) => {
      const measured = await measure(one, { probe: asker.probe, clock, signal: interrupt });
      return observe(measured, asker.redact);
    },
    onDone: (_, observation) => {
      report(progressLine(observation), observation.error !== null);
    },
  });
  interrupt.throwIfAborted();
  return seen.filter((observation) => observation !== undefined);
}

interface Asker {
  readonly probe: (question: ProbeQuestion) => Promise<ProbeResult>;
  /** Masks what looks like a secret in the targets asked so far. */
  readonly redact: Redact;
}

/** Asks a question with the probes and the defaults that a configuration would give it. */
function createAsker(context: Pick<Context, 'clock' | 'env' | 'interrupt'>): Asker {
  const environment = environmentOf(context, {
    redact: (text) => text,
    config: { probes: { exec_dir: null } },
  });
  const loaded = new Map<string, Promise<AskedConfig>>();
  const masks = new Set<Redact>();
  return {
    redact: (text) => [...masks].reduce((masked, mask) => mask(masked), text),
    probe: async (question) => {
      const key = `${question.kind} ${question.target}`;
      const loading = loaded.get(key) ?? questionConfig(question);
      loaded.set(key, loading);
      const { monitor, redact } = await loading;
      masks.add(redact);
      return (await check(monitor, { ...environment, redact })).result;
    },
  };
}
