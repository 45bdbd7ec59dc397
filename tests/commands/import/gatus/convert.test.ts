import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { convertGatus } from '../../../../src/commands/import/gatus/convert.ts';
import { readGatusYaml } from '../../../../src/commands/import/gatus/folder.ts';
import { reportJson, reportText } from '../../../../src/commands/import/render.ts';
import { createSecrets, type SecretsMode } from '../../../../src/commands/import/variables.ts';
import type { HttpMonitor } from '../../../../src/engine/config/config.ts';
import { assertGolden } from '../../../support/golden.ts';
import { gatusHouse, gatusSecrets } from '../../../support/gatus-house.ts';
import { loadImported, remarksOf } from '../../../support/import-kuma.ts';
import { anyCharacter, checkAsyncProperty } from '../../../support/property.ts';
import { outputOf } from '../../../support/sheet.ts';

const golden = (name: string) => new URL(`golden/${name}`, import.meta.url);

const importYaml = async (yaml: string, wish: SecretsMode = 'env') => {
  const root = await readGatusYaml(Buffer.from(yaml), 'config.yaml');
  return loadImported(convertGatus({ root, fileOf: () => null }, createSecrets(wish)));
};

/** The one endpoint with these lines, and what was said about it. */
const endpoint = async (...lines: readonly string[]) => {
  const yaml = ['endpoints:', '  - name: One', ...lines.map((line) => `    ${line}`)].join('\n');
  const { loaded, imported } = await importYaml(yaml);
  return { monitor: loaded.config.monitors[0] as HttpMonitor, remarks: remarksOf(imported.items, 'One') };
};

describe('convertGatus', () => {
  it('writes a configuration down, and says what is not as it was', async () => {
    const { text, imported } = await importYaml(gatusHouse);
    assertGolden(golden('house.toml'), text);
    const output = outputOf({ columns: 80, isColoured: false });
    assertGolden(golden('house-80.txt'), reportText(imported, { closing: [] }, output));
  });

  it('shows no secret, neither in the file nor in the report, unless it is wanted in the file', async () => {
    const hidden = await importYaml(gatusHouse);
    const shown = await importYaml(gatusHouse, 'inline');
    const said = JSON.stringify(reportJson(hidden.imported, null));
    for (const secret of gatusSecrets) {
      for (const text of [hidden.text, said]) assert.ok(!text.includes(secret), secret);
      assert.ok(shown.text.includes(secret), `${secret} is not inline`);
    }
  });

  it('keeps the references to environment variables, and a dollar that is one', async () => {
    const { text } = await importYaml(gatusHouse);
    assert.match(text, /^target = "https:\/\/\$\{API_HOST\}\/health"$/m);
    assert.match(text, /Authorization = "Bearer \$\{API_TOKEN\}"/);
    assert.match(text, /^url = "https:\/\/ntfy\.sh\/\$\{NTFY_TOPIC\}"$/m);
    const { monitor } = await endpoint(
      'url: https://a.example/',
      `body: "$$HOME $$$$ $1 \${A-B}x"`,
      'conditions: []',
    );
    assert.equal(monitor.body, '$HOME $$ $1 x');
  });

  it('reads a variable within brackets and braces, as Gatus puts variables in before it reads the file', async () => {
    const { text } = await importYaml(
      'endpoints: [{ name: "A ${TAG}", group: ${GROUP}, url: https://a.example/, conditions: ["[STATUS] == 200"] }]',
    );
    assert.match(text, /^name = "A \$\{TAG\}"$/m);
    assert.match(text, /^group = "\$\{GROUP\}"$/m);
  });

  it('says of an endpoint without conditions that Gatus does not start with it', async () => {
    for (const conditions of ['', ', conditions: []']) {
      const { imported } = await importYaml(`endpoints: [{ name: a, url: https://a.example/${conditions} }]`);
      assert.deepEqual(remarksOf(imported.items, 'a'), [
        'approximated: Gatus does not start with this: it has no conditions; in statusd any good answer is up',
      ]);
    }
  });

  it('follows anchors and merges', async () => {
    const { loaded } = await importYaml(gatusHouse);
    const front = loaded.config.monitors.find(({ id }) => id === 'front-page');
    assert.deepEqual([front?.group, front?.interval_secs, front?.timeout_secs], ['web', 300, 20]);
  });
});

describe('an endpoint of Gatus', () => {
  it('that is no page is reported with every condition that only a page meets', async () => {
    const { remarks } = await endpoint(
      'url: tcp://a.example:6379',
      'body: PING',
      'conditions: ["[CONNECTED] == true", "[BODY] == pat(*PONG*)", "len([BODY]) > 2", "[STATUS] == 0"]',
    );
    for (const condition of ['[BODY] == pat(*PONG*)', 'len([BODY]) > 2', '[STATUS] == 0'])
      assert.ok(remarks.includes(`dropped: the condition ${condition}`), JSON.stringify(remarks));
    assert.ok(!remarks.some((text) => text.includes('[CONNECTED]')));
  });

  it('is reported with what its metrics and the page had besides', async () => {
    const { imported } = await importYaml(
      'ui:\n  title: T\n  logo: https://a.example/l.png\n  buttons:\n    - name: Home\n      link: https://a.example\nendpoints:\n  - name: One\n    url: https://a.example/\n    extra-labels:\n      env: prod\n    conditions: ["[STATUS] == 200"]\n',
    );
    assert.deepEqual(remarksOf(imported.items, 'One'), ['dropped: extra-labels of its metrics']);
    assert.deepEqual(remarksOf(imported.items, 'ui'), [
      'dropped: logo, buttons: see [page] in statusd.toml(5)',
    ]);
  });

  it('notifies every channel where the provider of its alerts is not set up', async () => {
    const { loaded, imported } = await importYaml(
      'alerting:\n  ntfy:\n    topic: x\n  slack: {}\nendpoints:\n  - name: One\n    url: https://a.example/\n    conditions: ["[STATUS] == 200"]\n    alerts:\n      - type: slack\n  - name: Two\n    url: https://b.example/\n    conditions: ["[STATUS] == 200"]\n    alerts:\n      - type: ntfy\n',
    );
    assert.deepEqual(remarksOf(imported.items, 'slack'), ['dropped: its webhook_url is empty']);
    assert.deepEqual(loaded.config.disabled_channels, []);
    const [one] = loaded.config.monitors;
    assert.equal(one?.notify, null);
    assert.ok(
      remarksOf(imported.items, 'One').includes(
        'approximated: none of its channels was imported: it notifies every channel',
      ),
    );
  });

  it('accepts the codes that all its conditions on the status accept', async () => {
    const codes = async (...conditions: readonly string[]) => {
      const { monitor } = await endpoint(
        'url: https://a.example/',
        `conditions: ${JSON.stringify(conditions)}`,
      );
      return monitor.expected_status;
    };
    assert.equal(await codes('[STATUS] >= 200', '[STATUS] < 300'), null);
    assert.equal(await codes('[STATUS] == pat(2*)'), null);
    assert.deepEqual(await codes('[STATUS] != 404', '[STATUS] > 399', '[STATUS] <= 410'), [
      { from: 400, to: 403 },
      { from: 405, to: 410 },
    ]);
    assert.deepEqual(await codes('[CONNECTED] == true'), [{ from: 200, to: 599 }]);
  });

  it('follows redirects, or takes them for the answer, as it did', async () => {
    const request = async (client: string, condition: string) => {
      const { monitor, remarks } = await endpoint(
        'url: https://a.example/',
        `client: { ${client} }`,
        `conditions: ["${condition}"]`,
      );
      assert.deepEqual(remarks, [], condition);
      return monitor.follow_redirects;
    };
    for (const yes of ['true', 'True', 'yes', 'on', 'y']) {
      assert.equal(await request(`ignore-redirect: ${yes}`, '[STATUS] == 200'), false, yes);
    }
    for (const no of ['false', 'FALSE', 'no', 'off', 'n', '~']) {
      assert.equal(await request(`ignore-redirect: ${no}`, '[STATUS] == 200'), true, no);
    }
    assert.equal(await request('ignore-redirect: true', '[STATUS] == 302'), false);
    assert.equal(await request('', '[STATUS] == any(200, 302)'), true);
  });

  it('keeps a pattern with a variable, and the text of one that is compared', async () => {
    const env = 'conditions: ["[BODY] == pat(*auth.${CLUSTER_DOMAIN}/*)", "[BODY].env == $STAGE"]';
    const { monitor } = await endpoint('url: https://a.example/', env);
    assert.deepEqual(
      [monitor.keyword, monitor.json_query, monitor.json_expected],
      ['auth.value/', '$.env', 'value'],
    );
    const { remarks } = await endpoint(
      'url: https://a.example/',
      'conditions: ["[BODY].env == $STAGE", "[BODY].ok == true", "[STATUS] == ${CODE}", "[CONNECTED] == $X"]',
    );
    const lost = remarks.filter((text) => text.startsWith('dropped'));
    assert.deepEqual(lost, [
      'dropped: the condition [STATUS] == ${CODE}: it has a variable',
      'dropped: the condition [CONNECTED] == $X: it has a variable',
      'dropped: the condition [BODY].env == $STAGE: it has a variable',
    ]);
  });

  it('asks the name server that it names', async () => {
    const resolver = async (url: string) => {
      const yaml = `endpoints: [{ name: One, url: "${url}", dns: { query-name: a.example }, conditions: ["[CONNECTED] == true"] }]`;
      const [monitor] = (await importYaml(yaml)).loaded.config.monitors;
      return monitor?.kind === 'dns' ? monitor.dns_resolver : null;
    };
    assert.equal(await resolver('ns1.example.com'), 'ns1.example.com:53');
    assert.equal(await resolver('ns1.example.com:5353'), 'ns1.example.com:5353');
    assert.equal(await resolver('2620:fe::fe'), '[2620:fe::fe]:53');
    assert.equal(await resolver('${DNS_SERVER}'), 'example.com:53');
  });

  it('brings texts as they stand in the file, whatever YAML would make of them', async () => {
    const words = [
      '0123',
      '1.10',
      '+49301234567',
      'on',
      'No',
      '0x1F',
      '1_000',
      '2026-11-07',
      '1e3',
      '.5',
      'TRUE',
    ];
    for (const word of words) {
      const { monitor, remarks } = await endpoint(
        'url: https://a.example/',
        `group: ${word}`,
        `body: ${word}`,
        `headers: { X-Version: ${word}, ${word}: x, X-Empty: ~ }`,
        `conditions: ["[STATUS] == 200"]`,
      );
      assert.deepEqual([monitor.group, monitor.body], [word, word]);
      const name = word === '+49301234567' ? word : word.toLowerCase();
      const headers = Object.fromEntries(
        Object.entries(monitor.headers).map(([key, value]) => [key.toLowerCase(), value]),
      );
      assert.deepEqual(headers, { 'x-version': word, [name]: 'x', 'x-empty': '' }, word);
      assert.deepEqual(remarks, []);
    }
    const yaml = 'external-endpoints:\n  - name: 007\n    token: 0123\n    heartbeat: { interval: 30m }\n';
    const { imported, loaded } = await importYaml(yaml);
    assert.equal(loaded.config.monitors[0]?.name, '007');
    assert.equal(imported.wanted[0]?.value, '0123');
  });

  it('keeps its variables in brackets as it does in lines', async () => {
    const brackets =
      'alerting: { slack: { webhook-url: ${HOOK} }, ntfy: {"topic":${TOPIC},"priority":${P}} }\n' +
      'endpoints: [{ name: One ${A}${B}, group: ${G}, url: https://${HOST}:${PORT}/$$x$$, enabled: ${ON},\n' +
      '  headers: { X-Key: ${V}, Accept: a ${W} b }, client: {insecure: ${I}, timeout: ${T}},\n' +
      '  conditions: [${C}, "[BODY].env == ${STAGE}", "[STATUS] == 200"],\n' +
      '  alerts: [{type: slack, enabled: ${ON}, failure-threshold: ${F}}, {type: ntfy, enabled: ${A-B}}]}]';
    const lines = `
alerting:
  slack:
    webhook-url: \${HOOK}
  ntfy:
    topic: \${TOPIC}
    priority: \${P}
endpoints:
  - name: One \${A}\${B}
    group: \${G}
    url: https://\${HOST}:\${PORT}/$$x$$
    enabled: \${ON}
    headers:
      X-Key: \${V}
      Accept: a \${W} b
    client:
      insecure: \${I}
      timeout: \${T}
    conditions:
      - \${C}
      - "[BODY].env == \${STAGE}"
      - "[STATUS] == 200"
    alerts:
      - type: slack
        enabled: \${ON}
        failure-threshold: \${F}
      - type: ntfy
        enabled: \${A-B}
`;
    const [plain, same] = [await importYaml(brackets), await importYaml(lines)];
    assert.equal(plain.text, same.text);
    assert.deepEqual(reportJson(plain.imported, null), reportJson(same.imported, null));
    const [monitor] = plain.loaded.config.monitors;
    assert.ok(monitor?.kind === 'http' && monitor.target.endsWith('/$x$'));
    const remarks = remarksOf(plain.imported.items, 'One ${A}${B}');
    for (const lost of ['enabled is a variable: statusd takes true', 'timeout: a variable in place of'])
      assert.ok(
        remarks.some((text) => text.includes(lost)),
        lost,
      );
    assert.ok(remarks.includes('dropped: the condition ${C}: it has a variable'));
  });

  it('is not switched off by a variable, nor are its alerts', async () => {
    const yaml = `
      alerting: { slack: { webhook-url: "https://hooks.slack.com/x" }, discord: { webhook-url: "https://discord.com/api/webhooks/1/x" } }
      endpoints:
        - name: One
          enabled: \${WATCHED}
          url: https://a.example/
          conditions: ["[STATUS] == 200"]
          alerts:
            - { type: slack, enabled: $ALERTS, send-on-resolved: true, failure-threshold: "\${FAILURES}" }
            - { type: discord, enabled: off }`;
    const { loaded, imported } = await importYaml(yaml);
    assert.deepEqual(loaded.config.monitors[0]?.notify, ['slack']);
    assert.deepEqual(remarksOf(imported.items, 'One'), [
      'approximated: enabled is a variable: statusd takes true',
      'approximated: failure-threshold is a variable: statusd takes 3',
      'approximated: enabled is a variable: statusd takes true',
    ]);
  });

  it('notifies of slow answers where one with alerts took them for failures', async () => {
    const alerts = async (lines: string) => {
      const yaml = `alerting: { slack: { webhook-url: "https://hooks.slack.com/x" } }\nendpoints: [{ name: One, url: "https://a.example/", conditions: ["[RESPONSE_TIME] < 500"]${lines} }]`;
      return (await importYaml(yaml)).loaded.config.alerts.alert_on_degraded;
    };
    assert.equal(await alerts(', alerts: [{ type: slack }]'), true);
    assert.equal(await alerts(''), false);
  });

  it('is counted with the conditions it lost', async () => {
    const yaml =
      'endpoints: [{ name: One, url: "https://a.example/", conditions: ["[IP] == 192.0.2.1", "[STATUS] == 200", "nonsense"] }]';
    const { imported } = await importYaml(yaml);
    assert.equal(reportJson(imported, null).dropped_conditions, 2);
    const text = reportText(imported, { closing: [] }, outputOf({ columns: 80, isColoured: false }));
    assert.match(text, /^1 exact, 1 approximated, 0 dropped; 2 conditions dropped$/m);
  });

  describe('with which Gatus does not start', () => {
    const sound = { name: 'One', url: 'https://a.example/', conditions: ['[STATUS] == 200'] };
    const remarksFor = async (...endpoints: readonly object[]) => {
      const alerting = { slack: { 'webhook-url': 'https://hooks.slack.com/x' } };
      const { imported } = await importYaml(JSON.stringify({ alerting, endpoints }));
      return imported.items
        .filter(({ kind }) => kind === 'monitor')
        .map(({ remarks }) => remarks.map(({ text }) => text));
    };
    const slack = { type: 'slack', 'send-on-resolved': true };
    const answers = ['[DNS_RCODE] == NOERROR'];
    const cases: Readonly<Record<string, readonly [object, string]>> = {
      'no conditions': [{ conditions: undefined }, 'it has no conditions'],
      'an empty list of conditions': [{ conditions: [] }, 'it has no conditions'],
      'no name': [{ name: '' }, 'it has no name'],
      'a quotation mark in its name': [{ name: 'a"b' }, 'its name has " or \\'],
      'a backslash in its group': [{ group: 'a\\b' }, 'its group has " or \\'],
      'a scheme in capital letters': [
        { url: 'HTTPS://a.example/' },
        'its url has a scheme in capital letters',
      ],
      'no type of DNS record': [
        { url: '9.9.9.9', dns: { 'query-name': 'a.example' }, conditions: answers },
        'its dns has no query-type in capital letters',
      ],
      'alerts that are no list': [{ alerts: { type: 'slack' } }, 'its alerts are no list of maps'],
      'an alert that is no map': [{ alerts: ['slack'] }, 'its alerts are no list of maps'],
      'headers that are no map': [{ headers: ['a'] }, 'its headers are no map'],
      'a client that is no map': [{ client: 'x' }, 'its client is no map'],
      'a reminder too soon': [
        { alerts: [{ ...slack, 'minimum-reminder-interval': '4m' }] },
        'an alert reminds more often than every 5 minutes',
      ],
      'a quotation mark in an alert': [
        { alerts: [{ ...slack, description: 'a "b"' }] },
        'the description of an alert has " or \\',
      ],
    };
    for (const [title, [more, why]] of Object.entries(cases)) {
      it(`is not called exact: ${title}`, async () => {
        const [remarks = []] = await remarksFor({ ...sound, ...more });
        assert.ok(
          remarks.some((text) => text.startsWith(`Gatus does not start with this: ${why}`)),
          JSON.stringify(remarks),
        );
      });
    }

    it('is not called exact: the name and group of another one', async () => {
      const duplicate = ['Gatus does not start with this: another endpoint has the same name and group'];
      const [first, second, third] = await remarksFor(
        { ...sound, group: 'Web' },
        { ...sound, name: 'oNE', group: 'web' },
        sound,
      );
      assert.deepEqual([first, second, third], [duplicate, duplicate, []]);
    });

    it('is not called exact: what Gatus does not accept of an external endpoint', async () => {
      const external = { name: 'Backup', token: 't0ken', heartbeat: { interval: '9s' } };
      const { imported } = await importYaml(
        JSON.stringify({
          'external-endpoints': [external, { name: 'Other', heartbeat: { interval: '10s' } }],
        }),
      );
      const refusals = imported.items
        .filter(({ kind }) => kind === 'monitor')
        .map(({ remarks }) =>
          remarks.map(({ text }) => text).filter((text) => text.startsWith('Gatus does not start')),
        );
      assert.deepEqual(refusals, [
        ['Gatus does not start with this: its heartbeat is wanted more often than every 10 seconds'],
        ['Gatus does not start with this: it has no token'],
      ]);
    });

    it('says nothing of Gatus where a variable decides', async () => {
      const dns = { 'query-name': 'a.example', 'query-type': '${type}' };
      const lists = await remarksFor(
        { ...sound, name: '${ONE}' },
        { ...sound, name: '${one}' },
        { ...sound, name: 'dns', url: '9.9.9.9', dns, conditions: answers },
      );
      assert.ok(
        lists.flat().every((text) => !text.startsWith('Gatus does not start')),
        JSON.stringify(lists),
      );
    });

    it('is called exact with a name and a list that Gatus takes', async () => {
      const all = { ...sound, alerts: [slack], headers: { A: 'b' }, client: {}, 'maintenance-windows': null };
      assert.deepEqual(await remarksFor(all), [[]]);
    });

    it('tells a variable in place of a list or map from a mistake', async () => {
      const [remarks] = await remarksFor({ ...sound, alerts: '${ALERTS}', client: '${CLIENT}' });
      assert.deepEqual(remarks, [
        'alerts is a variable: statusd takes none',
        'client is a variable: statusd takes none',
      ]);
    });

    it('is not called exact with an alert of a type that nobody knows', async () => {
      const [remarks = []] = await remarksFor({ ...sound, alerts: [{ ...slack, type: 'slakc' }] });
      assert.deepEqual(remarks, ['none of its channels was imported: it notifies every channel']);
    });
  });

  it('says that its conditions are no list', async () => {
    const { remarks } = await endpoint('url: https://a.example/', 'conditions: "[STATUS] == 200"');
    assert.deepEqual(remarks, ['dropped: a condition that is not one line of text']);
  });

  it('is left out when no code could satisfy it', async () => {
    const yaml = 'endpoints: [{ name: One, url: "https://a.example/", conditions: ["[STATUS] > 700"] }]';
    const { loaded, imported } = await importYaml(yaml);
    assert.equal(loaded.config.monitors.length, 0);
    assert.match(remarksOf(imported.items, 'One').join(), /expected_status must have at least 1 element/);
  });

  it('is left out when only a failure could satisfy it: it would be down as long as all is right', async () => {
    const dns = 'dns: { query-name: gone.example, query-type: A }';
    for (const [target, condition] of [
      ['url: "tcp://a.example:23"', '[CONNECTED] == false'],
      ['url: "https://a.example/"', '[CONNECTED] != true'],
      [`url: "9.9.9.9", ${dns}`, '[DNS_RCODE] == NXDOMAIN'],
      [`url: "9.9.9.9", ${dns}`, '[DNS_RCODE] == any(NXDOMAIN, SERVFAIL)'],
      [`url: "9.9.9.9", ${dns}`, '[DNS_RCODE] != NOERROR'],
    ] as const) {
      const yaml = `endpoints: [{ name: One, ${target}, conditions: ["${condition}"] }]`;
      const { loaded, imported } = await importYaml(yaml);
      assert.equal(loaded.config.monitors.length, 0, condition);
      assert.deepEqual(remarksOf(imported.items, 'One'), [
        `dropped: wants ${condition}: statusd cannot expect a target to fail`,
      ]);
    }
    for (const [target, condition] of [
      ['url: "tcp://a.example:23"', '[CONNECTED] == true'],
      ['url: "tcp://a.example:23"', '[CONNECTED] != false'],
      [`url: "9.9.9.9", ${dns}`, '[DNS_RCODE] == any(NOERROR, NXDOMAIN)'],
      [`url: "9.9.9.9", ${dns}`, '[DNS_RCODE] != NXDOMAIN'],
    ] as const) {
      const yaml = `endpoints: [{ name: One, ${target}, conditions: ["${condition}"] }]`;
      assert.equal((await importYaml(yaml)).loaded.config.monitors.length, 1, condition);
    }
  });

  it('is not said to warn of a certificate that is not read', async () => {
    const condition = '[CERTIFICATE_EXPIRATION] > 240h';
    const conditions = `conditions: ["[CONNECTED] == true", "${condition}"]`;
    for (const url of ['tls://a.example:993', 'tcp://a.example:993']) {
      const yaml = `endpoints: [{ name: One, url: "${url}", ${conditions} }]`;
      const { loaded, imported } = await importYaml(yaml);
      const remarks = remarksOf(imported.items, 'One');
      assert.ok(remarks.includes(`dropped: the condition ${condition}`), url);
      assert.ok(!remarks.join().includes('here a warning'), url);
      assert.equal(loaded.config.alerts.cert_expiry_days, 14, url);
    }
    const read = await endpoint('url: starttls://a.example:587', conditions);
    assert.deepEqual(read.remarks, [
      'approximated: failed 10 days before its certificate ends: here a warning 10 days before',
    ]);
  });

  it('says that its alerts ended after different numbers of successes', async () => {
    const yaml = `
      alerting:
        slack: { webhook-url: "https://hooks.slack.com/x" }
        discord: { webhook-url: "https://discord.com/api/webhooks/1/x" }
      endpoints:
        - name: One
          url: https://a.example/
          conditions: ["[STATUS] == 200"]
          alerts:
            - { type: slack, send-on-resolved: true, success-threshold: 5 }
            - { type: discord, send-on-resolved: true }`;
    const { loaded, imported } = await importYaml(yaml);
    assert.equal(loaded.config.monitors[0]?.recover_threshold, 2);
    assert.deepEqual(remarksOf(imported.items, 'One'), [
      'approximated: its alerts have different success thresholds: statusd uses the smallest',
    ]);
  });

  it('says which condition is lost', async () => {
    const conditions = [
      '[IP] == pat(192.*)',
      '[BODY].data[*].id == 1',
      '[CONTEXT].x == 1',
      'nonsense',
      '[BODY] != $X',
    ];
    const { remarks } = await endpoint(
      'url: https://a.example/',
      `conditions: ${JSON.stringify(conditions)}`,
    );
    for (const condition of conditions) {
      assert.ok(
        remarks.some((remark) => remark.startsWith(`dropped: the condition ${condition}`)),
        condition,
      );
    }
  });

  it('takes a comparison that is written the other way round', async () => {
    const { monitor } = await endpoint(
      'url: https://a.example/',
      'conditions: ["300 > [STATUS]", "UP == [BODY].status"]',
    );
    assert.deepEqual(
      [monitor.expected_status, monitor.json_query, monitor.json_expected],
      [null, '$.status', 'UP'],
    );
  });

  it('has its domain watched as it is registered', async () => {
    const domain = async (host: string) =>
      (await endpoint(`url: https://${host}/`, 'conditions: ["[DOMAIN_EXPIRATION] > 720h"]')).monitor
        .domain_expiry;
    assert.equal(await domain('www.shop.example.com'), 'example.com');
    assert.equal(await domain('www.example.co.uk'), 'example.co.uk');
  });

  it('is asked as often and as patiently, in the durations of Go', async () => {
    const { monitor, remarks } = await endpoint(
      'url: https://a.example/',
      'interval: 1h30m',
      'client: { timeout: 2500ms }',
      'conditions: ["[STATUS] == 200"]',
    );
    assert.deepEqual(
      [monitor.interval_secs, monitor.timeout_secs, remarks],
      [5400, 3, ['approximated: has a timeout of 2.5 s: 3 s in statusd']],
    );
    const none = await endpoint(
      'url: https://a.example/',
      'interval: 0s',
      'client: { timeout: 0s }',
      'conditions: ["[STATUS] == 200"]',
    );
    assert.deepEqual([none.monitor.interval_secs, none.monitor.timeout_secs, none.remarks], [60, 10, []]);
    const odd = await endpoint(
      'url: https://a.example/',
      'interval: $EVERY',
      'conditions: ["[STATUS] == 200"]',
    );
    assert.match(odd.remarks.join(), /interval: a variable in place of a duration/);
  });

  it('may have an address that is a variable', async () => {
    const { monitor, remarks } = await endpoint('url: $SITE', 'conditions: []');
    assert.equal(monitor.kind, 'http');
    assert.match(remarks.join(), /its address is a variable/);
  });
});

describe('readGatusYaml', () => {
  const refused = async (yaml: string | Uint8Array, message: RegExp) => {
    await assert.rejects(readGatusYaml(Buffer.from(yaml), 'c.yaml'), (error: Error) => {
      assert.match(error.message, message);
      assert.ok(!error.message.includes('hunter2'), error.message);
      return true;
    });
  };

  it('names line and column of invalid YAML without quoting its text', async () => {
    await refused('endpoints:\n  - name: "hunter2\n    url: x', /^c\.yaml:\d+:\d+: a quotation mark/);
    await refused('endpoints:\n\t- hunter2: 1', /^c\.yaml:2:\d+: /);
    await refused('endpoints: []\nhunter2: 1\nhunter2: 2', /^c\.yaml:3:1: a key is given twice/);
    await refused('endpoints: []\n---\nhunter2: []', /^c\.yaml:\d+:\d+: /);
  });

  it('names the cure where a variable stands for more than a value', async () => {
    for (const line of ['${MORE}', 'x: "${MORE}', 'x: {a: $MORE'])
      await assert.rejects(readGatusYaml(Buffer.from(`endpoints: []\n${line}\ny: 1`), 'c.yaml'), {
        code: 'usage',
        hint: /write its value in its place/,
        message: /^c\.yaml:\d+:\d+: /,
      });
    await assert.rejects(readGatusYaml(Buffer.from('endpoints: []\nx: $$MORE: 1\n# $X'), 'c.yaml'), {
      hint: null,
    });
  });

  it('takes no braces for those of a variable that stand in different texts', async () => {
    const root = { endpoints: [{ name: '${', url: 'a', headers: { A: '${' } }, { name: '}' }] };
    assert.deepEqual(await readGatusYaml(Buffer.from(JSON.stringify(root)), 'c.yaml'), root);
  });

  it('counts columns as they are in the file, behind variables in brackets too', async () => {
    await refused('endpoints: [{a: ${A}, b: ${B}, b: 1}]', /^c\.yaml:1:32: a key is given twice/);
  });

  it('refuses foreign YAML and files that are not text', async () => {
    await refused('hunter2: 1', /c\.yaml is no configuration of Gatus/);
    await refused('', /is no configuration of Gatus/);
    await refused('[1, 2]', /is no configuration of Gatus/);
    await refused(Uint8Array.of(0xff, 0xfe, 1), /UTF-16/);
    await refused('endpoints: []\n\0', /NUL/);
  });

  it('is not blown up by aliases, nor by brackets', async () => {
    const bomb = ['a0: &a0 [x,x,x,x,x,x,x,x,x,x]'];
    for (let level = 1; level < 9; level++) {
      bomb.push(`a${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(',')}]`);
    }
    await refused([...bomb, 'endpoints: []'].join('\n'), /aliases or brackets/);
    await refused(`endpoints: ${'['.repeat(20_000)}`, /c\.yaml/);
  });
});

describe('the alerting of Gatus', () => {
  const provider = async (type: string, lines: Readonly<Record<string, unknown>>, alert = {}) => {
    const { loaded, imported } = await importYaml(
      JSON.stringify({
        alerting: { [type]: lines },
        endpoints: [
          {
            name: 'One',
            url: 'https://a.example/',
            alerts: [{ type, 'send-on-resolved': true, ...alert }],
            conditions: ['[STATUS] == 200'],
          },
        ],
      }),
    );
    const [made] = loaded.config.channels;
    const shown = Object.entries(made ?? {}).map(([key, value]) => {
      const isSecret = typeof value === 'object' && value !== null && 'reveal' in value;
      return [key, isSecret ? (value as { reveal: () => string }).reveal() : value];
    });
    const { remarks } = imported.items.find(({ kind }) => kind === 'channel') ?? assert.fail();
    return {
      settings: Object.fromEntries(shown) as Record<string, unknown>,
      variables: imported.wanted,
      remarks: remarks.map(({ level, text }) => `${level}: ${text}`).join(),
    };
  };
  const hook = 'https://hooks.example.com/x';
  const exact: readonly (readonly [string, Readonly<Record<string, unknown>>, Record<string, unknown>])[] = [
    ['teams', { 'webhook-url': hook }, { type: 'teams', webhook_url: hook }],
    ['teams-workflows', { 'webhook-url': hook }, { type: 'teams', webhook_url: hook }],
    ['pagerduty', { 'integration-key': 'k1' }, { type: 'pagerduty', routing_key: 'k1' }],
    [
      'mattermost',
      {
        'webhook-url': hook,
        client: { insecure: true, 'proxy-url': 'http://proxy.example.com:3128', timeout: '5s' },
      },
      {
        type: 'mattermost',
        webhook_url: hook,
        tls_verify: false,
        proxy: 'http://proxy.example.com:3128',
        timeout_secs: 5,
      },
    ],
    ['rocketchat', { 'webhook-url': hook }, { type: 'rocketchat', webhook_url: hook }],
    ['googlechat', { 'webhook-url': hook }, { type: 'googlechat', webhook_url: hook }],
    [
      'zulip',
      {
        'bot-email': 'bot@z.example.com',
        'bot-api-key': 'z1',
        domain: 'z.example.com',
        'channel-id': '12',
        topic: 'ops',
      },
      {
        type: 'zulip',
        url: 'https://z.example.com',
        email: 'bot@z.example.com',
        api_key: 'z1',
        stream: '12',
        topic: 'ops',
      },
    ],
    [
      'signal',
      { 'api-url': 'http://127.0.0.1:8080', number: '+1', recipients: ['+2', '+3'] },
      { type: 'signal', url: 'http://127.0.0.1:8080', number: '+1', to: ['+2', '+3'] },
    ],
    [
      'twilio',
      { sid: 'AC1', token: 't1', from: '+1', to: '+2' },
      { type: 'twilio', account_sid: 'AC1', token: 't1', from: '+1', to: '+2' },
    ],
    [
      'alertmanager',
      { urls: ['http://am.example.com:9093/api/v2/alerts'] },
      { type: 'alertmanager', url: 'http://am.example.com:9093' },
    ],
    [
      'custom',
      {
        url: hook,
        method: 'PUT',
        headers: { Authorization: 'Bearer h1' },
        body: '{"text": "[GATUS] [ENDPOINT_NAME]"}',
      },
      {
        type: 'webhook',
        url: hook,
        method: 'PUT',
        headers: { Authorization: 'Bearer h1' },
        body: '{"text": "[GATUS] {{monitor}}"}',
      },
    ],
  ];
  for (const [type, lines, expected] of exact) {
    it(`brings ${type} over with its settings, and nothing to remark`, async () => {
      const { settings, remarks } = await provider(type, lines);
      assert.deepEqual(
        Object.fromEntries(Object.keys(expected).map((key) => [key, settings[key]])),
        expected,
      );
      assert.equal(remarks, '');
    });
  }

  it('says what of a provider it cannot bring', async () => {
    const urls = ['http://a.example.com', 'http://b.example.com'];
    assert.match(
      (await provider('alertmanager', { urls })).remarks,
      /sends to 2 servers: statusd sends to the first/,
    );
    assert.match((await provider('homeassistant', { url: hook })).remarks, /fires the event gatus_alert/);
    const body =
      '[ALERT_TRIGGERED_OR_RESOLVED]: [ALERT_DESCRIPTION] [RESULT_ERRORS] [ENDPOINT_URL] of [ENDPOINT_NAME]';
    const custom = await provider('custom', { url: hook, method: 'POST', body });
    assert.equal(
      custom.settings['body'],
      '{{event|raw}}: {{text|raw}} {{message|raw}} [ENDPOINT_URL] of {{monitor|raw}}',
    );
    assert.equal(
      custom.remarks,
      [
        'approximated: [ALERT_DESCRIPTION] in its body is the text of the event',
        'approximated: [ALERT_TRIGGERED_OR_RESOLVED] in its body is the name of the event, such as down or recovered',
        'approximated: [RESULT_ERRORS] in its body is the reason of the failure',
        'dropped: [ENDPOINT_URL] in its body, which statusd has no field for',
      ].join(),
    );
    const mail = { host: 'mail.example.com', from: 'a@example.com', to: 'b@example.com', port: '$PORT' };
    assert.equal(
      (await provider('email', mail)).remarks,
      'approximated: port is a variable: statusd takes 587',
    );
    assert.equal(
      (await provider('signal', { 'api-url': hook, number: '+49', recipients: ['+1'], styled: true }))
        .remarks,
      'dropped: styled',
    );
    const placed = { url: `${hook}/[ENDPOINT_NAME]`, method: 'POST' };
    assert.match((await provider('custom', placed)).remarks, /placeholders in its address/);
    const secret = await provider('custom', { ...placed, headers: { 'X-Token': 'of-no-use-here' } });
    assert.deepEqual(secret.variables, []);
    const client = { oauth2: { 'token-url': hook } };
    assert.match((await provider('slack', { 'webhook-url': hook, client })).remarks, /client\.oauth2/);
  });
});

describe('the reminders of Gatus', () => {
  const every = (interval: string) => ({ 'minimum-reminder-interval': interval });
  const repeatsOf = async (
    alerts: readonly (readonly object[])[],
    { slack = {}, gotify = {} }: { readonly slack?: object; readonly gotify?: object } = {},
  ) => {
    const { loaded, imported } = await importYaml(
      JSON.stringify({
        alerting: {
          slack: { 'webhook-url': 'https://hooks.slack.com/services/T0/B0/x', ...slack },
          gotify: { 'server-url': 'https://gotify.example.com', token: 'x', ...gotify },
          pagerduty: { 'integration-key': 'x'.repeat(32) },
          line: {},
        },
        endpoints: alerts.map((own, at) => ({
          name: `M${at}`,
          url: 'https://a.example/',
          conditions: ['[STATUS] == 200'],
          alerts: own.map((alert) => ({ 'send-on-resolved': true, ...alert })),
        })),
      }),
    );
    for (const channel of loaded.config.channels)
      assert.equal('repeat_every_secs' in channel ? channel.repeat_every_secs : null, null);
    return loaded.config.monitors.map(({ name, repeat_every_secs: secs }) => ({
      secs,
      remarks: remarksOf(imported.items, name),
    }));
  };
  const slack = { type: 'slack' };
  const gotify = { type: 'gotify' };
  const exactly = (secs: number | null) => ({ secs, remarks: [] });

  it('are those of each endpoint, at its own interval or not at all', async () => {
    const repeats = await repeatsOf([
      [slack],
      [{ ...slack, ...every('1h30m') }],
      [{ ...slack, ...every('10m') }],
      [{ ...slack, ...every('10m'), enabled: false }, gotify],
      [
        { ...slack, ...every('10m') },
        { ...gotify, ...every('600s') },
      ],
      [],
    ]);
    assert.deepEqual(repeats, [null, 5400, 600, null, 600, null].map(exactly));
  });

  it('are those of the default alert of the provider, unless the alert has its own', async () => {
    const defaults = { slack: { 'default-alert': every('5m') } };
    const repeats = await repeatsOf([[slack], [{ ...slack, ...every('1h') }], [gotify]], defaults);
    assert.deepEqual(repeats, [300, 3600, null].map(exactly));
  });

  it('are the shortest where the alerts of an endpoint differ, which is not called exact', async () => {
    const repeats = await repeatsOf([
      [
        { ...slack, ...every('1h') },
        { ...gotify, ...every('30m') },
      ],
      [slack, { ...gotify, ...every('30m') }],
      [{ ...slack, ...every('30s') }],
    ]);
    assert.deepEqual(repeats, [
      {
        secs: 1800,
        remarks: [
          'approximated: its alerts remind at different intervals: in statusd all its channels do, every 30m',
        ],
      },
      {
        secs: 1800,
        remarks: ['approximated: only some of its alerts remind: in statusd all its channels do, every 30m'],
      },
      {
        secs: 60,
        remarks: [
          'approximated: Gatus does not start with this: an alert reminds more often than every 5 minutes',
          'approximated: has a reminder interval in seconds of 30: 60 in statusd',
        ],
      },
    ]);
  });

  it('are not those of an alert whose channel reminds by itself, or was not imported', async () => {
    const pager = { type: 'pagerduty', ...every('10m') };
    const line = { type: 'line', ...every('10m') };
    const repeats = await repeatsOf([[pager, { ...slack, ...every('1h') }], [pager], [slack, line], [line]]);
    const lost = 'dropped: reminds every 10m, but its channel was not imported';
    assert.deepEqual(repeats, [
      exactly(3600),
      exactly(null),
      { secs: null, remarks: ['approximated: some of its alerts have no channel that was imported', lost] },
      {
        secs: null,
        remarks: [lost, 'approximated: none of its channels was imported: it notifies every channel'],
      },
    ]);
  });
});

describe('the maintenance of Gatus', () => {
  const windowsOf = async (maintenance: object, own: readonly object[] = []) => {
    const { loaded, imported } = await importYaml(
      JSON.stringify({
        maintenance,
        endpoints: [{ name: 'One', url: 'https://a.example/', 'maintenance-windows': own }],
      }),
    );
    const rows = loaded.config.maintenance.map(({ schedule, duration, timezone, monitors }) => [
      schedule,
      duration,
      timezone,
      monitors,
    ]);
    const kept = imported.items.filter(({ kind }) => kind === 'maintenance');
    return { rows, remarks: kept.flatMap(({ remarks }) => remarks.map(({ text }) => text)) };
  };

  it('becomes schedules, for everything and for the endpoint that it belongs to', async () => {
    const start = { start: '23:30', duration: '1h' };
    const { rows, remarks } = await windowsOf(
      { ...start, every: ['Monday', 'Thursday'], timezone: 'Europe/Berlin' },
      [{ start: '04:05', duration: '45m' }],
    );
    assert.deepEqual(rows, [
      ['30 23 * * 1,4', 3_600_000, 'Europe/Berlin', []],
      ['5 4 * * *', 2_700_000, 'UTC', ['one']],
    ]);
    assert.deepEqual(remarks, []);
  });

  it('is left out with its reason where it is off or cannot be read', async () => {
    const start = { start: '23:30', duration: '1h' };
    assert.deepEqual(await windowsOf({ ...start, enabled: false }), {
      rows: [],
      remarks: ['is switched off'],
    });
    const { remarks } = await windowsOf({ ...start, every: ['Someday'] });
    assert.match(remarks.join(), /no start, duration or days that can be read/);
  });
});

describe('hostile values of Gatus', () => {
  it('are not confused with properties that every object has', async () => {
    const word = 'constructor';
    const { loaded } = await importYaml(
      JSON.stringify({
        announcements: [{ type: word, message: 'Hello' }],
        alerting: { [word]: {} },
        endpoints: [{ name: word, url: 'https://a.example/', alerts: [{ type: word }], conditions: [word] }],
      }),
    );
    assert.equal(loaded.config.incidents[0]?.severity, 'info');
    assert.equal(loaded.config.monitors[0]?.id, word);
  });

  it('never keep the configuration from loading, nor reach the terminal', async () => {
    const leaf = fc.oneof(
      fc.string({ unit: anyCharacter, maxLength: 30 }),
      fc.constantFrom(
        '$',
        '$$',
        '${',
        '${HOME}',
        '"',
        '\n[[monitors]]',
        '\u001b[2J',
        '\u202e',
        '[STATUS] == 200',
        'https://a.example',
      ),
      fc.constantFrom(
        '[BODY].a == pat(*(*)',
        'len([BODY]) > 0',
        '10s',
        '-5m',
        'slack',
        'constructor',
        '__proto__',
        1,
        -1,
        true,
        null,
      ),
    );
    const words = [
      'name',
      'group',
      'url',
      'method',
      'body',
      'interval',
      'token',
      'dns',
      'client',
      'headers',
      'type',
      'timeout',
    ];
    const value = fc.letrec((tie) => ({
      any: fc.oneof(
        { maxDepth: 3 },
        leaf,
        fc.array(tie('any'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom(...words, 'conditions', 'alerts', 'query-name'), tie('any'), {
          maxKeys: 5,
        }),
      ),
    })).any;
    const one = fc.dictionary(fc.constantFrom(...words, 'conditions', 'alerts'), value, {
      minKeys: 3,
      maxKeys: 9,
    });
    const root = fc.record({
      endpoints: fc.array(one, { maxLength: 4 }),
      alerting: value,
      ui: value,
      web: value,
      'external-endpoints': fc.array(one, { maxLength: 2 }),
      announcements: value,
    });
    await checkAsyncProperty(
      fc.asyncProperty(root, async (document) => {
        const { imported, text } = await importYaml(JSON.stringify(document));
        assert.doesNotMatch(text, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
        const report = reportText(imported, { closing: [] }, outputOf({ columns: null, isColoured: false }));
        assert.doesNotMatch(report, /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
      }),
      50,
    );
  });
});
