/** Runs the checks of `doctor` and prints their findings. */
import { onAbort } from '../../engine/core/abort.ts';
import { quietUntil } from '../../engine/core/quiet-hours.ts';
import { instantText } from '../../engine/core/instant.ts';
import { secondsText } from '../../engine/core/duration.ts';
import { type Cell, tableLines } from '../../engine/views/text/table.ts';
import { counted, inWords } from '../../engine/core/words.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { openConfig } from '../open-config.ts';
import { environmentOf } from '../outside.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput, type TerminalOutput } from '../terminal/output.ts';
import {
  type DoctorCheck,
  type DoctorFinding,
  type DoctorVerdict,
  type Examined,
  fail,
  ok,
  warn,
} from './finding.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { Paint } from '../terminal/colour.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { clockCheck } from './checks/clock.ts';
import { databaseCheck } from './checks/database.ts';
import { nodesCheck } from './checks/nodes.ts';
import { listenCheck } from './checks/listen.ts';
import { outputsCheck } from './checks/outputs.ts';
import { namesCheck, networkCheck } from './checks/network.ts';
import { peersCheck } from './checks/peers.ts';
import { pingCheck, pluginsCheck, systemdCheck } from './checks/plugins.ts';
import { onCallOf } from '../../engine/alerting/route.ts';
import type { Channel, Rotation } from '../../engine/config/config.ts';
import { turnAt } from '../../engine/core/rotation.ts';
import { verifyChannel } from '../../notify/channels/deliver.ts';

export interface DoctorRun extends RunOptions {
  readonly isAskingChannels: boolean;
  /** Forget the lost changes that are shown. */
  readonly isSeen: boolean;
}

export async function performDoctor(run: DoctorRun, context: Context): Promise<ExitCode> {
  const { env, stdout } = context;
  const loaded = await openConfig(run.configFile, context);
  const { config, redact } = loaded;
  const examined = {
    config,
    env,
    ctx: environmentOf(context, loaded),
    isAskingChannels: run.isAskingChannels,
    isSeen: run.isSeen,
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

function configFinding({ file, included, config, warnings }: LoadedConfig): DoctorFinding {
  const { monitors, channels } = config;
  const files = included.length === 0 ? file : `${file} and ${counted(included.length, 'included file')}`;
  const what = `${files}: ${counted(monitors.length, 'monitor')}, ${counted(channels.length, 'channel')}`;
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

/** A mail server may take half a minute. */
const channelsLook: DoctorCheck = { name: 'channels', patienceMs: 40_000, run: lookAtChannels };

async function lookAtChannels(examined: Examined): Promise<readonly DoctorFinding[]> {
  const { channels, disabled_channels: disabled } = examined.config;
  if (channels.length + disabled.length === 0)
    return [warn('none are configured: no alert is ever sent', 'Add [[channels]] to the configuration.')];
  const { escalations, monitors, rotations } = examined.config;
  const reminding = [...channels, ...monitors].find(({ repeat_every_secs: secs }) => secs !== null);
  const calling = reminding === undefined ? null : `${reminding.name} reminds`;
  const acknowledged = escalations[0] === undefined ? calling : `${escalations[0].name} escalates`;
  const isLinked = examined.config.server.base_url !== null;
  return [
    ...(await Promise.all(channels.map((channel) => lookAtChannel(channel, examined)))),
    ...rotations.map((rotation) => lookAtRotation(rotation, examined)),
    ...(acknowledged === null || isLinked
      ? []
      : [
          warn(
            `${acknowledged}, but its messages have no link to acknowledge an outage`,
            'Set base_url in [server].',
          ),
        ]),
    ...disabled.map(({ name, type, key }) =>
      warn(`${name} (${type}) is disabled: ${key} is empty`, `Set ${key}, then reload.`),
    ),
  ];
}

/** Who is on call, and whether every member can be reached. */
function lookAtRotation(rotation: Rotation, { config: { channels }, ctx }: Examined): DoctorFinding {
  const { name, members } = rotation;
  const nowAt = ctx.clock.now();
  const onCall = onCallOf(rotation, channels, nowAt);
  if (onCall === null)
    return fail(
      `${name}: nobody is on call, because all its members are disabled`,
      'Give their secrets, then reload.',
    );
  const until = `until ${instantText(turnAt(rotation, nowAt).untilAt)}`;
  const off = members.filter((member) => channels.every((channel) => channel.name !== member));
  if (off.length === 0) return ok(`${name}: ${onCall} is on call ${until}`);
  return warn(
    `${name}: ${onCall} is on call ${until}; the turns of ${inWords([...new Set(off)])} go to the next member`,
    'Give the missing secrets, then reload.',
  );
}

async function lookAtChannel(channel: Channel, { ctx, isAskingChannels }: Examined): Promise<DoctorFinding> {
  const what = `${channel.name} (${channel.type}) is active${quietText(channel, ctx.clock.now())}`;
  if (!isAskingChannels) return ok(what);
  const attempt = await verifyChannel(channel, ctx, ctx.signal);
  if (attempt === null) return ok(`${what}; only \`statusd test-alert\` can try its credentials`);
  if (attempt.kind === 'sent') return ok(`${what}, and its credentials are valid`);
  return fail(`${channel.name}: ${attempt.error}`, `Correct the ${channel.type} channel ${channel.name}.`);
}

/** Until when it takes only what is critical. */
function quietText({ quiet_hours, timezone }: Channel, nowAt: number): string {
  const untilAt = quiet_hours === null ? null : quietUntil(quiet_hours, timezone, nowAt);
  return untilAt === null ? '' : `, in its quiet hours until ${instantText(untilAt)}`;
}

/** In the order in which they are shown. */
const checks: readonly DoctorCheck[] = [
  databaseCheck,
  listenCheck,
  networkCheck,
  pingCheck,
  namesCheck,
  pluginsCheck,
  clockCheck,
  systemdCheck,
  nodesCheck,
  peersCheck,
  channelsLook,
  outputsCheck,
];

interface NamedFinding extends DoctorFinding {
  readonly check: string;
}

/** Resolves with all findings, in the order of the looks. Rejects only when `ctx.signal` is aborted. */
export async function examine(examined: Examined): Promise<readonly NamedFinding[]> {
  const found = await Promise.all(checks.map((check) => within(check, examined)));
  examined.ctx.signal.throwIfAborted();
  return found.flat();
}

async function within(check: DoctorCheck, examined: Examined): Promise<NamedFinding[]> {
  const { clock, signal } = examined.ctx;
  const over = new AbortController();
  const stopListening = onAbort(signal, () => {
    over.abort(signal.reason);
  });
  const ctx = { ...examined.ctx, signal: over.signal };
  const tooLate = async (): Promise<readonly DoctorFinding[]> => {
    await clock.sleep(check.patienceMs, over.signal).catch(() => undefined);
    return [
      fail(`no result within ${secondsText(check.patienceMs)}`, 'Try again when this host is less busy.'),
    ];
  };
  try {
    const found = await Promise.race([safely(check, { ...examined, ctx }), tooLate()]);
    return found.map((finding) => ({ check: check.name, ...finding }));
  } finally {
    over.abort();
    stopListening();
  }
}

async function safely(check: DoctorCheck, examined: Examined): Promise<readonly DoctorFinding[]> {
  try {
    return await check.run(examined);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const hint = error instanceof StatusdError ? error.hint : null;
    return [fail(message, hint ?? 'This look could not be taken.')];
  }
}
