import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { incidents } from '../../../src/db/tables/incidents.ts';
import { makeOperatorWorld, type OperatorWorld } from '../../support/operator-world.ts';

let world: OperatorWorld;
before(() => {
  world = makeOperatorWorld();
});
after(() => {
  world.remove();
});

const startedAt = Date.UTC(2026, 10, 21, 3, 4, 5);
const incident = (uid: string, monitor: string) =>
  incidents.open({
    uid,
    monitor,
    name: monitor,
    startedAt,
    confirmedAt: startedAt,
    category: 'timeout',
    reason: null,
    cause: null,
    impacted: [],
    snapshot: null,
    vantage: null,
  });
const noteOf = (id: number) => world.read((sql) => incidents.findById(sql, id)?.note);

describe('statusd annotate', () => {
  it('needs a database (exit 4), then an incident (exit 5)', async () => {
    assert.equal((await world.run('annotate', 'last', 'x')).code, 4);
    await world.write();
    const { code, stderr } = await world.run('annotate', 'last', 'x');
    assert.deepEqual(
      [code, stderr],
      [5, "statusd: there is no incident 'last'\n  No incident was ever recorded.\n"],
    );
  });

  it('notes the incident of a number, a uid or the last one, and says who will read it', async () => {
    await world.write(incident('u-1', 'api'), incident('u-2', 'intern'), incident('u-3', 'gone'));
    assert.deepEqual(await world.spawn('annotate', '1', 'a rack', '--offline'), {
      code: 0,
      stdout:
        'Noted on incident 1 (api, 2026-11-21 03:04 UTC): a rack\n' +
        '  The note is public: everyone sees it in the history and the feed.\n',
      stderr: '',
    });
    assert.match(
      (await world.run('annotate', 'u-2', 'hidden')).stdout,
      /\n {2}The note is not public: intern is private, so only authenticated viewers see it\.\n$/,
    );
    assert.match(
      (await world.run('annotate', 'last', 'old')).stdout,
      /^Noted on incident 3 \(gone, .*\n {2}gone is not configured any more; take the note for public\.\n$/,
    );
    assert.deepEqual([await noteOf(1), await noteOf(2), await noteOf(3)], ['a rack', 'hidden', 'old']);
  });

  it('takes a note without quotes', async () => {
    const { stdout } = await world.run('annotate', '1', 'two', 'words');
    assert.match(stdout, /^Noted on incident 1 .*: two words\n/);
  });

  it('replaces the note, and clears it when it is empty', async () => {
    await world.run('annotate', '#1', 'another');
    assert.equal(await noteOf(1), 'another');
    const { stdout } = await world.run('annotate', '1', '');
    assert.equal(stdout, 'Cleared the note of incident 1 (api, 2026-11-21 03:04 UTC).\n');
    assert.equal(await noteOf(1), null);
  });

  it('prints JSON, or nothing with --quiet', async () => {
    assert.deepEqual(await world.json('annotate', '2', 'x'), {
      id: 2,
      uid: 'u-2',
      monitor: 'intern',
      note: 'x',
      is_public: false,
    });
    assert.deepEqual(await world.run('annotate', '2', 'x', '-q'), { code: 0, stdout: '', stderr: '' });
  });

  it('keeps 2,000 characters, and none of them acts on the terminal', async () => {
    const { stdout } = await world.run('annotate', '1', `\u001b[31mred\u202e\n${'n'.repeat(3000)}`);
    assert.equal((await noteOf(1))?.length, 2000);
    assert.doesNotMatch(stdout, /[\u001b\u202e]/);
    assert.equal(stdout.split('\n').length, 3);
  });

  it('masks a secret of the configuration that was pasted into the note', async () => {
    const { stdout } = await world.run('annotate', '1', 'Bearer the-token-of-the-tests failed');
    assert.doesNotMatch(`${stdout} ${String(await noteOf(1))}`, /the-token-of-the-tests/);
    assert.match(stdout, /: Bearer .+ failed\n/);
  });

  for (const word of ['99', '0', 'never', '\u001b[31m']) {
    it(`refuses the incident ${JSON.stringify(word)} with 5`, async () => {
      const { code, stdout, stderr } = await world.run('annotate', word, 'x');
      assert.deepEqual([code, stdout], [5, '']);
      assert.match(
        stderr,
        /^statusd: there is no incident '.*'\n {2}The last one is 3\. See `statusd incidents`\.\n$/,
      );
    });
  }

  it('takes a monitor for its newest incident, by id or by name, and says which that is', async () => {
    const { stdout: listed } = await world.run('incidents', '--json');
    const { incidents: all } = JSON.parse(listed) as { incidents: readonly { monitor: string }[] };
    const monitor = all[0]?.monitor ?? '';
    const { code, stdout } = await world.run('annotate', monitor, 'By its monitor.');
    assert.equal(code, 0, stdout);
    assert.match(stdout, /incident 3 .*: By its monitor\./);
    assert.match((await world.run('incidents', 'show', monitor)).stdout, /By its monitor\./);
  });

  it('needs a note: exit 2', async () => {
    assert.equal((await world.run('annotate', 'last')).code, 2);
  });
});
