/** Turns a configuration into JSON that can be stored and compared, without any secret. */
import { createHmac } from 'node:crypto';
import type { Json } from '../../db/store/operation.ts';
import type { Config } from '../../engine/config/config.ts';
import type { Redact } from '../../engine/config/redact.ts';
import { atOnce, type Steps } from '../../engine/core/yielding.ts';
import { Secret } from '../../engine/config/secret.ts';
import { placeOf } from '../serve/restart-needed.ts';

/** Settings by key; a key that is missing has no value. */
export type FingerprintSettings = Readonly<Record<string, Json>>;

export interface ConfigFingerprint {
  /** By id, in the order of the file. */
  readonly monitors: Readonly<Record<string, FingerprintSettings>>;
  /** By name; those that an empty secret switches off, too. */
  readonly channels: Readonly<Record<string, FingerprintSettings>>;
  readonly peers: Readonly<Record<string, FingerprintSettings>>;
  /** By name. */
  readonly outputs: Readonly<Record<string, FingerprintSettings>>;
  /** By section: page, server, storage, node, probes, alerts, digest, subscribe, health, rotations and escalations with a key each, and maintenance and incidents as one key each. */
  readonly sections: Readonly<Record<string, FingerprintSettings>>;
}

export interface FingerprintOptions {
  readonly redact: Redact;
  /** Random, and the same for two imprints that are to be compared. */
  readonly salt: string;
}

/** Stands for a text that is secret, wholly or in part. */
export interface Hidden {
  /** Says whether two are the same, and too little of the secret to guess it by. */
  readonly hidden: string;
  /** The text with the secret masked; null: all of it is secret. */
  readonly shown: string | null;
}

export function isHidden(value: unknown): value is Hidden {
  return typeof value === 'object' && value !== null && 'hidden' in value && 'shown' in value;
}

export function configFingerprint(config: Config, fingerprintOptions: FingerprintOptions): ConfigFingerprint {
  return atOnce(fingerprintSteps(config, fingerprintOptions));
}

/** The same a monitor at a time. */
export function* fingerprintSteps(
  config: Config,
  fingerprintOptions: FingerprintOptions,
): Steps<ConfigFingerprint> {
  const options = (table: object) => fingerprintTable(table, fingerprintOptions);
  const by = <T extends object>(list: readonly T[], name: (item: T) => string) =>
    Object.fromEntries(list.map((item) => [name(item), options(item)]));
  const monitors: [id: string, settings: FingerprintSettings][] = [];
  for (const monitor of config.monitors) {
    monitors.push([monitor.id, options(monitor)]);
    yield;
  }
  const { page, server, storage, node, probes, alerts, digest, subscribe, health, maintenance, incidents } =
    config;
  const named = (list: readonly { readonly name: string }[]) =>
    options(Object.fromEntries(list.map(({ name, ...rest }) => [name, rest])));
  return {
    monitors: Object.fromEntries(monitors),
    channels: {
      ...by(config.channels, ({ name }) => name),
      ...by(
        config.disabled_channels.map(({ name, type, key }) => ({ name, type, switched_off_by: key })),
        ({ name }) => name,
      ),
    },
    peers: by(config.peers, ({ id }) => id),
    outputs: by(config.outputs, ({ name }) => name),
    sections: {
      page: options(page),
      server: options(server),
      // The place says whether another URL is another login of the same database alone.
      storage: storage === null ? {} : options({ ...storage, place: new Secret(placeOf(storage.url)) }),
      node: options(node),
      probes: options(probes),
      alerts: options(alerts),
      digest: digest === null ? {} : options(digest),
      subscribe: subscribe === null ? {} : options(subscribe),
      health: options(health),
      rotations: named(config.rotations),
      escalations: named(config.escalations),
      maintenance: options({ windows: maintenance }),
      incidents: options({ notices: incidents }),
    },
  };
}

function fingerprintTable(table: object, fingerprintOptions: FingerprintOptions): FingerprintSettings {
  const kept = Object.entries(table).filter(([, value]) => value !== null && value !== undefined);
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      bounded(fingerprintValue(value, fingerprintOptions), fingerprintOptions),
    ]),
  );
}

function fingerprintValue(value: unknown, fingerprintOptions: FingerprintOptions): Json {
  if (value instanceof Secret) return { ...hidden(value.reveal(), null, fingerprintOptions) };
  if (typeof value === 'string') {
    const shown = fingerprintOptions.redact(value);
    return shown === value ? value : { ...hidden(value, shown, fingerprintOptions) };
  }
  if (Array.isArray(value)) return value.map((item) => fingerprintValue(item, fingerprintOptions));
  if (typeof value === 'object' && value !== null) {
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, fingerprintValue(item, fingerprintOptions)]),
    );
  }
  return typeof value === 'number' || typeof value === 'boolean' ? value : null;
}

const mostCharacters = 2000;

/** A body or a list of commands may be of any length; what is kept is not. */
function bounded(value: Json, fingerprintOptions: FingerprintOptions): Json {
  const text = JSON.stringify(value);
  if (text.length <= mostCharacters) return value;
  return { ...hidden(text, `${text.length} characters`, fingerprintOptions) };
}

/** 32 bits: two secrets differ but for one case in four thousand million, and a guess is never confirmed. */
function hidden(text: string, shown: string | null, { salt }: FingerprintOptions): Hidden {
  return { hidden: createHmac('sha256', salt).update(text).digest('hex').slice(0, 8), shown };
}
