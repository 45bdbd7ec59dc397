import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createGuesses, type Guesser, type Purpose } from '../../../src/serve/limit/guesses.ts';
import { allWrongTokens, limitsOf, wrongTokens } from '../../../src/serve/limit/limiter.ts';
import { load } from '../../support/config.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { openWorld } from '../world.ts';

const toml = `
[server]
auth_token = "operator-token"

[node]
token = "node-token"

[[peers]]
id = "paris"
listen_token = "peer-token"

[[monitors]]
id = "job"
kind = "push"
push_token = "job-token"
`;

const { config } = await load(toml);

function counting() {
  const clock = new VirtualClock();
  const limits = limitsOf({ rate_limit_burst: 30, rate_limit_refill_secs: 1 });
  const guesses = createGuesses(limits, { monotonic: clock.monotonic, seed: 7 });
  let made = 0;
  const present = (token: string, guesser: Guesser, purpose: Purpose = { kind: 'any' }) =>
    guesses.judge(guesser, purpose, { tokens: [token], config }).kind;
  /** How many of so many wrong tokens, each a new one, were compared. */
  const guess = (count: number, guesserOf: (index: number) => Guesser, purpose?: Purpose) =>
    Array.from({ length: count }, (_, index) =>
      present(`guess-${(made += 1)}`, guesserOf(index), purpose),
    ).filter((kind) => kind === 'wrong').length;
  return { clock, present, guess };
}

const direct = (address: string): Guesser => ({ socket: address, client: address });
const behind = (client: string, socket = '10.0.0.1'): Guesser => ({ socket, client });

describe('wrong tokens', () => {
  it('are compared up to the limit of the address that the connection comes from, whichever client it names', () => {
    const { clock, guess } = counting();
    assert.equal(
      guess(42_143, (index) => behind(`198.18.${index >> 8}.${index & 255}`)),
      wrongTokens.burst,
    );
    clock.advance(wrongTokens.refillSecs * 1000);
    assert.equal(
      guess(100, (index) => behind(`198.19.0.${index}`)),
      1,
    );
  });

  it('are compared up to a limit of all addresses together', () => {
    const { clock, guess, present } = counting();
    const anyone = (index: number) => direct(`198.18.${index >> 8}.${index & 255}`);
    assert.equal(guess(5000, anyone), allWrongTokens.perMinute);
    assert.equal(present('operator-token', direct('192.0.2.1')), 'refused');
    clock.advance(1000);
    assert.equal(present('operator-token', direct('192.0.2.1')), 'clear');
    assert.equal(guess(5000, anyone), allWrongTokens.perMinute / 60);
  });

  it('of a client over its own limit take nothing from the others behind its proxy', () => {
    const { guess, present } = counting();
    guess(wrongTokens.burst - 2, () => behind('198.18.0.1'));
    guess(5000, () => behind('198.18.0.2'));
    assert.equal(
      guess(1, () => behind('198.18.0.3')),
      0,
      'the proxy has had its ten',
    );
    assert.equal(present('operator-token', behind('198.18.0.3')), 'clear');
  });

  it('of the clients behind a proxy take nothing from the programs on its machine', () => {
    const { guess, present } = counting();
    guess(100, (index) => behind(`198.18.0.${index}`, '127.0.0.1'));
    assert.equal(present('operator-token', direct('127.0.0.1')), 'clear');
    assert.equal(
      guess(100, () => direct('127.0.0.1')),
      wrongTokens.burst,
    );
  });
});

describe('a right token', () => {
  it('is refused, once an address has guessed too often, until it was right there', () => {
    const { guess, present } = counting();
    assert.equal(present('operator-token', direct('192.0.2.1')), 'clear');
    guess(100, () => direct('192.0.2.1'));
    assert.equal(present('operator-token', direct('192.0.2.1')), 'clear');
    assert.equal(present('peer-token', direct('192.0.2.1')), 'refused');
  });

  it('is never slowed where it was right before, whatever is tried there and elsewhere', () => {
    const { guess, present } = counting();
    const sender = behind('192.0.2.1');
    const own: Purpose = { kind: 'own', id: 'job' };
    assert.equal(present('job-token', sender, own), 'clear');
    guess(30_000, (index) => behind(`198.18.${(index >> 8) & 255}.${index & 255}`), own);
    guess(1000, () => sender, own);
    assert.equal(present('job-token', sender, own), 'clear');
  });

  it('that no guess can find out is not held up by guesses', () => {
    const { guess, present } = counting();
    guess(5000, () => direct('192.0.2.1'));
    guess(5000, () => direct('192.0.2.1'), { kind: 'own', id: 'other' });
    for (const [token, purpose] of [
      ['job-token', { kind: 'own', id: 'job' }],
      ['peer-token', { kind: 'own', id: 'paris' }],
      ['peer-token', { kind: 'peer' }],
      ['node-token', { kind: 'node' }],
    ] as const)
      assert.equal(present(token, direct('192.0.2.1'), purpose), 'clear', purpose.kind);
  });

  it('of something else counts as wrong, so that a count does not show that it is right elsewhere', () => {
    const { present } = counting();
    for (const token of ['operator-token', 'peer-token', 'node-token'])
      assert.equal(present(token, direct('192.0.2.1'), { kind: 'own', id: 'job' }), 'wrong', token);
    assert.equal(present('operator-token', direct('192.0.2.1'), { kind: 'own', id: 'none' }), 'wrong');
  });
});

describe('over HTTP', () => {
  it('a client of a private address that makes up where it comes from is refused after ten guesses', async () => {
    const world = await openWorld(toml.replace('[server]', ''));
    try {
      const statuses = new Map<number, number>();
      for (let index = 0; index < 200; index += 1) {
        const headers = {
          'x-forwarded-for': `198.18.0.${index}`,
          authorization: `Bearer guess-${index}`,
        };
        const { status } = await world.ask('/api/announce', { method: 'DELETE', headers });
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      assert.deepEqual(
        [...statuses],
        [
          [401, wrongTokens.burst],
          [429, 190],
        ],
      );
    } finally {
      await world.close();
    }
  });

  it('a producer brings its alert while another program behind its address guesses', async () => {
    const world = await openWorld(toml.replace('[server]', ''));
    try {
      for (let index = 0; index < 30; index += 1)
        await world.ask('/api/summary', { headers: { authorization: `Bearer guess-${index}` } });
      const alert = { method: 'POST', body: '{"title":"x"}' };
      const token = { 'x-push-token': 'job-token' };
      assert.equal((await world.ask('/api/monitors/job/alert', { ...alert, headers: token })).status, 202);
      const access = { authorization: 'Bearer operator-token' };
      assert.equal((await world.ask('/api/monitors/job/alert', { ...alert, headers: access })).status, 429);
    } finally {
      await world.close();
    }
  });
});
