import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { parseConfig } from '../../../src/engine/config/load.ts';
import { renderStatusPage } from '../../../src/serve/pages/status-page.ts';
import { pageHeadersOf } from '../../../src/serve/page-headers.ts';
import { siteOfConfig } from '../../../src/serve/pages/site.ts';
import { madeUpDay } from '../../support/made-up-day.ts';
import { openWorld } from '../world.ts';

const css = 'h1{letter-spacing:1px}';
const files = new Map([
  ['/etc/statusd/logo.svg', '<svg xmlns="http://www.w3.org/2000/svg"/>'],
  ['/etc/statusd/own.css', css],
]);

async function siteOf(page: string) {
  const toml = `[server]\nbase_url = "https://status.example.org/up"\n[page]\ntitle = "Hafen"\n${page}`;
  const { config, pageFiles } = await parseConfig(toml, {
    file: '/etc/statusd/statusd.toml',
    env: {},
    readFile: (path) => {
      const text = files.get(path);
      if (text === undefined) return Promise.reject(Object.assign(new Error('none'), { code: 'ENOENT' }));
      return Promise.resolve(Buffer.from(text));
    },
  });
  return siteOfConfig(config, pageFiles);
}

describe('the look of a site', () => {
  it('is what the configuration says', async () => {
    const site = await siteOf(`
logo = "logo.svg"
accent = "#123f8a"
theme = "light"
home_url = "https://www.example.org"
support_url = "https://www.example.org/help"
footer = "Hafen GmbH <Kai 1>"
css_file = "own.css"
language = "de"
timezone = "Europe/Berlin"
show_powered_by = false
robots = "noindex"
`);
    const text = renderStatusPage({ ...madeUpDay('outage'), site, group: null, refreshSecs: null });
    for (const part of [
      '<html lang="de">',
      '<img src="/up/logo"',
      '--acc:#123f8a',
      '<meta name="color-scheme" content="light"/>',
      'href="https://www.example.org"',
      'href="https://www.example.org/help"',
      'Hafen GmbH &lt;Kai 1&gt;',
      `<style>${css}</style>`,
      'sind ausgefallen</h1>',
      'Zeiten in Europe/Berlin',
      '15:05 ',
      '<meta name="robots" content="noindex"/>',
      '<link rel="canonical" href="https://status.example.org/up/"/>',
      '<meta property="og:url" content="https://status.example.org/up/"/>',
      '<meta property="og:title" content="Outgoing mail und Database sind ausgefallen"/>',
      '<meta name="theme-color" content="#fafaf8"/>',
    ])
      assert.ok(text.includes(part), part);
    assert.doesNotMatch(text, /statusd|prefers-color-scheme/);
    const policy = pageHeadersOf(site)['content-security-policy'] ?? '';
    const hashes = [...text.matchAll(/<style>([^<]*)<\/style>/g)].map(
      ([, style = '']) => `'sha256-${createHash('sha256').update(style).digest('base64')}'`,
    );
    assert.equal(hashes.length, 2);
    assert.match(policy, new RegExp(`style-src ${hashes.join(' ').replaceAll('+', '\\+')};`));
  });

  it('is English, light and dark, in UTC, without a setting', async () => {
    const text = renderStatusPage({
      ...madeUpDay('healthy'),
      site: await siteOf(''),
      group: null,
      refreshSecs: null,
    });
    assert.match(text, /<html lang="en">/);
    assert.match(text, /prefers-color-scheme:dark/);
    assert.match(text, /Times are UTC/);
    assert.match(text, /Watched by statusd/);
    assert.doesNotMatch(text, /noindex|\/up\/logo/);
  });
});

describe('search engines', () => {
  it('may list nothing at all where the pages are not theirs to list, and everything else where they are', async () => {
    const [hidden, listed] = await Promise.all([openWorld('[page]\nrobots = "noindex"'), openWorld('')]);
    const paths = [
      '/',
      '/history',
      '/history.atom',
      '/maintenance.ics',
      '/api/summary',
      '/favicon.svg',
      '/nope',
    ];
    try {
      for (const path of paths)
        for (const accept of ['text/html', 'text/plain']) {
          const tagOf = async ({ ask }: typeof hidden) =>
            (await ask(path, { headers: { accept } })).headers.get('x-robots-tag');
          assert.equal(await tagOf(hidden), 'noindex', `${path} ${accept}`);
          assert.equal(await tagOf(listed), null, `${path} ${accept}`);
        }
    } finally {
      await Promise.all([hidden.close(), listed.close()]);
    }
  });
});

describe('the pictures of a site', () => {
  it('are those of the configuration, or how everything is', async () => {
    const logo = '<svg xmlns="http://www.w3.org/2000/svg"><title>own</title></svg>';
    const [plain, own] = await Promise.all([
      openWorld(''),
      openWorld('[page]\nlogo = "logo.svg"\nfavicon = "logo.svg"', {
        beside: { '/etc/statusd/logo.svg': logo },
      }),
    ]);
    try {
      for (const path of ['/logo', '/favicon.ico']) assert.equal((await own.ask(path)).text, logo);
      for (const path of ['/logo', '/logo-dark'])
        assert.match((await plain.ask(path)).text, /<title>unknown<\/title>/);
      assert.equal((await own.ask('/logo')).headers.get('content-type'), 'image/svg+xml; charset=utf-8');
    } finally {
      await Promise.all([plain.close(), own.close()]);
    }
  });
});
