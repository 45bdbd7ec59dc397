/** The authorities that a TLS probe trusts. */
import { X509Certificate } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import * as tls from 'node:tls';
import { ownFaultKey } from '../core/own-fault.ts';
import { ProbeFault, unableFault } from './faults.ts';

export interface Trust {
  /**
   * The authorities of this host, with those of a PEM file added. A file is read again when it changes.
   * Rejects with an `unknown` ProbeFault that names the file when it cannot be used.
   */
  readonly context: (caFile: string | null) => Promise<tls.SecureContext>;
}

/**
 * Remembers one context a file, because building one from a list of authorities blocks for about 25 ms
 * (Node parses them one by one), against 0.4 ms for the built-in ones.
 */
export function createTrust(): Trust {
  const builtIn = tls.createSecureContext();
  const extended = new Map<string, { readonly stamp: string; readonly context: tls.SecureContext }>();
  return {
    context: async (caFile) => {
      if (caFile === null) return builtIn;
      try {
        const { mtimeMs, size, ino } = await stat(caFile);
        const stamp = `${mtimeMs}:${size}:${ino}`;
        const known = extended.get(caFile);
        if (known?.stamp === stamp) return known.context;
        const context = tls.createSecureContext({ ca: [...builtInAuthorities(), await readPem(caFile)] });
        extended.set(caFile, { stamp, context });
        return context;
      } catch (cause) {
        const why = cause instanceof NoCertificate ? cause.message : explain(cause);
        const message = `tls_ca_file ${caFile} ${why}`;
        throw new ProbeFault(unableFault(ownFaultKey('ca_file', caFile), message), { cause });
      }
    },
  };
}

class NoCertificate extends Error {
  override readonly name = 'NoCertificate';
}

/** Checked here, since OpenSSL passes over what it cannot read and the wrong file would be taken in silence. */
async function readPem(file: string): Promise<string> {
  const text = await readFile(file, 'utf8');
  const blocks = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (blocks === null) throw new NoCertificate('holds no certificate in PEM form');
  for (const block of blocks) new X509Certificate(block);
  return blocks.join('\n');
}

/** Node 22.15 and later can name all of them, those of NODE_EXTRA_CA_CERTS and --use-system-ca included. */
function builtInAuthorities(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => readonly string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
}

const explanations: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  EISDIR: 'is a folder',
  EMFILE: 'cannot be read: this host has no file descriptors left',
  ENFILE: 'cannot be read: this host has no file descriptors left',
};

function explain(error: unknown): string {
  return explanations[(error as NodeJS.ErrnoException).code ?? ''] ?? 'holds no usable certificate';
}
