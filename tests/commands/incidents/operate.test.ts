import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { events } from '../../../src/db/tables/events.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { outbox } from '../../../src/db/tables/outbox.ts';
import { decisions } from '../../../src/db/tables/decisions.ts';
import { startCli } from '../../support/cli.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

let world: OperatorWorld;
before(() => {
  world = makeOperatorWorld();
});
after(() => {
  world.remove();
});

const startedAt = Date.UTC(2026, 10, 21, 3, 4, 5);

interface Shown {
  readonly id: number;
  readonly uid: string;
  readonly state: string;
  readonly impact: string;
  readonly monitors: readonly string[];
  readonly ended_at: string | null;
  readonly updates: readonly { readonly state: string; readonly message: string | null }[];
  readonly timeline: readonly { readonly text: string }[];
  readonly messages: readonly { readonly channel: string }[];
  readonly postmortem: string | null;
}

const shown = async (...args: readonly string[]) => (await world.json(...args)) as Shown;

describe('an incident on the command line', () => {
  it('is about no empty name, which is not everything either: exit 2', async () => {
    for (const words of [
      ['incidents', 'open', 'Slow'],
      ['event', 'deploy v2.3'],
    ]) {
      const { code, stderr } = await world.run(...words, '--monitor', '');
      assert.deepEqual([code, stderr.split('\n')[0]], [2, 'statusd: the name of a monitor is empty']);
    }
  });

  it('is opened, updated, resolved and shown', async () => {
    await world.write();
    const opened = await world.run(
      'incidents',
      'open',
      'Checkout is slow',
      'We are looking.',
      '--monitor',
      'api',
    );
    assert.equal(opened.code, 0);
    assert.match(opened.stdout, /^Incident 1 is on the status page: Checkout is slow\n/);
    const updated = await world.run('incidents', 'update', 'last', 'A full disk', '--state', 'identified');
    assert.equal(updated.stdout, 'Added to incident 1 (Checkout is slow), identified: A full disk\n');
    const first = await shown('incidents', 'show', '1');
    assert.deepEqual(
      [first.id, first.state, first.impact, first.monitors],
      [1, 'identified', 'degraded', ['api']],
    );
    assert.deepEqual(
      first.updates.map(({ state, message }) => [state, message]),
      [
        ['identified', 'A full disk'],
        ['investigating', 'We are looking.'],
      ],
    );
    const resolved = await world.run('incidents', 'resolve', '1', 'All is well.');
    assert.match(resolved.stdout, /^Resolved incident 1 \(Checkout is slow\) after \d+m?s: All is well\.\n$/);
    const { code, stdout } = await world.run('incidents', 'show', 'last');
    assert.equal(code, 0);
    assert.match(stdout, /^Incident 1: Checkout is slow, open from /);
    assert.match(stdout, /Identified(?: \(\w+\))?: A full disk\./);
    assert.match(stdout, /\nState\n {2}state: resolved\n {2}impact: degraded\n/);
  });

  it('is refused a second end (exit 1), a title of nothing (2) and a number that is none (5)', async () => {
    const twice = await world.run('incidents', 'resolve', '1');
    assert.deepEqual(
      [
        twice.code,
        /^statusd: incident 1 has been over since .*\n {2}An update without a state/.test(twice.stderr),
      ],
      [1, true],
    );
    assert.equal((await world.run('incidents', 'open', ' ')).code, 2);
    assert.equal((await world.run('incidents', 'open', 'x', '--impact', 'huge')).code, 2);
    assert.equal((await world.run('incidents', 'open', 'x', '--monitor', 'nope')).code, 5);
    assert.equal((await world.run('incidents', 'update', '99', 'x')).code, 5);
    assert.equal((await world.run('incidents', 'show', 'u-9')).code, 5);
    assert.equal((await world.run('explain', '1')).code, 5);
    assert.match((await world.run('explain', '1')).stderr, /incidents show 1/);
  });

  it('of a monitor is not resolved by hand, and its decisions and messages are shown', async () => {
    const at = startedAt + 120_000;
    await world.write(
      incidents.open({
        uid: 'u-2',
        monitor: 'api',
        name: 'The API',
        startedAt,
        confirmedAt: at,
        category: 'status',
        reason: 'answered 503',
        cause: 'db',
        impacted: [],
        snapshot: {
          statusLine: 'HTTP/1.1 503 No',
          headers: [['server', 'x']],
          moreHeaders: 21,
          body: 'sorry',
        },
        vantage: null,
      }),
      outbox.put({
        deliveryId: 'u-2.down.ops',
        channel: 'ops',
        event: 'down',
        monitor: 'api',
        incident: 'u-2',
        payload: {},
        createdAt: at,
        nextAt: at,
      }),
      outbox.sent({ deliveryId: 'u-2.down.ops', at: at + 30_000 }),
      decisions.log({
        at: at + 30_000,
        monitor: 'api',
        incident: 'u-2',
        channel: 'ops',
        event: 'down',
        verdict: 'told',
        reason: 'sent',
        detail: null,
      }),
    );
    await world.run('event', 'deploy v2.3', '--monitor', 'api', '--at', '2026-11-21T03:01:05Z');
    await world.run('event', 'a new firewall', '--monitor', 'intern', '--at', '2026-11-21T03:02:05Z');
    const refused = await world.run('incidents', 'resolve', 'u-2');
    assert.deepEqual(
      [refused.code, refused.stderr],
      [
        1,
        'statusd: incident 2 cannot be resolved by hand: api is down\n' +
          '  It is resolved by itself when api recovers; until then add updates.\n',
      ],
    );
    await world.run('incidents', 'update', 'u-2', 'We know');
    const { state, timeline, messages } = await shown('incidents', 'show', '2');
    const texts = timeline.map(({ text }) => text);
    assert.equal(state, 'detected');
    assert.equal(texts[0], 'Changed: deploy v2.3.');
    assert.ok(texts.every((text) => !text.includes('firewall')));
    assert.match(texts.at(-1) ?? '', /^Update(?: \(\w+\))?: We know\.$/);
    assert.deepEqual(
      messages.map(({ channel }) => channel),
      ['ops'],
    );
    const { stdout } = await world.run('incidents', 'show', 'u-2');
    assert.match(
      stdout,
      /The answer that failed\n {2}HTTP\/1\.1 503 No\n {2}server: x\n {2}… 21 more headers\n\n {2}sorry\n/,
    );
    assert.match((await world.run('explain', 'api')).stdout, /Changed: deploy v2\.3\./);
    const annotated = await world.run('annotate', '1', 'known bug');
    assert.match(annotated.stdout, /^Noted on incident 1 \(Checkout is slow, .*\n {2}The note is public/);
  });

  it('is in the list, by number, with what it is about', async () => {
    const { incidents: list } = (await world.json('incidents')) as { incidents: Shown[] };
    assert.deepEqual(
      list.map(({ id, state }) => [id, state]).toSorted((a, b) => Number(a[0]) - Number(b[0])),
      [
        [1, 'resolved'],
        [2, 'detected'],
      ],
    );
    assert.match((await world.run('incidents')).stdout, /1 {2}api .*Checkout is slow .*known bug/);
    await world.run('incidents', 'open', 'Search is slow');
    assert.match((await world.run('incidents', '--open')).stdout, /^! +\d+ {2}\(all\) .*Search is slow/m);
    await world.run('incidents', 'resolve', 'last');
    const { incidents: some } = (await world.json('incidents', '--monitor', 'db')) as {
      incidents: Shown[];
    };
    assert.deepEqual(some, []);
  });
});

describe('statusd event', () => {
  it('takes no word for a title that other commands take for something else: exit 2', async () => {
    for (const word of ['list', 'ls', 'clear', 'help']) {
      const { code, stdout, stderr } = await world.run('event', word);
      assert.deepEqual([code, stdout], [2, ''], word);
      assert.match(stderr, new RegExp(`^statusd: event has no subcommand '${word}'\\n {2}It takes a title`));
    }
  });

  it('keeps what was changed, and says what it kept', async () => {
    const { stdout } = await world.run('event', 'rotated keys', '--at', '2026-11-20T00:00:00Z');
    assert.equal(stdout, 'Event 3: rotated keys, at 2026-11-20 00:00:00 UTC, about everything\n');
    assert.equal((await world.run('event', 'x', '--at', 'soon')).code, 2);
    const kept = await world.read((sql) => events.listWithin(sql, { fromAt: 0, toAt: startedAt }));
    assert.deepEqual(
      kept.map(({ title, monitors }) => [title, monitors]),
      [
        ['rotated keys', []],
        ['deploy v2.3', ['api']],
        ['a new firewall', ['intern']],
      ],
    );
  });
});

describe('statusd postmortem', () => {
  it('drafts one from the facts', async () => {
    const { code, stdout } = await world.run('postmortem', '2', '--internal');
    assert.equal(code, 0);
    assert.match(
      stdout,
      /^# Post-mortem: The API is down, 2026-11-21\n\n- Incident: 2 \(u-2\)\n- About: The API\n/,
    );
    assert.match(stdout, /\n- Root cause: db\n/);
    assert.match(stdout, /\n- Detected: 2m after the first failure\n/);
    assert.match(stdout, /\n- First notification: 2m 30s after the first failure, on ops\n/);
    assert.match(stdout, /\n- 2026-11-21 03:01:05 UTC: Changed: deploy v2\.3\.\n/);
    assert.match(
      stdout,
      /## The answer that failed\n\n {4}HTTP\/1\.1 503 No\n {4}server: x\n {4}… 21 more headers\n\n {4}sorry\n/,
    );
  });

  it('drafts with the eyes of a stranger, and what it drafts is stored as it is', async () => {
    const { stdout } = await world.run('postmortem', '2');
    assert.match(
      stdout,
      /^# Post-mortem: The API is down, 2026-11-21\n\n- Incident: u-2\n- About: The API\n/,
    );
    assert.match(stdout, /\n- Detected: 2m after the first failure\n/);
    assert.match(stdout, /\n- 2026-11-21 03:01:05 UTC: Changed: deploy v2\.3\.\n/);
    assert.doesNotMatch(stdout, /ops|First notification|HTTP\/1|sorry|\(root\)|\bintern\b/);
    writeFileSync(join(world.cwd, 'draft.md'), stdout);
    assert.equal((await world.run('postmortem', '2', join(world.cwd, 'draft.md'))).code, 0);
    assert.equal((await world.run('postmortem', '2', '-', '--force')).code, 0);
  });

  it('refuses a text for strangers that names what they are not shown, with its lines: exit 2', async () => {
    writeFileSync(join(world.cwd, 'told.md'), '# Why\n\nSent to channel ops.\n\n`intern` was slow.\n');
    const file = join(world.cwd, 'told.md');
    const { code, stderr } = await world.run('postmortem', '2', file);
    assert.equal(code, 2);
    assert.match(
      stderr,
      /line 3 of the post-mortem names the channel 'ops', line 5 of the post-mortem names the private monitor 'intern'\n.*--force/,
    );
    for (const words of [
      ['annotate', '2', 'channel ops'],
      ['announce', 'the monitor intern is slow'],
      ['event', 'moved `intern`'],
      ['incidents', 'open', 'the monitor intern is slow'],
      ['incidents', 'update', '2', 'the monitor intern is slow'],
      ['maintenance', 'add', 'work on "intern"', 'all', '--for', '1h'],
    ]) {
      const refused = await world.run(...words, '--offline');
      assert.deepEqual([words[0], refused.code], [words[0], 2]);
      assert.match(refused.stderr, /^statusd: strangers would read this: /);
    }
    assert.equal((await world.run('annotate', '2', 'channel ops', '--force', '--offline')).code, 0);
    assert.equal((await world.run('annotate', '2', 'We lost a rack.', '--offline')).code, 0);
  });

  it('knows the first notification of an incident whose messages are no longer kept', async () => {
    const decision = { monitor: 'db', incident: 'u-old', event: 'down', detail: null } as const;
    await world.write(
      incidents.open({
        uid: 'u-old',
        monitor: 'db',
        name: 'db',
        startedAt,
        confirmedAt: startedAt + 60_000,
        category: 'status',
        reason: null,
        cause: null,
        impacted: [],
        snapshot: null,
        vantage: null,
      }),
      decisions.log({ ...decision, at: startedAt, channel: 'ops', verdict: 'queued', reason: 'window' }),
      ...['mail', 'ops'].map((channel, index) =>
        decisions.log({
          ...decision,
          at: startedAt + 90_000 + index,
          channel,
          verdict: 'told',
          reason: 'sent',
        }),
      ),
    );
    const { stdout } = await world.run('postmortem', 'u-old', '--internal');
    assert.match(stdout, /\n- First notification: 1m 30s after the first failure, on mail\n/);
    assert.match(stdout, /\n- From 2026-11-21 03:04:05 UTC, still open\n/);
  });

  const ended = {
    monitor: 'intern',
    name: 'intern',
    startedAt,
    confirmedAt: startedAt + 60_000,
    category: 'status',
    reason: null,
    impacted: [],
    snapshot: null,
    vantage: null,
  } as const;

  it('names the message that came when it was over as the first notification', async () => {
    const about = { monitor: 'intern', incident: 'u-late', channel: 'ops', detail: null } as const;
    await world.write(
      incidents.open({ ...ended, uid: 'u-late', cause: null }),
      incidents.close({ uid: 'u-late', endedAt: startedAt + 120_000 }),
      decisions.log({
        ...about,
        at: startedAt + 125_000,
        event: 'recovered',
        verdict: 'told',
        reason: 'late',
      }),
    );
    const { stdout } = await world.run('postmortem', 'u-late', '--internal');
    assert.match(stdout, /\n- First notification: 2m 5s after the first failure, on ops, when it was over\n/);
  });

  it('names the message of its cause as the first notification, where it was folded into it', async () => {
    const about = { monitor: 'intern', incident: 'u-folded', channel: 'ops', detail: null } as const;
    await world.write(
      incidents.open({ ...ended, uid: 'u-folded', cause: 'api' }),
      incidents.close({ uid: 'u-folded', endedAt: startedAt + 120_000 }),
      decisions.log({ ...about, at: startedAt + 90_000, event: 'down', verdict: 'held', reason: 'folded' }),
      decisions.log({
        ...about,
        at: startedAt + 125_000,
        event: 'recovered',
        verdict: 'told',
        reason: 'sent',
      }),
    );
    const { stdout } = await world.run('postmortem', 'u-folded', '--internal');
    assert.match(stdout, /\n- First notification: in the message about The API\n/);
  });

  it('keeps one from a file, without secrets, and shows it', async () => {
    writeFileSync(join(world.cwd, 'pm.md'), '# Why\n\nthe-token-of-the-tests leaked\n');
    const { stdout } = await world.run('postmortem', 'u-2', join(world.cwd, 'pm.md'));
    assert.equal(stdout, 'Kept the post-mortem of incident 2 (api).\n');
    const { postmortem } = await shown('incidents', 'show', '2');
    assert.match(postmortem ?? '', /^# Why\n\n(?!the-token).* leaked$/);
    assert.equal((await world.run('postmortem', '2', join(world.cwd, 'none.md'))).code, 2);
    assert.equal((await world.run('postmortem', '77')).code, 5);
  });

  it('refuses a file that is not text, names it and the remedy, and keeps the previous configuration', async () => {
    const file = join(world.cwd, 'odd.md');
    const cases: [bytes: Uint8Array, message: string][] = [
      [Buffer.from('ok\nna\xefve\n', 'latin1'), 'odd.md:2:1: the line is not UTF-8'],
      [Buffer.from([0x50, 0x4b, 0x00, 0x01]), 'odd.md:1:3: the file contains a NUL byte'],
      [Buffer.from('\ufeffhi', 'utf16le'), 'odd.md:1:1: the file is UTF-16'],
    ];
    for (const [bytes, message] of cases) {
      writeFileSync(file, bytes);
      const { code, stderr } = await world.run('postmortem', 'u-2', file);
      assert.equal(code, 2);
      assert.ok(stderr.split('\n')[0]?.endsWith(message), stderr);
      assert.match(stderr, /\n {2}\S.* The post-mortem of the incident is as it was\.\n/);
    }
    const { postmortem } = await shown('incidents', 'show', '2');
    assert.match(postmortem ?? '', /^# Why/);
  });

  it('ends with an interrupt while it waits for the text, and keeps the one it has: exit 130', async () => {
    const { child, exited } = startCli(['postmortem', 'u-2', '-'], { cwd: world.cwd });
    // More than a pipe holds: it is gone once somebody reads.
    await new Promise((resolve) => child.stdin?.write('half a text '.repeat(25_000), resolve));
    child.kill('SIGINT');
    const { code, stdout, stderr } = await exited;
    assert.deepEqual([code, stdout, stderr], [130, '', 'statusd: interrupted\n']);
    const { postmortem } = await shown('incidents', 'show', '2');
    assert.match(postmortem ?? '', /^# Why/);
  });

  it('refuses a file without a name', async () => {
    const { code, stderr } = await world.run('postmortem', 'u-2', '');
    assert.deepEqual(
      [code, stderr],
      [2, 'statusd: the name of the file is empty\n  Name a file, or `-` for standard input.\n'],
    );
  });
});

it('an incident that is opened resolved is not said to wait for its end', async () => {
  const { stdout } = await world.run('incidents', 'open', 'Was slow', '--state', 'resolved');
  assert.match(
    stdout,
    /^Incident \d+ is on the status page, resolved: Was slow\n {2}`statusd incidents update \d+ <message>` adds to it\.\n$/,
  );
});
