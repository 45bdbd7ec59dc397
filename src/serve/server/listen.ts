/** Binds the server to its address, or reports why it cannot. */
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseHostPort } from '../../engine/config/types/address.ts';
import { StatusdError } from '../../engine/core/errors.ts';

export interface ListenAddress {
  /** Without brackets. */
  readonly host: string;
  readonly port: number;
}

/** Listens on `host:port` or `[v6]:port`; port 0 is any free one. Rejects with `address_unusable`. */
export async function listen(server: Server, bind: string): Promise<ListenAddress> {
  const parsed = parseHostPort(bind);
  if (parsed === null) throw new StatusdError('address_unusable', `server.bind is not an address: ${bind}`);
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ host: parsed.host, port: parsed.port }, () => {
        server.removeListener('error', reject);
        resolve();
      });
    });
  } catch (error) {
    throw listenFault(error as NodeJS.ErrnoException, bind);
  }
  const { address, port } = server.address() as AddressInfo;
  return { host: address, port };
}

const elsewhere = 'or set server.bind or $STATUSD_BIND to another address';

const faults: ReadonlyMap<string, { readonly why: string; readonly hint: string }> = new Map([
  ['EADDRINUSE', { why: 'another program does', hint: `Stop that program, ${elsewhere}.` }],
  ['EACCES', { why: 'this user may not', hint: `Take a port above 1023, ${elsewhere}.` }],
  [
    'EADDRNOTAVAIL',
    {
      why: 'this machine has no such address',
      hint: 'Set server.bind or $STATUSD_BIND to one that it has.',
    },
  ],
  ['ENOTFOUND', { why: 'the name has no address', hint: 'Set server.bind or $STATUSD_BIND to an address.' }],
]);

function listenFault(error: NodeJS.ErrnoException, bind: string): StatusdError {
  const code = error.code ?? 'it failed';
  const { why, hint } = faults.get(code) ?? {
    why: code,
    hint: 'Set server.bind or $STATUSD_BIND to another address.',
  };
  return new StatusdError('address_unusable', `cannot listen on ${bind}: ${why}`, { hint, cause: error });
}
