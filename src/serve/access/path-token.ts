/** Finds the monitor of a heartbeat that has its push token in the path, as those for Uptime Kuma have. */
import type { Config } from '../../engine/config/config.ts';
import type { Secret } from '../../engine/config/secret.ts';
import { monitorOf } from './admit.ts';
import { holderOf, type Presented } from './token.ts';

/** A shorter token stands in no path: it could be an id, and be guessed. */
const shortest = 20;

/** Whether what stands in the path of a heartbeat may be a token; an id that there is goes first. */
export function isPathToken(text: string, config: Config): boolean {
  if (!mayBeToken(text)) return false;
  return monitorOf(config, text) === null && config.peers.every(({ listen_id }) => listen_id !== text);
}

/** Whether it is an id that strangers take for none: what is refused there counts as a token that is wrong. */
export function isHiddenId(text: string, config: Config): boolean {
  return mayBeToken(text) && monitorOf(config, text)?.public === false;
}

/**
 * Whether a heartbeat at this address may come by any method: with a token in its path, from senders for Uptime Kuma. A
 * private id answers as a wrong token does.
 */
export function takesAnyMethod(text: string, config: Config): boolean {
  return isPathToken(text, config) || isHiddenId(text, config);
}

export function inPathAlone(text: string): Presented {
  return { bearer: null, push: null, query: null, path: text };
}

export function mayBeToken(text: string): boolean {
  return text.length >= shortest;
}

/** The id of the push monitor whose token it is; null: there is none, or more than one. */
export function monitorOfToken(text: string, config: Config): string | null {
  return holderOf(text, holdersIn(config))?.id ?? null;
}

interface Holder {
  readonly id: string;
  readonly secret: Secret;
}

const known = new WeakMap<Config, readonly Holder[]>();

/** Made once for each configuration. A token that several monitors share names none of them. */
function holdersIn(config: Config): readonly Holder[] {
  const made = known.get(config);
  if (made !== undefined) return made;
  const all = config.monitors.flatMap(({ id, kind, push_token: secret }) =>
    kind === 'push' && secret !== null && mayBeToken(secret.reveal()) ? [{ id, secret }] : [],
  );
  const counts = new Map<string, number>();
  for (const { secret } of all) counts.set(secret.reveal(), (counts.get(secret.reveal()) ?? 0) + 1);
  const holders = all.filter(({ secret }) => counts.get(secret.reveal()) === 1);
  known.set(config, holders);
  return holders;
}
