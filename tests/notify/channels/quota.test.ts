import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { speaksOfQuota } from '../../../src/notify/channels/quota.ts';

const isQuota = (response: string) => speaksOfQuota({ response });

describe('a reply that speaks of a quota', () => {
  it('is known by its words, whatever its code', () => {
    for (const reply of [
      '452 4.2.2 quota exceeded',
      '550 5.4.6 daily sending quota exceeded',
      '421 too many messages',
      '421 4.7.0 Too many connections from your host',
      '454 Throttling failure: Maximum sending rate exceeded.',
      '454 Throttling failure: Daily message quota exceeded.',
      '550 5.4.5 Daily SMTP relay limit exceeded for user.',
      '550 5.4.5 Daily user sending limit exceeded.',
      '450 4.7.1 <a@example.com>: Recipient address rejected: Sender quota exceeded',
      '554 5.2.0 STOREDRV.Submission.Exception:SubmissionQuotaExceededException',
      '452 4.5.3 Too many recipients',
    ])
      assert.ok(isQuota(reply), reply);
    assert.ok(speaksOfQuota({ rejectedErrors: [{}, { response: '452 4.2.2 quota exceeded' }] }));
  });

  it('is none about a full mailbox, an unknown address or a server that is busy', () => {
    for (const reply of [
      '452 4.2.2 The email account that you tried to reach is over quota.',
      '552 5.2.2 <tim@example.com>: Quota exceeded (mailbox for user is full)',
      '552 5.2.2 mailbox full',
      '552 User over quota',
      '452 4.2.2 Mailbox quota exceeded',
      '550 5.1.1 no such user',
      '421 4.3.2 Service shutting down',
      '450 4.7.1 try again later',
      '250 quota is fine',
    ])
      assert.ok(!isQuota(reply), reply);
    assert.ok(!speaksOfQuota(null));
  });
});
