/** Words what came of a test, for the person in front of the terminal. */
import type { Config, DisabledChannel, Monitor } from '../../engine/config/config.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { padEnd } from '../terminal/cells.ts';
import type { TerminalOutput } from '../terminal/output.ts';
import type { ChannelTrial } from './try-channel.ts';

/** `ok      ops  webhook`; `channels`: all that are listed, for the columns. */
export function trialLine(
  { name, type, error, event }: ChannelTrial,
  channels: readonly { readonly name: string }[],
  { paint, cells }: TerminalOutput,
): string {
  const width = Math.max(...channels.map((channel) => cells.measure(cleanLine(channel.name))));
  const shown = padEnd(cleanLine(name), width, cells);
  if (error === null) return `${paint.green('ok    ')}  ${shown}  ${type}`;
  return `${paint.red('failed')}  ${shown}  ${type}, ${event ?? 'test'}: ${cleanLine(error)}`;
}

export function disabledLine({ name, type, key }: DisabledChannel): string {
  return `statusd: warning: channel ${cleanLine(name)} is disabled: its ${type} ${key} is empty`;
}

/** Why nothing was sent. */
export function nobodyLine(monitor: Monitor | null, { channels, disabled_channels: off }: Config): string {
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
