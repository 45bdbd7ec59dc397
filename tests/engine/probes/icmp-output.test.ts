import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readPing } from '../../../src/engine/probes/icmp-output.ts';

const header = 'PING 192.0.2.1 (192.0.2.1) 56(84) bytes of data.\n';
const lost =
  '\n--- 192.0.2.1 ping statistics ---\n1 packets transmitted, 0 received, 100% packet loss, time 0ms\n\n';

describe('the output of ping', () => {
  const cases = [
    [
      'a reply, iputils',
      { code: 0, stdout: `${header}64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time=0.180 ms\n` },
      { kind: 'reply', rttMs: 0.18 },
    ],
    [
      'a reply over IPv6, iputils',
      { code: 0, stdout: 'PING ::1(::1) 56 data bytes\n64 bytes from ::1: icmp_seq=1 ttl=64 time=12 ms\n' },
      { kind: 'reply', rttMs: 12 },
    ],
    [
      'a reply, busybox',
      {
        code: 0,
        stdout:
          'PING 192.0.2.1 (192.0.2.1): 56 data bytes\n64 bytes from 192.0.2.1: seq=0 ttl=64 time=20.056 ms\n',
      },
      { kind: 'reply', rttMs: 20.056 },
    ],
    [
      'a reply too fast to measure',
      { code: 0, stdout: '64 bytes from 192.0.2.1: icmp_seq=1 ttl=64 time<1 ms\n' },
      { kind: 'reply', rttMs: 1 },
    ],
    [
      'a reply without a time',
      { code: 0, stdout: '64 bytes from 192.0.2.1: icmp_seq=1 ttl=64\n' },
      { kind: 'reply', rttMs: null },
    ],
    ['a success in other words', { code: 0, stdout: '192.0.2.1 is alive\n' }, { kind: 'reply', rttMs: null }],
    ['no reply, iputils', { code: 1, stdout: header + lost }, { kind: 'silence' }],
    [
      'a router that knows no way',
      { code: 1, stdout: `${header}From 192.0.2.254 icmp_seq=1 Destination Host Unreachable\n${lost}` },
      { kind: 'unreachable', by: '192.0.2.254', why: 'Destination Host Unreachable' },
    ],
    [
      'a router that knows no way over IPv6',
      { code: 1, stdout: 'From 2001:db8::1 icmp_seq=1 Destination unreachable: No route\n' },
      { kind: 'unreachable', by: '2001:db8::1', why: 'Destination unreachable: No route' },
    ],
    [
      'a packet that died on the way',
      { code: 1, stdout: 'From 192.0.2.254: icmp_seq=1 Time to live exceeded\n' },
      { kind: 'unreachable', by: '192.0.2.254', why: 'Time to live exceeded' },
    ],
    ...(
      [
        ['ping: connect: Network is unreachable', 'ENETUNREACH'],
        ['ping: sendto: Network unreachable', 'ENETUNREACH'],
        ['ping: connect: No route to host', 'EHOSTUNREACH'],
        ['ping: sendto: Host is unreachable', 'EHOSTUNREACH'],
        ['ping: connect: Cannot assign requested address', 'EADDRNOTAVAIL'],
        ['ping: sendto: Address not available', 'EADDRNOTAVAIL'],
        ['ping: socket: Address family not supported by protocol', 'EAFNOSUPPORT'],
        ['ping: sendmsg: Operation not permitted', 'EPERM'],
        ['ping: socket: Too many open files', 'EMFILE'],
      ] as const
    ).map(([stderr, code]) => [stderr, { code: 2, stderr }, { kind: 'error', code }] as const),
    ...[
      'ping: socktype: SOCK_RAW\nping: socket: Operation not permitted\nping: => missing cap_net_raw+p capability or setuid?',
      'ping: permission denied (are you root?)',
      'ping: icmp open socket: Operation not permitted',
      'ping: Lacking privilege for icmp socket. Permission denied',
    ].map((stderr) => [stderr, { code: 2, stderr }, { kind: 'not_allowed' }] as const),
    [
      'an option it does not know',
      { code: 1, stderr: 'ping: unrecognized option: W\nBusyBox v1.36\n' },
      { kind: 'confusion', text: 'ping: unrecognized option: W\nBusyBox v1.36' },
    ],
  ] as const;
  for (const [what, { code, ...output }, echo] of cases) {
    it(`is understood: ${what}`, () => {
      assert.deepEqual(readPing(code, { stdout: '', stderr: '', ...output }), echo);
    });
  }
});
