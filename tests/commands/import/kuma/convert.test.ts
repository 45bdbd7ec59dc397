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
import { checkAsyncProperty } from '../../../support/property.ts';
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

  it('is left out with its reason when there is no channel for it', async () => {
    assert.match((await channel('teams', {})).remarks.join(), /no channel for teams/);
    assert.match((await channel('', {})).remarks.join(), /no channel for this/);
    assert.match((await channel('constructor', {})).remarks.join(), /no channel for constructor/);
    assert.match((await channel('webhook', { httpMethod: 'get' })).remarks.join(), /with GET/);
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

describe('hostile values', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary', maxLength: 40 }),
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
