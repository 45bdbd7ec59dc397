import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { load } from '../../support/config.ts';

const mail = `
[[channels]]
name = "mail"
type = "email"
host = "localhost"
from = "statusd@example.com"
to = ["ops@example.com"]

[[channels]]
name = "ops"
type = "webhook"
url = "http://127.0.0.1:1/"

[[monitors]]
id = "web"
target = "https://example.com"
`;
const server = '[server]\nbase_url = "https://status.example.com"\n';

const refused = async (toml: string) => {
  const error = await load(toml).then(
    () => assert.fail('it was loaded'),
    (thrown: unknown) => thrown,
  );
  return (error as { problems: readonly { subject: string; message: string; hint: string }[] }).problems;
};

describe('[subscribe]', () => {
  it('is off without the table, and has its defaults with it', async () => {
    assert.equal((await load(server + mail)).config.subscribe, null);
    const { config } = await load(`${server}[subscribe]\nemail_channel = "mail"\n${mail}`);
    assert.deepEqual(
      { ...config.subscribe },
      { email_channel: 'mail', from_name: null, max: 10_000, per_address_per_hour: 5 },
    );
  });

  it('warns where the mail account also sends alerts, and not where its channel takes none', async () => {
    const warned = async (more: string, monitor = '') => {
      const { warnings } = await load(
        `${server}[subscribe]\nemail_channel = "mail"\n${mail.replace('to = ["ops@example.com"]', `to = ["ops@example.com"]\n${more}`)}${monitor}`,
      );
      return warnings
        .filter(({ message }) => message.includes('also sends alerts'))
        .map(({ subject }) => subject);
    };
    assert.deepEqual(await warned(''), ['subscribe.email_channel:']);
    assert.deepEqual(await warned('events = []'), []);
    assert.deepEqual(await warned('events = ["down"]'), ['subscribe.email_channel:']);
    assert.deepEqual(await warned('', 'notify = ["ops"]\n'), []);
    const twin = mail.replaceAll('"mail"', '"alerts"').slice(0, mail.indexOf('[[channels]]\nname = "ops"'));
    assert.deepEqual(await warned('events = []', twin), ['subscribe.email_channel:']);
  });

  it('needs a channel of type email, and names the ones there are', async () => {
    const [unknown] = await refused(`${server}[subscribe]\nemail_channel = "mial"\n${mail}`);
    assert.match(JSON.stringify(unknown), /names no channel.*did you mean/);
    const [wrong] = await refused(`${server}[subscribe]\nemail_channel = "ops"\n${mail}`);
    assert.match(JSON.stringify(wrong), /names no e-mail channel.*is of type webhook.*there are.*mail/);
    const [missing] = await refused(`${server}[subscribe]\nmax = 5\n${mail}`);
    assert.match(JSON.stringify(missing), /email_channel.*required/);
  });

  it('needs base_url, since its mails have links', async () => {
    const [problem] = await refused(`[subscribe]\nemail_channel = "mail"\n${mail}`);
    assert.match(JSON.stringify(problem), /needs server\.base_url.*set base_url in \[server\]/);
  });
});
