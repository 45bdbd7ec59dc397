import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import type { Channel } from '../../../src/engine/config/config.ts';
import { type Authorities, createTrust } from '../../../src/engine/net/tls-trust.ts';
import { createDeliver } from '../../../src/notify/channels/deliver.ts';
import { load } from '../../support/config.ts';
import { probeContext } from '../../support/probing.ts';
import { type SmtpReceiver, type SmtpRules, startSmtp } from '../../support/smtp-receiver.ts';
import { type Authority, createAuthority, type Credentials } from '../../support/tls.ts';
import { plainDown } from '../wording/messages.ts';
import { HeldClock } from './held-clock.ts';

const { signal } = new AbortController();
const [ops, night] = ['ops@example.com', 'night@example.org'];
const gone = '550 5.1.1 No such user';
const later = '451 4.7.1 Try again later';

describe('mail to several recipients', () => {
  let authority: Authority;
  let credentials: Credentials;
  let trusted: Authorities;
  let open: SmtpReceiver[] = [];
  before(async () => {
    authority = createAuthority();
    trusted = await createTrust({ env: {}, bundles: [] }).authorities(authority.file);
    credentials = authority.issue({ names: ['localhost', '127.0.0.1'] });
  });
  after(() => {
    authority.remove();
  });
  afterEach(async () => {
    await Promise.all(open.map((server) => server.close()));
    open = [];
  });

  /** A mail server that refuses some, and a delivery of `plainDown` to all. */
  const world = async (refused: Map<string, string>) => {
    const rules: SmtpRules = { credentials, refused };
    const smtp = await startSmtp(rules);
    open.push(smtp);
    const channelOf = async (to: readonly string[]): Promise<Channel> => {
      const { config } = await load(
        `[[channels]]
        name = "mail"
        type = "email"
        host = "localhost"
        port = ${smtp.port}
        from = "statusd <statusd@example.com>"
        to = ${JSON.stringify(to)}`,
      );
      return config.channels[0] ?? assert.fail();
    };
    const clock = new HeldClock();
    const deliver = createDeliver({
      ...probeContext(),
      trust: { authorities: () => Promise.resolve(trusted) },
      clock,
    });
    return {
      /** Whom each mail was handed to. */
      recipients: () => smtp.mails.map((mail) => mail.recipients),
      headers: () => smtp.mails.map(({ headers }) => headers.find(([name]) => name === 'to')?.[1]),
      send: async (deliveryId: string, to = [`Ops <${ops}>`, night]) =>
        deliver({ ...plainDown, deliveryId }, await channelOf(to), signal),
      rules,
      /** Takes the refused for granted from the second attempt on. */
      relentAtRetry: () => {
        const { sleep } = clock;
        Object.assign(clock, {
          sleep: (ms: number, until?: AbortSignal) => {
            if (ms === 1000) refused.clear();
            return sleep(ms, until);
          },
        });
      },
    };
  };

  it('is sent once to all when nobody is refused', async () => {
    const { send, recipients } = await world(new Map());
    assert.deepEqual(await send('all'), { kind: 'sent', attempts: 1 });
    assert.deepEqual(recipients(), [[ops, night]]);
  });

  it('is tried again for the one who was refused for now, and not for who has it', async () => {
    const { send, recipients, headers, relentAtRetry } = await world(new Map([[night, later]]));
    relentAtRetry();
    assert.deepEqual(await send('relenting'), { kind: 'sent', attempts: 2 });
    assert.deepEqual(recipients(), [[ops], [night]]);
    // The same mail: it names all whom it was for.
    assert.deepEqual(headers(), [`Ops <${ops}>, ${night}`, `Ops <${ops}>, ${night}`]);
  });

  it('has failed while one is refused, naming whom; a later delivery goes to no one twice', async () => {
    const refused = new Map([[night, later]]);
    const { send, recipients } = await world(refused);
    const failed = await send('later');
    assert.ok(failed.kind === 'failed');
    assert.deepEqual([failed.attempts, failed.isPermanent, failed.reachedSome], [3, false, true]);
    assert.match(
      failed.error,
      /^the mail server localhost:\d+ refused night@example\.org: 451 4\.7\.1 Try again later; check to$/,
    );
    assert.deepEqual(recipients(), [[ops]]);
    refused.clear();
    assert.deepEqual(await send('later'), { kind: 'sent', attempts: 1 });
    assert.deepEqual(recipients(), [[ops], [night]]);
    // Another message is for all of them, and so is the same one once it was taken for all.
    assert.equal((await send('another')).kind, 'sent');
    assert.deepEqual(recipients().at(-1), [ops, night]);
  });

  it('is sent when the others have it and one is refused for good, and says whom it did not reach', async () => {
    const { send, recipients } = await world(new Map([[night, gone]]));
    const sent = await send('partly');
    assert.ok(sent.kind === 'sent');
    assert.equal(sent.attempts, 1);
    assert.match(
      sent.unreached ?? '',
      /^the mail server localhost:\d+ refused night@example\.org: 550 5\.1\.1 No such user; check to$/,
    );
    assert.deepEqual(recipients(), [[ops]]);
    // The next one is for all of them again.
    assert.match((await send('next')).kind, /sent/);
    const day = 'day@example.org';
    assert.deepEqual(await send('mended', [ops, day]), { kind: 'sent', attempts: 1 });
    assert.deepEqual(recipients(), [[ops], [ops], [ops, day]]);
  });

  it('is sent when who was refused for now is refused for good at the next attempt', async () => {
    const refused = new Map([[night, later]]);
    const { send, recipients } = await world(refused);
    assert.equal((await send('turning')).kind, 'failed');
    refused.set(night, gone);
    const sent = await send('turning');
    assert.ok(sent.kind === 'sent');
    assert.match(sent.unreached ?? '', /refused night@example\.org: 550 5\.1\.1 No such user/);
    assert.deepEqual(recipients(), [[ops]], 'nobody has it twice');
  });

  it('is sent when the refused one is taken off the list', async () => {
    const { send, recipients } = await world(new Map([[night, later]]));
    assert.equal((await send('dropped')).kind, 'failed');
    assert.equal((await send('dropped', [ops])).kind, 'sent');
    assert.deepEqual(recipients(), [[ops]]);
  });

  it('is tried again while one of the refusals may pass, each with its reply', async () => {
    const day = 'day@münchen.example';
    const refused = new Map([
      [night, gone],
      [day, later],
    ]);
    const { send, recipients } = await world(refused);
    const failed = await send('mixed', [ops, night, day]);
    assert.ok(failed.kind === 'failed');
    assert.deepEqual([failed.attempts, failed.isPermanent], [3, false]);
    assert.match(
      failed.error,
      /refused night@example\.org: 550 5\.1\.1 No such user, day@xn--mnchen-3ya\.example: 451 4\.7\.1 Try again later; check to$/,
    );
    assert.deepEqual(recipients(), [[ops]]);
    refused.delete(day);
    const sent = await send('mixed', [ops, night, day]);
    assert.ok(sent.kind === 'sent');
    assert.match(sent.unreached ?? '', /refused night@example\.org: 550 5\.1\.1 No such user; check to$/);
    assert.deepEqual(recipients(), [[ops], [day]]);
  });

  it('is known to have reached some after an attempt that failed for another reason: nobody has it twice', async () => {
    const refused = new Map([[night, later]]);
    const { send, recipients, rules } = await world(refused);
    await send('busy');
    rules.refusal = { at: 'MAIL FROM', reply: '421 4.3.2 Too many connections' };
    const failed = await send('busy');
    assert.ok(failed.kind === 'failed' && failed.reachedSome === true);
    delete rules.refusal;
    refused.clear();
    assert.equal((await send('busy')).kind, 'sent');
    assert.deepEqual(recipients(), [[ops], [night]]);
  });

  it('has reached nobody where all are refused for now', async () => {
    const { send, recipients } = await world(
      new Map([
        [night, later],
        [ops, later],
      ]),
    );
    const failed = await send('none');
    assert.ok(failed.kind === 'failed' && failed.reachedSome === undefined);
    assert.deepEqual(recipients(), []);
  });

  it('names all when all are refused', async () => {
    const { send, recipients } = await world(
      new Map([
        [night, gone],
        [ops, gone],
      ]),
    );
    const failed = await send('none');
    assert.ok(failed.kind === 'failed' && failed.isPermanent);
    assert.match(
      failed.error,
      /refused ops@example\.com and night@example\.org: 550 5\.1\.1 No such user; check to$/,
    );
    assert.deepEqual(recipients(), []);
  });
});
