import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { marks } from '../../../src/engine/core/sample-history.ts';
import { readHistory } from '../../../src/db/read/history.ts';
import type { SqlReader } from '../../../src/db/store/sql.ts';
import { samples } from '../../../src/db/tables/samples.ts';
import { openFacts } from '../../support/facts.ts';
import { realisticHour } from '../../support/samples.ts';

const startAt = 490_000 * 3_600_000;

describe('the history of a monitor', () => {
  it('is what is stored, whichever way it lies there', async () => {
    const { sql, apply } = await openFacts();
    const packed = Array.from({ length: 30 }, (_, hour) => realisticHour(hour, { jitterSecs: 0 })).flat();
    apply(...samples.addHistory('api', packed));
    const lastAt = packed.at(-1)?.at ?? 0;
    const row = {
      monitor: 'api',
      status: 'degraded',
      latencyMs: 900,
      holdSecs: 82,
      isHeartbeat: false,
    } as const;
    apply(
      samples.add({ ...row, at: lastAt + 3_600_000, category: null, message: null }),
      samples.add({ ...row, at: lastAt + 3_660_000, category: 'status', message: 'exit 1' }),
    );
    const between = { fromAt: startAt + 90_000, toAt: lastAt + 3_700_000 };
    const listed = samples.list(sql, 'api', between);
    const history = readHistory(sql, 'api', { ...between, isPush: false });
    assert.deepEqual(
      [...history.ats],
      listed.map(({ at }) => at),
    );
    assert.deepEqual(
      [...history.latencies],
      listed.map(({ latencyMs }) => latencyMs ?? Number.NaN),
    );
    assert.deepEqual([...history.marks.slice(-2)], [marks.answered, marks.warned]);
    assert.equal(
      history.marks.filter((mark) => mark === marks.failed).length,
      listed.filter(({ status }) => status === 'down').length,
    );
  });

  it('has a gap where a block is damaged, and is empty for an unknown monitor', async () => {
    const { sql, apply } = await openFacts();
    const hours = Array.from({ length: 3 }, (_, hour) => realisticHour(hour, { jitterSecs: 0 })).flat();
    apply(...samples.addHistory('api', hours));
    const [slot = 0] = sql.all('SELECT slot FROM packed_hours ORDER BY slot LIMIT 1', [], (row) =>
      row.number('slot'),
    );
    sql.run('UPDATE packed_hours SET block = ? WHERE slot = ?', new Uint8Array([1, 2, 3, 4, 5, 6]), slot);
    const between = { fromAt: startAt, toAt: startAt + 10 * 3_600_000, isPush: false };
    assert.ok(readHistory(sql, 'api', between).ats.length < 180);
    assert.equal(readHistory(sql, 'none', between).ats.length, 0);
  });

  it('asks for no hour before the first one or after the last, however far back it looks', async () => {
    const { sql, apply } = await openFacts();
    const hours = Array.from({ length: 3 }, (_, hour) => realisticHour(hour, { jitterSecs: 0 })).flat();
    apply(...samples.addHistory('api', hours));
    let asked = 0;
    const counting: SqlReader = {
      ...sql,
      get: (query, params, read) => {
        asked += 1;
        return sql.get(query, params, read);
      },
    };
    const tenYearsMs = 3650 * 86_400_000;
    const between = { fromAt: startAt - tenYearsMs, toAt: startAt + tenYearsMs, isPush: false };
    assert.equal(readHistory(counting, 'api', between).ats.length, 180);
    assert.ok(asked < 10, `${asked} queries`);
  });
});
