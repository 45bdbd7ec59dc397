import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { createTransport } from 'nodemailer';
import addressparser from 'nodemailer/lib/addressparser';
import { mailbox, mailboxIn } from '../../../src/engine/config/types/mailbox.ts';
import { addressIn, asMailbox } from '../../../src/notify/channels/recipients.ts';
import { anyCharacter, checkAsyncProperty } from '../../support/property.ts';

const isTaken = (text: string) => mailbox.read(text).isGood;

describe('a mail address', () => {
  it('that a mailer reads as a list, a group, a comment or another one is none', () => {
    for (const text of [
      'o+x:y@x.org',
      'undisclosed:ops@x.org',
      'ops(home)@x.org',
      'ops@x.org(home)',
      'ops@evil.org:@x.org',
      'Team <group:ops@x.org;>',
      '"ops@evil.org"@x.org',
      'a\\b@x.org',
      'ops@[x@evil.org]',
      'ops@x]y.org',
    ])
      assert.equal(isTaken(text), false, text);
    for (const text of ['ops@x.org', 'ops+night@x.org', 'ops@[127.0.0.1]', "o'brien@x.org", 'jõgi@jõgeva.ee'])
      assert.equal(isTaken(text), true, text);
  });

  it('may have a name with anything in it', () => {
    const name = (text: string) => mailboxIn(text)?.name;
    assert.equal(name('Ops: day, night (all) <ops@x.org>'), 'Ops: day, night (all)');
    assert.equal(name('"Ops \\"A\\", 2nd" <ops@x.org>'), 'Ops "A", 2nd');
    assert.equal(name('ops@x.org'), '');
  });

  describe('is where the mail goes, whatever it looks like', () => {
    let envelopeOf: (text: string) => Promise<unknown>;
    before(() => {
      const writer = createTransport({ jsonTransport: true });
      envelopeOf = async (text) => {
        const mail = { from: asMailbox(text), to: [asMailbox(text)], subject: '', text: '' };
        return (await writer.sendMail(mail)).envelope;
      };
    });
    const piece = fc.oneof(
      fc.constantFrom(
        ...Array.from('ab.@@:;,()<>[]"\\ +\'õ1'),
        '=?utf-8?q?',
        'x.org',
        '..',
        '\u3000',
        '\u00a0',
      ),
      anyCharacter,
    );
    const text = fc.array(piece, { maxLength: 12 }).map((pieces) => pieces.join(''));
    const address = fc
      .tuple(
        fc.array(piece, { maxLength: 5 }),
        fc.array(piece, { maxLength: 4 }),
        fc.array(piece, { maxLength: 4 }),
      )
      .chain(([name, local, domain]) => {
        const bare = `a${local.join('')}@${domain.join('')}x.org`;
        return fc.constantFrom(bare, `${name.join('')} <${bare}>`);
      });

    it('as the server is told, and as a mailer reads it', async () => {
      await checkAsyncProperty(
        fc.asyncProperty(fc.oneof(text, address), async (written) => {
          if (!isTaken(written)) return;
          const expected = addressIn(written);
          assert.deepEqual(await envelopeOf(written), { from: expected, to: [expected] });
          const { address: own = '' } = mailboxIn(written) ?? {};
          assert.deepEqual(addressparser(own), [{ address: own, name: '' }]);
        }),
        3000,
      );
    });
  });
});
