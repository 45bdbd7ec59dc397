/** Page, plain text, badges, icon, the API of Statuspage and the summary count the same, in every state. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { declareIncident } from '../../../src/db/tables/recorded-incidents.ts';
import type { OverallState, Status } from '../../../src/engine/core/status.ts';
import { monitorTables, openWorld, startAt, upBefore, type World } from '../world.ts';

const ids = ['a', 'b', 'c'] as const;

const config = (maintained: string) =>
  `rate_limit_burst = 10000\n${monitorTables(ids)}${
    maintained === ''
      ? ''
      : `[[maintenance]]\ntitle = "New disks"\nstart = "2026-06-07T11:00:00Z"\nend = "2026-06-07T13:00:00Z"\nmonitors = ["${maintained}"]\n`
  }`;

interface State {
  /** Of a, b and c. */
  readonly are: readonly [Status, Status, Status];
  /** Whose last check failed, which nothing confirmed; it is `degraded` by its checks. */
  readonly failing?: string;
  readonly maintained?: string;
  /** The impact of the incident that an operator opened. */
  readonly declared?: 'none' | 'maintenance' | 'degraded' | 'partial' | 'major';
  /** How everything is, and what badges, icon and the colour of the page say of it. */
  readonly all: OverallState;
  readonly tone?: 'up' | 'degraded' | 'down';
  /** As plain text counts; the others count the same. */
  readonly counts: string;
}

const states: Readonly<Record<string, State>> = {
  'all up': { are: ['up', 'up', 'up'], all: 'up', counts: '3 up' },
  'one down': { are: ['down', 'up', 'up'], all: 'partial_outage', counts: '1 down, 2 up' },
  'two down': { are: ['down', 'down', 'up'], all: 'major_outage', counts: '2 down, 1 up' },
  'one degraded': { are: ['degraded', 'up', 'up'], all: 'degraded', counts: '1 degraded, 2 up' },
  'one without data': { are: ['unknown', 'up', 'up'], all: 'up', counts: '2 up, 1 without data' },
  'no data': { are: ['unknown', 'unknown', 'unknown'], all: 'unknown', counts: '3 without data' },
  'one under maintenance': {
    are: ['up', 'up', 'up'],
    maintained: 'a',
    all: 'maintenance',
    counts: '2 up, 1 in maintenance',
  },
  'one down under maintenance': {
    are: ['down', 'up', 'up'],
    maintained: 'a',
    all: 'maintenance',
    counts: '2 up, 1 in maintenance',
  },
  'one degraded under maintenance': {
    are: ['degraded', 'up', 'up'],
    maintained: 'a',
    all: 'maintenance',
    counts: '2 up, 1 in maintenance',
  },
  'one down, another under maintenance': {
    are: ['down', 'down', 'up'],
    maintained: 'a',
    all: 'partial_outage',
    counts: '1 down, 1 up, 1 in maintenance',
  },
  'one degraded, another under maintenance': {
    are: ['down', 'degraded', 'up'],
    maintained: 'a',
    all: 'degraded',
    counts: '1 degraded, 1 up, 1 in maintenance',
  },
  'an unconfirmed failure': { are: ['degraded', 'up', 'up'], failing: 'a', all: 'up', counts: '3 up' },
  'an unconfirmed failure, another degraded': {
    are: ['degraded', 'degraded', 'up'],
    failing: 'a',
    all: 'degraded',
    counts: '1 degraded, 2 up',
  },
  'an unconfirmed failure under maintenance': {
    are: ['degraded', 'up', 'up'],
    failing: 'a',
    maintained: 'a',
    all: 'maintenance',
    counts: '2 up, 1 in maintenance',
  },
  'all up, an operator says: no impact': {
    are: ['up', 'up', 'up'],
    declared: 'none',
    all: 'up',
    counts: '3 up',
  },
  'all up, an operator says: in part': {
    are: ['up', 'up', 'up'],
    declared: 'partial',
    all: 'partial_outage',
    tone: 'degraded',
    counts: '3 up',
  },
  'all up, an operator says: major': {
    are: ['up', 'up', 'up'],
    declared: 'major',
    all: 'major_outage',
    counts: '3 up',
  },
  'one degraded, an operator says: no impact': {
    are: ['degraded', 'up', 'up'],
    declared: 'none',
    all: 'degraded',
    counts: '1 degraded, 2 up',
  },
  'one degraded, an operator says: degraded': {
    are: ['degraded', 'up', 'up'],
    declared: 'degraded',
    all: 'degraded',
    counts: '1 degraded, 2 up',
  },
  'one degraded, an operator says: in part': {
    are: ['degraded', 'up', 'up'],
    declared: 'partial',
    all: 'partial_outage',
    tone: 'degraded',
    counts: '1 degraded, 2 up',
  },
  'one degraded, an operator says: major': {
    are: ['degraded', 'up', 'up'],
    declared: 'major',
    all: 'major_outage',
    counts: '1 degraded, 2 up',
  },
  'one down, an operator says: degraded': {
    are: ['down', 'up', 'up'],
    declared: 'degraded',
    all: 'partial_outage',
    counts: '1 down, 2 up',
  },
  'one down, an operator says: major': {
    are: ['down', 'up', 'up'],
    declared: 'major',
    all: 'major_outage',
    counts: '1 down, 2 up',
  },
  'two down, an operator says: in part': {
    are: ['down', 'down', 'up'],
    declared: 'partial',
    all: 'major_outage',
    counts: '2 down, 1 up',
  },
  'one under maintenance, an operator says: degraded': {
    are: ['down', 'up', 'up'],
    maintained: 'a',
    declared: 'degraded',
    all: 'degraded',
    counts: '2 up, 1 in maintenance',
  },
  'one under maintenance, an operator says: maintenance': {
    are: ['down', 'up', 'up'],
    maintained: 'a',
    declared: 'maintenance',
    all: 'maintenance',
    counts: '2 up, 1 in maintenance',
  },
};

const tones = {
  ...{ up: 'up', degraded: 'degraded', maintenance: 'maintenance', unknown: 'unknown' },
  ...{ partial_outage: 'down', major_outage: 'down' },
} as const;

const indicators = {
  ...{ up: 'none', degraded: 'minor', maintenance: 'none', unknown: 'minor' },
  ...{ partial_outage: 'major', major_outage: 'critical' },
} as const;

const labels = {
  ...{ up: 'All systems operational', degraded: 'Degraded performance', maintenance: 'Under maintenance' },
  ...{ partial_outage: 'Partial outage', major_outage: 'Major outage', unknown: 'No data yet' },
} as const;

/** Of a monitor: what its badge says, by the words of Statuspage. */
const words: Readonly<Record<string, readonly string[]>> = {
  operational: ['up'],
  degraded_performance: ['degraded', 'unknown'],
  under_maintenance: ['maintenance'],
  major_outage: ['down'],
};

describe('what readers see is the same everywhere', () => {
  let world: World;
  before(async () => {
    world = await openWorld(config(''));
    await world.store.write(upBefore(ids));
  });
  after(() => world.close());

  const text = async (path: string, accept = 'text/html') =>
    (await world.ask(path, { headers: { accept } })).text;
  const json = async (path: string) => JSON.parse(await text(path, 'application/json')) as unknown;
  const first = (pattern: RegExp, of: string) => pattern.exec(of)?.[1];

  let id = 0;
  for (const [name, state] of Object.entries(states)) {
    it(`with ${name}`, async () => {
      const { are, failing, maintained = '', declared, all, tone = tones[all], counts } = state;
      id += 1;
      await world.reload(config(maintained));
      ids.forEach((one, index) => world.engine.statuses.set(one, are[index] ?? 'unknown'));
      world.engine.failing.clear();
      if (failing !== undefined) world.engine.failing.add(failing);
      const uid = `by-hand-${id}`;
      const said = { id, uid, title: 'Payments fail', monitors: [], at: startAt };
      if (declared !== undefined) await world.store.write([declareIncident({ ...said, impact: declared })]);
      world.clock.advance(10_000);
      try {
        const page = await text('/');
        const plain = await text('/', 'text/plain');
        const status = (await json('/api/v2/status.json')) as { status: { indicator: string } };
        const summary = (await json('/api/summary')) as { overall_state: string; overall_label: string };
        const label =
          all === 'up' && counts.includes('without') ? 'Operational, as far as is known' : labels[all];
        assert.deepEqual(
          {
            page: first(/class="verdict v-([a-z]+)/, page),
            icon: first(/<title>([a-z]+)</, await text('/favicon.svg')),
            badge: first(/<title>[^<]*: ([a-z]+)</, await text('/api/badge/_overall/status')),
            indicator: status.status.indicator,
            plain: plain.includes(`\n${label.toUpperCase()}  `),
            summary: [summary.overall_state, summary.overall_label],
          },
          {
            ...{ page: tone, icon: tone, badge: tone, indicator: indicators[all], plain: true },
            summary: [all, label],
          },
        );
        const up = Number(/(\d+) up/.exec(counts)?.[1] ?? 0);
        assert.equal(first(/^[A-Z, ]+ {2}(\d.*)$/m, plain), counts);
        if (all !== 'unknown')
          assert.ok(
            page.includes(`${up} of 3 services ${up === 1 ? 'works' : 'work'} normally`),
            page.slice(0, 3000),
          );
        if (declared === 'major')
          assert.match(
            page,
            are[0] === 'down' ? /<h1><bdi>a<\/bdi> is down</ : /<h1><bdi>Payments fail<\/bdi></,
          );
        const { components } = (await json('/api/v2/components.json')) as {
          components: readonly { id: string; status: string }[];
        };
        for (const one of components) {
          const badge = first(/<title>[^<]*: ([a-z]+)</, await text(`/api/badge/${one.id}/status`)) ?? '';
          assert.ok(
            words[one.status]?.includes(badge),
            `${one.id} is ${one.status}, and ${badge} on its badge`,
          );
        }
        assert.equal(components.filter(({ status: of }) => of === 'operational').length, up);
      } finally {
        if (declared !== undefined)
          await world.store.write([incidents.close({ uid, endedAt: world.clock.now() })]);
      }
    });
  }
});
