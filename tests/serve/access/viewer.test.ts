/** The one rule of visibility, for everyone there is; and that what a token does not open is missing over HTTP. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { isVisibleTo, type Viewer } from '../../../src/serve/access/viewer.ts';
import { openWorld, type World } from '../world.ts';

const monitors = [
  { id: 'web', group: null, public: true },
  { id: 'shop', group: 'shop', public: true },
  { id: 'stock', group: 'shop', public: false },
  { id: 'vault', group: 'inside', public: false },
  { id: 'lone', group: null, public: false },
] as const;

const all = 'web shop stock vault lone';
const seen: readonly (readonly [who: string, viewer: Viewer, monitors: string])[] = [
  ['a stranger', { kind: 'anonymous' }, 'web shop'],
  ['the token of a group', { kind: 'group', group: 'shop', isByAddress: false }, 'shop stock'],
  ['the same in an address', { kind: 'group', group: 'shop', isByAddress: true }, 'shop stock'],
  ['the token of a group without monitors', { kind: 'group', group: 'gone', isByAddress: false }, ''],
  ['the token of a push monitor', { kind: 'producer', monitor: 'stock' }, 'stock'],
  ['a peer', { kind: 'peer', peer: 'stock' }, ''],
  ['another node', { kind: 'node' }, ''],
  ['the access token', { kind: 'operator', isByAddress: false }, all],
];

describe('what is visible', () => {
  for (const [who, viewer, expected] of seen)
    it(`to ${who} is ${expected || 'nothing'}`, () => {
      const visible = monitors.filter((monitor) => isVisibleTo(viewer, monitor)).map(({ id }) => id);
      assert.equal(visible.join(' '), expected);
    });
});

describe('the token of a group over HTTP', () => {
  let world: World;
  before(async () => {
    const lines = monitors.map(
      ({ id, group, public: isPublic }) =>
        `[[monitors]]\nid = "${id}"\ntarget = "http://127.0.0.1/"\npublic = ${isPublic}\n` +
        (group === null ? '' : `group = "${group}"\n`),
    );
    world = await openWorld(
      `auth_token = "the-access-token"\ngroup_tokens = { shop = "the-token-of-the-shop" }\n${lines.join('')}`,
    );
  });
  after(() => world.close());
  const ask = (path: string, token = 'the-token-of-the-shop') =>
    world.ask(path, { headers: { authorization: `Bearer ${token}` } });

  it('opens its group, and nothing of another', async () => {
    const page = await ask('/status/shop');
    assert.deepEqual(
      [page.status, ...monitors.map(({ id }) => page.text.includes(`>${id}<`))],
      [200, false, true, true, false, false],
    );
    assert.equal((await ask('/status/inside')).status, 404);
    const missing = await ask('/monitor/missing');
    for (const id of ['stock', 'vault', 'lone']) {
      const theirs = await ask(`/monitor/${id}`);
      assert.deepEqual([theirs.status, theirs.text.replaceAll(id, 'missing')], [404, missing.text], id);
    }
    assert.equal((await ask('/monitor/vault', 'the-access-token')).status, 200);
  });
});
