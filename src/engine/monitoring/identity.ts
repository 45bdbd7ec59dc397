/** Digests what makes a monitor or a channel the same one under another name, secrets unreadable. */
import { createHmac, randomBytes } from 'node:crypto';
import type { Operation } from '../../db/store/operation.ts';
import type { SqlReader } from '../../db/store/sql.ts';
import { meta } from '../../db/tables/meta.ts';
import type { Channel, Monitor } from '../config/config.ts';
import { destinationKeys } from '../config/rows/channels.ts';
import { Secret } from '../config/secret.ts';

export interface Salt {
  readonly salt: string;
  /** What keeps a salt that was made just now; empty when the database has one. */
  readonly operations: readonly Operation[];
}

/** The salt of the database's identities. It is random, so that no digest can be looked up elsewhere. */
export function saltOf(sql: SqlReader): Salt {
  const known = meta.identitySalt(sql);
  if (known !== null) return { salt: known, operations: [] };
  const salt = randomBytes(16).toString('hex');
  return { salt, operations: [meta.setIdentitySalt(salt)] };
}

/** What a monitor watches; null for a push monitor without a token, which nothing distinguishes from another one. */
export function identityOf(monitor: Monitor, salt: string): string | null {
  switch (monitor.kind) {
    case 'http': {
      const { kind, target, method, body, keyword, json_query } = monitor;
      return digestOf([kind, target, method, body, keyword, json_query], salt);
    }
    case 'tcp':
    case 'icmp':
      return digestOf([monitor.kind, monitor.target], salt);
    case 'dns':
      return digestOf([monitor.kind, monitor.target, monitor.dns_record, monitor.dns_resolver], salt);
    case 'push':
      return monitor.push_token === null ? null : digestOf([monitor.kind, monitor.push_token], salt);
    case 'exec':
      return digestOf([monitor.kind, ...monitor.command], salt);
  }
}

/** Whom or what a channel reaches. The account it sends from may change: the receiver is the same. */
export function destinationOf(channel: Channel, salt: string): string {
  return digestOf([channel.type, ...addressOf(channel)], salt);
}

function addressOf(channel: Channel): readonly unknown[] {
  const values: Readonly<Record<string, unknown>> = channel;
  return destinationKeys[channel.type].flatMap((key) => {
    const value = values[key];
    if (!Array.isArray(value)) return [value];
    const words: readonly unknown[] = value;
    // The order of receivers says nothing, that of words does.
    return key === 'command' ? words : words.toSorted();
  });
}

/** 128 bits of an HMAC. */
function digestOf(parts: readonly unknown[], salt: string): string {
  const texts = parts.map((part) => (part instanceof Secret ? part.reveal() : part));
  return createHmac('sha256', salt).update(JSON.stringify(texts)).digest('hex').slice(0, 32);
}
