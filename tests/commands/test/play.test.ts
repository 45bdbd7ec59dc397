import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { base, fileOf, played, notifiedIn } from './world.ts';

const test = (rest: string) => `${base}[[tests]]\nname = "x"\n${rest}\n`;
const event = (rest: string) => `\n[[tests.events]]\n${rest}`;

describe('playing a test', () => {
  it('checks every monitor from the start on, once an interval', async () => {
    assert.deepEqual(await notifiedIn(test('series.api = "down x4, up"')), [
      '2m30s ops: down api',
      '4m ops: recovered api',
    ]);
    const fast = 'settings.monitors = [{ id = "api", interval_secs = 10 }]\nseries.api = "down x9, up"';
    assert.deepEqual(await notifiedIn(test(fast)), ['50s ops: down api', '1m30s ops: recovered api']);
  });

  it('has a message that is due out before a check of the same instant', async () => {
    const fast = 'settings.monitors = [{ id = "api", interval_secs = 30 }]\n';
    assert.deepEqual(await notifiedIn(test(`${fast}series.api = "down x3, up"`)), [
      '1m30s ops: down api',
      '1m30s ops: recovered api',
    ]);
  });

  it('asks a target that is checked rarely in between, as it is then', async () => {
    const slow = 'settings.monitors = [{ id = "db", interval_secs = 3600 }]\n';
    const notified = await notifiedIn(
      test(`${slow}series.db = "up for 30s, down for 5m, up"\nseries.api = "up, down x9, up"`),
    );
    assert.match(notified.join('\n'), /^\S+ ops: down db, naming api\n/);
  });

  it('takes no check while the daemon is away, and none where the series has none', async () => {
    const away = event('at = "30s"\nrestart = true\nfor = "10m"');
    assert.deepEqual(await notifiedIn(test(`series.api = "up, down x10, up"${away}`)), []);
    assert.deepEqual(await notifiedIn(test('series.api = "up, down x2, - x10, up"')), []);
  });

  it('changes the configuration on a reload, also the one of the channels', async () => {
    const reload = event(
      'at = "4m"\nreload = { channels = [{ name = "chat", type = "ntfy", url = "https://n.example/x" }] }',
    );
    assert.deepEqual(await notifiedIn(test(`series.api = "up x5, down x5, up"${reload}`)), [
      '7m30s ops: down api',
      '7m30s chat: down api',
      '10m ops: recovered api',
      '10m chat: recovered api',
    ]);
  });

  it('watches the error budget', async () => {
    const slo = 'settings.monitors = [{ id = "api", slo_uptime = 99.9 }]\n';
    const unconfirmed = Array.from({ length: 6 }, () => 'down x2, up').join(', ');
    const notified = await notifiedIn(test(`${slo}series.api = "up x60, ${unconfirmed}, up"`));
    assert.ok(
      notified.some((line) => line.endsWith('ops: budget_burn api')),
      notified.join('\n'),
    );
  });

  it('continues after the last event it names, so that no event is missed', async () => {
    const [plain, silenced, bounded] = (
      await fileOf(
        `${test('series.api = "up, down"')}${test(
          `series.api = "up, down"${event('at = "1m"\nsilence = "all"\nfor = "2h"')}`,
        ).replace(base, '')}${test('until = "5m"').replace(base, '')}`,
      )
    ).tests;
    assert.ok(plain !== undefined && silenced !== undefined && bounded !== undefined);
    assert.deepEqual(
      [await played(plain), await played(silenced), await played(bounded)].map(({ endMs }) => endMs / 60_000),
      [12.5, 131.5, 5],
    );
  });

  it('keeps one test from another', async () => {
    const one = test('series.api = "up, down x5, up"');
    assert.deepEqual(await notifiedIn(one), await notifiedIn(one));
    assert.deepEqual(await notifiedIn(test('series.api = "up"')), []);
  });
});
