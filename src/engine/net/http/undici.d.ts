/**
 * The parts of undici that are imported by path: its index costs 75 ms to load, the client alone 25.
 * undici's own types cover the client, but not the paths.
 */

declare module 'undici/lib/dispatcher/client.js' {
  export { Client as default } from 'undici';
}

declare module 'undici/lib/dispatcher/pool.js' {
  export { Pool as default } from 'undici';
}

declare module 'undici/lib/core/socks5-client.js' {
  import type { EventEmitter } from 'node:events';
  import type { Socket } from 'node:net';

  /** Emits `authenticated`, `connected`, `error` and `close`. */
  export class Socks5Client extends EventEmitter {
    constructor(socket: Socket, login: { readonly username?: string; readonly password?: string });
    handshake(): void;
    connect(host: string, port: number): void;
  }
}
