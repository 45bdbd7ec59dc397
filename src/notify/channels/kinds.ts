/** Every type of channel there is. */
import type { ChannelType } from '../../engine/config/rows/channels.ts';
import type { ChannelKind } from './channel.ts';
import { discord } from './discord.ts';
import { email } from './email.ts';
import { freemobile } from './freemobile.ts';
import { gotify } from './gotify.ts';
import { overHttp } from './http.ts';
import { matrix } from './matrix.ts';
import { ntfy } from './ntfy.ts';
import { pushover } from './pushover.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';
import type { Channel } from '../../engine/config/config.ts';
import { loadHttpClient } from '../../engine/net/http/client.ts';

const channelKinds: { readonly [Type in ChannelType]: ChannelKind<Type> } = {
  telegram: overHttp(telegram),
  discord: overHttp(discord),
  slack: overHttp(slack),
  matrix: overHttp(matrix),
  ntfy: overHttp(ntfy),
  gotify: overHttp(gotify),
  pushover: overHttp(pushover),
  email,
  freemobile: overHttp(freemobile),
  webhook: overHttp(webhook),
};

/** The type of a channel. */
export function kindOf<Type extends ChannelType>(channel: { readonly type: Type }): ChannelKind<Type> {
  return channelKinds[channel.type];
}

/**
 * A process that lives long does so at its start and after a reload: what Node once failed to load, for want of a
 * file descriptor, fails to load until the process ends.
 */
export async function loadChannels(channels: readonly Pick<Channel, 'type'>[]): Promise<void> {
  const hasMail = channels.some(({ type }) => type === 'email');
  const hasOthers = channels.some(({ type }) => type !== 'email');
  await Promise.all([...(hasMail ? [import('nodemailer')] : []), ...(hasOthers ? [loadHttpClient()] : [])]);
}
