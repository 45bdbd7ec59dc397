/** What must hold between the settings of one channel, and in the files it names. */
import { X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import type { ChannelDraft, ConfigDraft } from '../draft.ts';
import { type ConfigFinding, failure, quote, warning } from '../finding.ts';
import type { FileTools } from '../secret-files.ts';
import { systemCode, whyNot } from '../source.ts';
import type { Path } from '../types/value.ts';

export function* checkChannel(channel: ChannelDraft, path: Path): Generator<ConfigFinding> {
  if (!('tls_verify' in channel) || channel.tls_verify) return;
  const at = [...path, 'tls_verify'];
  if (typeof channel.ca_file === 'string')
    yield failure(
      at,
      'cannot be false beside ca_file: no certificate is checked then',
      'remove one of the two',
    );
  else
    yield warning(
      at,
      'is false: whoever is in between can read its messages and credentials',
      'name the authority of its certificate in ca_file instead',
    );
}

/** One finding for each `ca_file` that cannot be used: an alert must not be what finds out. */
export async function checkAuthorities(
  { channels }: Pick<ConfigDraft, 'channels'>,
  tools: FileTools,
): Promise<readonly ConfigFinding[]> {
  const findings = channels.map(async (channel, index) => {
    const named = 'ca_file' in channel ? (channel.ca_file ?? null) : null;
    if (named === null) return [];
    const file = resolve(tools.folder, named);
    const fault = await faultOf(file, tools);
    return fault === null
      ? []
      : [failure(['channels', index, 'ca_file'], `names ${quote(file)}, which ${fault}`)];
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
