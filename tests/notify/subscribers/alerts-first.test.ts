import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createAlertsFirst } from '../../../src/notify/subscribers/alerts-first.ts';
import { load } from '../../support/config.ts';
import { mailConfig } from '../../support/reader.ts';

const { config } = await load(`[server]\n${mailConfig.head}${mailConfig.tail}`);
const [channel] = config.channels;
assert.ok(channel?.type === 'email');
const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

describe('alerts and mails to readers on one server', () => {
  it('have the mails wait until no alert is on its way, however the alerts end', async () => {
    const { alert, untilFree } = createAlertsFirst();
    const { signal } = new AbortController();
    const ends: ((isGood: boolean) => void)[] = [];
    const send = () =>
      new Promise<string>((resolve, reject) =>
        ends.push((isGood) => {
          if (isGood) resolve('sent');
          else reject(new Error('broken'));
        }),
      );
    await untilFree(channel, signal);
    const first = alert(channel, send);
    const second = alert({ ...channel, host: channel.host.toUpperCase(), port: 465 }, send);
    const freed: string[] = [];
    void untilFree(channel, signal).then(() => freed.push('same'));
    void untilFree({ ...channel, host: 'other.example' }, signal).then(() => freed.push('other'));
    await turn();
    assert.deepEqual(freed, ['other']);
    ends[0]?.(true);
    assert.equal(await first, 'sent');
    await turn();
    assert.deepEqual(freed, ['other']);
    ends[1]?.(false);
    await assert.rejects(second, /broken/);
    await turn();
    assert.deepEqual(freed, ['other', 'same']);
  });

  it('let go of a mail that is called off', async () => {
    const { alert, untilFree } = createAlertsFirst();
    const calling = new AbortController();
    void alert(channel, () => new Promise(() => undefined));
    const waiting = untilFree(channel, calling.signal);
    calling.abort();
    await waiting;
    await untilFree(channel, calling.signal);
  });
});
