import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createTransport } from 'nodemailer';
import type { Channel } from '../../../src/engine/config/config.ts';
import { mailOf } from '../../../src/notify/channels/email.ts';
import { basic } from '../../../src/engine/net/http/request.ts';
import type { HttpCall, HttpType } from '../../../src/notify/channels/http.ts';
import { httpChannels } from '../../../src/notify/channels/kinds.ts';
import { createDeliver } from '../../../src/notify/channels/deliver.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import { body, labelledTitle, safeLink, textOf, titled } from '../../../src/notify/wording/text.ts';
import { lineText } from '../../../src/notify/wording/wording.ts';
import { wordingOf } from '../../../src/notify/wording/words.ts';
import { load } from '../../support/config.ts';
import { probeContext } from '../../support/probing.ts';
import { openMail, type ReceivedMail, type SmtpReceiver, startSmtp } from '../../support/smtp-receiver.ts';
import type { Notified, VendorRequest } from '../../support/vendor-server.ts';
import { canary, httpTypes, isForMachines, recipes } from '../../support/vendor-world.ts';
import { messages, plainDown } from '../wording/messages.ts';
import { links, payloads } from './payloads.ts';

const hostile = payloads(210);
/** One of each event is enough: variants of an event have the same fields. */
const samples = [...new Map(Object.values(messages).map((message) => [message.event, message])).values()];
const deliveryIds = (() => {
  let count = 0;
  return () => `x${(count += 1)}`;
})();

/** Where an address in the text becomes a link, whoever wrote it. */
const isLinkingText = new Set<HttpType>(['telegram', 'matrix', 'signal', 'twilio', 'apprise', 'freemobile']);

/** Those that set labels and answers apart, in an order of their own. */
const isFormatted = new Set<HttpType>(['telegram', 'discord', 'slack', 'matrix', 'teams', 'googlechat']);

/** The lines of a text as letters alone: without what sets a quote or a label apart. */
function sorted(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/^> /, '').replaceAll(': ', ' ').trim());
  return lines
    .filter((line) => line !== '' && line !== 'It answered:')
    .sort()
    .join('\n');
}

const ack = 'https://status.example.com/ack/0198c5.down.1~abc~sig_na-ture';

/** The words of this program and the facts that are no text. */
const fixed = new Set([
  'event',
  'severity',
  'deliveryId',
  'link',
  'ack',
  'from',
  'verdict',
  'pace',
  'category',
  'id',
  'uid',
]);

describe('hostile text', () => {
  let channels: Record<string, Channel>;
  before(async () => {
    const tables = httpTypes.map(
      (type) =>
        `[[channels]]\nname = "${type}"\ntype = "${type}"\n${recipes[type].toml('https://vendor.example')}\n`,
    );
    const { config } = await load(tables.join('\n'));
    channels = Object.fromEntries(config.channels.map((channel) => [channel.type, channel]));
  });

  /** What the vendor would show of a message; fails when it would refuse it. */
  const callOf = (type: HttpType, message: Message) => {
    const row = httpChannels[type] as {
      call: (message: Message, channel: unknown, nowAt: number) => HttpCall | null;
    };
    return row.call({ ...message, deliveryId: deliveryIds() }, channels[type], Date.UTC(2026, 0, 1));
  };
  const notifiedBy = (type: HttpType, message: Message, call = callOf(type, message)): Notified => {
    assert.ok(call !== null);
    for (const [name, value] of call.headers) assert.match(`${name}${value}`, /^[ -~]+$/);
    const { notified, body: answer } = recipes[type].rules(requestOf(call));
    return notified ?? assert.fail(`${type} refused: ${answer}`);
  };

  const isHarmless = (type: HttpType, message: Message) => {
    const call = callOf(type, message);
    // Vendors that remind by themselves get no reminder.
    if (isForMachines(type) && call === null) return;
    const notified = notifiedBy(type, message, call);
    assert.deepEqual(
      [notified.mentions, notified.markup],
      [[], []],
      `${type}: ${notified.text.slice(0, 200)}`,
    );
    if (isForMachines(type)) return;
    const link = message.link === null ? null : safeLink(message.link);
    assert.ok(
      notified.links.every((shown) => shown === link || shown === message.ack || isLinkingText.has(type)),
      `${type}: ${notified.links.join(' ')}`,
    );
    assert.doesNotMatch(
      notified.text.replaceAll('\n', ''),
      /[\p{Cc}\p{Cs}\u202a-\u202e\u2066-\u2069]/u,
      type,
    );
    assert.doesNotMatch(notified.title ?? '', /[\p{Cc}\p{Cs}]/u);
    // Short enough for every limit, nothing is cut and nothing is shown differently.
    const isCut = notified.text.length > 240 || /[^ -~\n]/.test(notified.text);
    if (isCut || link !== null || message.ack !== undefined) return;
    const wording = wordingOf(message);
    if (isFormatted.has(type)) {
      const lines = [...wording.lines.map(lineText), ...wording.quote];
      if (lines.length > 0) assert.equal(sorted(notified.text), sorted(lines.join('\n')), type);
      const title = labelledTitle(wording, message.severity);
      // Slack's header has room for so much behind its mark.
      if (title.length <= 147) assert.ok(notified.title?.endsWith(title), type);
      return;
    }
    const parts = notified.title === null ? titled(wording, message.severity) : body(wording);
    const separator = type === 'freemobile' ? ' - ' : '\n';
    const isSms = type === 'freemobile' || type === 'twilio';
    const shown = isSms ? parts.filter((part) => !/^(It answered:|> )/.test(part)) : parts;
    assert.equal(notified.text, textOf(shown, null, { limit: 1_000_000, separator }), type);
  };

  // Made once for all types.
  const everyField = hostile.map((payload) => ({
    payload,
    filled: samples.map((sample) => everywhere(sample, payload)),
  }));
  const someHostile = hostile.filter((_payload, at) => at % 20 === 0);
  const oneField = samples.flatMap((sample) =>
    leavesOf(sample).flatMap((path) =>
      someHostile.map((payload) => replaced(sample, path, payload) as Message),
    ),
  );

  for (const type of httpTypes) {
    it(`stays text on ${type}, in every field of every event`, () => {
      for (const { filled } of everyField) for (const message of filled) isHarmless(type, message);
      // Without a link, and with one to acknowledge.
      for (const { payload, filled } of everyField.filter((_each, at) => at % 4 === 0)) {
        for (const message of filled) isHarmless(type, { ...message, link: null });
        isHarmless(type, { ...everywhere(plainDown, payload), ack });
      }
    });

    it(`stays text on ${type}, in each field alone`, () => {
      for (const message of oneField) isHarmless(type, message);
    });

    it(`leads nowhere but to a web address on ${type}`, () => {
      for (const link of links) for (const sample of samples) isHarmless(type, { ...sample, link });
    });
  }

  it('would be caught by these rules if it were sent as it is', () => {
    const embed = { title: 'x', color: 1, timestamp: '2026-01-01T00:00:00.000Z' };
    const section = { type: 'section' };
    const caught = (type: HttpType, text: string) => {
      const document: Record<string, unknown> = {
        telegram: { chat_id: '-100123', text, parse_mode: 'HTML' },
        discord: { content: 'x', embeds: [{ ...embed, description: text }], allowed_mentions: { parse: [] } },
        slack: { text: 'x', blocks: [{ ...section, text: { type: 'mrkdwn', text } }], mrkdwn: false },
      };
      const call: HttpCall = {
        ...(callOf(type, samples[0] ?? assert.fail()) ?? assert.fail()),
        body: JSON.stringify(document[type]),
      };
      const { notified } = recipes[type].rules(requestOf(call));
      return notified === null || notified.mentions.length + notified.markup.length > 0;
    };
    assert.ok(caught('telegram', 'x @ops') && caught('telegram', 'a <i>b</i>') && caught('telegram', '<b>x'));
    assert.ok(caught('telegram', 'a & b') && !caught('telegram', '<b>x</b> &amp; y'));
    assert.ok(!caught('discord', '**Reason:** x\n> y') && caught('discord', 'a **b**'));
    assert.ok(caught('discord', '*bold*') && caught('discord', '<@1>') && caught('discord', '[a](b)'));
    assert.ok(caught('discord', '\\\\*') && caught('discord', 'x\n- y') && caught('discord', '@everyone'));
    assert.ok(caught('slack', '<!here>') && caught('slack', 'a & b'));
    for (const type of ['telegram', 'discord', 'slack'] as const) assert.ok(caught(type, 'x'.repeat(5000)));
  });

  it('is cut between characters, never within one or within markup', () => {
    for (const unit of ['🙂', '&', '👨\u200d👩\u200d👧', '`']) {
      for (const length of [1020, 2900, 4090]) {
        const filled = unit.repeat(Math.ceil(length / unit.length) + 1);
        const lines = Array.from({ length: 60 }, () => filled.slice(0, 290));
        const long = { ...messages['the digest'], summary: filled, lines } as Message;
        for (const type of httpTypes) isHarmless(type, long);
        for (const type of httpTypes) isHarmless(type, { ...everywhere(plainDown, filled), ack });
      }
    }
  });

  it('stays below the limits of every vendor, and keeps the verdict, however long it is', () => {
    const lines = Array.from({ length: 1000 }, (_, at) => `Monitor ${at} “été” 99.9${at}%, no incident`);
    const digest = { ...messages['the digest'], lines } as Message;
    for (const type of httpTypes) {
      const { text } = notifiedBy(type, digest);
      assert.ok(text.includes('2 monitors, 1 incident'), type);
    }
  });

  it('leaves credentials out of everything that is shown', () => {
    for (const type of httpTypes) {
      const notified = notifiedBy(type, samples[0] ?? assert.fail());
      assert.ok(!JSON.stringify(notified).includes(canary(type)), type);
    }
  });

  describe('in mail', () => {
    let smtp: SmtpReceiver;
    before(async () => {
      smtp = await startSmtp({ hidesStarttls: true });
    });
    after(() => smtp.close());

    const down = samples[0] ?? assert.fail();
    const channelFor = async (): Promise<Extract<Channel, { type: 'email' }>> => {
      const { config } = await load(
        `[[channels]]\nname = "m"\ntype = "email"\nhost = "127.0.0.1"\nport = ${smtp.port}\nfrom = "s@example.com"\nto = "o@example.com"`,
      );
      const [channel] = config.channels;
      assert.ok(channel?.type === 'email');
      return channel;
    };

    it('adds no header, no part and no recipient', async () => {
      const channel = await channelFor();
      const deliver = createDeliver(probeContext());
      const { signal } = new AbortController();
      const some = ['benign', ...hostile.filter((_payload, at) => at % 7 === 0)];
      const delivered = await Promise.all(
        some.map((payload, at) =>
          deliver({ ...everywhere(down, payload), deliveryId: `mail-${at}` }, channel, signal),
        ),
      );
      assert.ok(delivered.every(({ kind }) => kind === 'sent'));
      assert.equal(smtp.mails.length, some.length);
      const [first] = smtp.mails;
      for (const mail of smtp.mails) {
        assert.deepEqual(shapeOf(mail), shapeOf(first));
        assert.deepEqual([mail.sender, mail.recipients], ['s@example.com', ['o@example.com']]);
      }
    });

    it('has the same headers and parts as benign text, in every field', async () => {
      const channel = await channelFor();
      const writer = createTransport({ streamTransport: true, buffer: true, newline: 'windows' });
      const write = async (payload: string) => {
        const { message } = await writer.sendMail(mailOf(everywhere(down, payload), channel, 0));
        return openMail((message as Buffer).toString('latin1'));
      };
      const shape = shapeOf(await write('benign'));
      for (const payload of hostile) {
        const mail = await write(payload);
        assert.deepEqual(shapeOf(mail), shape);
        const subject = mail.headers.find(([name]) => name === 'subject')?.[1] ?? '';
        assert.doesNotMatch(subject, /[\p{Cc}\p{Cs}]/u);
        assert.ok(subject.length <= 200);
        assert.ok(mail.raw.split('\r\n').every((line) => line.length <= 998));
      }
    });

    it('has the same elements as benign text, in every field of every event', async () => {
      const channel = await channelFor();
      for (const [at, sample] of samples.entries()) {
        // How many lines there are is up to the text, and not every text leaves one.
        const tree = elementsOf(mailOf(everywhere(sample, 'benign'), channel, 0).html);
        for (const { payload, filled } of everyField) {
          const { html, text } = mailOf(filled[at] ?? assert.fail(), channel, 0);
          const rest = elementsOf(html).filter((element) => !tree.includes(element));
          assert.deepEqual(rest, [], payload.slice(0, 80));
          assert.doesNotMatch(text.replaceAll('\n', ''), /[\p{Cc}\p{Cs}]/u);
          assert.ok(text.length <= 20_001);
        }
      }
    });
  });
});

type Path = readonly (string | number)[];

function leavesOf(value: unknown, path: Path = []): Path[] {
  if (typeof value === 'string') return [path];
  if (Array.isArray(value)) return value.flatMap((item, at) => leavesOf(item, [...path, at]));
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, item]) =>
    fixed.has(key) ? [] : leavesOf(item, [...path, key]),
  );
}

function replaced(value: unknown, [step, ...rest]: Path, text: string): unknown {
  if (step === undefined) return text;
  if (Array.isArray(value)) {
    return value.map((item: unknown, at) => (at === step ? replaced(item, rest, text) : item));
  }
  const table = value as Record<string, unknown>;
  return { ...table, [step]: replaced(table[step], rest, text) };
}

/** A message with `text` in each of its fields. */
function everywhere(message: Message, text: string): Message {
  return withText(message, text) as Message;
}

function withText(value: unknown, text: string): unknown {
  if (typeof value === 'string') return text;
  if (Array.isArray(value)) return value.map((item: unknown) => withText(item, text));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [
      key,
      fixed.has(key) ? (item as unknown) : withText(item, text),
    ]),
  );
}

function requestOf({ url, method, headers, body: content }: HttpCall): VendorRequest {
  const { pathname: path, searchParams: query, username, password } = new URL(url);
  const login = username === '' ? {} : { authorization: basic({ username, password }) };
  return {
    method,
    path,
    query,
    headers: { ...login, ...Object.fromEntries(headers) },
    rawHeaders: [],
    body: content ?? '',
  };
}

const shapeOf = ({ headers, parts }: Pick<ReceivedMail, 'headers' | 'parts'> | undefined = none) => ({
  headers: headers.map(([name]) => name),
  parts: Object.keys(parts),
});
const none = { headers: [], parts: {} };

/** The tags of a page, without what only says how often a thing comes. */
const elementsOf = (html: string): string[] => [
  ...new Set(html.match(/<[^>]*>/g)?.map((tag) => tag.replace(/ (style|href)="[^"<>]*"/g, ' $1'))),
];
