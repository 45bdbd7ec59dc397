/** Sends a test message through the channels and prints the results. */
import { randomBytes } from 'node:crypto';
import type { Channel, Config, DisabledChannel, Monitor } from '../../engine/config/config.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { createDeliver, type Deliver } from '../../notify/channels/deliver.ts';
import { theMonitorNamed } from '../../engine/operations/select-monitors.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes } from '../exit.ts';
import { openConfig } from '../open-config.ts';
import { environmentOf } from '../outside.ts';
import type { RunOptions } from '../run-options.ts';
import { toJson } from '../terminal/json.ts';
import { openTerminalOutput, type TerminalOutput } from '../terminal/output.ts';
import { type Message, severityOf } from '../../engine/alerting/events/catalogue.ts';
import { deliveryIdOf } from '../../engine/alerting/ids.ts';
import type { Down } from '../../engine/alerting/events/outage.ts';
import type { Named } from '../../engine/alerting/events/event.ts';
import type { Recovered } from '../../engine/alerting/events/recovered.ts';
import { padEnd } from '../../engine/views/text/cells.ts';

export interface TestAlertRun extends RunOptions {
  /** The id or name of a monitor; null: all channels. */
  readonly monitor: string | null;
}

export async function performTestAlert(run: TestAlertRun, context: Context): Promise<ExitCode> {
  const { stdout, stderr, interrupt } = context;
  const { config, redact } = await openConfig(run.configFile, context);
  const monitor = run.monitor === null ? null : theMonitorNamed(config.monitors, run.monitor);
  const channels = routed(monitor, config.channels, config);
  const disabled = routed(monitor, config.disabled_channels, config);
  const names = channels.map(({ name }) => cleanLine(name));
  const output = await openTerminalOutput(context, run.isColourRefused, names);
  if (!run.isJson) {
    for (const channel of disabled) stderr.write(`${disabledLine(channel)}\n`);
    if (channels.length === 0) stderr.write(`${nobodyLine(monitor, config)}\n`);
  }
  const trials: ChannelTrial[] = [];
  for (const trying of tryAll(channels, { config, redact, monitor }, context)) {
    const trial = await trying;
    trials.push(trial);
    const isShown = !run.isJson && (!run.isQuiet || trial.error !== null);
    if (isShown) stdout.write(`${trialLine(trial, channels, output)}\n`);
  }
  interrupt.throwIfAborted();
  const isOk = trials.length > 0 && trials.every(({ error }) => error === null);
  if (run.isJson) stdout.write(`${toJson(jsonOf({ isOk, monitor, trials, disabled }))}\n`);
  return isOk ? exitCodes.ok : exitCodes.wrong;
}

/** Those that the alerts of a monitor go through, regardless of who is on call; all when there is none. */
function routed<C extends Channel | DisabledChannel>(
  monitor: Monitor | null,
  channels: readonly C[],
  { rotations }: Config,
): readonly C[] {
  const notify = monitor?.notify ?? null;
  if (notify === null) return channels;
  const members = rotations.flatMap((rotation) => (notify.includes(rotation.name) ? rotation.members : []));
  return channels.filter(({ name }) => notify.includes(name) || members.includes(name));
}

interface Trying {
  readonly config: Config;
  readonly redact: (text: string) => string;
  readonly monitor: Monitor | null;
}

/** All at once: a slow one keeps nobody waiting. */
function tryAll(
  channels: readonly Channel[],
  { config, redact, monitor }: Trying,
  context: Context,
): readonly Promise<ChannelTrial>[] {
  const { interrupt, clock } = context;
  const deliver = createDeliver(environmentOf(context, { redact, config }));
  const facts = {
    monitor: monitor ?? { id: 'test-alert', name: 'test-alert' },
    nowAt: clock.now(),
    runId: randomBytes(8).toString('hex'),
    link: linkTo(monitor, config.server),
  };
  return channels.map((channel) => {
    const { id, name } = facts.monitor;
    const messages = testMessages({ ...facts, monitor: { id, name }, channel: channel.name });
    return tryChannel(channel, messages, { deliver, signal: interrupt });
  });
}

/** Where the alerts of the monitor would lead while it has no incident. */
function linkTo(monitor: Monitor | null, { base_url: base }: Config['server']): string | null {
  return base === null || monitor === null ? base : `${base}/monitor/${encodeURIComponent(monitor.id)}`;
}

interface Outcome {
  readonly isOk: boolean;
  readonly monitor: Monitor | null;
  readonly trials: readonly ChannelTrial[];
  readonly disabled: readonly DisabledChannel[];
}

function jsonOf({ isOk, monitor, trials, disabled }: Outcome) {
  return {
    ok: isOk,
    monitor: monitor?.id ?? null,
    channels: trials.map(({ name, type, error, event, attempts }) => ({
      name,
      type,
      ok: error === null,
      failed_event: event,
      error,
      attempts,
    })),
    disabled: disabled.map(({ name, type, key }) => ({ name, type, empty: key })),
  };
}

/** `ok      ops  webhook`; `channels`: all that are listed, for the columns. */
function trialLine(
  { name, type, error, event }: ChannelTrial,
  channels: readonly { readonly name: string }[],
  { paint, cells }: TerminalOutput,
): string {
  const width = Math.max(...channels.map((channel) => cells.measure(cleanLine(channel.name))));
  const shown = padEnd(cleanLine(name), width, cells);
  if (error === null) return `${paint.green('ok    ')}  ${shown}  ${type}`;
  return `${paint.red('failed')}  ${shown}  ${type}, ${event ?? 'test'}: ${cleanLine(error)}`;
}

function disabledLine({ name, type, key }: DisabledChannel): string {
  return `statusd: warning: channel ${cleanLine(name)} is disabled: its ${type} ${key} is empty`;
}

/** Why nothing was sent. */
function nobodyLine(monitor: Monitor | null, { channels, disabled_channels: off }: Config): string {
  if (monitor !== null && monitor.notify?.length === 0) {
    return `statusd: nobody is notified about ${monitor.id}: its notify is empty`;
  }
  const hint = 'give the secret that is missing';
  if (channels.length === 0 && off.length === 0) {
    return 'statusd: nobody is notified: the configuration has no [[channels]]\n  Add one, then try again.';
  }
  if (monitor !== null)
    return `statusd: nobody is notified about ${monitor.id}: its channels are disabled; ${hint}`;
  return `statusd: nobody is notified: every channel is disabled; ${hint}`;
}

interface ChannelTrial {
  readonly name: string;
  readonly type: string;
  /** Why it did not take both; null: it did. */
  readonly error: string | null;
  /** The event it did not take. */
  readonly event: string | null;
  /** How often it was tried. */
  readonly attempts: number;
}

/**
 * Takes the messages of a test to one channel. The first message that is not taken is the last one: the others would
 * fail likewise.
 */
async function tryChannel(
  channel: Channel,
  messages: readonly Message[],
  { deliver, signal }: { readonly deliver: Deliver; readonly signal: AbortSignal },
): Promise<ChannelTrial> {
  const { name, type } = channel;
  let attempts = 0;
  for (const message of messages) {
    const delivered = await deliver(message, channel, signal);
    attempts += delivered.attempts;
    const error = delivered.kind === 'failed' ? delivered.error : (delivered.unreached ?? null);
    if (error !== null) return { name, type, error, event: message.event, attempts };
  }
  return { name, type, error: null, event: null, attempts };
}

interface TestFacts {
  readonly monitor: Named;
  readonly channel: string;
  readonly nowAt: number;
  /** Unique: a channel that remembers what it took would not take it a second time. */
  readonly runId: string;
  readonly link: string | null;
}

/** How long the outage of a test seems to have lasted. */
const lengthMs = 60_000;
const reason = 'an operator tests the channels';

/** Makes the two messages of a test. */
function testMessages({ monitor, channel, nowAt, runId, link }: TestFacts): readonly [Down, Recovered] {
  const startedAt = nowAt - lengthMs;
  const envelope = {
    monitor,
    isTest: true,
    link,
    startedAt,
    reason,
    impacted: [],
    grouping: { groupId: null, incidentIds: [] },
    incidentId: null,
  } as const;
  return [
    {
      ...envelope,
      event: 'down',
      deliveryId: deliveryIdOf(`test.${runId}.down`, channel),
      severity: severityOf('down', null),
      at: nowAt,
      confirmedAt: nowAt,
      category: null,
      snapshot: null,
      confirmation: null,
      cause: null,
      vantage: null,
    },
    {
      ...envelope,
      event: 'recovered',
      deliveryId: deliveryIdOf(`test.${runId}.recovered`, channel),
      severity: severityOf('recovered', null),
      at: nowAt,
      from: 'down',
      endedAt: nowAt,
      isLate: false,
      isRemoved: false,
    },
  ];
}
