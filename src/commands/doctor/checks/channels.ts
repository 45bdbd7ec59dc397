/** Looks at the channels: which are disabled, and on request whether their credentials are good. */
import type { Channel } from '../../../engine/config/config.ts';
import { verifyChannel } from '../../../notify/channels/deliver.ts';
import { type Examined, fail, type DoctorFinding, type DoctorCheck, ok, warn } from '../finding.ts';

/** A mail server may take half a minute. */
export const channelsLook: DoctorCheck = { name: 'channels', patienceMs: 40_000, run: lookAtChannels };

async function lookAtChannels(examined: Examined): Promise<readonly DoctorFinding[]> {
  const { channels, disabled_channels: disabled } = examined.config;
  if (channels.length + disabled.length === 0)
    return [warn('there are none: no alert is ever sent', 'Add [[channels]] to the configuration.')];
  return [
    ...(await Promise.all(channels.map((channel) => lookAtChannel(channel, examined)))),
    ...disabled.map(({ name, type, key }) =>
      warn(`${name} (${type}) is disabled: ${key} is empty`, `Give ${key} its value, then reload.`),
    ),
  ];
}

async function lookAtChannel(channel: Channel, { ctx, isAskingChannels }: Examined): Promise<DoctorFinding> {
  const what = `${channel.name} (${channel.type}) is active`;
  if (!isAskingChannels) return ok(what);
  const attempt = await verifyChannel(channel, ctx, ctx.signal);
  if (attempt === null) return ok(`${what}; only \`statusd test-alert\` can try its credentials`);
  if (attempt.kind === 'sent') return ok(`${what}, and its credentials are good`);
  return fail(`${channel.name}: ${attempt.error}`, `Correct the ${channel.type} channel ${channel.name}.`);
}
