/** What is the same monitor, or the same channel, whatever it is called. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { destinationOf, identityOf } from '../../../src/engine/monitoring/identity.ts';
import { load } from '../../support/config.ts';

const salt = 'pepper';

async function monitorsOf(...tables: readonly string[]): Promise<(string | null)[]> {
  const { config } = await load(tables.map((table) => `[[monitors]]\n${table}\n`).join(''));
  return config.monitors.map((monitor) => identityOf(monitor, salt));
}

async function channelsOf(...tables: readonly string[]): Promise<string[]> {
  const monitor = '[[monitors]]\nid = "a"\ntarget = "http://127.0.0.1/"\n';
  const { config } = await load(`${tables.map((table) => `[[channels]]\n${table}\n`).join('')}${monitor}`);
  return config.channels.map((channel) => destinationOf(channel, salt));
}

describe('the identity of a monitor', () => {
  it('is what it asks, not how it is called, grouped or judged', async () => {
    const [first, second, ...others] = await monitorsOf(
      'id = "a"\ntarget = "http://127.0.0.1/"',
      'id = "b"\nname = "B"\ngroup = "g"\ntarget = "http://127.0.0.1/"\ninterval_secs = 5\nfail_threshold = 9',
      'id = "c"\ntarget = "http://127.0.0.1/other"',
      'id = "d"\ntarget = "http://127.0.0.1/"\nmethod = "HEAD"',
      'id = "e"\ntarget = "http://127.0.0.1/"\nkeyword = "well"',
      'id = "f"\nkind = "tcp"\ntarget = "127.0.0.1:80"',
      'id = "g"\nkind = "icmp"\ntarget = "127.0.0.1"',
      'id = "h"\nkind = "dns"\ntarget = "a.example"',
      'id = "i"\nkind = "dns"\ntarget = "a.example"\ndns_record = "MX"',
      'id = "j"\nkind = "push"\npush_token = "a-token-of-the-tests"',
      'id = "k"\nkind = "push"\npush_token = "another-token-of-the-tests"',
    );
    assert.equal(first, second);
    assert.equal(new Set([first, ...others]).size, others.length + 1);
  });

  it('is none for a push monitor without a token', async () => {
    assert.deepEqual(await monitorsOf('id = "a"\nkind = "push"'), [null]);
  });

  it('shows no secret, and is another one in another database', async () => {
    const { config } = await load(
      '[[monitors]]\nid = "a"\nkind = "push"\npush_token = "canary-of-a-token"\n',
    );
    const [monitor] = config.monitors;
    assert.ok(monitor !== undefined);
    assert.match(String(identityOf(monitor, salt)), /^[0-9a-f]{32}$/);
    assert.notEqual(identityOf(monitor, salt), identityOf(monitor, 'salt'));
  });
});

describe('the destination of a channel', () => {
  it('is whom it reaches, not its name or the account it sends from', async () => {
    const [first, second, ...others] = await channelsOf(
      'name = "a"\ntype = "telegram"\ntoken = "1:a"\nchat_id = "7"',
      'name = "b"\ntype = "telegram"\ntoken = "2:b"\nchat_id = "7"',
      'name = "c"\ntype = "telegram"\ntoken = "1:a"\nchat_id = "8"',
      'name = "d"\ntype = "webhook"\nurl = "https://a.example/"',
      'name = "e"\ntype = "slack"\nwebhook_url = "https://a.example/"',
      'name = "f"\ntype = "email"\nhost = "m.example"\nfrom = "a@b.example"\nto = ["x@b.example", "y@b.example"]',
    );
    assert.equal(first, second);
    assert.equal(new Set([first, ...others]).size, others.length + 1);
  });

  it('is the same for the same receivers of mail in another order', async () => {
    const mail = (name: string, to: string) =>
      `name = "${name}"\ntype = "email"\nhost = "m.example"\nfrom = "a@b.example"\nto = ${to}`;
    const [first, second] = await channelsOf(
      mail('a', '["x@b.example", "y@b.example"]'),
      mail('b', '["y@b.example", "x@b.example"]'),
    );
    assert.equal(first, second);
  });
});
