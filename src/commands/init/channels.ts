/** Reads the channels for the new configuration from the command line. */
import type { ConfigRow } from '../../engine/config/row.ts';
import { parseConfig } from '../../engine/config/load.ts';
import { ConfigError } from '../../engine/config/problem.ts';
import { readSmallFile } from '../../engine/config/read-file.ts';
import { channelRows } from '../../engine/config/rows/channels.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { wordArgument } from '../../engine/operations/arguments.ts';
import { tomlString } from '../document/toml.ts';
import type { SecretVariable } from '../document/secrets-file.ts';
import { keyOfValue, type OfferedType, offeredTypes } from './channel-types.ts';

export interface WantedChannel {
  readonly name: string;
  readonly type: OfferedType;
  /** Its table in the file; a secret is a variable there. */
  readonly lines: readonly string[];
  /** The secrets it needs, each with the value that was given. */
  readonly secrets: readonly (SecretVariable & { readonly key: string })[];
}

/**
 * One channel for each `TYPE` or `TYPE=VALUE`; a second one of a type is called `ntfy-2`. Throws `usage` for a type that is
 * not offered, a value that is missing and one that the loader would refuse.
 */
export async function channelsFrom(wishes: readonly string[]): Promise<readonly WantedChannel[]> {
  const counts = new Map<string, number>();
  const channels: WantedChannel[] = [];
  for (const wish of wishes) {
    const [, typed = '', value = ''] = /^([^=]*)(?:=(.*))?$/s.exec(wish) ?? [];
    const type = offeredType(typed);
    const count = (counts.get(type) ?? 0) + 1;
    counts.set(type, count);
    const channel = channelOf(type, count === 1 ? type : `${type}-${count}`, value.trim());
    await refuseUnusable(channel);
    channels.push(channel);
  }
  return channels;
}

function offeredType(typed: string): OfferedType {
  if (Object.hasOwn(channelRows, typed) && !Object.hasOwn(keyOfValue, typed)) {
    throw new StatusdError('usage', `init cannot set up a channel of type ${typed}`, {
      hint: 'It needs several settings: add it to the file afterwards, as `man statusd.toml` describes it.',
    });
  }
  return wordArgument(typed, 'channel type', offeredTypes);
}

function channelOf(type: OfferedType, name: string, value: string): WantedChannel {
  const main = keyOfValue[type];
  const rows: Readonly<Record<string, ConfigRow<unknown, unknown>>> = channelRows[type];
  const isMainSecret = main !== null && rows[main]?.type.isSecret === true;
  if (main === null && value !== '') {
    throw new StatusdError('usage', `--channel ${type} takes no value`, {
      hint: 'It needs secrets alone, which are read from statusd.env.',
    });
  }
  if (main !== null && value === '' && !isMainSecret) {
    throw new StatusdError('usage', `--channel ${type} needs its ${main}`, {
      hint: `Write --channel ${type}=${main.toUpperCase()}: ${rows[main]?.doc ?? ''}`,
    });
  }
  const secrets: WantedChannel['secrets'][number][] = [];
  const lines = ['[[channels]]', `name = ${tomlString(name)}`, `type = ${tomlString(type)}`];
  for (const [key, row] of Object.entries(rows)) {
    if (key === 'name' || key === 'type' || row.fallback.kind !== 'required') continue;
    if (row.type.isSecret) {
      const variable = `STATUSD_${name}_${key}`.toUpperCase().replaceAll('-', '_');
      secrets.push({ key, name: variable, value: key === main && value !== '' ? value : null });
      lines.push(`${key} = "\${${variable}}"`);
    } else lines.push(`${key} = ${tomlString(value)}`);
  }
  return { name, type, lines, secrets };
}

/** Lets the loader judge it, with something in the place of the secrets that are not known yet. */
async function refuseUnusable({ type, lines, secrets }: WantedChannel): Promise<void> {
  const env = Object.fromEntries(secrets.map(({ name, value }) => [name, value ?? 'unknown']));
  const isKnown = (key: string) => secrets.every((secret) => secret.key !== key || secret.value !== null);
  try {
    await parseConfig(lines.join('\n'), { file: '/nowhere/statusd.toml', env, readFile: readSmallFile });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const [problem] = error.problems.filter(({ key }) => isKnown(key));
    if (problem === undefined) return;
    const hint = problem.hint ?? (channelRows[type] as Record<string, { doc: string }>)[problem.key]?.doc;
    throw new StatusdError('usage', `--channel ${type}: ${problem.key} ${problem.message}`, {
      ...(hint === undefined ? {} : { hint: `${hint.charAt(0).toUpperCase()}${hint.slice(1)}` }),
    });
  }
}
