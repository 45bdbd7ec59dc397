/** What is wrong between the settings of a channel is said when the file is read. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { load, problemsOf, type World } from '../../../support/config.ts';
import { type Authority, createAuthority } from '../../../support/tls.ts';

const ntfy = '[[channels]]\nname = "ops"\ntype = "ntfy"\nurl = "https://ntfy.example/topic"\n';

async function complaintsOf(toml: string, world?: World): Promise<string[]> {
  const problems = await problemsOf(toml, world);
  return problems.map(({ key, message, hint }) => `${key}: ${message}${hint === null ? '' : `; ${hint}`}`);
}

describe('the TLS of a channel', () => {
  let authority: Authority;
  before(() => {
    authority = createAuthority();
  });
  after(() => {
    authority.remove();
  });

  it('names the file of its authorities from the folder of the configuration', async () => {
    const files = { '/etc/statusd/ca.pem': readFileSync(authority.file) };
    const { config } = await load(`${ntfy}ca_file = "ca.pem"`, { files });
    const [channel] = config.channels;
    assert.ok(channel !== undefined && 'ca_file' in channel);
    assert.equal(channel.ca_file, '/etc/statusd/ca.pem');
    assert.deepEqual([channel.tls_verify, channel.proxy], [true, null]);
  });

  it('needs a file that is there and holds certificates', async () => {
    const broken = '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n';
    const files = { '/etc/statusd/notes.txt': 'no certificate', '/etc/statusd/broken.pem': broken };
    const complaint = async (file: string) => complaintsOf(`${ntfy}ca_file = "${file}"`, { files });
    assert.deepEqual(await complaint('gone.pem'), [
      'ca_file: names "/etc/statusd/gone.pem", which does not exist',
    ]);
    assert.deepEqual(await complaint('notes.txt'), [
      'ca_file: names "/etc/statusd/notes.txt", which holds no certificate in PEM form',
    ]);
    assert.deepEqual(await complaint('broken.pem'), [
      'ca_file: names "/etc/statusd/broken.pem", which holds a certificate that cannot be read',
    ]);
  });

  it('warns of the file of a monitor that is not there, since the monitor is unknown without', async () => {
    const monitor = '[[monitors]]\nid = "a"\ntarget = "https://a.example"\nnotify = ["ops"]\ntls_ca_file = ';
    const files = { '/etc/statusd/ca.pem': readFileSync(authority.file), '/etc/statusd/notes.txt': 'none' };
    const warned = async (file: string) =>
      (await load(`${ntfy}${monitor}"${file}"`, { files })).warnings.map(({ message }) => message);
    assert.deepEqual(await warned('ca.pem'), []);
    assert.deepEqual(await warned('gone.pem'), [
      'names "/etc/statusd/gone.pem", which does not exist: it cannot be checked without',
    ]);
    assert.deepEqual(await warned('notes.txt'), [
      'names "/etc/statusd/notes.txt", which holds no certificate in PEM form: it cannot be checked without',
    ]);
  });

  it('is either checked by a file or not checked at all', async () => {
    const files = { '/etc/statusd/ca.pem': readFileSync(authority.file) };
    assert.deepEqual(await complaintsOf(`${ntfy}ca_file = "ca.pem"\ntls_verify = false`, { files }), [
      'tls_verify: cannot be false beside ca_file: no certificate is checked then; remove one of the two',
    ]);
  });

  it('is warned about when nothing is checked', async () => {
    const { warnings } = await load(
      `${ntfy}tls_verify = false\n[[monitors]]\nid = "a"\ntarget = "https://a.example"`,
    );
    assert.deepEqual(
      warnings.map(({ subject, message }) => `${subject} ${message}`),
      [
        'channel "ops": tls_verify is false: anyone on the network path can read its messages and credentials',
      ],
    );
  });

  it('masks the password of its proxy', async () => {
    const { redact } = await load(`${ntfy}proxy = "http://me:pa55-word-x@proxy.example:3128"`);
    assert.equal(redact('with pa55-word-x it failed'), 'with *** it failed');
  });
});

describe('the shape of a webhook', () => {
  const webhook = '[[channels]]\nname = "x"\ntype = "webhook"\nurl = "https://hooks.example/in"\n';

  const table: readonly (readonly [settings: string, says: string])[] = [
    [`body = '{"a": "{{mesage}}"}'`, 'body: names no field of an event: mesage; did you mean {{message}}?'],
    [
      `body = '{"a": "{{colour}}"}'`,
      'body: names no field of an event: colour; statusd.toml(5) lists the fields of events',
    ],
    [
      `body = '{"a": "{{message|upper}}"}'`,
      'body: writes a field as upper; there are json, raw and url, for example {{message|raw}}',
    ],
    [`body = '{"a": "{{message}"}'`, 'body: has {{ without }}; for example {{message}}'],
    [
      `body = 'It says {{message}}'`,
      'body: is not JSON once its fields are filled in; put its texts into double quotes, or name another content-type in headers',
    ],
    [
      `method = "GET"\nbody = '{}'`,
      'body: cannot go with method GET, which sends none; remove one of the two',
    ],
    [`headers = { "a b" = "c" }`, 'a b: is not the name of a header'],
  ];
  for (const [settings, says] of table) {
    it(`cannot be: ${settings.replaceAll('\n', ', ')}`, async () => {
      assert.deepEqual(await complaintsOf(`${webhook}${settings}`), [says]);
    });
  }

  it('is free where another content-type is named', async () => {
    const { config } = await load(
      `${webhook}method = "put"\nheaders = { Content-Type = "text/plain" }\nbody = 'It says {{message|raw}}'`,
    );
    const [channel] = config.channels;
    assert.ok(channel?.type === 'webhook');
    assert.equal(channel.method, 'PUT');
  });
});
