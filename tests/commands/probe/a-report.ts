/** A report on a probe that saw everything there is to see. */
import type { ProbeReport } from '../../../src/commands/probe/report.ts';

const at = Date.UTC(2026, 10, 21, 12, 0, 0);
const day = 86_400_000;

export const aReport: ProbeReport = {
  id: 'web',
  name: 'Main site',
  kind: 'http',
  target: 'https://example.org/start?token=***',
  checkedAt: at,
  status: 'down',
  reason: { category: 'content', message: 'keyword: expected "ok" in the body, got a body without it' },
  latencyMs: 149.6,
  failThreshold: 3,
  tracks: [
    {
      family: null,
      tookMs: 150,
      legs: [
        {
          method: 'GET',
          url: 'https://example.org/start?token=***',
          host: 'example.org',
          addresses: ['2001:db8::7', '192.0.2.7'],
          address: '192.0.2.7',
          unreached: [
            { address: '2001:db8::7', message: '2001:db8::7 is unreachable: no route to its network' },
          ],
          tls: { protocol: 'TLSv1.3', cipher: 'TLS_AES_256_GCM_SHA384' },
          answer: { status: 302, statusText: 'Found', bodyBytes: 0, end: 'cut' },
          spans: [
            { phase: 'dns', fromMs: 0, toMs: 12 },
            { phase: 'connect', fromMs: 12, toMs: 20 },
            { phase: 'tls', fromMs: 20, toMs: 45.4 },
            { phase: 'wait', fromMs: 46, toMs: 60 },
            { phase: 'body', fromMs: 60, toMs: 60.2 },
          ],
        },
        {
          method: 'GET',
          url: `https://example.org/${'a-long-way/'.repeat(10)}`,
          host: 'example.org',
          addresses: ['2001:db8::7', '192.0.2.7'],
          address: '192.0.2.7',
          unreached: [],
          tls: null,
          answer: { status: 200, statusText: 'O\u001b[31mK', bodyBytes: 1_048_576, end: 'cut' },
          spans: [
            { phase: 'connect', fromMs: 60.5, toMs: 69 },
            { phase: 'wait', fromMs: 70, toMs: 130 },
            { phase: 'body', fromMs: 130, toMs: null },
          ],
        },
      ],
    },
  ],
  answer: {
    statusLine: 'HTTP/1.1 200 OK',
    headers: [
      ['content-type', 'text/html'],
      ['server', 'x'.repeat(120)],
    ],
    body: '<h1>監視</h1>\n\u001b[2Jnot well',
  },
  certificate: {
    subject: 'example.org',
    issuer: "R11 (Let's Encrypt)",
    validFromAt: at - 50 * day,
    validToAt: at + 40 * day,
    spkiSha256: '0123456789abcdef'.repeat(4),
    isTrusted: false,
    distrust: 'the certificate is for www.example.org, not example.org',
    chain: [
      {
        subject: 'example.org',
        issuer: "R11 (Let's Encrypt)",
        validFromAt: at - 50 * day,
        validToAt: at + 40 * day,
      },
      {
        subject: "R11 (Let's Encrypt)",
        issuer: 'ISRG Root X1 (Internet Security Research Group)',
        validFromAt: at - 500 * day,
        validToAt: at + 5 * day,
      },
      {
        subject: 'ISRG Root X1 (Internet Security Research Group)',
        issuer: 'ISRG Root X1 (Internet Security Research Group)',
        validFromAt: at - 5000 * day,
        validToAt: at - day,
      },
    ],
  },
  verdicts: [
    { key: 'cert_pin', isMet: false, expected: 'f'.repeat(64), actual: '0123456789abcdef'.repeat(4) },
    { key: 'expected_status', isMet: true, expected: '2xx', actual: '200 OK' },
    { key: 'keyword', isMet: false, expected: '"ok" in the body', actual: 'a body without it' },
    { key: 'json_query', isMet: null, expected: '', actual: 'not reached' },
  ],
  curl: 'curl -sS -i --http1.1 --max-time 10 -H "Authorization: ${AUTHORIZATION}" "https://example.org/start?token=${TOKEN}"',
};
