/** Texts that try to be more than text, wherever they are put. */
import { randomOf } from '../../support/random.ts';

const seeds: readonly string[] = [
  // Mentions.
  '@everyone',
  '@here look',
  '@ops please',
  'mail ops@example.com or @ops_2',
  '<@123456789>',
  '<@!123456789>',
  '<@&987>',
  '<#42>',
  '<!here>',
  '<!channel>',
  '<!subteam^S123|ops>',
  '<@U024BE7LH>',
  '@room',
  '&lt;!here&gt;',
  '&amp;lt;!here&amp;gt;',
  // Markup.
  '*bold* **bold** _em_ __u__ ~~gone~~ ~gone~ ||spoiler||',
  '`code` ```block```',
  '# heading',
  '-# small',
  '- a\n- b\n1. c\n2. d\n> quoted\n>>> all of it',
  '[click](https://evil.example/)',
  '[a](b)[c](d)',
  '\\[escaped\\](https://evil.example)',
  '\\*not bold\\*',
  '\\\\*',
  '<https://evil.example|your bank>',
  'https://evil.example/?a=b&c=d',
  'javascript:alert(1)',
  '<b>bold</b><script>alert(1)</script>',
  '<img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '</pre></body></html>',
  '<!-- comment -->',
  ':smile: :+1: :rotating_light:',
  '<:custom:123> <a:moving:123>',
  '<t:1700000000:R>',
  '</say:123>',
  '/shutdown now',
  '#channel $CASH',
  // Headers, lines, requests.
  'x\r\nBcc: everyone@example.com',
  'x\nSubject: another\n\nbody',
  'x\r\n\r\n<html>',
  '\r\n.\r\nMAIL FROM:<evil@example.com>\r\n',
  'x%0d%0aSet-Cookie: a=b',
  '=?utf-8?B?QmNjOiBhQGIuYw==?=',
  '=?utf-8?Q?=0D=0ABcc:_a@b.c?=',
  'name" <evil@example.com>, "x',
  'a&msg=b&user=1&pass=2#c?d',
  'x HTTP/1.1\r\nHost: evil\r\n\r\n',
  '","priority":5,"topic":"other',
  '{{7*7}} ${7*7} <%= 7*7 %> #{7*7}',
  // Characters that hide, turn around or never end.
  '\u202egnp.exe',
  '\u2066isolated\u2069 \u200e\u200f\u061c',
  'zero\u200bwidth\u200cand\u200djoined\ufeff',
  '\u001b[31mred\u001b[0m \u001b]8;;https://evil.example\u0007link\u001b]8;;\u0007',
  '\u0000\u0007\b\u007f\u0085\u009b31m',
  '\u2028line\u2029paragraph',
  'half \ud83d of a pair',
  '\udc00 the other half',
  '👨\u200d👩\u200d👧\u200d👦'.repeat(150),
  '🇫🇷'.repeat(600),
  `e${'\u0301'.repeat(5000)}`,
  'ᄀ'.repeat(1500),
  'א'.repeat(1500),
  '漢'.repeat(1500),
  '"'.repeat(5000),
  '\\'.repeat(5000),
  '*'.repeat(5000),
  '&'.repeat(5000),
  '@a '.repeat(2000),
  'x'.repeat(20_000),
  '\n'.repeat(5000),
  'a\n'.repeat(5000),
  '\t'.repeat(500),
  ' '.repeat(5000),
  '',
  '…',
];

/** The same ones each time: those above, then random ones made of several. */
export function payloads(count: number): string[] {
  const random = randomOf(20_261_121);
  const made = Array.from({ length: count - seeds.length }, () =>
    Array.from({ length: 2 + random.below(3) }, () => {
      const whole = random.pick(seeds);
      return whole.slice(0, 1 + random.below(100));
    }).join(random.pick(['', ' ', '\n', '\r\n', '*', '@', '\\', '<'])),
  );
  return [...seeds, ...made];
}

/** Addresses that a base_url could be made into. */
export const links: readonly string[] = [
  'https://status.example.com/a b"<>|`{}\\^',
  'https://status.example.com/\r\nx: y',
  'https://status.example.com/_under_*star*(x)[y]',
  'https://status.example.com/?q=<!here>&r=@everyone#f',
  'javascript:alert(1)',
  'data:text/html,<script>',
  'not an address',
  '',
  `https://status.example.com/${'x'.repeat(1500)}`,
  `https://status.example.com/${'x'.repeat(700)}`,
  'https://münchen.example/ü/漢',
];
