import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { Severity } from '../../../src/engine/alerting/events/event.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import type { HttpType } from '../../../src/notify/channels/http.ts';
import { verifyChannel } from '../../../src/notify/channels/deliver.ts';
import { wordingOf } from '../../../src/notify/wording/words.ts';
import { body, severityLabel, titled } from '../../../src/notify/wording/text.ts';
import { assertGolden, leaves } from '../../support/golden.ts';
import { HeldClock } from './held-clock.ts';
import { load } from '../../support/config.ts';
import type { VendorRequest } from '../../support/vendor-server.ts';
import {
  httpTypes,
  isForMachines,
  recipes,
  startVendors,
  type VendorWorld,
} from '../../support/vendor-world.ts';
import { messages, plainDown } from '../wording/messages.ts';

const { signal } = new AbortController();

/** Types whose vendor has a priority, which the severity becomes. All others show the severity as a word. */
const hasPriorities: ReadonlySet<HttpType> = new Set(['ntfy', 'gotify', 'pushover']);

describe('channels over HTTP', () => {
  let world: VendorWorld;
  before(async () => {
    world = await startVendors({ clock: new HeldClock() });
  });
  after(() => world.close());
  beforeEach(() => {
    for (const type of httpTypes) world.vendors[type].forget();
  });

  const send = async (type: HttpType, message: Message) => {
    const delivered = await world.deliver(message, world.channels[type], signal);
    assert.deepEqual(delivered, { kind: 'sent', attempts: 1 }, type);
    return world.vendors[type];
  };

  for (const type of httpTypes) {
    it(`sends every event over ${type} as the vendor wants it, and as the golden file says`, async () => {
      const pages: string[] = [];
      for (const [name, message] of Object.entries(messages)) {
        world.vendors[type].forget();
        // Matrix takes a transaction once.
        const deliveryId = `test.${name.replace(/\W/g, '-')}`;
        const { notified, requests } = await send(type, { ...message, deliveryId });
        // PagerDuty and Alertmanager know of nothing that goes on.
        pages.push(`# ${name}`, ...requests.map((request) => pageOf(request, pages.length === 0)));
        const seen = notified.at(-1);
        if (seen === undefined && isForMachines(type)) continue;
        assert.deepEqual([seen?.mentions, seen?.markup], [[], []], name);
        if (seen === undefined || isForMachines(type)) continue;
        const wording = wordingOf(message);
        const [start, first = ''] = [seen.title ?? seen.text, body(wording)[0]];
        assert.ok(start.includes(wording.title), `${name}: ${start}`);
        assert.ok(seen.text.includes(first), `${name}: ${seen.text}`);
        const label = severityLabel(message.severity);
        const isLabelled = `${seen.title ?? ''}\n${seen.text}`.includes(label);
        assert.equal(isLabelled, !hasPriorities.has(type), `${name}: ${label}`);
        assert.deepEqual([...new Set(seen.links)].sort(), linksShownBy(type, message), name);
      }
      assertGolden(new URL(`golden/${type}.txt`, import.meta.url), `${pages.join('\n')}\n`);
    });
  }

  const priorities: readonly (readonly [HttpType, readonly number[]])[] = [
    ['ntfy', [2, 3, 4, 5]],
    ['gotify', [2, 5, 8, 10]],
    ['pushover', [-1, 0, 1, 1]],
  ];
  for (const [type, expected] of priorities) {
    it(`turns severities into the priorities of ${type}`, async () => {
      for (const severity of ['info', 'warning', 'error', 'critical'] as const) {
        await send(type, { ...plainDown, severity });
      }
      assert.deepEqual(
        world.vendors[type].notified.map(({ priority }) => priority),
        expected,
      );
    });
  }

  it('names the severity where the vendor knows no priority', async () => {
    const severities: readonly Severity[] = ['info', 'warning', 'error', 'critical'];
    for (const type of severityNamers) {
      for (const severity of severities) {
        const { notified } = await send(type, { ...plainDown, severity, deliveryId: `s.${severity}` });
        assert.ok(notified.at(-1)?.text.startsWith(`[${severity.toUpperCase()}] API is down`), type);
      }
    }
  });

  it('shows the severity by a sign, and what is over in green', async () => {
    const severities: readonly Severity[] = ['info', 'warning', 'error', 'critical'];
    const over = messages['a recovery'] ?? assert.fail();
    const removed = messages['an outage of a monitor that was removed'] ?? assert.fail();
    for (const type of ['telegram', 'slack', 'matrix', 'googlechat'] as const) {
      const shown = [...severities.map((severity) => ({ ...plainDown, severity })), over, removed];
      for (const [at, message] of shown.entries()) await send(type, { ...message, deliveryId: `look.${at}` });
      const signs = world.vendors[type].notified.map(({ title }) => Array.from(title ?? '')[0]);
      assert.deepEqual(signs, ['🔵', '🟡', '🔴', '🚨', '🟢', '🔵'], type);
    }
  });

  const unreadable = [
    [
      'telegram',
      '{"ok":false,"error_code":400,"description":"Bad Request: can\'t parse entities: Unsupported start tag"}',
    ],
    ['discord', '{"message":"Invalid Form Body","code":50035,"errors":{"embeds":{"0":{"title":{}}}}}'],
    ['discord', '{"embeds": ["0"]}'],
    ['slack', 'invalid_blocks'],
  ] as const;
  for (const [type, answer] of unreadable) {
    it(`sends plain text where ${type} cannot read more: ${answer.slice(0, 30)}`, async () => {
      const vendor = world.vendors[type];
      vendor.forget();
      vendor.misbehave({ kind: 'answer', answer: { status: 400, body: answer } });
      const delivered = await world.deliver(plainDown, world.channels[type], signal);
      assert.deepEqual(delivered, { kind: 'sent', attempts: 1 });
      const [rich, plain] = vendor.requests.map(
        (request) => JSON.parse(request.body) as Record<string, unknown>,
      );
      const markup = ['parse_mode', 'embeds', 'blocks'];
      assert.equal(markup.filter((key) => key in (rich ?? {})).length, 1);
      assert.equal(markup.filter((key) => key in (plain ?? {})).length, 0);
      const { text, title, links } = vendor.notified.at(-1) ?? assert.fail();
      assert.equal(title, null);
      const lines = titled(wordingOf(plainDown), plainDown.severity).join('\n');
      assert.ok(text.startsWith(lines), text);
      assert.deepEqual(links, [plainDown.link]);
      // Another complaint is none about the markup.
      vendor.forget();
      vendor.misbehave({ kind: 'answer', answer: { status: 400, body: 'something else' } });
      const refused = await world.deliver(plainDown, world.channels[type], signal);
      assert.deepEqual([refused.kind, vendor.requests.length], ['failed', 1]);
    });
  }

  const refusedButtons = [
    'Bad Request: BUTTON_URL_INVALID',
    "Bad Request: inline keyboard button URL 'https://status.example.org/ack/x' is invalid: Wrong HTTP URL",
  ];
  for (const description of refusedButtons) {
    it(`reaches Telegram without its button where that is refused (${description.slice(0, 40)})`, async () => {
      const vendor = world.vendors.telegram;
      vendor.forget();
      vendor.misbehave({
        kind: 'answer',
        answer: { status: 400, body: JSON.stringify({ ok: false, description }) },
      });
      const ack = 'https://status.example.org/ack/x';
      const delivered = await world.deliver({ ...plainDown, ack }, world.channels.telegram, signal);
      assert.deepEqual(delivered, { kind: 'sent', attempts: 1 });
      const [first, second] = vendor.requests.map(
        (request) => JSON.parse(request.body) as Record<string, unknown>,
      );
      assert.deepEqual(['reply_markup' in (first ?? {}), 'reply_markup' in (second ?? {})], [true, false]);
      assert.ok(vendor.notified.at(-1)?.text.includes(`Acknowledge: ${ack}`));
    });
  }

  it('uses the delivery id as the transaction of Matrix, so that a repeat is no second message', async () => {
    const vendor = world.vendors.matrix;
    vendor.misbehave({ kind: 'take_and_reset' });
    const message = { ...plainDown, deliveryId: 'incident:1.down_2' };
    const first = await world.deliver(message, world.channels.matrix, signal);
    assert.ok(first.kind === 'failed' && first.mayBeReceived === true && first.attempts === 1);
    const second = await world.deliver(message, world.channels.matrix, signal);
    assert.deepEqual(second, { kind: 'sent', attempts: 1 });
    assert.equal(vendor.notified.length, 1);
    assert.match(vendor.requests[1]?.path ?? '', /\/incident%3A1\.down_2$/);
  });

  it('signs what it posts to a webhook, and not where there is no secret', async () => {
    const { requests } = await send('webhook', plainDown);
    assert.match(requests[0]?.headers['x-statusd-signature'] ?? '', /^sha256=[0-9a-f]{64}$/);
    const place = `${world.vendors.webhook.origin}/in/elsewhere`;
    const { config } = await load(`[[channels]]\nname = "w"\ntype = "webhook"\nurl = "${place}"`);
    await world.deliver(plainDown, config.channels[0] ?? assert.fail(), signal);
    assert.equal(requests.at(-1)?.headers['x-statusd-signature'], undefined);
  });

  it('finds the topic of an ntfy server below a path, and logs in with the name in its address', async () => {
    const { host } = new URL(world.vendors.ntfy.origin);
    const address = `http://me:pass%20word@${host}/push/my-topic?x=1`;
    const { config } = await load(`[[channels]]\nname = "n"\ntype = "ntfy"\nurl = "${address}"`);
    await world.deliver(plainDown, config.channels[0] ?? assert.fail(), signal);
    const request = world.vendors.ntfy.requests[0] ?? assert.fail();
    assert.equal(request.path, '/push/');
    assert.equal((JSON.parse(request.body) as { topic: string }).topic, 'my-topic');
    assert.equal(request.headers['authorization'], `Basic ${Buffer.from('me:pass word').toString('base64')}`);
  });

  it('can ask whether the credentials are good without a notification', async () => {
    const asked = await Promise.all(
      httpTypes.map(async (type) => {
        const answer = await verifyChannel(world.channels[type], world.options, signal);
        assert.deepEqual(world.vendors[type].notified, [], type);
        return [type, answer?.kind ?? 'cannot ask'] as const;
      }),
    );
    assert.deepEqual(Object.fromEntries(asked), {
      telegram: 'sent',
      discord: 'sent',
      slack: 'cannot ask',
      matrix: 'sent',
      ntfy: 'cannot ask',
      gotify: 'cannot ask',
      pushover: 'sent',
      freemobile: 'cannot ask',
      webhook: 'cannot ask',
      teams: 'cannot ask',
      pagerduty: 'cannot ask',
      alertmanager: 'sent',
      mattermost: 'cannot ask',
      rocketchat: 'cannot ask',
      googlechat: 'cannot ask',
      zulip: 'sent',
      signal: 'sent',
      twilio: 'sent',
      homeassistant: 'sent',
      apprise: 'sent',
    });
  });

  it('says what the vendor answered and what to check, for every type', async () => {
    const wrong = (toml: string) => toml.replaceAll(/cAnArY-\w+-7f3d9b21c4e8/g, 'wrong-token-123456');
    const said: string[] = [];
    for (const type of httpTypes) {
      const vendor = world.vendors[type];
      const table = `[[channels]]\nname = "x"\ntype = "${type}"\n${wrong(recipes[type].toml(vendor.origin))}`;
      const { config } = await load(table);
      const delivered = await world.deliver(plainDown, config.channels[0] ?? assert.fail(), signal);
      assert.ok(delivered.kind === 'failed' && delivered.isPermanent, type);
      assert.equal(delivered.attempts, 1, type);
      said.push(`${type}: ${delivered.error}`);
    }
    assertGolden(new URL('golden/refusals.txt', import.meta.url), `${said.join('\n')}\n`);
  });
});

const severityNamers = [
  ...(['freemobile', 'mattermost', 'rocketchat'] as const),
  ...(['zulip', 'signal', 'twilio'] as const),
];

/** Free Mobile and Pushover have room for one, Gotify for what a tap opens. */
function linksShownBy(type: HttpType, { link, ack }: Message): string[] {
  const all = [ack, link].flatMap((url) => url ?? []);
  const isOne = ['freemobile', 'pushover', 'gotify'].includes(type);
  return (isOne ? (type === 'gotify' ? all.slice(-1) : all.slice(0, 1)) : all).sort();
}

/** A request as a page, without what changes from run to run. */
function pageOf({ method, path, query, headers, body: content }: VendorRequest, isFirst: boolean): string {
  const isJson = headers['content-type'] === 'application/json';
  const kept = Object.entries(headers)
    .filter(([name]) => !['host', 'content-length', 'x-statusd-timestamp'].includes(name))
    .map(
      ([name, value]) =>
        `${name}: ${name === 'x-statusd-signature' ? value.replace(/[0-9a-f]{64}/, '…') : value}`,
    );
  const form = isJson ? [] : [...query, ...new URLSearchParams(content)];
  return [
    ...(isFirst ? [`${method} ${path}`, ...kept, ''] : [`${method} ${path}`]),
    ...form.flatMap(([name, value]) => leaves(value, name)),
    ...(isJson ? leaves(JSON.parse(content)) : []),
    '',
  ].join('\n');
}
