/** Suggests the known key that an unknown one was probably meant to be. */
import { isIPv6 } from 'node:net';
import { nearest } from '../core/nearest.ts';
import type { ConfigFinding } from './finding.ts';
import type { RawTable } from './parse.ts';
import type { Rows } from './row.ts';
import { topRows } from './rows/top.ts';
import { allSections, heading, knownKeys, tablesOf, type ConfigSection } from './sections.ts';
import { parseHostPort } from './types/address.ts';
import type { Path } from './types/value.ts';

/** The table a key was found in. `variant` is its kind or type, null when it has none or a wrong one. */
export interface KeyPlace {
  readonly section: ConfigSection;
  readonly variant: string | null;
  readonly rows: Rows;
}

/**
 * Keys of Hora, whose configurations load as they are, for what statusd does not do: what to know about each, by
 * section.
 */
const horaKeys: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  monitors: { release: 'statusd does not look for new releases' },
  alerts: {
    notify_unconfirmed:
      'an outage that only this node sees is sent like every other, and says which peers see the monitor up',
  },
};

/** An unknown key of a table: it fits another kind, or another section, or is misspelt. */
export function unknownKey(
  path: Path,
  key: string,
  place: KeyPlace & { readonly raw: RawTable },
): ConfigFinding {
  const { section, variant, rows } = place;
  const instead = ownValue(horaKeys[section.name] ?? {}, key);
  if (instead !== undefined) {
    const message = 'is a setting of Hora that statusd does not have: ignored';
    return { severity: 'warning', path, spot: 'key', message, hint: instead };
  }
  const homes = tablesOf(section).flatMap(([name, table]) =>
    knownKeys(table).includes(key) ? [name ?? ''] : [],
  );
  if ('by' in section && homes.length > 0 && variant !== null) {
    const article = section.by === 'kind' ? 'this monitor' : 'this channel';
    return unknown(
      path,
      `fits ${section.by} ${homes.join(', ')}`,
      `${article} is ${variant}: remove the key`,
    );
  }
  const inTarget = section.name === 'monitors' ? targetCure(key, place) : null;
  if (inTarget !== null) return unknown(path, 'is an unknown key', inTarget);
  if (Object.hasOwn(topRows, key))
    return unknown(path, `is no key of ${heading(section)}`, 'write it above the first [table] of the file');
  const guess = nearest(key, knownKeys(rows));
  if (guess !== null) return unknown(path, 'is an unknown key', `did you mean ${guess}?`);
  const owner = key.endsWith('_file') ? ownValue(rows, key.slice(0, -'_file'.length)) : undefined;
  if (owner !== undefined) return unknown(path, 'is an unknown key', 'only a secret can be read from a file');
  const others = sectionsWith(key, section);
  if (others.length > 0)
    return unknown(path, `is no key of ${heading(section)}`, `it belongs in ${others.join(' or ')}`);
  const known = knownKeys(rows);
  const list =
    known.length > 12 ? 'statusd.toml(5) lists the keys' : `${heading(section)} has ${known.join(', ')}`;
  return unknown(path, 'is an unknown key', list);
}

const hostKeys = ['host', 'hostname', 'address'];

/** The target of a monitor whose host and port are written as keys of their own; null: the key is another one. */
function targetCure(key: string, { variant, raw }: Pick<KeyPlace, 'variant'> & { readonly raw: RawTable }) {
  const isHost = hostKeys.includes(key) && Object.hasOwn(raw, 'port');
  if (key !== 'port' && !isHost) return null;
  const hasPort = variant === null || variant === 'http' || variant === 'tcp';
  if (!hasPort) return isHost ? null : `a monitor of kind ${variant} has no port: remove the key`;
  const host = [...hostKeys, 'target'].map((one) => raw[one]).find((one) => typeof one === 'string');
  const port = String(raw['port']);
  const [, scheme, authority = host ?? ''] = /^(https?):\/\/([^/?#@]+)/i.exec(host ?? '') ?? [];
  const example = hostPortOf(authority, port) ?? 'example.com:25';
  const usual = port.endsWith('443') ? 'https' : 'http';
  const target = variant === 'http' ? `${scheme ?? usual}://${example}` : example;
  return `the port is part of the target: target = "${target}"`;
}

/** Null: the two do not make a host and a port. */
function hostPortOf(host: string, port: string): string | null {
  const [, bare = host] = /^([^:[\]]+):\d+$/.exec(host) ?? [];
  const joined = isIPv6(bare) ? `[${bare}]:${port}` : `${bare}:${port}`;
  return parseHostPort(joined) === null ? null : joined;
}

const topNames = [...allSections.map(({ name }) => name), ...Object.keys(topRows)];

/** An unknown key at the top of a file: a misspelt section, or a setting without its section. */
export function unknownSection(key: string, allowed: readonly string[] = topNames): ConfigFinding {
  const path = [key];
  const guess = nearest(key, allowed);
  const section = allSections.find(({ name }) => name === guess);
  if (section !== undefined)
    return unknown(path, 'is an unknown section', `did you mean ${heading(section)}?`);
  if (guess !== null) return unknown(path, 'is an unknown key', `did you mean ${guess}?`);
  const homes = sectionsWith(key, null);
  if (homes.length > 0)
    return unknown(path, 'is outside of its section', `it belongs in ${homes.join(' or ')}`);
  return unknown(
    path,
    'is an unknown section',
    `there are ${allowed.filter((name) => !Object.hasOwn(topRows, name)).join(', ')}`,
  );
}

/** Keys of a file may be called `constructor` or `__proto__`, which every object inherits. */
function ownValue<Value>(table: Readonly<Record<string, Value>>, key: string): Value | undefined {
  return Object.hasOwn(table, key) ? table[key] : undefined;
}

function sectionsWith(key: string, except: ConfigSection | null): readonly string[] {
  return allSections
    .filter(
      (section) => section !== except && tablesOf(section).some(([, rows]) => knownKeys(rows).includes(key)),
    )
    .map(heading);
}

function unknown(path: Path, message: string, hint: string): ConfigFinding {
  return { severity: 'error', path, spot: 'key', message, hint };
}
