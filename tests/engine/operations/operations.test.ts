import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkBanner, createBanner } from '../../../src/engine/operations/announce.ts';
import { annotate } from '../../../src/engine/operations/annotate.ts';
import { limits } from '../../../src/engine/operations/limits.ts';
import { checkSilence, createSilence } from '../../../src/engine/operations/silence.ts';
import { silencedWord } from '../../../src/tui/prompt.ts';

const nowAt = Date.UTC(2026, 5, 7, 12);
const redact = (text: string) => text.replaceAll('s3cret-token', '***');
const numbered = { write: () => Promise.resolve([7]), identity: { id: 7, uid: 'u' }, redact };
const ground = { ...numbered, known: ['db', 'api', 'in-paris'].map((id) => ({ id, group: null })), nowAt };
/** What strangers are shown of these monitors. */
const publishing = {
  isForced: false,
  config: {
    monitors: ['api', 'intern'].map((id) => ({
      id,
      name: id === 'intern' ? 'Payroll run' : id,
      kind: 'http' as const,
      target: `https://${id}.internal.example`,
      group: null,
      description: null,
      url: null,
      public: id !== 'intern',
      public_error_detail: false,
    })),
    channels: [{ name: 'ops-phone' }],
    rotations: [],
    page: { title: 'Status', footer: null },
    server: { base_url: null },
  },
};
const fault = (code: string, message: RegExp) => ({ code, message });

describe('a silence', () => {
  const silence = (monitors: string, duration = '1h', reason = '') =>
    createSilence(checkSilence({ monitors: [monitors], duration, reason }), ground);

  it('covers what is named, in the order of the configuration', async () => {
    const { id, monitors, untilAt, reason } = await silence(' in-paris, db,db ', '1h30m');
    assert.deepEqual([id, monitors, untilAt, reason], [7, ['db', 'in-paris'], nowAt + 5_400_000, null]);
    assert.equal((await silence('db,all')).monitors, null);
  });

  it('of a chosen monitor covers that monitor, whatever its id is', async () => {
    const called = { ...ground, known: [...ground.known, { id: 'all', group: null }] };
    const covered = async (word: string, { known } = called) => {
      const monitors = [word];
      const checked = checkSilence({ monitors, duration: '1h', reason: '' });
      return (await createSilence(checked, { ...ground, known })).monitors;
    };
    // The word alone is everything; in a list it is an id, where something has it.
    assert.deepEqual(await covered(silencedWord('all')), ['all']);
    assert.deepEqual(await covered(silencedWord('db')), ['db']);
    assert.equal(await covered('all'), null);
    assert.deepEqual(await covered('all,all'), ['all']);
    assert.deepEqual(await covered('db,all'), ['db', 'all']);
    assert.equal(await covered('all,all', ground), null);
  });

  it('lasts as long as its limit, and no second longer', () => {
    assert.equal(checkSilence({ monitors: ['all'], duration: '7d', reason: '' }).spanMs, limits.silenceMs);
    assert.throws(
      () => checkSilence({ monitors: ['all'], duration: '7d1s', reason: '' }),
      fault('usage', /^the duration '7d1s' is too long: 7d is the most$/),
    );
    assert.throws(
      () => checkSilence({ monitors: [' , '], duration: '1h', reason: '' }),
      fault('usage', /^no monitor is named$/),
    );
  });

  it('keeps one line of its reason, without secrets', async () => {
    const { reason } = await silence('db', '1h', `  moved\nwith s3cret-token ${'x'.repeat(600)}`);
    assert.equal(reason?.slice(0, 18), 'moved with *** xxx');
    assert.equal(reason.length, limits.reason);
  });

  it('reports a monitor that is not there, and not a secret in its place', async () => {
    await assert.rejects(silence('db,apo'), fault('not_found', /^there is no monitor 'apo'$/));
    await assert.rejects(silence('s3cret-token'), fault('not_found', /^there is no monitor '\*\*\*'$/));
  });
});

describe('a banner', () => {
  const banner = { title: 'Move', body: '', severity: 'info', until: null };

  it('is cut to its limits, without secrets', async () => {
    const long = { ...banner, title: `s3cret-token ${'t'.repeat(300)}`, body: `a\nb ${'b'.repeat(3000)}` };
    const { title, body } = await createBanner(checkBanner(long, nowAt), { ...numbered, publishing });
    assert.deepEqual([title.length, title.slice(0, 5)], [limits.title, '*** t']);
    assert.deepEqual([body.length, body.slice(0, 4)], [limits.body, 'a\nb ']);
  });

  it('names nothing private, in its title or body, unless forced', async () => {
    const create = (text: Partial<typeof banner>, isForced = false) =>
      createBanner(checkBanner({ ...banner, ...text }, nowAt), {
        ...numbered,
        publishing: { ...publishing, isForced },
      });
    await assert.rejects(
      create({ title: 'Payroll run is late' }),
      fault('usage', /the title names the private monitor/),
    );
    await assert.rejects(
      create({ body: 'a\nb\nintern.internal.example' }),
      fault('usage', /line 3 of the body names/),
    );
    assert.equal((await create({ title: 'Payroll run is late' }, true)).title, 'Payroll run is late');
    assert.equal((await create({ title: 'The API is slow' })).title, 'The API is slow');
  });

  it('needs a title that shows, a severity that exists and an end that can be read', () => {
    for (const [change, message] of [
      [{ title: '\u200b ' }, /^the title is empty$/],
      [{ severity: 'loud' }, /^there is no severity 'loud'$/],
      [{ until: '25:00' }, /^the end '25:00' is no time of a day$/],
    ] as const) {
      assert.throws(() => checkBanner({ ...banner, ...change }, nowAt), fault('usage', message));
    }
  });
});

describe('a note', () => {
  const note = (monitor: string, text: string, isForced = false) =>
    annotate({ uid: 'u', monitor }, text, { ...numbered, publishing: { ...publishing, isForced }, nowAt });

  it('that strangers read names nothing private, unless forced', async () => {
    const refusal = fault(
      'usage',
      /^strangers would read this: line 2 of the note names the private monitor 'Payroll run'$/,
    );
    await assert.rejects(note('api', 'It is over.\nThe payroll run had filled the disk.'), refusal);
    await assert.rejects(
      note('gone', 'See api.internal.example'),
      fault('usage', /the host of a target, 'api\.internal\.example'/),
    );
    await assert.rejects(
      note('api', 'ops-phone rang'),
      fault('usage', /the note names the channel 'ops-phone'$/),
    );
    assert.equal((await note('api', 'The payroll run.', true)).note, 'The payroll run.');
    assert.equal((await note('intern', 'The payroll run rang ops-phone.')).reach, 'private');
  });

  it('is cut to its limit, without secrets; nothing clears it', async () => {
    const { note: kept } = await note('api', `s3cret-token ${'n'.repeat(3000)}`);
    assert.deepEqual([kept?.length, kept?.slice(0, 5)], [limits.note, '*** n']);
    assert.equal((await note('api', '  ')).note, null);
  });

  it('says who reads it', async () => {
    assert.deepEqual(
      [await note('api', 'x'), await note('intern', 'x'), await note('gone', 'x')].map(({ reach }) => reach),
      ['public', 'private', 'not_configured'],
    );
  });
});
