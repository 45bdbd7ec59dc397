/**
 * The types of channels that `init --channel` can set up; cheap to load, because help and completion need them, too.
 */
import type { ChannelType } from '../../engine/config/rows/channels.ts';

/**
 * What `--channel TYPE=VALUE` gives a value to; null: it needs secrets alone, which are no values of options (that of ntfy is
 * a topic, which people choose). A type that needs more than one and its secrets is not offered.
 */
export const keyOfValue = {
  ntfy: 'url',
  slack: null,
  discord: null,
  webhook: null,
  telegram: 'chat_id',
  gotify: 'url',
  pushover: null,
  freemobile: 'user',
  teams: null,
  pagerduty: null,
  mattermost: null,
  rocketchat: null,
  googlechat: null,
} as const satisfies Partial<Record<ChannelType, string | null>>;

export type OfferedType = keyof typeof keyOfValue;

export const offeredTypes = Object.keys(keyOfValue) as readonly OfferedType[];

/** What completion offers for `--channel`: a type, with `=` where a value follows. */
export const channelWords: readonly string[] = offeredTypes.map((type) =>
  keyOfValue[type] === null ? type : `${type}=`,
);

/** How each may be typed, as help shows them: those with a value first. */
export const channelForms: readonly string[] = [
  ...offeredTypes.flatMap((type) =>
    keyOfValue[type] === null ? [] : [`${type}=${keyOfValue[type].toUpperCase()}`],
  ),
  ...offeredTypes.filter((type) => keyOfValue[type] === null),
];
