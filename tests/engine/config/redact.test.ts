import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createRedact, isCredentialHeader, maskCredentials } from '../../../src/engine/config/redact.ts';
import { load } from '../../support/config.ts';

const monitor = '[[monitors]]\nid = "web"\n';

async function redacted(
  toml: string,
  text: string,
  env: Readonly<Record<string, string>> = {},
): Promise<string> {
  return (await load(toml, { env })).redact(text);
}

describe('redaction', () => {
  it('masks a secret everywhere: plain, in a URL, in JSON', () => {
    const redact = createRedact(() => ['p&ss w"rd', 'token-1']);
    assert.equal(
      redact('a p&ss w"rd, ?x=p%26ss%20w%22rd, {"x":"p&ss w\\"rd"}, token-1token-1'),
      'a ***, ?x=***, {"x":"***"}, ******',
    );
  });

  it('masks the longer of two secrets that begin alike', () => {
    const redact = createRedact(() => ['secret', 'secret-and-more']);
    assert.equal(redact('secret-and-more secret'), '*** ***');
  });

  it('masks a short secret only as a whole word, and leaves one or two letters be', () => {
    const redact = createRedact(() => ['test', 'a', '']);
    assert.equal(redact('test=test latest a testing'), '***=*** latest a testing');
  });

  it('masks a plain word where it stands whole, and in no word, host name or path of a file', () => {
    const redact = createRedact(() => ['harbor', '/harbor', '/hook/harbor2']);
    const leftAlone = [
      '/srv/harbor/statusd.toml',
      '/…/harbour/harbor.toml: line 3',
      '/harbor/statusd.db',
      'harbor/statusd.toml',
      'harbor.example.com',
      'www.harbor',
      'harbor-master and harbors',
      '/srv/hook/harbor2/statusd.toml',
    ];
    for (const text of leftAlone) assert.equal(redact(text), text);
    assert.equal(
      redact('harbor, "harbor" x=harbor harbor. POST /harbor (/hook/harbor2) ada:harbor@'),
      '***, "***" x=*** ***. POST *** (***) ada:***@',
    );
    assert.equal(
      redact('https://example.com/harbor https://example.com/a/harbor/b?c=harbor'),
      'https://example.com*** https://example.com/a***/b?c=***',
    );
  });

  it('masks what looks random anywhere', () => {
    for (const secret of [
      'hunter2',
      'aBcDeF',
      'pass!word',
      'abcdefghijklmnop',
      '/services/T0AB/xYz',
      '/AbCdEfGh',
    ])
      assert.equal(
        createRedact(() => [secret])(`/srv/x${secret}y/${secret}.toml`),
        '/srv/x***y/***.toml',
        secret,
      );
  });

  it('leaves the name of this program alone', async () => {
    const hook =
      '[[channels]]\nname = "h"\ntype = "webhook"\nurl = "https://statusd@hooks.example/statusd"\n';
    const own = '/srv/statusd/harbour/statusd.toml: statusd answers POST /statusd';
    assert.equal(await redacted(hook, own), own);
    assert.equal(await redacted(hook, 'to https://statusd@hooks.example/statusd now'), 'to *** now');
    assert.equal(await redacted(hook, 'to hooks.example/statusd now'), 'to *** now');
  });

  it('masks a secret in every form in which it is sent', async () => {
    const secret = 'p&ss w"rd/ü+1';
    const { redact } = await load(
      `[[monitors]]\nid = "a"\ntarget = "https://ada:${encodeURIComponent(secret)}@example.com/"\n`,
    );
    const forms = [
      secret,
      encodeURIComponent(secret),
      new URLSearchParams([['x', secret]]).toString().slice(2),
      JSON.stringify(secret).slice(1, -1),
      Buffer.from(`ada:${secret}`).toString('base64'),
    ];
    for (const form of forms) assert.equal(redact(`<${form}>`), '<***>', form);
  });

  it('takes characters that mean something in patterns for what they are', () => {
    for (const secret of ['a.b*c+d?', '[abc]{2}', '(x|y)^$', 'back\\slash\\n', '$&$1$$', '--/-/--']) {
      assert.equal(createRedact(() => [secret])(`<${secret}>`), '<***>');
      assert.equal(createRedact(() => [secret])('abcdef xy'), 'abcdef xy');
    }
  });

  it('knows credentials by the names of headers and parameters, and passwords in addresses', () => {
    const credentials = [
      'Authorization',
      'X-Api-Key',
      'set-cookie',
      'x-jwt',
      'cf-access-jwt-assertion',
      'DPoP',
    ];
    const more = ['x-bearer', 'x-pass', 'x-otp', 'X-TOTP', 'x-amzn-oidc-data', 'x-ms-client-principal'];
    for (const name of [...credentials, ...more]) assert.equal(isCredentialHeader(name), true, name);
    for (const name of [
      'content-type',
      'x-bypass',
      'x-footprint',
      'x-passenger',
      'www-authenticate',
      'location',
    ])
      assert.equal(isCredentialHeader(name), false, name);
    assert.equal(
      maskCredentials('https://bob:pa%40ss@example.com/x?jwt=a.b&code=c1&postcode=8000&n=1#id_token=z'),
      'https://bob:***@example.com/x?jwt=***&code=***&postcode=8000&n=1#id_token=***',
    );
    assert.equal(
      maskCredentials('http://[::1]:8080/a@b https://example.com:443/?q=x:y@z'),
      'http://[::1]:8080/a@b https://example.com:443/?q=x:y@z',
    );
  });

  it('gathers the secrets once, and not before the first text', () => {
    let gathered = 0;
    const redact = createRedact(() => {
      gathered += 1;
      return ['s3cret'];
    });
    assert.equal(gathered, 0);
    redact('a');
    redact('b');
    assert.equal(gathered, 1);
  });

  it('knows headers that carry credentials, with and without the scheme', async () => {
    const toml = `${monitor}target = "https://example.com"\nheaders = { Authorization = "Bearer abcdefgh", X-Api-Key = "ijklmnop", Accept = "text/html", Cookie = "sid=qrstuv" }`;
    assert.equal(
      await redacted(toml, 'Bearer abcdefgh | abcdefgh | ijklmnop | text/html | sid=qrstuv'),
      '*** | *** | *** | text/html | ***',
    );
    const basic = `${monitor}target = "https://example.com"\nheaders = { Authorization = "Basic ${Buffer.from('ada:pass-word').toString('base64')}" }`;
    assert.equal(await redacted(basic, 'login ada:pass-word, pass-word'), 'login ***, ***');
  });

  it('knows the passwords and credential parameters of URLs', async () => {
    const toml = `${monitor}target = "https://ada:p%40ssword@example.com/x?api_key=abcdefgh&page=frontpage"\nproxy = "socks5://u:proxy-pass@127.0.0.1:1"`;
    assert.equal(
      await redacted(toml, 'ada p%40ssword p@ssword abcdefgh frontpage proxy-pass example.com'),
      'ada *** *** *** frontpage *** example.com',
    );
  });

  it('knows the password of a database, but shows its user: paths and messages have the same word', async () => {
    const path = '/etc/statusd/statusd.toml';
    for (const scheme of ['postgres', 'postgresql']) {
      const storage = (login: string) => `[storage]\nurl = "${scheme}://${login}@db.example/statusd"`;
      assert.equal(await redacted(storage('statusd'), path), path);
      assert.equal(await redacted(storage('statusd:pass-word'), `${path} pass-word`), `${path} ***`);
      assert.equal(await redacted(storage('statusd'), `${scheme}://statusd@db.example/statusd`), '***');
    }
  });

  it('knows the parts of a secret URL that give it away, but not its host', async () => {
    const toml =
      '[[channels]]\nname = "d"\ntype = "discord"\nwebhook_url = "https://discord.example/api/webhooks/123/abcdefghijklmnopqrstuvwx"';
    assert.equal(
      await redacted(
        toml,
        'POST /api/webhooks/123/abcdefghijklmnopqrstuvwx to discord.example: abcdefghijklmnopqrstuvwx',
      ),
      'POST *** to discord.example: ***',
    );
  });

  it('knows what the environment put into a request, unless it names the host', async () => {
    const toml = `${monitor}target = "https://\${HOST}/\${PATH_PART}?q=\${QUERY}"\nbody = "x \${BODY} y"\nheaders = { X-A = "\${HEADER}" }\n[[monitors]]\nid = "e"\nkind = "exec"\ncommand = ["c", "-p", "\${ARGUMENT}"]`;
    const env = {
      HOST: 'status.example',
      PATH_PART: 'path-part',
      QUERY: 'query-part',
      BODY: 'body-part',
      HEADER: 'header-part',
      ARGUMENT: 'argument-part',
    };
    assert.equal(
      await redacted(toml, Object.values(env).join(' '), env),
      'status.example *** *** *** *** ***',
    );
  });

  it('knows the secrets of a disabled channel', async () => {
    const toml = '[[channels]]\nname = "p"\ntype = "pushover"\ntoken = "application-token"\nuser = ""';
    assert.equal(await redacted(toml, 'application-token'), '***');
  });

  it('leaves every text alone when there is no secret', async () => {
    assert.equal(
      await redacted(`${monitor}target = "https://example.com/a?b=c"`, 'b=c [secret] ***'),
      'b=c [secret] ***',
    );
  });
});
