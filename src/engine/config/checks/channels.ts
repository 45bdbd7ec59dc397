/** What must hold between the settings of one channel, and in the files it names. */
import { X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { filled } from '../../core/template.ts';
import type { ChannelDraft, ConfigDraft } from '../draft.ts';
import { type ConfigFinding, failure, quote, warning } from '../finding.ts';
import { checkCommand } from './monitors.ts';
import type { FileTools } from '../secret-files.ts';
import { systemCode, whyNot } from '../source.ts';
import { eventFields } from '../types/template.ts';
import type { Path } from '../types/value.ts';

export function* checkChannel(channel: ChannelDraft, path: Path): Generator<ConfigFinding> {
  if (channel.type === 'webhook') yield* checkShape(channel, path);
  if (channel.type === 'exec') yield* checkCommand(channel.command, path);
  if ('tls_verify' in channel) yield* checkTrust(channel, path, 'messages');
}

interface Trusting {
  readonly tls_verify?: boolean;
  readonly ca_file?: string | null;
}

/** `what` goes to a server that is believed to be the right one. */
export function* checkTrust(
  { tls_verify: isVerified, ca_file: file }: Trusting,
  path: Path,
  what: string,
): Generator<ConfigFinding> {
  if (isVerified !== false) return;
  const at = [...path, 'tls_verify'];
  if (typeof file === 'string')
    yield failure(
      at,
      'cannot be false beside ca_file: no certificate is checked then',
      'remove one of the two',
    );
  else
    yield warning(
      at,
      `is false: anyone on the network path can read its ${what} and credentials`,
      'name the authority of its certificate in ca_file instead',
    );
}

/** A body in a shape of its own has to be one that can be sent, and is JSON unless it says that it is not. */
function* checkShape(
  { method, headers, body }: Extract<ChannelDraft, { readonly type?: 'webhook' }>,
  path: Path,
): Generator<ConfigFinding> {
  if (typeof body !== 'string') return;
  const at = [...path, 'body'];
  if (method === 'GET' || method === 'HEAD')
    yield failure(at, `cannot go with method ${method}, which sends none`, 'remove one of the two');
  const [, type = 'application/json'] =
    Object.entries(headers ?? {}).find(([name]) => name.toLowerCase() === 'content-type') ?? [];
  if (!/\bjson\b/i.test(type)) return;
  // With every field there, and with none.
  const samples = [Object.fromEntries(eventFields.map((field) => [field, 'x'])), {}];
  if (samples.every((fields) => isJson(filled(body, fields)))) return;
  yield failure(
    at,
    'is not JSON once its fields are filled in',
    'put its texts into double quotes, or name another content-type in headers',
  );
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/**
 * One finding for each file of authorities that cannot be used: an alert must not be what finds out. A monitor is
 * unknown without its file, and notified as such, so that is a warning.
 */
export async function checkAuthorities(
  { monitors, channels, outputs }: Pick<ConfigDraft, 'monitors' | 'channels' | 'outputs'>,
  tools: FileTools,
): Promise<readonly ConfigFinding[]> {
  const named: [path: Path, file: string][] = [];
  for (const [index, table] of monitors.entries())
    if ('tls_ca_file' in table && table.tls_ca_file)
      named.push([['monitors', index, 'tls_ca_file'], table.tls_ca_file]);
  for (const [section, tables] of [
    ['channels', channels],
    ['outputs', outputs],
  ] as const)
    for (const [index, table] of tables.entries())
      if ('ca_file' in table && table.ca_file) named.push([[section, index, 'ca_file'], table.ca_file]);
  const faults = new Map<string, Promise<string | null>>();
  const findings = named.map(async ([path, name]) => {
    const file = resolve(tools.folder, name);
    const looked = faults.get(file) ?? faultOf(file, tools);
    faults.set(file, looked);
    const fault = await looked;
    if (fault === null) return [];
    const message = `names ${quote(file)}, which ${fault}`;
    if (path[0] !== 'monitors') return [failure(path, message)];
    return [
      warning(path, `${message}: it cannot be checked without`, 'correct the path, or create the file'),
    ];
  });
  return (await Promise.all(findings)).flat();
}

async function faultOf(file: string, { readFile }: FileTools): Promise<string | null> {
  let bytes: Uint8Array;
  try {
    bytes = await readFile(file);
  } catch (error) {
    return whyNot(systemCode(error));
  }
  const blocks = Buffer.from(bytes)
    .toString('latin1')
    .match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  try {
    for (const pem of blocks ?? []) new X509Certificate(pem);
  } catch {
    return 'holds a certificate that cannot be read';
  }
  return blocks === null ? 'holds no certificate in PEM form' : null;
}
