import assert from 'node:assert/strict';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { createRemote } from '../../../src/commands/top/remote.ts';
import type { SummarySource } from '../../../src/commands/top/source.ts';
import { StatusdError } from '../../../src/engine/core/errors.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { createTheme } from '../../../src/tui/theme.ts';
import { screenLines } from '../../../src/tui/view/screen.tsx';
import { detailOf, liveOf, stateWith, troubled } from '../../tui/facts.ts';

interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
}

let base: URL;
let reply: (request: IncomingMessage) => Reply;
const seen: string[] = [];
const server = createServer((request, response) => {
  seen.push(`${request.method ?? ''} ${request.url ?? ''} ${request.headers.authorization ?? '-'}`);
  const { status = 200, headers = {}, body } = reply(request);
  response.writeHead(status, headers).end(body);
});

before(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/status/`);
});
after(() => {
  server.close();
});

const clock = new VirtualClock();

function sourceThat(
  answers: Reply | ((request: IncomingMessage) => Reply),
  token: string | null = 'secret',
): SummarySource {
  reply = typeof answers === 'function' ? answers : () => answers;
  seen.length = 0;
  return createRemote({ base, token }, clock);
}

function isTime(field: string): boolean {
  return /^(?:at|start|end|until|generated_at|last_checked|silenced_until|[a-z]+ed_at)$/.test(field);
}

/** As strangers get it. */
function withoutChannels(): object {
  return JSON.parse(JSON.stringify({ ...troubled(), channels: undefined })) as object;
}

async function errorOf(work: Promise<unknown>): Promise<StatusdError> {
  try {
    await work;
  } catch (error) {
    if (error instanceof StatusdError) return error;
    throw error;
  }
  throw new Error('it did not fail');
}

describe('another server', () => {
  it('is asked for its summary with the token, below its own path', async () => {
    const { summary } = await sourceThat({ body: JSON.stringify(troubled()) }).read();
    assert.deepEqual(summary, troubled());
    assert.deepEqual(seen, ['GET /status/api/summary Bearer secret']);
  });

  it('may be read by anyone, without its channels', async () => {
    const rest = withoutChannels();
    const { summary } = await sourceThat({ body: JSON.stringify(rest) }, null).read();
    assert.equal(summary.channels, undefined);
    assert.deepEqual(seen, ['GET /status/api/summary -']);
  });

  it('does not take the token when it keeps its channels to itself, or says so', async () => {
    const rest = withoutChannels();
    assert.equal((await errorOf(sourceThat({ body: JSON.stringify(rest) }).read())).code, 'refused');
    assert.equal((await errorOf(sourceThat({ status: 401, body: '{}' }).read())).code, 'refused');
  });

  it('is left alone for as long as it asks', async () => {
    const source = sourceThat({ status: 429, headers: { 'retry-after': '17' }, body: '{}' });
    assert.match((await errorOf(source.read())).message, /a pause of 17 s/);
    assert.equal(source.patienceMs(), 17_000);
    clock.advance(16_000);
    assert.equal(source.patienceMs(), 1000);
    clock.advance(2000);
    assert.equal(source.patienceMs(), 0);
  });

  it('is asked again after ten minutes, however long a pause it asks for', async () => {
    const source = sourceThat({ status: 429, headers: { 'retry-after': '99999' }, body: '{}' });
    assert.match((await errorOf(source.read())).message, /a pause of 600 s/);
    assert.equal(source.patienceMs(), 600_000);
  });

  it('may answer anything at all', async () => {
    for (const body of ['', '[]', 'null', '{"monitors":7}', '<html>', '{"monitors":']) {
      assert.match((await errorOf(sourceThat({ body }).read())).message, /is not statusd/, body);
    }
    const odd = {
      monitors: [{ id: 4, history: [{ state: 'x' }], impacted: 'y' }, 3, null],
      channels: [{}],
      incidents: {},
    };
    const { summary } = await sourceThat({ body: JSON.stringify(odd) }).read();
    assert.equal(summary.monitors.length, 1);
    assert.equal(summary.monitors[0]?.status, 'unknown');
  });

  it('is shown whatever its times are', async () => {
    for (const time of ['', 'soon', '2026-13-45T00:00:00Z', '9'.repeat(400)]) {
      const body = (json: object) =>
        JSON.stringify(json, (key, value: unknown) => (isTime(key) ? time : value));
      const incident = { ...troubled().incidents[0], acknowledged: { at: time, by: 'ann', reason: 'why' } };
      const source = sourceThat(({ url = '' }) => ({
        body: body(
          url.includes('live')
            ? liveOf(troubled())
            : { ...troubled(), incidents: [incident, ...troubled().incidents] },
        ),
      }));
      const model = await source.read();
      const live = await source.glance(['api']);
      const { incidents } = await source.look('api', 24);
      assert.ok(live !== null);
      const state = stateWith(
        180,
        60,
        { kind: 'read', model },
        { kind: 'glanced', live },
        { kind: 'looked', detail: detailOf({ incidents }) },
        { kind: 'command', command: 'open' },
      );
      assert.match(screenLines(state, createTheme('none', true)).join('\n'), /acknowledged by ann/, time);
    }
  });

  it('never gets the token by way of a redirect', async () => {
    const source = sourceThat({ status: 302, headers: { location: '/elsewhere' }, body: '' });
    assert.match((await errorOf(source.read())).message, /answers 302/);
    assert.equal(seen.length, 1);
  });

  it('cannot be reached where nothing listens', async () => {
    const source = createRemote({ base: new URL('http://127.0.0.1:1/'), token: 'secret' }, clock);
    const { code, message } = await errorOf(source.read());
    assert.equal(code, 'daemon_unreachable');
    assert.doesNotMatch(message, /secret/);
  });

  it('shows what its API has of a monitor', async () => {
    const source = sourceThat(({ url = '' }) => ({
      body: url.includes('latency')
        ? '[{"t":1,"latency_ms":2},{"t":"x"}]'
        : JSON.stringify({ incidents: troubled().incidents, next: null }),
    }));
    const detail = await source.look('a/b', 24);
    assert.deepEqual(detail.latency, [{ t: 1, latency_ms: 2 }]);
    assert.equal(detail.incidents?.[0]?.id, 12);
    assert.equal(detail.explanation, null);
    assert.equal(seen[0], 'GET /status/api/monitors/a%2Fb/latency?hours=24 Bearer secret');
  });

  it('says why a monitor alerted, to whom it trusts', async () => {
    const moment = { at: '2026-11-21T14:00:00Z', kind: 'told', channel: 'phone', event: 'down', times: 2 };
    const explained = { channels: ['phone'], summary: ['It is down.'], timeline: [moment, 7], next: [] };
    const body = ({ url = '' }: { readonly url?: string | undefined }) => ({
      body: JSON.stringify(url.endsWith('/explain') ? explained : url.includes('latency') ? [] : {}),
    });
    const { explanation, channels } = await sourceThat(body).look('a/b', 24);
    assert.deepEqual(channels, ['phone']);
    assert.deepEqual(explanation?.headline, ['It is down.']);
    assert.equal(explanation.timeline.length, 1);
    assert.equal(explanation.timeline[0]?.at, Date.UTC(2026, 10, 21, 14));
    assert.ok(seen.includes('GET /status/api/monitors/a%2Fb/explain Bearer secret'));
    seen.length = 0;
    assert.equal((await sourceThat(body, null).look('a/b', 24)).explanation, null);
    assert.ok(!seen.some((line) => line.includes('explain')));
  });

  it('takes a silence, and a banner', async () => {
    const source = sourceThat({ body: '{}' });
    const silence = { kind: 'silence', monitor: 'api', text: '1h the deploy' } as const;
    assert.deepEqual(await source.act(silence), { text: 'api is silent for 1h', isBad: false });
    assert.deepEqual(await source.act({ kind: 'announce', text: 'warning: slow & odd' }), {
      text: 'banner (warning): slow & odd',
      isBad: false,
    });
    await source.act({ kind: 'unsilence', id: 7 });
    await source.act({ kind: 'unannounce', id: 4 });
    assert.equal((await source.act({ kind: 'check', monitor: 'a b' })).text, 'a b is being checked');
    assert.deepEqual(seen, [
      'POST /status/api/silence?monitors=api&duration=1h&reason=the+deploy Bearer secret',
      'POST /status/api/announce?title=slow+%26+odd&severity=warning Bearer secret',
      'DELETE /status/api/silence?id=7 Bearer secret',
      'DELETE /status/api/announce?id=4 Bearer secret',
      'POST /status/api/monitors/a%20b/check Bearer secret',
    ]);
    seen.length = 0;
    await source.act({ ...silence, monitor: 'all', text: '1h' });
    // Alone, the word would silence everything.
    assert.deepEqual(seen, ['POST /status/api/silence?monitors=all%2Call&duration=1h Bearer secret']);
    const refusing = sourceThat({ status: 400, body: '{"detail":"duration has no unit."}' });
    const { text, isBad } = await refusing.act({ ...silence, text: '5' });
    assert.match(text, /answers 400: duration has no unit/);
    assert.equal(isBad, true);
  });

  it('reports what is known of an incident', async () => {
    const bodies: string[] = [];
    const source = sourceThat((request) => {
      request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
      return { status: 201, body: '{}' };
    });
    await source.act({ kind: 'update', incident: 'k3/jd', text: 'identified: a full disk' });
    assert.deepEqual(seen, ['POST /status/api/incidents/k3%2Fjd/updates Bearer secret']);
    assert.deepEqual(
      bodies.map((body) => JSON.parse(body) as unknown),
      [{ message: 'a full disk', state: 'identified' }],
    );
  });

  it('acknowledges an incident, by name, and takes that back', async () => {
    const bodies: string[] = [];
    const source = sourceThat((request) => {
      request.on('data', (chunk: Buffer) => bodies.push(chunk.toString()));
      return { body: '{}' };
    });
    const acknowledge = { kind: 'acknowledge', incident: 'k3/jd' } as const;
    const done = await source.act({ ...acknowledge, text: '@ann restarting it' });
    assert.deepEqual(done, { text: 'acknowledged by ann', isBad: false });
    assert.equal((await source.act({ ...acknowledge, text: '' })).text, 'acknowledged');
    await source.act({ kind: 'unacknowledge', incident: 'k3/jd' });
    const path = '/status/api/incidents/k3%2Fjd/ack Bearer secret';
    assert.deepEqual(seen, [`POST ${path}`, `POST ${path}`, `DELETE ${path}`]);
    assert.deepEqual(
      bodies.map((body) => JSON.parse(body) as unknown),
      [{ by: 'ann', reason: 'restarting it' }, {}],
    );
  });

  it('says the last checks of some monitors to clients with the token alone', async () => {
    const live = liveOf(troubled());
    const body = JSON.stringify(live);
    assert.deepEqual(await sourceThat({ body }).glance(['a', 'b']), live);
    assert.deepEqual(seen, ['GET /status/api/live?monitors=a%2Cb Bearer secret']);
    assert.equal(await sourceThat({ body }, null).glance(['a']), null);
    for (const odd of ['{}', '{"monitors":7}'])
      assert.equal(await sourceThat({ body: odd }).glance(['a']), null);
    const bad = await sourceThat({ body: '{"monitors":[{"checks":[4,"up"]},7]}' }).glance(['a']);
    assert.deepEqual(
      bad?.monitors.map(({ checks }) => checks),
      [['up']],
    );
  });

  it('has no daemon once nothing answers', async () => {
    const gone = createRemote({ base: new URL('http://127.0.0.1:1/'), token: 'secret' }, clock);
    assert.equal(await gone.daemon(), 'gone');
    const source = sourceThat({ status: 503, body: '{}' });
    assert.equal(await source.daemon(), 'ok');
    await source.daemon();
    assert.equal(seen.length, 1);
    clock.advance(1500);
    await source.daemon();
    assert.equal(seen.length, 2);
  });
});
