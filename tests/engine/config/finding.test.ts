import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { subjectOf } from '../../../src/engine/config/finding.ts';
import { problemsOf } from '../../support/config.ts';

const file = {
  server: { bind: 'x' },
  monitors: [
    { id: 'api', name: 'API' },
    { name: 'Shop' },
    { target: 'http://a.example/' },
    { id: 7 },
    { id: '' },
  ],
  channels: [{ name: 'phone' }],
  maintenance: [{ title: 'Upgrade', monitors: [{ id: 'no table of a list that is named' }] }],
};

describe('the subject of a problem', () => {
  const cases = [
    [['monitors', 0, 'target'], 'monitor "api": target'],
    [['monitors', 0], 'monitor "api":'],
    [['monitors', 1, 'headers', 'X Y'], 'monitor "Shop": headers."X Y"'],
    [['channels', 0, 'token'], 'channel "phone": token'],
    [['maintenance', 0, 'monitors', 2], 'maintenance "Upgrade": monitors[2]'],
    [['monitors', 2, 'id'], 'monitors[2].id:'],
    [['monitors', 3, 'id'], 'monitors[3].id:'],
    [['monitors', 4, 'id'], 'monitors[4].id:'],
    [['monitors', 9], 'monitors[9]:'],
    [['server', 'bind'], 'server.bind:'],
    [[], ''],
  ] as const;
  for (const [path, subject] of cases) {
    it(`is ${subject === '' ? 'nothing for the whole file' : subject}`, () => {
      assert.equal(subjectOf(path, file), subject);
    });
  }

  it('names a list that was written as one table', () => {
    const one = { channels: { name: 'phone' } };
    assert.equal(subjectOf(['channels', 0, 'token'], one), 'channel "phone": token');
  });

  it('fits on a line of a terminal, whatever the id is', async () => {
    const [problem] = await problemsOf(
      `[[monitors]]\nid = "\\u001b[31m${'x'.repeat(500)}"\ntarget = "http://a.example/"`,
    );
    assert.ok(problem !== undefined);
    assert.doesNotMatch(problem.subject, /\u001b/);
    assert.ok(problem.subject.length < 100);
  });

  it('holds no secret, even where one is a name', async () => {
    const [problem] = await problemsOf(
      '[[channels]]\nname = "${TOKEN}"\ntype = "telegram"\ntoken = "${TOKEN}"\nchat_id = "1"\ntimeout_secs = 0\n',
      { env: { TOKEN: 'top-secret-token' } },
    );
    assert.equal(problem?.subject, 'channel "***": timeout_secs');
  });
});
