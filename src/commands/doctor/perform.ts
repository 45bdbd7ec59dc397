/** Looks at this host and says what was found. */
import type { LoadedConfig } from '../../engine/config/load.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { openConfig } from '../open-config.ts';
import { environmentOf } from '../outside.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput } from '../terminal/output.ts';
import { examine, type NamedFinding } from './examine.ts';
import { ok, warn, type DoctorFinding } from './finding.ts';
import { findingsText } from './render.ts';

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

function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}
