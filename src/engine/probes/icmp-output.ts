/** Reads what `ping` prints: that of iputils, or that of busybox. */

/**
 * What one echo request came to. `unreachable` is what a host on the way sent back, `error` what the network
 * stack of this host said, as an errno code; `confusion` is a `ping` that failed in a way of its own.
 */
export type Echo =
  | { readonly kind: 'reply'; readonly rttMs: number | null }
  | { readonly kind: 'unreachable'; readonly by: string; readonly why: string }
  | { readonly kind: 'error'; readonly code: string }
  | { readonly kind: 'no_ping' | 'not_allowed' }
  | { readonly kind: 'silence' }
  | { readonly kind: 'confusion'; readonly text: string };

const reply = /^\d+ bytes from .*?(?:time[=<](\d+(?:\.\d+)?) ?ms)?\s*$/m;

/** iputils reports ICMP errors that came back, with the address of who sent them. */
const icmpError = /^From (\S+?):?(?: \S+)? icmp_seq=\d+ (.+)$/m;

/** The texts of strerror(3) in glibc, then in musl where it differs. */
const errors: readonly (readonly [text: RegExp, code: string])[] = [
  [/Network (?:is )?unreachable/, 'ENETUNREACH'],
  [/No route to host|Host is unreachable/, 'EHOSTUNREACH'],
  [/Cannot assign requested address|Address not available/, 'EADDRNOTAVAIL'],
  [/Address family (?:for hostname )?not supported/, 'EAFNOSUPPORT'],
  [/Network is down/, 'ENETDOWN'],
  [/No buffer space available/, 'ENOBUFS'],
  [/Too many open files|No file descriptors available/, 'EMFILE'],
  [/Cannot allocate memory|Out of memory/, 'ENOMEM'],
  [/send(?:msg|to): (?:Operation not permitted|Permission denied)/, 'EPERM'],
];

/** Understands the output of a `ping` for one packet that ended by itself. */
export function readPing(
  code: number,
  { stdout, stderr }: { readonly stdout: string; readonly stderr: string },
): Echo {
  const replied = reply.exec(stdout);
  if (replied) return { kind: 'reply', rttMs: replied[1] === undefined ? null : Number(replied[1]) };
  if (code === 0) return { kind: 'reply', rttMs: null };
  const bounced = icmpError.exec(stdout);
  if (bounced) return { kind: 'unreachable', by: bounced[1] ?? '', why: bounced[2] ?? '' };
  const known = errors.find(([text]) => text.test(stderr));
  if (known) return { kind: 'error', code: known[1] };
  if (/not permitted|permission denied|cap_net_raw|are you root/i.test(stderr))
    return { kind: 'not_allowed' };
  return stderr.trim() === '' ? { kind: 'silence' } : { kind: 'confusion', text: stderr.trim() };
}
