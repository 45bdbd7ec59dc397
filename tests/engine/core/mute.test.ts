import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  muteOf,
  type MaintenanceWindow,
  type Muting,
  type ActiveSilence,
} from '../../../src/engine/core/mute.ts';
import { randomOf } from '../../support/random.ts';

interface Given {
  readonly silences?: readonly ActiveSilence[];
  readonly maintenances?: readonly MaintenanceWindow[];
  readonly nowAt?: number;
}

function mute(monitor: string, { silences = [], maintenances = [], nowAt = 100 }: Given): Muting {
  return muteOf(monitor, { mutes: { silences, maintenances }, nowAt });
}

const window = (startAt: number, endAt: number, ...monitors: string[]): MaintenanceWindow => ({
  title: `${startAt} to ${endAt}`,
  startAt,
  endAt,
  monitors,
});

const open: Muting = { kind: 'open' };

describe('a silence', () => {
  it('mutes the monitors it names until it ends', () => {
    const silences = [{ id: 1, monitors: ['web', 'mail'], untilAt: 200 }];
    assert.deepEqual(mute('mail', { silences }), {
      kind: 'muted',
      untilAt: 200,
      by: [{ kind: 'silence', id: 1 }],
    });
    assert.deepEqual(mute('router', { silences }), open);
    assert.equal(mute('mail', { silences, nowAt: 199 }).kind, 'muted');
    assert.deepEqual(mute('mail', { silences, nowAt: 200 }), open);
  });
  it('of all mutes all', () => {
    const silences = [{ id: 1, monitors: null, untilAt: 200 }];
    for (const monitor of ['router', 'shop', 'mail', 'new'])
      assert.equal(mute(monitor, { silences }).kind, 'muted');
  });
  it('of no monitor mutes none', () => {
    assert.deepEqual(mute('mail', { silences: [{ id: 1, monitors: [], untilAt: 200 }] }), open);
  });
});

describe('a maintenance window', () => {
  it('mutes from its start to before its end', () => {
    const maintenanceWindows = [window(100, 200, 'mail')];
    assert.deepEqual(mute('mail', { maintenances: maintenanceWindows, nowAt: 99 }), open);
    assert.equal(mute('mail', { maintenances: maintenanceWindows, nowAt: 100 }).kind, 'muted');
    assert.equal(mute('mail', { maintenances: maintenanceWindows, nowAt: 199 }).kind, 'muted');
    assert.deepEqual(mute('mail', { maintenances: maintenanceWindows, nowAt: 200 }), open);
  });
  it('without monitors covers all', () => {
    assert.deepEqual(mute('mail', { maintenances: [window(0, 200)] }), {
      kind: 'muted',
      untilAt: 200,
      by: [{ kind: 'maintenance', title: '0 to 200' }],
    });
  });
});

describe('several mutes', () => {
  it('that follow each other are one, and those of now are named apart from those that follow', () => {
    const muting = mute('mail', {
      silences: [{ id: 3, monitors: ['mail'], untilAt: 150 }],
      maintenances: [
        window(300, 400, 'mail'),
        window(140, 300, 'mail'),
        window(90, 110),
        window(500, 600, 'mail'),
      ],
    });
    assert.deepEqual(muting, {
      kind: 'muted',
      untilAt: 400,
      by: [
        { kind: 'silence', id: 3 },
        { kind: 'maintenance', title: '90 to 110' },
      ],
      then: [
        { kind: 'maintenance', title: '140 to 300' },
        { kind: 'maintenance', title: '300 to 400' },
      ],
    });
  });

  it('end exactly when a look at every instant says so, in 2,000 random cases', () => {
    const seed = Number(process.env['STATUSD_SEED'] ?? Date.now() % 2 ** 31);
    console.log(`  seed ${seed}`);
    const random = randomOf(seed);
    const ids = ['router', 'web', 'shop', 'mail'];
    const someIds = () => ids.filter(() => random.below(3) === 0);
    let muted = 0;
    for (let round = 0; round < 2000; round++) {
      const silences = Array.from({ length: random.below(3) }, (_, id) => ({
        id,
        monitors: random.below(5) === 0 ? null : someIds(),
        untilAt: random.below(60),
      }));
      const maintenanceWindows = Array.from({ length: random.below(4) }, () => {
        const startAt = random.below(50);
        return window(startAt, startAt + random.below(30), ...someIds());
      });
      const monitor = random.pick(ids);
      const nowAt = random.below(60);
      const muting = mute(monitor, { silences, maintenances: maintenanceWindows, nowAt });
      let end = nowAt;
      while (mute(monitor, { silences, maintenances: maintenanceWindows, nowAt: end }).kind === 'muted')
        end++;
      if (muting.kind === 'muted') muted++;
      assert.equal(muting.kind === 'muted' ? muting.untilAt : nowAt, end, `seed ${seed}, round ${round}`);
    }
    assert.ok(muted > 300 && muted < 1700, `${muted} are muted`);
  });
});
