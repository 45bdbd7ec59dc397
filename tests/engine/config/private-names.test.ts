import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { privateMentions } from '../../../src/engine/config/private-names.ts';
import { load } from '../../support/config.ts';

const { config } = await load(`
[server]
base_url = "https://status.example.com"
auth_token = "operator-token"

[[channels]]
name = "phone"
type = "webhook"
url = "http://127.0.0.1:1/"

[[channels]]
name = "oncall-berlin"
type = "webhook"
url = "http://127.0.0.1:2/"

[[monitors]]
id = "website"
name = "Website"
target = "https://www.example.com"
url = "https://shop.example.org/start"

[[monitors]]
id = "mailer"
description = "Sends by way of relay-7.example.net"
target = "https://relay-7.example.net/health"

[[monitors]]
id = "loud"
public_error_detail = true
target = "loud.example.net:25"
kind = "tcp"

[[monitors]]
id = "api"
name = "Payments API"
group = "Back office"
public = false
target = "https://db-7.internal.example.com:8443/x"

[[monitors]]
id = "vault"
name = "給与計算"
public = false
kind = "icmp"
target = "10.20.30.40"

[[monitors]]
id = "six"
name = "Ärger/Straße"
public = false
kind = "tcp"
target = "[fd00::12]:5432"

[[monitors]]
id = "near"
kind = "tcp"
target = "127.0.0.1:9900"

[[monitors]]
id = "here"
public = false
target = "http://localhost/private-status/"

[[monitors]]
id = "link"
name = "οδος-7"
public = false
kind = "icmp"
target = "fe80::7%eth0"

[[monitors]]
id = "told"
public_error_detail = true
target = "http://127.0.0.1:9903/"
`);

const mentions = (text: string) => privateMentions(text, config).map(({ line, name }) => `${line} ${name}`);

describe('private names in a text', () => {
  it('are names and ids of private monitors, their groups, channels and hosts of targets, by line', () => {
    for (const [text, expected] of [
      ['The payments  api is slow.', ['1 Payments API']],
      ['ok\n\n**PAYMENTS API**: down', ['3 Payments API']],
      ['Vault sealed itself.', ['1 vault']],
      ['昨夜の給与計算が遅れました', ['1 給与計算']],
      ['Only the back office is affected', ['1 Back office']],
      ['oncall-berlin was asked', ['1 oncall-berlin']],
      ['connect to db-7.internal.example.com:8443 failed.', ['1 db-7.internal.example.com']],
      ['ping 10.20.30.40: no answer', ['1 10.20.30.40']],
      ['First notification: 2m after the first failure, on phone', ['1 phone']],
      ['- 03:04:05 UTC: phone (down): sent', ['1 phone']],
      ['the channel "phone"', ['1 phone']],
      ['`api` and monitor api', ['1 api']],
    ] as const)
      assert.deepEqual(mentions(text), expected, text);
  });

  it('are found in any spelling: of an address, of ß, of a host of this machine with its port', () => {
    for (const [text, expected] of [
      ['fd00::12 is gone', ['1 fd00::12']],
      ['[FD00:0:0::0012]:5432 is gone', ['1 fd00::12']],
      ['ÄRGER/STRASSE is down', ['1 Ärger/Straße']],
      ['ÄRGER/STRAẞE is down', ['1 Ärger/Straße']],
      ['DB host 127.0.0.1:9900 broken', ['1 127.0.0.1:9900']],
      ['see http://127.0.0.1:9900/a', ['1 127.0.0.1:9900']],
      ['The backup of 12:30:45 on 127.0.0.1 and aa:bb:cc:dd:ee:ff took fd00::1.', []],
    ] as const)
      assert.deepEqual(mentions(text), expected, text);
  });

  it('are hosts of this machine, however it is called, with the port or the path of a target', () => {
    for (const text of [
      'see localhost:9900.',
      'http://[::1]:9900/a is down',
      'to:[::1]:9900',
      'connect ECONNREFUSED ::1:9900',
      '[0:0:0:0:0:0:0:1]:9900',
      '[::ffff:127.0.0.1]:9900/other',
      'tcp://127.0.0.2:9900',
      '0.0.0.0:9900',
    ])
      assert.deepEqual(mentions(text), ['1 127.0.0.1:9900'], text);
    for (const text of ['http://127.0.0.1/private-status', '[::1]/private-status/x'])
      assert.deepEqual(mentions(text), ['1 localhost/private-status'], text);
    for (const text of [
      '127.0.0.1',
      'localhost is a machine',
      'http://localhost/',
      '127.0.0.1:9902',
      '127.0.0.1:99001',
      'localhost/private-statuses',
      'example.com:9900',
      'my-localhost:9900',
      '[::1]:9903',
    ])
      assert.deepEqual(mentions(text), [], text);
  });

  it('are addresses without their zone, and words in Greek capitals', () => {
    for (const text of ['fe80::7%eth1', 'fe80:0::7 is gone'])
      assert.deepEqual(mentions(text), ['1 fe80::7'], text);
    assert.deepEqual(mentions('ΟΔΟΣ-7.'), ['1 οδος-7']);
  });

  it('are no common words, no parts of words, and nothing that strangers are shown anyway', () => {
    for (const text of [
      'The API is slow, and phone support is closed.',
      'Notifications sent to phone numbers abroad are late.',
      'Call us by phone. The defaults are vaulted.',
      'The website www.example.com and status.example.com, example.com',
      'shop.example.org is slow',
      'relay-7.example.net is slow',
      'loud.example.net: connection refused',
      '110.20.30.401 or 10.20.30.40.5',
      'mail.db-7.internal.example.com is another host',
      '',
    ])
      assert.deepEqual(mentions(text), [], text);
  });

  it('are found in a long text at once', () => {
    const startedAt = process.cpuUsage().user;
    mentions('sent on alert to '.repeat(6000));
    assert.ok(process.cpuUsage().user - startedAt < 2_000_000);
  });

  it('are warned of in notices and titles of maintenance that strangers read', async () => {
    const { warnings } = await load(`
[server]
auth_token = "operator-token"

[[monitors]]
id = "web"
target = "https://example.com"

[[monitors]]
id = "ledger-store"
public = false
target = "https://ledger.example.com"

[[incidents]]
title = "Slow"
body = "The ledger-store is full."
severity = "info"
at = "2026-01-01T00:00:00Z"

[[maintenance]]
title = "ledger-store moves"
start = "2026-01-01T00:00:00Z"
end = "2026-01-01T01:00:00Z"

[[maintenance]]
title = "ledger-store grows"
start = "2026-01-01T00:00:00Z"
end = "2026-01-01T01:00:00Z"
monitors = ["ledger-store"]
`);
    assert.deepEqual(
      warnings.filter(({ message }) => /to strangers/.test(message)).map(({ path }) => path.join('.')),
      ['incidents.0.body', 'maintenance.0.title'],
    );
  });
});
