import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventNames } from '../../../src/engine/alerting/events/catalogue.ts';
import { body, isOver } from '../../../src/notify/wording/text.ts';
import { wordingOf } from '../../../src/notify/wording/words.ts';
import { assertGolden } from '../../support/golden.ts';
import { eventsOf, messages } from './messages.ts';

describe('the wording of events', () => {
  it('has words for every event', () => {
    assert.deepEqual([...eventsOf(messages)].sort(), [...eventNames].sort());
  });

  it('reads as in the golden file', () => {
    const pages = Object.entries(messages).map(([name, message]) => {
      const wording = wordingOf(message);
      return [`# ${name} (${message.severity})`, wording.title, ...body(wording).map((line) => `  ${line}`)];
    });
    assertGolden(
      new URL('golden/events.txt', import.meta.url),
      `${pages.map((page) => page.join('\n')).join('\n\n')}\n`,
    );
  });

  it('lasts as long as from the one time that it prints to the other', () => {
    const ended = Object.entries(messages).filter(([, message]) => 'endedAt' in message);
    assert.ok(ended.length >= 5);
    for (const [name, message] of ended) {
      const { startedAt, endedAt } = message as { startedAt: number; endedAt: number | null };
      if (endedAt === null) continue;
      const later = { ...message, startedAt: startedAt + 900, endedAt: endedAt + 100 } as typeof message;
      assert.deepEqual(wordingOf(later), wordingOf(message), name);
    }
  });

  it('says how long ago an expiry was with the number of days_left', () => {
    const titleAt = (name: string, daysLeft: number) =>
      wordingOf({ ...messages[name], daysLeft } as (typeof messages)[string]).title;
    for (const name of ['a certificate that ends today', 'a domain near its end']) {
      const said = [1, 0, -1, -2, -3].map((left) =>
        titleAt(name, left).replace(/^The (certificate of API|domain \S+) /, ''),
      );
      assert.deepEqual(said, [
        'expires in 1 day',
        'expires today',
        'has expired',
        'expired 2 days ago',
        'expired 3 days ago',
      ]);
    }
  });

  it('calls nothing up that nobody checks any more', () => {
    const { 'a recovery': over, 'all well when they can be checked again': checked } = messages;
    assert.ok(over?.event === 'recovered' && checked?.event === 'recovered');
    const { startedAt } = over;
    const gone = wordingOf({ ...over, isGone: true });
    assert.match(gone.title, /^API was up again after \S+.*, and is no longer monitored$/);
    assert.match(body(gone).join('\n'), /removed from the configuration since/);
    assert.equal(isOver({ ...over, isGone: true }), false);
    assert.equal(isOver(over), true);
    const late = wordingOf({ ...over, isLate: true, isGone: true });
    assert.match(late.title, /^API was down \S+.*, sent late$/);
    assert.match(body(late).join('\n'), /It was up again\..*removed from the configuration since/s);
    const unchecked = wordingOf({ ...checked, startedAt, isRemoved: true, found: [] });
    assert.match(unchecked.title, /^\S.* is no longer monitored; it could not be checked since /);
  });

  it('says in the title what happened, in one short line', () => {
    for (const [name, message] of Object.entries(messages)) {
      const wording = wordingOf(message);
      const { title } = wording;
      const lines = body(wording);
      assert.ok(title.length <= 120, `${name}: ${title}`);
      assert.ok(lines.length > 0, name);
      assert.ok(
        [title, ...lines].every((line) => line.trim() === line && !line.includes('\n')),
        name,
      );
    }
  });

  it('says of a test that it is one, first of all', () => {
    const wording = wordingOf(messages['a down that is a test'] ?? assert.fail());
    assert.match(wording.title, /^TEST: /);
    assert.match(body(wording)[0] ?? '', /this is a test/i);
  });
});
