import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withKumaDatabase } from '../../../../src/commands/import/kuma/database.ts';
import { maxOutages } from '../../../../src/commands/import/history/outages.ts';
import { scanHeartbeats } from '../../../../src/commands/import/kuma/heartbeats.ts';
import { pastOutages } from '../../../../src/commands/import/kuma/outages.ts';
import { inFile } from '../../../support/in-file.ts';
import { type KumaRow, kumaDatabase } from '../../../support/kuma-database.ts';

const startAt = Date.UTC(2026, 0, 1);
const minute = (number: number) => startAt + number * 60_000;

const statuses = { d: 0, u: 1, r: 2, m: 3 } as const;
type Letter = keyof typeof statuses;

/** A heartbeat a minute: down, up, retried, maintenance; in capitals those that Kuma calls important. */
function beats(letters: string, monitorId = 1): KumaRow[] {
  return Array.from(letters).flatMap((letter, index) => {
    const word = letter.toLowerCase();
    if (!(word in statuses)) return [];
    const time = new Date(minute(index)).toISOString().replace('T', ' ').replace('Z', '');
    const important = word === letter ? 0 : 1;
    return [
      { monitor_id: monitorId, status: statuses[word as Letter], important, time, msg: `beat ${index}` },
    ];
  });
}

async function outagesIn(rows: readonly KumaRow[], sinceAt = 0) {
  const bytes = await kumaDatabase('1.23', { heartbeat: rows });
  return inFile(bytes, (file) =>
    withKumaDatabase(file, async (sql) => {
      const beats = await scanHeartbeats(sql, {
        onProgress: () => undefined,
        yieldTurn: () => Promise.resolve(),
      });
      return pastOutages(sql, beats.get(1)?.changes ?? [], { sinceAt });
    }),
  );
}

/** `2-4>7`: first failed in minute 2, called down in 4, over in 7. */
const shortly = ({ outages }: Awaited<ReturnType<typeof outagesIn>>) =>
  outages.map(({ startedAt, confirmedAt, endedAt }) =>
    [startedAt, confirmedAt, endedAt]
      .map((at) => String((at - startAt) / 60_000))
      .join(' ')
      .replace(/^(\S+) (\S+) (\S+)$/, '$1-$2>$3'),
  );

describe('pastOutages', () => {
  const cases: Readonly<Record<string, readonly [letters: string, ...found: string[]]>> = {
    'begins with the retries before it was called down': ['UurrDddUu', '2-4>7'],
    'begins when it was called down where nothing was retried': ['UuDdUu', '2-2>4'],
    'does not begin with retries that ended well': ['UrruuDU', '5-5>6'],
    'ends with a maintenance': ['UDdMmUu', '1-1>3'],
    'begins after a maintenance': ['MDU', '1-1>2'],
    'may be the first thing Kuma saw': ['rDdU', '0-1>3'],
    'is one, however often it is called down': ['UDDdDU', '1-1>5'],
    'is none where Kuma retried and it was well': ['UrruMmUrru'],
    'may come again': ['UDUrDUu', '1-1>2', '3-4>5'],
    'has an end although heartbeats were deleted': ['U..D....U', '3-3>8'],
  };
  for (const [title, [letters, ...found]] of Object.entries(cases)) {
    it(`an outage ${title}: ${letters}`, async () => {
      const past = await outagesIn(beats(letters));
      assert.deepEqual(shortly(past), found);
      assert.equal(past.unfinished, 0);
    });
  }

  it('counts what was not over, and is of one monitor alone', async () => {
    const past = await outagesIn([...beats('UDUrDdd'), ...beats('UdDU', 2)]);
    assert.deepEqual([shortly(past), past.unfinished], [['1-1>2'], 1]);
    assert.equal(past.outages[0]?.message, 'beat 1');
  });

  it('counts entries that are too old or beyond the limit', async () => {
    const past = await outagesIn(beats('UDUDU'), minute(3));
    assert.deepEqual([shortly(past), past.tooOld], [['3-3>4'], 1]);
    const many = await outagesIn(beats('DU'.repeat(maxOutages + 5)));
    assert.deepEqual([many.outages.length, many.tooMany], [maxOutages, 5]);
    assert.equal(shortly(many)[0], '10-10>11');
  });

  it('passes over heartbeats whose time is none, and messages of any kind', async () => {
    const odd: KumaRow[] = [
      { monitor_id: 1, status: 0, important: 1, time: 'yesterday', msg: null },
      { monitor_id: 1, status: 0, important: 1, time: '2026-01-01 00:00:30', msg: null },
      { monitor_id: 1, status: 1, important: 1, time: '2026-01-01 00:01:30', msg: 5 },
    ];
    const past = await outagesIn(odd);
    assert.deepEqual(past.outages, [
      { startedAt: startAt + 30_000, confirmedAt: startAt + 30_000, endedAt: startAt + 90_000, message: '' },
    ]);
  });
});
