/** Looks at this host and says what was found. */
import { counted } from '../../engine/core/words.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { openConfig } from '../open-config.ts';
import { environmentOf } from '../outside.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput, type TerminalOutput } from '../terminal/output.ts';
import { examine, type NamedFinding } from './examine.ts';
import { type DoctorFinding, type DoctorVerdict, ok, warn } from './finding.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Paint } from '../terminal/colour.ts';

export interface DoctorRun extends RunOptions {
  readonly isAskingChannels: boolean;
}

export async function performDoctor(run: DoctorRun, context: Context): Promise<ExitCode> {
  const { env, stdout } = context;
  const loaded = await openConfig(run.configFile, context);
  const { config, redact } = loaded;
  const examined = {
    config,
    env,
    ctx: environmentOf(context, redact),
    isAskingChannels: run.isAskingChannels,
  };
  const found: readonly NamedFinding[] = [
    { check: 'config', ...configFinding(loaded) },
    ...(await examine(examined)),
  ].map((finding) => ({
    ...finding,
    message: redact(finding.message),
    cure: finding.cure === null ? null : redact(finding.cure),
  }));
  const isOk = found.every(({ verdict }) => verdict !== 'fail');
  if (run.isJson) {
    const checks = found.map(({ check, verdict, message, cure }) => ({ check, verdict, message, cure }));
    stdout.write(`${toJson({ ok: isOk, checks })}\n`);
  } else {
    const shown = run.isQuiet ? found.filter(({ verdict }) => verdict !== 'ok') : found;
    const output = await openTerminalOutput(context, run.isColourRefused, []);
    stdout.write(findingsText(shown, output));
  }
  return isOk ? exitCodes.ok : exitCodes.wrong;
}

function configFinding({ file, config, warnings }: LoadedConfig): DoctorFinding {
  const { monitors, channels } = config;
  const what = `${file}: ${counted(monitors.length, 'monitor')}, ${counted(channels.length, 'channel')}`;
  if (warnings.length === 0) return ok(what);
  return warn(
    `${what}, ${counted(warnings.length, 'warning')}`,
    'See them with `statusd check --config-only`.',
  );
}

const words: Readonly<Record<DoctorVerdict, string>> = { ok: 'ok', warn: 'warn', fail: 'FAIL' };

/** A line each: `FAIL  ping      there is no ping`, and below it the cure. */
function findingsText(found: readonly NamedFinding[], { paint }: TerminalOutput): string {
  const width = Math.max(...found.map(({ check }) => check.length), 0);
  const lines = found.flatMap(({ check, verdict, message, cure }) => {
    const word = paintOf(verdict, paint)(words[verdict].padEnd(4));
    const line = `${word}  ${check.padEnd(width)}  ${cleanLine(message)}`;
    return cure === null ? [line] : [line, `${' '.repeat(width + 8)}${paint.dim(cleanLine(cure))}`];
  });
  return lines.map((line) => `${line}\n`).join('');
}

function paintOf(verdict: DoctorVerdict, paint: Paint): (text: string) => string {
  switch (verdict) {
    case 'ok':
      return paint.green;
    case 'warn':
      return paint.yellow;
    case 'fail':
      return paint.red;
  }
}
