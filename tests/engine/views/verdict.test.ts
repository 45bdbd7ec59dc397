import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { causesFirst, incidentCards, verdictOf } from '../../../src/engine/views/verdict.ts';
import { overallOf } from '../../../src/engine/views/frame.ts';
import type { ReaderState } from '../../../src/engine/core/status.ts';
import type { ShownMonitor } from '../../../src/engine/views/page.ts';
import { madeUpDay } from '../../support/made-up-day.ts';

function monitorsOf(...states: readonly (readonly [ReaderState, cause?: string])[]): ShownMonitor[] {
  const [like] = madeUpDay('healthy', 1).summary.monitors;
  assert.ok(like !== undefined);
  return states.map(([state, cause = null], index) => {
    const status = state === 'maintenance' ? 'down' : state;
    return { ...like, id: String(index), status, state, cause };
  });
}

describe('the verdict', () => {
  const of = (...states: readonly (readonly [ReaderState, cause?: string])[]) => {
    const monitors = monitorsOf(...states);
    const { about, troubled, working, total } = verdictOf({ monitors, ...overallOf(monitors) });
    return [about.map(({ id }) => id), troubled.map(({ id }) => id), working, total];
  };

  it('is about the worst there is, the root causes first', () => {
    assert.deepEqual(of(['down', '2'], ['degraded'], ['down'], ['up'], ['maintenance']), [
      ['2', '0'],
      ['2', '0', '1', '4'],
      1,
      5,
    ]);
    assert.deepEqual(of(['degraded'], ['maintenance']), [['0'], ['0', '1'], 0, 2]);
    assert.deepEqual(of(['up'], ['unknown']), [[], [], 1, 2]);
  });

  it('takes a cause that is up again for none', () => {
    assert.deepEqual(of(['down', '1'], ['up'])[0], ['0']);
  });
});

describe('the cards of open incidents', () => {
  const incident = (id: string, impacted: readonly string[] = []) => {
    return { uid: `of-${id}`, monitor: id as string | null, monitors: [id], impacted };
  };
  const cards = (all: readonly ReturnType<typeof incident>[], causes: Readonly<Record<string, string>>) =>
    incidentCards(all, (id) => causes[id] ?? null).map(({ incident: one, dependents }) => [
      one.uid,
      dependents.join(),
    ]);

  it('are one for each root cause, with what it took along', () => {
    const all = [incident('web'), incident('api'), incident('db', ['queue']), incident('mail')];
    assert.deepEqual(cards(all, { web: 'api', api: 'db' }), [
      ['of-db', 'web,api,queue'],
      ['of-mail', ''],
    ]);
  });

  it('stand before what they took along where all are listed, and none is left out or listed twice', () => {
    const all = [incident('web'), incident('mail'), incident('api'), incident('db', ['web'])];
    const listed = (causes: Readonly<Record<string, string>>) =>
      causesFirst(all, (id) => causes[id] ?? null).map(({ uid }) => uid);
    assert.deepEqual(listed({ web: 'api', api: 'db' }), ['of-mail', 'of-db', 'of-web', 'of-api']);
    assert.deepEqual(listed({}), ['of-web', 'of-mail', 'of-api', 'of-db']);
    for (const causes of [{ web: 'api', api: 'web' }, { web: 'web' }, { web: 'nothing' }])
      assert.deepEqual(listed(causes).toSorted(), all.map(({ uid }) => uid).toSorted());
  });

  it('are of their own when the cause has no incident here, and end where causes go round', () => {
    assert.deepEqual(cards([incident('web')], { web: 'hidden' }), [['of-web', '']]);
    assert.ok(cards([incident('a'), incident('b')], { a: 'b', b: 'a' }).length > 0);
  });

  it('are one for what an operator opened, with the monitors that it is about', () => {
    const opened = { ...incident(''), monitor: null, monitors: ['web', 'api'] };
    assert.deepEqual(cards([opened, incident('db')], {}), [
      ['of-', 'web,api'],
      ['of-db', ''],
    ]);
  });
});
