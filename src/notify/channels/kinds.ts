/** Every type of channel there is. */
import type { ChannelType } from '../../engine/config/rows/channels.ts';
import type { ChannelKind } from './channel.ts';
import { discord } from './discord.ts';
import { email } from './email.ts';
import { exec } from './exec.ts';
import { alertmanager } from './alertmanager.ts';
import { apprise } from './apprise.ts';
import { googlechat } from './googlechat.ts';
import { homeassistant } from './homeassistant.ts';
import { mattermost } from './mattermost.ts';
import { pagerduty } from './pagerduty.ts';
import { rocketchat } from './rocketchat.ts';
import { signal } from './signal.ts';
import { teams } from './teams.ts';
import { twilio } from './twilio.ts';
import { zulip } from './zulip.ts';
import { freemobile } from './freemobile.ts';
import { gotify } from './gotify.ts';
import { type HttpChannel, type HttpType, overHttp } from './http.ts';
import { matrix } from './matrix.ts';
import { ntfy } from './ntfy.ts';
import { pushover } from './pushover.ts';
import { slack } from './slack.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';
import type { Channel } from '../../engine/config/config.ts';
import { loadHttpClient } from '../../engine/net/http/client.ts';

/** Those that are one request to a vendor. */
export const httpChannels: { readonly [Type in HttpType]: HttpChannel<Type> } = {
  telegram,
  discord,
  slack,
  matrix,
  ntfy,
  gotify,
  pushover,
  freemobile,
  webhook,
  teams,
  pagerduty,
  alertmanager,
  mattermost,
  rocketchat,
  googlechat,
  zulip,
  signal,
  twilio,
  homeassistant,
  apprise,
};

const channelKinds = {
  ...Object.fromEntries(Object.entries(httpChannels).map(([type, row]) => [type, overHttp(row as never)])),
  email,
  exec,
} as unknown as { readonly [Type in ChannelType]: ChannelKind<Type> };

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
  const hasOthers = channels.some(({ type }) => type !== 'email' && type !== 'exec');
  await Promise.all([...(hasMail ? [import('nodemailer')] : []), ...(hasOthers ? [loadHttpClient()] : [])]);
}
