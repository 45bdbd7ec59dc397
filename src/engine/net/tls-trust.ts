/** The authorities that TLS trusts, for probes, channels, peers and registries: those of Node.js and of the host. */
import { X509Certificate } from 'node:crypto';
import { stat } from 'node:fs/promises';
import tls, { type SecureContext } from 'node:tls';
import { readRegularFile } from '../config/read-file.ts';
import { ownFaultKey } from '../core/own-fault.ts';
import { faultOf, ProbeFault, unableFault } from './faults.ts';

export interface Authorities {
  readonly context: SecureContext;
  /** Where they come from, for sentences: `Node.js, SSL_CERT_FILE /etc/ours.pem`. */
  readonly sources: string;
}

export interface Trust {
  /**
   * The authorities of this host, with those of a PEM file added. Those of the host are read once, when they are
   * first asked for; what cannot be read of them is left out, and `sources` says so. A file is read again when it
   * changes. Rejects with an `unknown` ProbeFault that names the file when it cannot be used.
   */
  readonly authorities: (caFile: string | null) => Promise<Authorities>;
}

export interface TrustOptions {
  /** `SSL_CERT_FILE` stands for the distribution's bundle, `NODE_EXTRA_CA_CERTS` adds to it. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where distributions keep their bundle; the first that is there is taken. */
  readonly bundles?: readonly string[];
}

const bundlesOfDistributions = [
  // Debian, Ubuntu, Alpine, Arch, Gentoo, NixOS
  '/etc/ssl/certs/ca-certificates.crt',
  // Fedora, RHEL and its like
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/pki/tls/certs/ca-bundle.crt',
  // openSUSE
  '/etc/ssl/ca-bundle.pem',
  // OpenBSD, FreeBSD, macOS
  '/etc/ssl/cert.pem',
  '/usr/local/etc/ssl/cert.pem',
];

/** Certificates in PEM form, and where they come from. */
interface Store {
  readonly certificates: readonly string[];
  readonly source: string;
}

interface Extended {
  readonly stamp: string;
  readonly authorities: Authorities;
}

/**
 * Remembers one context a file, because building one from a list of authorities blocks for about 40 ms
 * (Node parses them one by one).
 */
export function createTrust({ env, bundles = bundlesOfDistributions }: TrustOptions): Trust {
  let ofHost: Promise<readonly Store[]> | undefined;
  let plain: Authorities | undefined;
  const extended = new Map<string, Extended>();

  const storesOfHost = async () => {
    ofHost ??= Promise.all([extraStore(env), bundleStore(env, bundles)]).then((stores) => stores.flat());
    try {
      return await ofHost;
    } catch (error) {
      ofHost = undefined;
      throw error;
    }
  };
  return {
    authorities: async (caFile) => {
      const stores = await storesOfHost();
      if (caFile === null) return (plain ??= combine(stores));
      try {
        const { mtimeMs, size, ino } = await stat(caFile);
        const stamp = `${mtimeMs}:${size}:${ino}`;
        const known = extended.get(caFile);
        if (known?.stamp === stamp) return known.authorities;
        const store = await readPem(caFile, `CA file ${caFile}`);
        // OpenSSL passes over what it cannot read, and the wrong file would be taken in silence.
        for (const pem of store.certificates) new X509Certificate(pem);
        const authorities = combine([...stores, store]);
        extended.set(caFile, { stamp, authorities });
        return authorities;
      } catch (cause) {
        const message = `CA file ${caFile} ${explain(cause)}`;
        throw new ProbeFault(unableFault(ownFaultKey('ca_file', caFile), message), { cause });
      }
    },
  };
}

/** Node's own context is at hand where nothing is added to it; most of a distribution's bundle is in it already. */
function combine(stores: readonly Store[]): Authorities {
  const roots = builtInAuthorities();
  const known = new Set(roots.map(withoutBlanks));
  const added = stores
    .flatMap(({ certificates }) => certificates)
    .filter((pem) => !known.has(withoutBlanks(pem)));
  return {
    context: tls.createSecureContext(added.length === 0 ? {} : { ca: [...roots, ...added] }),
    sources: ['Node.js', ...stores.map(({ source }) => source)].join(', '),
  };
}

const withoutBlanks = (pem: string) => pem.replace(/\s+/g, '');

/** Node 22.15 and later can name all of them, those of --use-system-ca included. */
function builtInAuthorities(): readonly string[] {
  const { getCACertificates } = tls as { getCACertificates?: (type: 'default') => readonly string[] };
  return getCACertificates?.('default') ?? tls.rootCertificates;
}

/** Node trusts these too, but where a list of authorities is given, only that list. */
async function extraStore({
  NODE_EXTRA_CA_CERTS: file = '',
}: TrustOptions['env']): Promise<readonly Store[]> {
  return file === '' ? [] : [await readOfHost(file, `NODE_EXTRA_CA_CERTS ${file}`)];
}

async function bundleStore(
  { SSL_CERT_FILE: file = '' }: TrustOptions['env'],
  bundles: readonly string[],
): Promise<readonly Store[]> {
  if (file !== '') return [await readOfHost(file, `SSL_CERT_FILE ${file}`)];
  for (const bundle of bundles) {
    const store = await readOfHost(bundle, bundle);
    if (store.certificates.length > 0) return [store];
  }
  return [];
}

/** What cannot be read for want of file descriptors can be read later: only that rejects. */
async function readOfHost(file: string, source: string): Promise<Store> {
  try {
    return await readPem(file, source);
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    if (code === 'EMFILE' || code === 'ENFILE') {
      throw new ProbeFault({ ...faultOf(error, source), message: `${source} ${explain(error)}` });
    }
    return { certificates: [], source: `${source} ${explain(error)}` };
  }
}

class NoCertificate extends Error {
  override readonly name = 'NoCertificate';
}

/** The bundles of distributions have a quarter of a megabyte. */
const maxPemBytes = 16 * 1024 * 1024;

async function readPem(file: string, source: string): Promise<Store> {
  const text = (await readRegularFile(file, maxPemBytes)).toString('utf8');
  const certificates = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g);
  if (certificates === null) throw new NoCertificate();
  return { certificates, source };
}

const explanations: Readonly<Record<string, string>> = {
  ENOENT: 'is not there',
  EACCES: 'cannot be read: permission denied',
  EPERM: 'cannot be read: permission denied',
  EISDIR: 'is a folder',
  EFTYPE: 'is no regular file',
  ENXIO: 'is no regular file',
  EFBIG: 'is larger than 16 MB',
  EMFILE: 'cannot be read: this host has no file descriptors left',
  ENFILE: 'cannot be read: this host has no file descriptors left',
};

function explain(error: unknown): string {
  if (error instanceof NoCertificate) return 'holds no certificate in PEM form';
  return explanations[(error as NodeJS.ErrnoException).code ?? ''] ?? 'holds no usable certificate';
}
