import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { convertKuma } from '../../../../src/commands/import/kuma/convert.ts';
import { readKumaBackup } from '../../../../src/commands/import/kuma/source.ts';
import { outcomeOf } from '../../../../src/commands/import/item.ts';
import { reportJson, reportText } from '../../../../src/commands/import/render.ts';
import { createSecrets } from '../../../../src/commands/import/variables.ts';
import type { HttpMonitor, Monitor } from '../../../../src/engine/config/config.ts';
import { assertGolden } from '../../../support/golden.ts';
import { importKuma, itemNamed, loadImported, remarksOf } from '../../../support/import-kuma.ts';
import { household, householdSecrets } from '../../../support/kuma-household.ts';
import type { KumaRow } from '../../../support/kuma-database.ts';
import { anyCharacter, checkAsyncProperty } from '../../../support/property.ts';
import { outputOf } from '../../../support/sheet.ts';

const golden = (name: string) => new URL(`golden/${name}`, import.meta.url);

const byId = (monitors: readonly Monitor[], id: string) => {
  const monitor = monitors.find((one) => one.id === id);
  assert.ok(monitor !== undefined, `no monitor ${id}`);
  return monitor;
};

const http = (over: KumaRow): KumaRow => ({
  id: 1,
  name: 'One',
  type: 'http',
  url: 'https://one.example.com/',
  interval: 60,
  retry_interval: 60,
  timeout: 48,
  ...over,
});

/** The one monitor of a database with this row alone, and what was said about it. */
const one = async (row: KumaRow, more: Readonly<Record<string, readonly KumaRow[]>> = {}) => {
  const { loaded, imported } = await importKuma({ monitor: [row], ...more });
  const monitor = loaded.config.monitors[0];
  return {
    monitor: monitor as HttpMonitor,
    remarks: remarksOf(imported.items, String(row['name'] ?? 'One')),
  };
};

describe('convertKuma', () => {
  it('writes a household of version 2 down, and says what is not as it was', async () => {
    const { text, imported } = await importKuma(household('2.0'));
    assertGolden(golden('household.toml'), text);
    const closing = ['Wrote statusd.toml.'];
    assertGolden(
      golden('household-80.txt'),
      reportText(imported, { closing }, outputOf({ columns: 80, isColoured: false })),
    );
    assertGolden(
      golden('household.json'),
      `${JSON.stringify(reportJson(imported, '/x/statusd.toml'), null, 2)}\n`,
    );
  });

  it('makes the same of version 1.23', async () => {
    const [one, two] = await Promise.all([
      importKuma(household('1.23'), { version: '1.23' }),
      importKuma(household('2.0')),
    ]);
    assert.equal(one.text.replaceAll('Kuma 1.x', 'Kuma 2.x'), two.text);
  });

  it('shows no secret, neither in the file nor in the report, unless it is wanted in the file', async () => {
    const hidden = await importKuma(household('2.0'));
    const said = JSON.stringify(reportJson(hidden.imported, null));
    const report = reportText(
      hidden.imported,
      { closing: [] },
      outputOf({ columns: null, isColoured: false }),
    );
    const shown = await importKuma(household('2.0'), { secrets: 'inline' });
    const encoded = Buffer.from('kuma:basic-hunter2').toString('base64');
    for (const secret of [...householdSecrets.filter((each) => each !== 'basic-hunter2'), encoded]) {
      for (const text of [hidden.text, said, report]) assert.ok(!text.includes(secret), secret);
      assert.ok(shown.text.includes(secret), `${secret} is not inline`);
    }
    assert.deepEqual(shown.imported.wanted, []);
    assert.ok(!shown.text.includes('never-read'));
  });

  it('means the same as before, secrets included', async () => {
    const { loaded } = await importKuma(household('2.0'));
    const { config } = loaded;
    const shop = byId(config.monitors, 'shop') as HttpMonitor;
    assert.equal(shop.target, 'https://shop.example.com/?token=key-in-the-query&lang=en');
    assert.equal(shop.fail_threshold, 3);
    assert.deepEqual(shop.notify, ['My Telegram', 'Team']);
    const api = byId(config.monitors, 'api') as HttpMonitor;
    assert.equal(api.headers['authorization'], 'Bearer bearer-of-the-api');
    assert.equal(api.body, '{"ping": "$pong ${HOME}"}');
    assert.equal(api.group, 'Public / Inner ⚙');
    const backup = byId(config.monitors, 'backup');
    assert.ok(backup.kind === 'push' && backup.push_token?.reveal() === 'push-token-of-backup');
    assert.equal(backup.grace_secs, 1801);
    assert.deepEqual(config.disabled_channels, []);
    assert.deepEqual(config.maintenance[0]?.monitors, ['shop', 'api']);
  });

  it('reads the backup of version 1 like the database', async () => {
    const [shop] = household('1.23')['monitor']?.slice(2, 3) ?? [];
    const { accepted_statuscodes_json: codes, retry_interval: retryInterval, ...rest } = shop ?? {};
    const exported = {
      version: '1.23.13',
      notificationList: household('1.23')['notification'],
      monitorList: [
        {
          ...rest,
          parent: null,
          retryInterval,
          accepted_statuscodes: JSON.parse(String(codes)) as unknown,
          notificationIDList: { 1: true, 2: true, 9: false },
          tags: [
            { name: 'prod', value: '', color: '#f00' },
            { name: 'team', value: 'web' },
          ],
        },
      ],
      proxyList: [],
    };
    const data = readKumaBackup(JSON.parse(JSON.stringify(exported)));
    assert.ok(data !== null);
    const { loaded, text } = await loadImported(
      convertKuma(data, { secrets: createSecrets('env'), hostZone: 'UTC', nowAt: 0 }),
    );
    const fromDatabase = await importKuma(household('1.23'), { version: '1.23' });
    const { group, ...monitor } = byId(fromDatabase.loaded.config.monitors, 'shop');
    assert.deepEqual(
      { ...byId(loaded.config.monitors, 'shop'), group: undefined },
      { ...monitor, group: undefined },
    );
    assert.equal(group, 'Public');
    assert.match(text, /^# Tags: prod, team: web$/m);
  });
});

describe('a monitor of Uptime Kuma', () => {
  it('is notified after as many failures when retries come at its interval', async () => {
    const { monitor, remarks } = await one(http({ maxretries: 4 }));
    assert.deepEqual([monitor.fail_threshold, monitor.probe_retries, remarks], [5, 0, []]);
  });

  it('is notified after about as long when they come at another, and says so', async () => {
    const slow = await one(http({ maxretries: 10, retry_interval: 20 }));
    assert.deepEqual([slow.monitor.fail_threshold, slow.monitor.probe_retries], [4, 0]);
    assert.match(
      slow.remarks[0] ?? '',
      /^approximated: 10 retries 20 s apart: notified after 4 failed checks 60 s apart/,
    );
    const quick = await one(http({ interval: 600, maxretries: 2, retry_interval: 10 }));
    assert.deepEqual([quick.monitor.fail_threshold, quick.monitor.probe_retries], [1, 2]);
    const many = await one(http({ maxretries: 1000 }));
    assert.equal(many.monitor.fail_threshold, 100);
  });

  it('keeps its numbers within bounds and says which it changed', async () => {
    const { monitor, remarks } = await one(http({ interval: 3_000_000, timeout: 4000 }));
    assert.deepEqual([monitor.interval_secs, monitor.timeout_secs], [2_592_000, 300]);
    assert.equal(remarks.length, 2);
  });

  it('waits 80 % of its interval when no timeout is set', async () => {
    const { monitor } = await one(http({ timeout: 0, interval: 30 }));
    assert.equal(monitor.timeout_secs, 24);
  });

  it('that is pushed keeps the path of its senders where the token is long enough for one', async () => {
    const pushed = (token: string) => one({ type: 'push', name: 'Job', push_token: token, interval: 60 });
    const long = await pushed('t'.repeat(20));
    assert.match(
      long.remarks[0] ?? '',
      /^approximated: senders keep the path \/api\/push\/ with their token/,
    );
    const short = await pushed('t'.repeat(19));
    assert.match(
      short.remarks[0] ?? '',
      /^approximated: senders must call POST \/api\/push\/job with the token/,
    );
  });

  it('says what of a login it cannot do', async () => {
    for (const [method, said] of [
      ['oauth2-cc', /OAuth 2/],
      ['mtls', /client certificate/],
      ['ntlm', /logs in by ntlm/],
    ] as const) {
      assert.match((await one(http({ auth_method: method }))).remarks.join(), said);
    }
  });

  it('lets its own headers win over those made for it', async () => {
    const { monitor } = await one(
      http({
        auth_method: 'basic',
        basic_auth_user: 'a',
        basic_auth_pass: 'b',
        headers: '{"AUTHORIZATION":"mine"}',
      }),
    );
    assert.deepEqual({ ...monitor.headers }, { AUTHORIZATION: 'mine' });
  });

  it('converts every comparison of a JSON query, or says that it cannot', async () => {
    const query = async (operator: string, path = 'a.b') =>
      one(http({ type: 'json-query', json_path: path, json_path_operator: operator, expected_value: '5' }));
    assert.deepEqual(
      [(await query('==')).monitor.json_query, (await query('==')).monitor.json_expected],
      ['$.a.b', '5'],
    );
    assert.equal((await query('>=')).monitor.json_query, '$[?$.a.b >= 5]');
    assert.equal((await query('!=')).monitor.json_query, "$[?$.a.b && !($.a.b == '5' || $.a.b == 5)]");
    assert.equal((await query('contains')).monitor.json_query, "$[?search($.a.b, '5')]");
    assert.match((await query('~')).remarks.join(), /compares with ~/);
    const complex = await query('==', '$sum(items.price)');
    assert.equal(complex.monitor.json_query, null);
    assert.match(complex.remarks.join(), /more than a path/);
  });

  it('asks the first name server that is an address, and turns addresses around for PTR', async () => {
    const row = { id: 1, name: 'One', type: 'dns', interval: 60, port: 5353, timeout: 5 };
    const { monitor } = await one({
      ...row,
      hostname: '192.0.2.9',
      dns_resolve_type: 'PTR',
      dns_resolve_server: 'adguard, 2620:fe::fe',
    });
    assert.equal(monitor.target, '9.2.0.192.in-addr.arpa');
    assert.equal((monitor as unknown as { dns_resolver: string }).dns_resolver, '[2620:fe::fe]:5353');
  });

  it('is in every group around it, and groups that lie in each other end nowhere', async () => {
    const { loaded } = await importKuma({
      monitor: [
        { id: 1, name: 'A', type: 'group', parent: 2, interval: 60 },
        { id: 2, name: 'B', type: 'group', parent: 1, interval: 60 },
        http({ id: 3, parent: 1 }),
        http({ id: 4, name: 'Self', parent: 4 }),
      ],
    });
    assert.deepEqual(
      loaded.config.monitors.map(({ group }) => group),
      ['B / A', 'Self'],
    );
  });

  it('notifies through the groups that it lies in, as their notifications did', async () => {
    const { loaded, imported } = await importKuma({
      monitor: [
        { id: 1, name: 'Outer', type: 'group', interval: 60 },
        { id: 2, name: 'Inner', type: 'group', parent: 1, interval: 60 },
        http({ id: 3, parent: 2 }),
        http({ id: 4, name: 'Both', parent: 2 }),
        http({ id: 5, name: 'Alone' }),
      ],
      notification: ['A', 'B', 'C'].map((name, index) => ({
        id: index + 1,
        name,
        config: JSON.stringify({ type: 'ntfy', ntfytopic: name }),
      })),
      monitor_notification: [
        { monitor_id: 1, notification_id: 1 },
        { monitor_id: 4, notification_id: 2 },
      ],
    });
    assert.deepEqual(
      loaded.config.monitors.map(({ id, notify }) => [id, notify]),
      [
        ['one', ['A']],
        ['both', ['B', 'A']],
        ['alone', []],
      ],
    );
    assert.deepEqual(remarksOf(imported.items, 'Outer'), [
      'approximated: has notifications of its own: its monitors use them too, one by one, or together when they fail together',
    ]);
  });

  it('that is on no published page is named, because readers see it here', async () => {
    const rows = {
      monitor: [http({}), http({ id: 2, name: 'Two' }), http({ id: 3, name: 'Three' })],
      status_page: [
        { id: 1, slug: 'a', title: 'A', icon: '', published: 1 },
        { id: 2, slug: 'b', title: 'B', icon: '', published: 0 },
      ],
      group: [
        { id: 1, name: 'G', public: 1, status_page_id: 1 },
        { id: 2, name: 'H', public: 1, status_page_id: 2 },
      ],
      monitor_group: [
        { monitor_id: 1, group_id: 1 },
        { monitor_id: 2, group_id: 2 },
      ],
    };
    const { imported } = await importKuma(rows);
    assert.deepEqual(remarksOf(imported.items, 'who sees what'), [
      'dropped: on no published status page: Two and Three; in statusd readers see all monitors; set public = false, which needs server.auth_token',
    ]);
    const all = { ...rows, monitor: rows.monitor.slice(0, 1) };
    assert.ok((await importKuma(all)).imported.items.every(({ name }) => name !== 'who sees what'));
    const backup = readKumaBackup({ version: '1.23.0', monitorList: [http({})] });
    assert.ok(backup !== null);
    const tools = { secrets: createSecrets('env'), hostZone: 'UTC', nowAt: 0 };
    assert.match(
      remarksOf(convertKuma(backup, tools).items, 'who sees what')[0] ?? '',
      /^dropped: the backup does not say what its status pages showed; /,
    );
  });

  it('is paused with its group', async () => {
    const { loaded, imported } = await importKuma({
      monitor: [
        { id: 1, name: 'A', type: 'group', active: 0, interval: 60 },
        http({ id: 3, parent: 1 }),
        http({ id: 4, name: 'Other' }),
      ],
    });
    assert.deepEqual(
      loaded.config.monitors.map(({ id }) => id),
      ['other'],
    );
    assert.equal(outcomeOf(itemNamed(imported.items, 'One')), 'dropped');
  });
});

describe('a notification of Uptime Kuma', () => {
  it('is reported with what it asks for that no channel has', async () => {
    const remarked = async (type: string, fields: Readonly<Record<string, unknown>>) => {
      const { imported } = await importKuma({
        monitor: [http({})],
        notification: [{ id: 1, name: 'N', config: JSON.stringify({ type, ...fields }) }],
      });
      return remarksOf(imported.items, 'N');
    };
    const telegram = { telegramBotToken: '1:a', telegramChatID: '2' };
    assert.deepEqual(
      await remarked('telegram', { ...telegram, telegramSendSilently: true, telegramUseTemplate: true }),
      ['dropped: has a text of its own', 'dropped: sends without a sound'],
    );
    assert.deepEqual(
      await remarked('telegram', { ...telegram, telegramSendSilently: false, telegramTemplate: 'x' }),
      [],
    );
    const pushover = { pushoverapptoken: 'a', pushoveruserkey: 'u', pushoverpriority: '0' };
    assert.deepEqual(await remarked('pushover', pushover), []);
    assert.deepEqual(await remarked('pushover', { ...pushover, pushoverpriority: '2', pushoverttl: '60' }), [
      'dropped: has a priority or a sound of its own: in statusd both follow the severity',
      'dropped: takes its messages back after a while',
    ]);
  });

  it('whose secret is empty is left out, and what was routed to it alone notifies every channel', async () => {
    const { loaded, imported } = await importKuma({
      monitor: [http({})],
      notification: [
        { id: 1, name: 'Empty', config: JSON.stringify({ type: 'discord', discordWebhookUrl: '' }) },
        { id: 2, name: 'Other', config: JSON.stringify({ type: 'ntfy', ntfytopic: 'x' }) },
      ],
      monitor_notification: [{ monitor_id: 1, notification_id: 1 }],
    });
    assert.deepEqual(remarksOf(imported.items, 'Empty'), ['dropped: its webhook_url is empty']);
    assert.deepEqual([loaded.config.disabled_channels, loaded.config.monitors[0]?.notify], [[], null]);
    assert.deepEqual(remarksOf(imported.items, 'One').slice(-1), [
      'approximated: none of its channels was imported: it notifies every channel',
    ]);
  });

  const channel = async (type: string, fields: Readonly<Record<string, unknown>>) => {
    const { loaded, imported } = await importKuma({
      monitor: [http({})],
      notification: [{ id: 1, name: 'N', config: JSON.stringify({ type, ...fields }) }],
    });
    return { channel: loaded.config.channels[0], remarks: remarksOf(imported.items, 'N') };
  };

  it('becomes a channel of each type there is', async () => {
    const made = [
      await channel('slack', { slackwebhookURL: 'https://hooks.slack.com/x', slackchannel: '#ops' }),
      await channel('matrix', {
        homeserverUrl: 'https://m.example.com/',
        accessToken: 't',
        internalRoomId: '!r:m',
      }),
      await channel('gotify', { gotifyserverurl: 'https://g.example.com/', gotifyapplicationToken: 't' }),
      await channel('pushover', { pushoverapptoken: 't', pushoveruserkey: 'u', pushoverdevice: 'phone' }),
      await channel('FreeMobile', { freemobileUser: '123', freemobilePass: 'p' }),
      await channel('webhook', { webhookURL: 'https://w.example.com/', webhookContentType: 'json' }),
      await channel('telegram', {
        telegramBotToken: 't',
        telegramChatID: '5',
        telegramServerUrl: 'https://tg.example.com',
      }),
    ];
    assert.deepEqual(
      made.map(({ channel }) => channel?.type),
      ['slack', 'matrix', 'gotify', 'pushover', 'freemobile', 'webhook', 'telegram'],
    );
  });

  const settingsOf = async (type: string, fields: Readonly<Record<string, unknown>>) => {
    const { channel: made, remarks } = await channel(type, fields);
    const shown = Object.entries(made ?? {}).map(([key, value]) => {
      const isSecret = typeof value === 'object' && value !== null && 'reveal' in value;
      return [key, isSecret ? (value as { reveal: () => string }).reveal() : value];
    });
    return { settings: Object.fromEntries(shown) as Record<string, unknown>, remarks };
  };
  const exact: readonly (readonly [string, Readonly<Record<string, unknown>>, Record<string, unknown>])[] = [
    [
      'teams',
      { webhookUrl: 'https://t.example.com/flow?sig=s' },
      { type: 'teams', webhook_url: 'https://t.example.com/flow?sig=s' },
    ],
    [
      'PagerDuty',
      {
        pagerdutyIntegrationUrl: 'https://events.eu.pagerduty.com/v2/enqueue',
        pagerdutyIntegrationKey: 'k1',
        pagerdutyAutoResolve: 'resolve',
      },
      { type: 'pagerduty', routing_key: 'k1', api_url: 'https://events.eu.pagerduty.com' },
    ],
    [
      'mattermost',
      { mattermostWebhookUrl: 'https://mm.example.com/hooks/x' },
      { type: 'mattermost', webhook_url: 'https://mm.example.com/hooks/x' },
    ],
    [
      'rocket.chat',
      { rocketwebhookURL: 'https://rc.example.com/hooks/x' },
      { type: 'rocketchat', webhook_url: 'https://rc.example.com/hooks/x' },
    ],
    [
      'GoogleChat',
      { googleChatWebhookURL: 'https://chat.example.com/v1/spaces/A/messages?key=k' },
      { type: 'googlechat', webhook_url: 'https://chat.example.com/v1/spaces/A/messages?key=k' },
    ],
    [
      'signal',
      {
        signalURL: 'http://127.0.0.1:8080/v2/send',
        signalNumber: '+491711',
        signalRecipients: '+1, group.x=',
      },
      { type: 'signal', url: 'http://127.0.0.1:8080', number: '+491711', to: ['+1', 'group.x='] },
    ],
    [
      'twilio',
      {
        twilioAccountSID: 'AC1',
        twilioAuthToken: 't1',
        twilioFromNumber: '+1',
        twilioToNumber: '+2',
      },
      { type: 'twilio', account_sid: 'AC1', token: 't1', from: '+1', to: '+2' },
    ],
    [
      'HomeAssistant',
      {
        homeAssistantUrl: 'http://ha.local:8123/',
        longLivedAccessToken: 't2',
        notificationService: 'mobile_app_phone',
      },
      { type: 'homeassistant', url: 'http://ha.local:8123', token: 't2', service: 'mobile_app_phone' },
    ],
    [
      'ntfy',
      {
        ntfyserverurl: 'https://ntfy.example.com',
        ntfytopic: 'ops',
        ntfyAuthenticationMethod: 'usernamePassword',
        ntfyusername: 'me@x',
        ntfypassword: 'p w',
      },
      { type: 'ntfy', url: 'https://me%40x:p%20w@ntfy.example.com/ops' },
    ],
    [
      'smtp',
      {
        smtpHost: 'mail.example.com',
        smtpPort: 465,
        smtpSecure: true,
        smtpIgnoreTLSError: true,
        smtpFrom: 'a@example.com',
        smtpTo: 'b@example.com',
      },
      { type: 'email', host: 'mail.example.com', port: 465, implicit_tls: true, tls_verify: false },
    ],
    [
      'webhook',
      {
        webhookURL: 'https://w.example.com/',
        webhookContentType: 'custom',
        webhookCustomBody: '{"text": "{{ msg }}", "of": "{{name}}"}',
        webhookAdditionalHeaders: '{"Authorization": "Bearer h1", "X-Team": "web"}',
      },
      {
        type: 'webhook',
        headers: { Authorization: 'Bearer h1', 'X-Team': 'web' },
        body: '{"text": "{{text}}", "of": "{{monitor}}"}',
      },
    ],
  ];
  for (const [type, fields, expected] of exact) {
    it(`of type ${type} comes over with its settings, and nothing to remark`, async () => {
      const { settings, remarks } = await settingsOf(type, fields);
      assert.deepEqual(
        Object.fromEntries(Object.keys(expected).map((key) => [key, settings[key]])),
        expected,
      );
      assert.deepEqual(remarks, []);
    });
  }

  it('sends text where the body of a webhook is none of JSON, and says what it cannot send', async () => {
    const url = { webhookURL: 'https://w.example.com/' };
    const get = await settingsOf('webhook', { ...url, httpMethod: 'get' });
    assert.deepEqual([get.settings['method'], get.remarks.length], ['GET', 1]);
    const plain = { ...url, webhookContentType: 'custom', webhookCustomBody: '{{ name }} says: {{ msg }}' };
    const { settings, remarks } = await settingsOf('webhook', plain);
    assert.deepEqual(
      [settings['body'], settings['headers'], remarks],
      ['{{monitor|raw}} says: {{text|raw}}', { 'Content-Type': 'text/plain; charset=utf-8' }, []],
    );
    const body = '{% if heartbeatJSON %}{{ heartbeatJSON.time }}{% endif %}';
    const template = { ...url, webhookContentType: 'custom', webhookCustomBody: body };
    assert.match((await settingsOf('webhook', template)).remarks.join(), /has a body of its own/);
  });

  it('says what becomes of mail that went to a relay without TLS', async () => {
    const remarkOf = async (fields: Readonly<Record<string, unknown>>) =>
      (
        await settingsOf('smtp', {
          smtpHost: 'relay.lan',
          smtpFrom: 'a@b.example',
          smtpTo: 'c@b.example',
          ...fields,
        })
      ).remarks.join();
    assert.equal(await remarkOf({ smtpPort: 25 }), '');
    assert.equal(await remarkOf({ smtpPort: 465, smtpSecure: true, smtpUsername: 'u' }), '');
    assert.match(
      await remarkOf({ smtpPort: 25, smtpUsername: 'u' }),
      /approximated: sends without TLS if the server offers no STARTTLS: statusd requires it for a login/,
    );
    assert.match(await remarkOf({ smtpPort: 587 }), /approximated: .* requires it on port 587/);
    assert.match(
      await remarkOf({ smtpPort: 25, smtpUsername: 'u', smtpIgnoreSTARTTLS: true }),
      /dropped: sends without TLS: statusd requires STARTTLS for a login and sends no mail without it/,
    );
    assert.match(
      await remarkOf({ smtpPort: 25, smtpIgnoreSTARTTLS: true }),
      /approximated: sends without TLS: statusd uses STARTTLS where it is offered/,
    );
  });

  it('reminds of each monitor as often as that monitor did, and of the others never', async () => {
    const repeatsOf = async (...monitors: readonly KumaRow[]) => {
      const { loaded, imported } = await importKuma({
        monitor: monitors.map((row, at) => http({ id: at + 1, name: `M${at}`, ...row })),
        notification: [
          { id: 1, name: 'N', config: '{"type":"discord","discordWebhookUrl":"https://discord.com/x"}' },
        ],
        monitor_notification: monitors.map((_row, at) => ({ monitor_id: at + 1, notification_id: 1 })),
      });
      assert.equal(loaded.config.channels[0]?.repeat_every_secs, null);
      assert.deepEqual(remarksOf(imported.items, 'N'), []);
      return loaded.config.monitors.map((monitor) => monitor.repeat_every_secs);
    };
    assert.deepEqual(await repeatsOf({}), [null]);
    assert.deepEqual(await repeatsOf({ resend_interval: 10 }, {}, { resend_interval: 5, interval: 240 }), [
      600,
      null,
      1200,
    ]);
    assert.deepEqual(await repeatsOf({ resend_interval: 1, interval: 20 }), [60]);
  });

  it('is missed by the monitor whose reminders are lost with it', async () => {
    const { remarks } = await one(http({ resend_interval: 10 }));
    assert.match(remarks.join(), /dropped: reminds every 10m, but none of its channels was imported/);
  });

  it('is left out with its reason when there is no channel for it', async () => {
    assert.match((await channel('mqtt', {})).remarks.join(), /no channel for mqtt/);
    assert.match((await channel('apprise', { appriseURL: 'x://y' })).remarks.join(), /store the address/);
    assert.match((await channel('twilio', { twilioApiKey: 'SK1' })).remarks.join(), /an API key/);
    assert.match((await channel('', {})).remarks.join(), /no channel for this/);
    assert.match((await channel('constructor', {})).remarks.join(), /no channel for constructor/);
    assert.match(
      (await channel('gotify', { gotifyserverurl: 'nonsense' })).remarks.join(),
      /url must be a URL/,
    );
  });

  it('is not routed to when the loader refuses it', async () => {
    const { loaded, imported } = await importKuma({
      monitor: [http({})],
      notification: [
        {
          id: 1,
          name: 'Bad',
          config: '{"type":"gotify","gotifyserverurl":"nonsense","gotifyapplicationToken":"t"}',
        },
        { id: 2, name: 'Good', config: '{"type":"discord","discordWebhookUrl":"https://discord.com/x"}' },
      ],
      monitor_notification: [{ monitor_id: 1, notification_id: 1 }],
    });
    assert.equal(loaded.config.monitors[0]?.notify, null);
    assert.match(remarksOf(imported.items, 'One').join(), /notifies every channel/);
  });
});

describe('maintenance of Uptime Kuma that comes again', () => {
  const window = async (row: KumaRow) => {
    const { loaded, imported } = await importKuma({
      monitor: [http({})],
      maintenance: [{ id: 1, title: 'W', timezone: 'Europe/Berlin', ...row }],
      monitor_maintenance: [{ monitor_id: 1, maintenance_id: 1 }],
    });
    const [made] = loaded.config.maintenance;
    const times = made === undefined ? null : [made.schedule, made.duration, made.timezone];
    return { times, made, remarks: remarksOf(imported.items, 'W').join() };
  };
  const hours = { start_time: '03:00', end_time: '04:30' };
  const cases: readonly (readonly [string, KumaRow, string, number])[] = [
    ['every day', { strategy: 'recurring-interval', interval_day: 1, ...hours }, '0 3 * * *', 90],
    [
      'every week',
      { strategy: 'recurring-interval', interval_day: 7, start_date: '2025-06-04 00:00:00', ...hours },
      '0 3 * * 3',
      90,
    ],
    [
      'on weekdays, over midnight',
      { strategy: 'recurring-weekday', weekdays: '[1,5,0]', start_time: '23:30', end_time: '00:15' },
      '30 23 * * 1,5,0',
      45,
    ],
    [
      'on days of the month',
      { strategy: 'recurring-day-of-month', days_of_month: '[1,15,"lastDay1","lastDay2"]', ...hours },
      '0 3 1,15,L * *',
      90,
    ],
    ['by a cron', { strategy: 'cron', cron: '30 3 * * 2', duration: 3600 }, '30 3 * * 2', 60],
  ];
  for (const [when, row, schedule, minutes] of cases) {
    it(`becomes a schedule: ${when}`, async () => {
      const { times, remarks } = await window(row);
      assert.deepEqual(times, [schedule, minutes * 60_000, 'Europe/Berlin']);
      assert.equal(remarks, '');
    });
  }

  it('keeps its first and its last day', async () => {
    const dates = { start_date: '2026-07-01 00:00:00', end_date: '2026-08-01 00:00:00' };
    const { made } = await window({ strategy: 'recurring-interval', interval_day: 1, ...hours, ...dates });
    assert.deepEqual(
      [made?.start, made?.end].map((at) => new Date(Number(at)).toISOString()),
      ['2026-06-30T22:00:00.000Z', '2026-07-31T22:00:00.000Z'],
    );
    const past = { end_date: '2025-08-01 00:00:00' };
    const over = await window({ strategy: 'recurring-interval', interval_day: 1, ...hours, ...past });
    assert.deepEqual([over.times, over.remarks], [null, 'dropped: is over']);
  });

  it('is left out with its reason where there is no such schedule', async () => {
    const third = await window({ strategy: 'recurring-interval', interval_day: 3, ...hours });
    assert.match(third.remarks, /comes every 3 days, for which cron has no schedule/);
    assert.match((await window({ strategy: 'manual' })).remarks, /ended by hand/);
    assert.match(
      (await window({ strategy: 'recurring-weekday', ...hours })).remarks,
      /no schedule that can be read/,
    );
    assert.match(
      (await window({ strategy: 'cron', cron: '* * * * *', duration: 60 })).remarks,
      /once an hour/,
    );
  });
});

describe('hostile values', () => {
  const hostile = fc.oneof(
    fc.string({ unit: anyCharacter, maxLength: 40 }),
    fc.constantFrom(
      '"',
      '\\',
      '\n[[monitors]]',
      '${HOME}',
      '$',
      '"""',
      '\u001b[2J',
      '\u202e',
      "'",
      '{',
      'null',
      '[1',
      '-1',
      '9e99',
    ),
    fc.constantFrom('__proto__', 'constructor', 'https://a:b@c/?token=x', 'x'.repeat(300)),
  );
  const types = fc.constantFrom(
    'http',
    'keyword',
    'json-query',
    'port',
    'ping',
    'dns',
    'push',
    'group',
    '',
    'docker',
  );
  const columns = [
    'name',
    'url',
    'method',
    'body',
    'headers',
    'hostname',
    'keyword',
    'json_path',
    'expected_value',
  ];
  const more = [
    'accepted_statuscodes_json',
    'dns_resolve_type',
    'dns_resolve_server',
    'push_token',
    'description',
  ];

  it('never keep the configuration from loading, nor reach the terminal', async () => {
    const texts = fc.record(Object.fromEntries([...columns, ...more].map((column) => [column, hostile])));
    await checkAsyncProperty(
      fc.asyncProperty(
        fc.array(fc.tuple(types, texts, fc.integer({ min: -5, max: 5000 })), { maxLength: 3 }),
        async (rows) => {
          const monitor = rows.map(([type, text, interval], index) => ({
            ...text,
            method: text['method'] ?? 'GET',
            accepted_statuscodes_json: text['accepted_statuscodes_json'] ?? '[]',
            id: index + 1,
            type,
            interval,
            active: interval % 7 === 0 ? 0 : 1,
          }));
          const { imported, text } = await importKuma({ monitor });
          assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
          const report = reportText(
            imported,
            { closing: [] },
            outputOf({ columns: null, isColoured: false }),
          );
          assert.doesNotMatch(report, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
        },
      ),
      40,
    );
  });
});
