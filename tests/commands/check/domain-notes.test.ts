import assert from 'node:assert/strict';
import { test } from 'node:test';
import { domainNotes } from '../../../src/commands/check/domain-notes.ts';
import type { DomainExpiry } from '../../../src/engine/probes/domain.ts';
import { aMonitor } from '../../support/probing.ts';

const dayMs = 86_400_000;
const monitors = [
  aMonitor('http', { id: 'site', target: 'https://soon.example/', domain_expiry: 'soon.example' }),
  aMonitor('tcp', { id: 'mail', target: 'mail.soon.example:25', domain_expiry: 'soon.example' }),
  aMonitor('icmp', { id: 'host', target: 'later.example', domain_expiry: 'later.example' }),
  aMonitor('http', { id: 'other', target: 'https://other.example/' }),
  aMonitor('push', { id: 'backup' }),
];

function lookup(answers: Readonly<Record<string, DomainExpiry>>) {
  const asked: string[] = [];
  const probe = (domain: string) => {
    asked.push(domain);
    const answer = answers[domain];
    return answer === undefined ? Promise.reject(new Error('called off')) : Promise.resolve(answer);
  };
  return { asked, options: { alerts: { domain_expiry_days: 14 }, now: 0, probe } };
}

test('a domain that expires soon is noted, one that does not is not, and each is asked for once', async () => {
  const { asked, options } = lookup({
    'soon.example': { kind: 'known', expiresAt: 3 * dayMs },
    'later.example': { kind: 'known', expiresAt: 300 * dayMs },
  });
  const notes = await domainNotes(monitors, options);
  assert.deepEqual(
    notes.map(({ id, text }) => [id, text]),
    [['site', 'the domain soon.example expires in 3 days']],
  );
  assert.deepEqual(asked, ['soon.example', 'later.example']);
});

test('a registry that does not say is noted in its own words', async () => {
  const { options } = lookup({ 'soon.example': { kind: 'unknown', message: 'nobody knows' } });
  const notes = await domainNotes(monitors, options);
  assert.deepEqual(
    notes.map(({ text }) => text),
    ['nobody knows'],
  );
});

test('a lookup that is called off leaves no note', async () => {
  assert.deepEqual(await domainNotes(monitors, lookup({}).options), []);
});
