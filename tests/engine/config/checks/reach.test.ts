/** Where nobody would hear of an outage, the configuration says so when it is read. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { severityOf } from '../../../../src/engine/alerting/events/catalogue.ts';
import { reachedBy } from '../../../../src/engine/alerting/climb-outage.ts';
import { routed } from '../../../../src/engine/alerting/filter.ts';
import { gravest } from '../../../../src/engine/config/checks/reach.ts';
import { load } from '../../../support/config.ts';
import { casesOf, printedSeed, randomOf } from '../../../support/random.ts';

const channel = (name: string, keys = '') =>
  `[[channels]]\nname = "${name}"\ntype = "ntfy"\nurl = "https://ntfy.example/${name}"\n${keys}\n`;
const monitor = (id: string, keys = '') =>
  `[[monitors]]\nid = "${id}"\ntarget = "https://${id}.example"\n${keys}\n`;

const warned = async (toml: string) =>
  (await load(toml)).warnings
    .map(({ subject, message }) => `${subject} ${message}`)
    .filter((text) => /nobody|outages/.test(text));

const deaf = ': by their filters none of the channels takes them';

describe('an outage', () => {
  it('is heard of by default, and without channels there is a page and nothing else', async () => {
    assert.deepEqual(await warned(channel('ops') + monitor('web')), []);
    assert.deepEqual(await warned(monitor('web')), []);
  });

  it('reaches nobody where the filters of all its channels leave it out', async () => {
    for (const keys of [
      'min_severity = "critical"',
      'events = ["cert_expiring"]',
      'monitors = []',
      'groups = []',
    ])
      assert.deepEqual(
        await warned(channel('ops', keys) + monitor('web')),
        [`monitor "web": its outages reach nobody${deaf}`],
        keys,
      );
    const critical = channel('ops', 'min_severity = "critical"') + monitor('web', 'critical = true');
    assert.deepEqual(await warned(critical), []);
    const others = channel('ops', 'min_severity = "critical"') + channel('all') + monitor('web');
    assert.deepEqual(await warned(others), []);
    assert.deepEqual(await warned(`${others}notify = ["ops"]`), [
      `monitor "web": its outages reach nobody${deaf}`,
    ]);
  });

  it('of several monitors is one warning for each fault', async () => {
    const toml =
      channel('ops', 'monitors = ["b"]') +
      ['a', 'b', 'c', 'd'].map((id) => monitor(id, 'notify = ["ops"]')).join('');
    assert.deepEqual(await warned(toml), [
      `monitor "a": its outages and those of c and d reach nobody${deaf}`,
    ]);
  });

  it('reaches nobody where an empty secret disables the channels that it goes to', async () => {
    const off = '[[channels]]\nname = "off"\ntype = "ntfy"\nurl = "${NOT_SET}"\n';
    const rotation =
      '[[rotations]]\nname = "crew"\nmembers = ["off"]\nevery = "7d"\nfrom = 2026-01-01T00:00:00Z\n';
    for (const notify of ['"off"', '"crew"', '"crew", "off"'])
      assert.deepEqual(
        await warned(off + channel('ops') + rotation + monitor('web', `notify = [${notify}]`)),
        ['monitor "web": its outages reach nobody: all channels they lead to are disabled'],
        notify,
      );
    assert.deepEqual(await warned(off + monitor('web')), [
      'monitor "web": its outages reach nobody: all channels they lead to are disabled',
    ]);
  });

  it('reaches nobody in the turn of a member that does not take it', async () => {
    const toml =
      channel('ann') +
      channel('ben', 'min_severity = "critical"') +
      '[[rotations]]\nname = "crew"\nmembers = ["ann", "ben"]\nevery = "7d"\nfrom = 2026-01-01T00:00:00Z\n' +
      monitor('web', 'notify = ["crew"]');
    assert.deepEqual(await warned(toml), [
      'monitor "web": its outages reach nobody while it is the turn of "ben", which does not take them',
    ]);
  });

  it('of a peer, and the digest, are heard of as well', async () => {
    const toml = `${channel('ops', 'events = ["down"]')}[digest]\n[health]\nid = "a"\n[[peers]]\nid = "b"\nlisten_token = "0123456789abcdef"\nexpect_every_secs = 90\n${monitor('web')}`;
    assert.deepEqual(await warned(toml), [
      `peer "b": its outages reach nobody${deaf}`,
      'digest: is sent to nobody: by their filters none of the channels takes them',
    ]);
  });

  it('is as severe as is taken for granted here', () => {
    for (const { event, severity } of Object.values(gravest)) assert.equal(severityOf(event, null), severity);
  });

  const count = casesOf(300, 3000);
  it(`is said to reach nobody exactly where routing leads it nowhere, in ${count} configurations`, async () => {
    const random = randomOf(printedSeed());
    const pick = <T>(list: readonly T[]): T => list[random.below(list.length)] as T;
    const some = (names: readonly string[]) => names.filter(() => random.below(2) === 0);
    const quotes = (names: readonly string[]) => `[${names.map((name) => `"${name}"`).join(', ')}]`;
    for (let number = 0; number < count; number += 1) {
      const names = ['x', 'y', 'z'].slice(0, 1 + random.below(3));
      const filters = [
        '',
        '',
        'min_severity = "critical"',
        'min_severity = "error"',
        'events = ["down"]',
        'events = ["degraded", "unknown"]',
        'monitors = ["web"]',
        'monitors = ["other"]',
        'groups = ["front"]',
      ];
      const members = some(names);
      const crew =
        members.length === 0
          ? ''
          : `[[rotations]]\nname = "crew"\nmembers = ${quotes(members)}\nevery = "1h"\nfrom = 2026-01-01T00:00:00Z\n`;
      const led = [...some(names), ...(crew === '' ? [] : some(['crew']))];
      const notify = led.length === 0 ? '' : `notify = ${quotes(led)}`;
      const steps = pick([true, false, false])
        ? '[[escalations]]\nname = "up"\nsteps = [{ after_secs = 60, notify = ["x"] }]\n'
        : '';
      const toml =
        names
          .map((name) =>
            random.below(4) === 0
              ? `[[channels]]\nname = "${name}"\ntype = "ntfy"\nurl = ""\n`
              : channel(name, pick(filters)),
          )
          .join('') +
        crew +
        steps +
        monitor('other', 'group = "front"') +
        monitor(
          'web',
          `${notify}\ncritical = ${pick([true, false, false])}\n${steps === '' ? '' : 'escalation = "up"'}`,
        );
      const { config, warnings } = await load(toml);
      const web = config.monitors[1];
      assert.ok(web !== undefined);
      // Every turn that there is.
      const isDeaf = [0, 1, 2].some((turn) => {
        const at = Date.UTC(2026, 5, 1) + turn * 3_600_000;
        const said = { event: 'down', severity: 'error', monitor: web } as const;
        if (web.escalation !== null && reachedBy(null, said, { config, at }).length > 0) return false;
        return routed(web.notify, config, { ...said, at }).channels.length === 0;
      });
      const isSaid = warnings.some(
        ({ path, message }) =>
          /reach nobody/.test(message) && (path[1] === 1 || / those of (?:.* and )?web /.test(message)),
      );
      assert.equal(isSaid, isDeaf, toml);
    }
  });
});
