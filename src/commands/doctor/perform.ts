/** Looks at this host and says what was found. */
import { type Cell, tableLines } from '../../engine/views/text/table.ts';
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
    const output = await openTerminalOutput(context, run.isColourRefused, shown.flatMap(textsOf));
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

function textsOf({ message, cure }: NamedFinding): string[] {
  return [cleanLine(message), cleanLine(cure ?? '')];
}

const words: Readonly<Record<DoctorVerdict, string>> = { ok: 'ok', warn: 'warn', fail: 'FAIL' };

/** A row each: `FAIL  ping  there is no ping`, and below it the cure. */
function findingsText(found: readonly NamedFinding[], output: TerminalOutput): string {
  const { paint } = output;
  const rows = found.flatMap(({ check, verdict, message, cure }): Cell[][] => [
    [{ text: words[verdict], paint: paintOf(verdict, paint) }, { text: check }, { text: cleanLine(message) }],
    ...(cure === null ? [] : [[{ text: '' }, { text: '' }, { text: cleanLine(cure), paint: paint.dim }]]),
  ]);
  const columns = [{ heading: '' }, { heading: '' }, { heading: '', least: 30, isWrapped: true }];
  const lines = tableLines({ columns, rows }, output, { hasHeading: false });
  return lines
    .map(
      (line) => `${line}
`,
    )
    .join('');
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
