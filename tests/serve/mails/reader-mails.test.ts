import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { broadcasts } from '../../../src/db/tables/broadcasts.ts';
import { incidentUpdates } from '../../../src/db/tables/incident-updates.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { declareIncident } from '../../../src/db/tables/recorded-incidents.ts';
import { monitors as monitorTable } from '../../../src/db/tables/monitors.ts';
import { maintenances } from '../../../src/db/tables/maintenances.ts';
import { subscribers } from '../../../src/db/tables/subscribers.ts';
import { pastUid } from '../../../src/engine/core/past-uid.ts';
import { type MonitorState, freshState } from '../../../src/engine/monitoring/confirm/state.ts';
import { isAddressed } from '../../../src/engine/operations/subscribe.ts';
import { createReaderMails } from '../../../src/serve/mails/reader-mails.ts';
import { load } from '../../support/config.ts';
import { openFacts } from '../../support/facts.ts';
import { mailConfig } from '../../support/reader.ts';

const t0 = Date.UTC(2026, 5, 7, 12);
const minute = 60_000;
const links = { manage: 'https://m', unsubscribe: 'https://u' };

const head = `[server]\nauth_token = "operator-token"\n${mailConfig.head}${mailConfig.tail}`;
const monitors = (dependsOn: string) => `
[[monitors]]
id = "web"
name = "Website"
group = "Front"
target = "https://example.com"
depends_on = [${dependsOn}]

[[monitors]]
id = "shop"
group = "Front"
target = "https://example.com"
depends_on = ["web"]

[[monitors]]
id = "mobile"
group = "Apps"
target = "https://example.com"
depends_on = ["web"]
`;
const hidden = `
[[monitors]]
id = "hidden"
group = "Front"
target = "https://example.com"
public = false

[[maintenance]]
title = "Inside alone"
start = "2026-06-07T11:00:00Z"
end = "2026-06-07T13:00:00Z"
monitors = ["hidden"]
`;
const planned = (ids: string) => `
[[maintenance]]
title = "New disks"
start = "2026-06-08T11:00:00Z"
end = "2026-06-08T13:00:00Z"
monitors = [${ids}]
`;

async function openMails(toml: string) {
  const facts = await openFacts();
  let loaded = await load(toml);
  const states = new Map<string, MonitorState>();
  let at = t0;
  const mails = createReaderMails({
    loaded: () => loaded,
    sql: facts.sql,
    now: () => at,
    stateOf: (id) => states.get(id) ?? null,
  });
  facts.apply(
    subscribers.ask({ uid: 'one', address: 'a@example.com', groups: [], at: t0, max: 9 }),
    subscribers.confirm({ uid: 'one', at: t0 }),
  );
  return {
    ...facts,
    mails,
    states,
    pass: (ms: number) => (at += ms),
    reload: async (next: string) => {
      loaded = await load(next);
    },
    /** Puts down what is due about maintenance, and sends it. */
    maintained: () => {
      facts.apply(...mails.dueMaintenance().operations);
      const open = broadcasts.open(facts.sql).map((row) => ({ row, decision: mails.decide(row) }));
      return open.flatMap(({ row, decision }) => {
        if (decision.kind !== 'wait') facts.apply(broadcasts.finish({ uid: row.uid, at }));
        if (decision.kind !== 'send') return [];
        facts.apply(broadcasts.advance({ uid: row.uid, cursor: 1, ahead: [], later: [], sent: 1 }));
        return [decision.mail(links).text];
      });
    },
    /** Every broadcast that is open: what becomes of it, and what its mail says. */
    seen: () =>
      broadcasts.open(facts.sql).map((row) => {
        const decision = mails.decide(row);
        return decision.kind === 'send'
          ? { ...decision, event: row.event, mail: decision.mail(links) }
          : { ...decision, event: row.event };
      }),
    /** As the mailer does: what is to be sent is sent, what is to be dropped is dropped. */
    work: () => {
      const sent: string[] = [];
      const held = new Set<string | null>();
      for (const row of broadcasts.open(facts.sql)) {
        if (held.has(row.incident)) continue;
        const decision = mails.decide(row);
        if (decision.kind === 'wait') held.add(row.incident);
        else facts.apply(broadcasts.finish({ uid: row.uid, at }));
        if (decision.kind !== 'send') continue;
        sent.push(decision.mail(links).subject);
        facts.apply(broadcasts.advance({ uid: row.uid, cursor: 1, ahead: [], later: [], sent: 1 }));
      }
      return sent;
    },
  };
}

const opened = (
  uid: string,
  monitor: string,
  { at = t0, cause = null, impacted = [] }: { at?: number; cause?: string | null; impacted?: string[] } = {},
) =>
  incidents.open({
    uid,
    monitor,
    name: monitor,
    startedAt: at - minute,
    confirmedAt: at,
    category: 'timeout',
    reason: `no answer from 10.0.0.1 of ${monitor}`,
    cause,
    impacted,
    snapshot: null,
    vantage: null,
  });
const closed = (uid: string, at: number) => incidents.close({ uid, endedAt: at });
const said = (uid: string, incident: string) =>
  incidentUpdates.add({ uid, incident, at: t0 + 1, state: 'identified', message: 'We know.', author: 'Ann' });

describe('a private monitor', () => {
  it('is missing in every mail, byte for byte', async () => {
    const [first, second] = [
      await openMails(head + monitors('"hidden"') + planned('"web", "hidden"') + hidden),
      await openMails(head + monitors('') + planned('"web"')),
    ];
    for (const [world, isThere] of [
      [first, true],
      [second, false],
    ] as const) {
      const declare = (id: number, uid: string, ids: string[]) =>
        declareIncident({ id, uid, title: `By hand ${uid}`, impact: 'major', monitors: ids, at: t0 });
      if (isThere) {
        world.apply(opened('h', 'hidden', { impacted: ['web'] }), said('h1', 'h'), closed('h', t0 + minute));
        world.apply(declare(8, 'o2', ['hidden']), said('o2-1', 'o2'));
      }
      world.apply(
        opened('w', 'web', isThere ? { cause: 'hidden', impacted: ['hidden'] } : {}),
        said('w1', 'w'),
      );
      world.apply(declare(9, 'o1', isThere ? ['web', 'hidden'] : ['web']), said('o1-1', 'o1'));
      world.apply(...world.mails.dueMaintenance().operations);
      world.pass(2 * minute);
    }
    const visible = (world: typeof first) => world.seen().filter(({ kind }) => kind !== 'drop');
    assert.deepEqual(visible(first), visible(second));
    assert.deepEqual(
      visible(first).map(({ event }) => event),
      ['opened', 'updated', 'updated', 'announced'],
    );
    assert.doesNotMatch(JSON.stringify(first.seen()), /hidden|Inside alone|10\.0\.0\.1|Ann/);
  });
});

describe('a monitor that is removed while it is down', () => {
  it('is not called up again, since nothing is known of it and the page does not show it any more', async () => {
    const world = await openMails(head + monitors(''));
    world.apply(monitorTable.see({ id: 'web', name: 'Website', at: t0 }), opened('w', 'web'));
    world.pass(2 * minute);
    assert.equal(world.work().length, 1);
    // The outage ends with the removal, before the daemon goes by the new configuration.
    world.apply(monitorTable.remove({ id: 'web', at: t0 + 3 * minute }), closed('w', t0 + 3 * minute));
    world.pass(minute);
    assert.deepEqual(world.work(), []);
    world.apply(monitorTable.see({ id: 'web', name: 'Website', at: t0 + 4 * minute }));
    world.apply(opened('w2', 'web', { at: t0 + 5 * minute }));
    world.pass(5 * minute);
    assert.deepEqual(world.work(), ['[Status] web is down']);
    world.apply(closed('w2', t0 + 6 * minute));
    assert.deepEqual(world.work(), ['[Status] Resolved: web was down']);
  });
});

describe('readers are mailed about a maintenance', () => {
  const window = (end: string, title = 'New disks') =>
    `[[maintenance]]\ntitle = "${title}"\nstart = "2026-06-07T11:00:00Z"\nend = "2026-06-07T${end}:00Z"\nmonitors = ["web"]\n`;
  const server = head + monitors('');

  it('in their language where it has no title', async () => {
    const untitled = window('14:00').replace('title = "New disks"\n', '');
    const world = await openMails(`[page]\nlanguage = "de"\n${server}${untitled}`);
    assert.match(world.maintained().join(), /Wartung läuft: Wartung/);
  });

  it('that it is over, when it was made shorter or longer than planned', async () => {
    for (const [end, passMs] of [
      ['12:10', 20 * minute],
      ['15:00', 185 * minute],
    ] as const) {
      const world = await openMails(server + window('14:00'));
      assert.match(world.maintained().join(), /Maintenance now: New disks/);
      await world.reload(server + window(end));
      assert.deepEqual(world.maintained(), []);
      world.pass(passMs);
      assert.match(
        world.maintained().join(),
        new RegExp(`^Maintenance is over: New disks[^]*to [^]*${end} UTC`),
      );
      world.pass(minute);
      assert.deepEqual(world.maintained(), []);
    }
  });

  it('that it is over, when it is no longer planned while it is under way', async () => {
    const world = await openMails(server);
    const planned = { id: 1, uid: 'm', title: 'New disks', createdAt: t0 - 60 * minute };
    world.apply(
      maintenances.add({ ...planned, monitors: ['web'], startAt: t0 - minute, endAt: t0 + 60 * minute }),
    );
    assert.match(world.maintained().join(), /Maintenance now/);
    world.pass(5 * minute);
    world.apply(maintenances.cancel({ id: 1, uid: null, at: t0 + 5 * minute }));
    assert.match(world.maintained().join(), /Maintenance is over: New disks[^]*12:05 UTC[^]*Website/);
    await world.reload(server + window('14:00', 'Cables'));
    assert.match(world.maintained().join(), /Maintenance now: Cables/);
    await world.reload(server);
    assert.match(world.maintained().join(), /Maintenance is over: Cables[^]*12:05 UTC[^]*Website/);
    world.pass(minute);
    assert.deepEqual(world.maintained(), []);
  });

  const soon = { id: 1, uid: 'm', title: 'New disks', monitors: ['web'], createdAt: t0 - 60 * minute };
  const inTwoHours = { startAt: t0 + 120 * minute, endAt: t0 + 180 * minute };

  it('that it is cancelled, and that it is planned again', async () => {
    const world = await openMails(server);
    world.apply(maintenances.add({ ...soon, ...inTwoHours }));
    assert.match(world.maintained().join(), /^Planned maintenance: New disks/);
    for (const id of [2, 3]) {
      world.pass(minute);
      world.apply(maintenances.cancel({ id: id - 1, uid: null, at: t0 + minute }));
      assert.match(
        world.maintained().join(),
        /^Maintenance cancelled: New disks[^]*14:00 UTC to [^]*15:00 UTC[^]*Website/,
      );
      assert.deepEqual(world.maintained(), [], 'once');
      world.apply(maintenances.add({ ...soon, ...inTwoHours, id, uid: `m${id}` }));
      assert.match(world.maintained().join(), /^Planned maintenance: New disks/);
    }
    world.pass(121 * minute);
    assert.match(world.maintained().join(), /^Maintenance now: New disks/);
    world.pass(60 * minute);
    assert.match(world.maintained().join(), /^Maintenance is over: New disks/);
  });

  it('that it is cancelled and planned anew, in this order, when it is put off', async () => {
    const day = (start: string, monitors = '"web"') =>
      planned(monitors).replace('06-08T11', `06-08T${start}`);
    const world = await openMails(server + day('11'));
    assert.equal(world.maintained().length, 1);
    await world.reload(server + day('12'));
    const [cancelled, again, ...others] = world.maintained();
    assert.match(cancelled ?? '', /^Maintenance cancelled: New disks[^]*11:00 UTC to/);
    assert.match(again ?? '', /^Planned maintenance: New disks[^]*12:00 UTC to/);
    assert.deepEqual(others, []);
    await world.reload(server + day('12', '"web", "shop"'));
    assert.doesNotMatch(world.maintained().join(), /cancelled/, 'one that covers more is the same');
  });

  it('nothing of a cancellation when the announcement did not go out, or nobody may see it any more', async () => {
    const world = await openMails(server);
    world.apply(maintenances.add({ ...soon, ...inTwoHours }));
    world.apply(...world.mails.dueMaintenance().operations);
    world.apply(maintenances.cancel({ id: 1, uid: null, at: t0 }));
    assert.deepEqual(world.maintained(), []);
    world.apply(maintenances.add({ ...soon, ...inTwoHours, id: 2, uid: 'm2', title: 'Cables' }));
    assert.equal(world.maintained().length, 1);
    await world.reload(server.replaceAll('name = "Website"', 'public = false'));
    assert.deepEqual(world.maintained(), []);
    world.apply(maintenances.cancel({ id: 2, uid: null, at: t0 }));
    assert.deepEqual(world.maintained(), []);
  });

  it('nothing of a cancellation when the clock is set back', async () => {
    const world = await openMails(`${server}
[[maintenance]]
title = "Backup"
schedule = "0 12 * * *"
duration = "10m"
`);
    assert.equal(world.maintained().length, 7);
    world.pass(-10 * minute);
    assert.doesNotMatch(world.maintained().join(), /cancelled/);
  });

  it('nothing of a cancellation when the clock is set back by hours and a schedule has many windows', async () => {
    const hourly = `\n[[maintenance]]\ntitle = "Backup"\nschedule = "0 * * * *"\nduration = "10m"\n`;
    const world = await openMails(server + hourly);
    const announced = world.maintained().length;
    assert.ok(announced > 24, `${announced} mails`);
    for (const hours of [1, 3, 20]) {
      world.pass(-hours * 60 * minute);
      assert.doesNotMatch(world.maintained().join(), /cancelled/, `${hours} hours`);
    }
    await world.reload(server);
    assert.match(world.maintained().join(), /cancelled: Backup/);
  });

  it('nothing about the end of one whose monitors were hidden meanwhile', async () => {
    const world = await openMails(server + window('14:00'));
    assert.equal(world.maintained().length, 1);
    await world.reload(server.replaceAll('name = "Website"', 'public = false') + window('14:00'));
    assert.deepEqual(world.maintained(), []);
  });
});

describe('readers are mailed about an outage', () => {
  it('once its window is over, and not at all when it is over before', async () => {
    const world = await openMails(head + monitors(''));
    world.apply(opened('w', 'web'));
    assert.deepEqual(world.work(), []);
    world.pass(9000);
    assert.deepEqual(world.work(), []);
    world.apply(closed('w', t0 + 9500));
    world.pass(minute);
    assert.deepEqual(world.work(), []);
    world.apply(opened('w2', 'web', { at: t0 + 2 * minute }));
    world.pass(2 * minute);
    assert.deepEqual(world.work(), ['[Status] web is down']);
    world.apply(said('w2-1', 'w2'), closed('w2', t0 + 5 * minute));
    assert.deepEqual(world.work(), ['[Status] Identified: web was down', '[Status] Resolved: web was down']);
  });

  it('late, in one mail, when it could not be sent while it lasted', async () => {
    const world = await openMails(head + monitors(''));
    world.apply(opened('w', 'web'), said('w1', 'w'), closed('w', t0 + 10 * minute));
    world.pass(20 * minute);
    assert.deepEqual(world.work(), ['[Status] Resolved: web was down']);
    world.apply(opened('x', 'web', { at: t0 + 20 * minute }), closed('x', t0 + 30 * minute));
    world.pass(25 * 60 * minute);
    assert.deepEqual(world.work(), [], 'what is a day old is no news');
  });

  it('not while its cause lasts, unless they would not hear of the cause', async () => {
    const world = await openMails(head + monitors(''));
    world.apply(opened('w', 'web'), opened('s', 'shop'), opened('m', 'mobile', { cause: 'web' }));
    world.pass(minute);
    const sends = world.seen().flatMap((each) => (each.kind === 'send' ? [each] : []));
    const [web, mobile, ...others] = sends;
    assert.ok(web !== undefined && mobile !== undefined && others.length === 0);
    assert.deepEqual([web.groups, web.without], [['Front'], []]);
    assert.deepEqual([mobile.groups, mobile.without], [['Apps'], ['Front']]);
    assert.match(mobile.mail.text, /Because of Website\./);
    const gets = (wanted: string[]) => [isAddressed(wanted, web), isAddressed(wanted, mobile)];
    assert.deepEqual(
      [gets([]), gets(['Front']), gets(['Apps']), gets(['Front', 'Apps']), gets([''])],
      [
        [true, false],
        [true, false],
        [false, true],
        [true, false],
        [false, false],
      ],
    );
    world.work();
    // What comes back with its cause is not mailed; what stays down is, after the time of two checks.
    world.apply(closed('w', t0 + 2 * minute));
    world.pass(minute + 30_000);
    assert.deepEqual(world.work(), ['[Status] Resolved: web was down']);
    world.pass(5 * minute);
    assert.deepEqual(world.work(), ['[Status] shop is down']);
  });

  it('not before it is known whether what it depends on fails, for a while', async () => {
    const world = await openMails(head + monitors(''));
    world.states.set('web', {
      ...freshState,
      status: 'up',
      failures: { count: 1, sinceAt: t0 },
      knownAt: t0,
    });
    world.apply(opened('s', 'shop'));
    world.pass(minute);
    assert.deepEqual(world.work(), []);
    world.pass(5 * minute);
    assert.deepEqual(world.work(), ['[Status] shop is down']);
  });

  it('not under maintenance, but when that is over and it lasts', async () => {
    const window = `[[maintenance]]\ntitle = "Now"\nstart = "2026-06-07T11:00:00Z"\nend = "2026-06-07T12:30:00Z"\nmonitors = ["web"]\n`;
    const world = await openMails(head + monitors('') + window);
    world.apply(opened('w', 'web'), opened('m', 'mobile'));
    world.pass(20 * minute);
    assert.deepEqual(world.work(), []);
    world.apply(closed('m', t0 + 21 * minute));
    world.pass(11 * minute);
    assert.deepEqual(world.work(), ['[Status] web is down']);
  });

  it('never, when another program recorded it', async () => {
    const world = await openMails(head + monitors(''));
    const uid = pastUid('kuma', 'web', t0);
    world.apply(opened(uid, 'web'), closed(uid, t0 + 10 * minute));
    world.pass(11 * minute);
    assert.deepEqual(world.work(), []);
  });
});

describe('a mail', () => {
  it('holds what people write as text, in one line where it is a heading', async () => {
    const world = await openMails(`[page]\ntitle = "A & <b>"\nlanguage = "de"\n${head}${monitors('')}`);
    world.apply(
      declareIncident({
        id: 1,
        uid: 'o',
        title: 'Broken\r\nBcc: x@example.com <script>=?utf-8?q?x?=',
        impact: 'major',
        monitors: [],
        at: t0,
      }),
      said('o1', 'o'),
    );
    const [sent] = world.seen();
    assert.ok(sent?.kind === 'send');
    const { subject, text, html } = sent.mail;
    assert.doesNotMatch(subject, /[\r\n]|=\?/);
    assert.match(subject, /^\[A & <b>\] Ursache gefunden: Broken/);
    assert.doesNotMatch(html, /<script>|<b>/);
    assert.match(html, /lang="de"/);
    assert.match(text, /We know\./);
    assert.match(text, /Abbestellen: https:\/\/u\n$/);
    assert.match(text, /Einzelheiten: https:\/\/status\.example\.org\/incidents\/o\n/);
  });
});
