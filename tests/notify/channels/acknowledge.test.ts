/** The link to acknowledge, as each vendor takes it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { discord } from '../../../src/notify/channels/discord.ts';
import { mailOf } from '../../../src/notify/channels/email.ts';
import { ntfy } from '../../../src/notify/channels/ntfy.ts';
import { pushover } from '../../../src/notify/channels/pushover.ts';
import { telegram } from '../../../src/notify/channels/telegram.ts';
import { documentOf } from '../../../src/notify/channels/webhook.ts';
import { httpChannels } from '../../../src/notify/channels/kinds.ts';
import type { HttpChannel, HttpType } from '../../../src/notify/channels/http.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import { load } from '../../support/config.ts';
import { httpTypes, recipes } from '../../support/vendor-world.ts';
import { messages, plainDown } from '../wording/messages.ts';

const ack = 'https://status.example.com/ack/0198c5.down.1~abc~sig_na-ture';
const message = { ...plainDown, ack };

async function channelOf<Type extends string>(type: Type, keys: string) {
  const { config } = await load(`[[channels]]\nname = "ops"\ntype = "${type}"\n${keys}`);
  const [channel] = config.channels;
  assert.equal(channel?.type, type);
  return channel as Extract<typeof channel, { readonly type: Type }>;
}

const bodyOf = (call: { readonly body: string | null } | null) =>
  JSON.parse(call?.body ?? '') as Record<string, unknown>;

describe('the link to acknowledge', () => {
  it('is a button of Telegram where its address is a public name, and stands in the text in any case', async () => {
    const channel = await channelOf('telegram', 'token = "t"\nchat_id = "1"');
    const sent = bodyOf(telegram.call(message, channel, 0));
    assert.deepEqual(sent['reply_markup'], { inline_keyboard: [[{ text: 'Acknowledge', url: ack }]] });
    assert.ok(String(sent['text']).includes(`\n<a href="${ack}">Acknowledge</a>\n`));
    for (const host of ['localhost:8787', 'nas', 'nas.local', 'status.lan', '192.168.1.5', '[::1]']) {
      const local = { ...message, ack: ack.replace('status.example.com', host) };
      const document = bodyOf(telegram.call(local, channel, 0));
      assert.equal(document['reply_markup'], undefined, host);
      assert.match(String(document['text']), /Acknowledge: http/);
    }
    assert.equal(bodyOf(telegram.call(plainDown, channel, 0))['reply_markup'], undefined);
  });

  it('is an action of ntfy that opens the page, and the link of Pushover', async () => {
    const topic = await channelOf('ntfy', 'url = "https://ntfy.example.com/ops"');
    const { actions, click } = bodyOf(ntfy.call(message, topic, 0));
    assert.deepEqual(actions, [{ action: 'view', label: 'Acknowledge', url: ack }]);
    assert.equal(click, plainDown.link);
    const phone = await channelOf('pushover', 'token = "t"\nuser = "u"');
    const form = new URLSearchParams(pushover.call(message, phone, 0)?.body ?? '');
    assert.deepEqual([form.get('url'), form.get('url_title')], [ack, 'Acknowledge']);
  });

  it('is a link in a mail and in the text of chats, and a field of the webhook', async () => {
    const mail = await channelOf('email', 'host = "h"\nfrom = "a@example.com"\nto = "b@example.com"');
    const { text, html } = mailOf(message, mail, 0);
    assert.ok(text.includes(`Acknowledge: ${ack}\n`));
    assert.match(html, new RegExp(`<a [^>]*href="${ack}"[^>]*>Acknowledge</a>`));
    const room = await channelOf('discord', 'webhook_url = "https://discord.example.com/x"');
    const [embed] = bodyOf(discord.call(message, room, 0))['embeds'] as { readonly description: string }[];
    assert.ok(embed?.description.endsWith(`\n[Acknowledge](<${ack}>)`));
    const local = { ...message, link: 'http://nas:8787/incidents/1', ack: 'http://nas:8787/ack/x' };
    const [plain] = bodyOf(discord.call(local, room, 0))['embeds'] as Record<string, unknown>[];
    assert.equal(plain?.['url'], undefined);
    const shown = '\nAcknowledge: <http://nas:8787/ack/x>\nStatus page: <http://nas:8787/incidents/1>';
    assert.ok(String(plain?.['description']).endsWith(shown));
    assert.equal(documentOf(message)['acknowledge_url'], ack);
    assert.equal(documentOf(plainDown)['acknowledge_url'], undefined);
  });

  /** Everywhere that shows a link or a button, and nowhere without something to acknowledge. */
  const asText = (text: string) =>
    text.startsWith('{') || text.startsWith('[') ? text : decodeURIComponent(text.replaceAll('+', ' '));
  for (const type of httpTypes) {
    it(`is in what ${type} gets of an outage, and in nothing else that it gets`, async () => {
      const channel = await channelOf(type, recipes[type].toml('https://vendor.example'));
      const row = httpChannels[type] as unknown as HttpChannel<'webhook'>;
      const sent = (one: Message) => {
        const call = row.call(one, channel as never, 0);
        return call === null ? null : asText(call.body ?? call.url);
      };
      assert.ok(sent(message)?.includes(ack), type);
      for (const one of Object.values(messages)) {
        const text = sent(one);
        // A reminder says that nobody has acknowledged it, and an alert that someone has, with and without a link.
        if (text === null || one.event === 'reminder' || 'carried' in one) continue;
        assert.equal(/acknowledge/i.test(text), one.ack !== undefined, one.event);
      }
    });
  }

  const shape = async (type: HttpType) => {
    const channel = await channelOf(type, recipes[type].toml('https://vendor.example'));
    const row = httpChannels[type] as unknown as HttpChannel<'webhook'>;
    return JSON.parse(row.call(message, channel as never, 0)?.body ?? '') as Record<string, unknown>;
  };

  it('is the first button of a card, before the page', async () => {
    const { link } = plainDown;
    const teams = (await shape('teams')) as { attachments: { content: { actions: unknown[] } }[] };
    assert.deepEqual(teams.attachments[0]?.content.actions, [
      { type: 'Action.OpenUrl', title: 'Acknowledge', url: ack },
      { type: 'Action.OpenUrl', title: 'Status page', url: link },
    ]);
    const { cardsV2 } = await shape('googlechat');
    assert.ok(
      JSON.stringify(cardsV2).includes(`"text":"Acknowledge","onClick":{"openLink":{"url":"${ack}"}}`),
    );
    assert.deepEqual((await shape('pagerduty'))['links'], [
      { href: ack, text: 'Acknowledge' },
      { href: link, text: 'Status page' },
    ]);
    const { data } = await shape('homeassistant');
    assert.deepEqual(data, {
      url: link,
      clickAction: link,
      actions: [{ action: 'URI', title: 'Acknowledge', uri: ack }],
    });
  });
});
