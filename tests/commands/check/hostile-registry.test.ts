import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { domainNotes } from '../../../src/commands/check/domain-notes.ts';
import { formats, rendererOf } from '../../../src/commands/check/formats.ts';
import type { Note } from '../../../src/commands/check/report.ts';
import { createDomainProbe } from '../../../src/engine/probes/domain.ts';
import { checked, plainView, reportOf } from '../../support/check-report.ts';
import { barrage, volleys } from '../../support/hostile-text.ts';
import { aMonitor, probeContext } from '../../support/probing.ts';
import { realClock } from '../../support/real-clock.ts';
import { offencesOf } from '../../support/terminal-text.ts';

/** What fits into a status line, and what into a header: its values hold no control codes of ASCII. */
const oneLine = volleys('registry', 300, (text) => !/[\r\n\0]/.test(text));
const inHeader = volleys('header', 100, (text) => !/[\0-\x1f\x7f]/.test(text));

const json = (value: unknown) =>
  `200 OK\r\ncontent-type: application/rdap+json\r\n\r\n${JSON.stringify(value)}`;
const event = (eventDate: string, eventAction = 'expiration') => ({ events: [{ eventAction, eventDate }] });

/** What a registry may answer; every one of them comes to a note. */
const answers: readonly string[] = [
  ...oneLine.map((text) => `503 ${text}\r\n\r\n${barrage('body')}`),
  ...inHeader.map((text) => `302 Found\r\nlocation: http://${text}/\r\n\r\n`),
  ...inHeader.map((text) => `302 Found\r\nlocation: ${text}:/x\r\n\r\n`),
  ...inHeader.map((text) => `302 Found\r\nlocation: http://127.0.0.1:1/${text.replaceAll(' ', '')}\r\n\r\n`),
  ...inHeader.map((text) => `200 OK\r\ncontent-encoding: ${text}\r\n\r\n{}`),
  `200 OK\r\n\r\n${barrage('no JSON')}`,
  `${barrage('no HTTP')}\r\n\r\n`,
  json({ events: barrage('events'), [barrage('key')]: 1 }),
  json(event(barrage('date'))),
  json(event('2027-01-01', barrage('action'))),
  json(event(new Date(Date.now() + 86_400_000).toISOString())),
];

/** Lists of registries; the last one leads to the answers. */
const lists = (origin: string): readonly unknown[] => [
  { services: barrage('services') },
  { services: [[[barrage('suffix')], [barrage('address')]]] },
  { services: [[['example'], [`http://${barrage('host')}/`, barrage('address')]]] },
  { services: [[['example'], oneLine.map((text) => `http://127.0.0.1:1/${text}`)]] },
  {
    services: [[['example'], [`${origin}/${encodeURIComponent(barrage('path').replace(/\p{Cs}/gu, ''))}/`]]],
  },
];

describe('a registry that says hostile things', () => {
  const server = createServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', (data) => {
      const path = /^\S+ (\S+)/.exec(data.toString('latin1'))?.[1] ?? '/';
      const list = /^\/list\/(\d+)/.exec(path)?.[1];
      const answer = list === undefined ? answerTo(path) : json(lists(origin)[Number(list)]);
      socket.end(answer.startsWith('no HTTP') ? answer : `HTTP/1.1 ${answer}`);
    });
  });
  const answerTo = (path: string) => answers[Number(/d(\d+)\.example/.exec(path)?.[1])] ?? '404 None\r\n\r\n';
  let origin = '';
  before(async () => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  after(() => server.close());

  const notesOn = (list: number, domains: readonly string[]): Promise<Note[]> => {
    const probe = createDomainProbe({ bootstrapUrl: `${origin}/list/${list}`, timeoutMs: 5000 });
    const monitors = domains.map((domain) =>
      aMonitor('http', {
        id: domain.replaceAll('.', '-'),
        target: `https://${domain}/`,
        domain_expiry: domain,
      }),
    );
    return domainNotes(monitors, {
      alerts: { domain_expiry_days: 14 },
      now: realClock.now(),
      probe: (domain) => probe(domain, probeContext()),
    });
  };

  const shown = async (notes: readonly Note[]) => {
    const report = reportOf([checked('site')], { notes });
    return Promise.all(
      formats.map(async (format) => ({ format, text: (await rendererOf(format)).report(report, plainView) })),
    );
  };

  it('leaves the terminal unchanged, whatever it answers and in whatever format', async () => {
    const domains = answers.map((_, index) => `d${index}.example`);
    const notes = await notesOn(lists(origin).length - 1, domains);
    assert.equal(notes.length, answers.length, 'every answer comes to a note');
    for (const { format, text } of await shown(notes)) assert.deepEqual(offencesOf(text), [], format);
    const human = (await shown(notes)).find(({ format }) => format === 'human')?.text ?? '';
    assert.match(human, /answered 503/);
    assert.match(human, /did not answer in JSON/);
    assert.match(human, /its registry does not say/);
    assert.match(human, /expires within a day/);
  });

  it('leaves it unchanged as the list of registries too', async () => {
    for (const list of lists(origin).keys()) {
      const notes = await notesOn(list, ['some.example']);
      assert.equal(notes.length, 1);
      for (const { format, text } of await shown(notes)) assert.deepEqual(offencesOf(text), [], format);
    }
  });
});
