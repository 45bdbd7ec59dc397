import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { HtmlValidate, type RuleConfig } from 'html-validate';
import { renderStatusPage } from '../../../src/serve/pages/status-page.ts';
import { daySite, madeUpDay } from '../../support/made-up-day.ts';
import { printedSeed, randomOf } from '../../support/random.ts';
import { hostileTexts, renderPagesWith } from '../pages/hostile.ts';
import { openWorld, startAt, type World } from '../world.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';

const rules: RuleConfig = {
  // Pages are XML too, so that a parser of XML can check them.
  'void-style': ['error', { style: 'selfclosing' }],
  // A list may have a name, too (ARIA in HTML).
  'aria-label-misuse': ['error', { allowAnyNamable: true }],
  'attribute-boolean-style': 'off',
  // A limit of search engines, and the title is whatever the site is called.
  'long-title': 'off',
};

/** Where every text is the same one: groups of one name, and a body whose lines end as the target ended them. */
const hostileRules: RuleConfig = { ...rules, 'unique-landmark': 'off', 'no-trailing-whitespace': 'off' };

function validator(own: RuleConfig): (page: string) => Promise<readonly string[]> {
  const checker = new HtmlValidate({
    root: true,
    extends: ['html-validate:recommended', 'html-validate:document'],
    rules: own,
  });
  return async (page) => {
    const { results } = await checker.validateString(page);
    return results.flatMap(({ messages }) =>
      messages.map(({ ruleId, message, selector }) => `${ruleId}: ${message} (${selector ?? ''})`),
    );
  };
}

const faultsOf = validator(rules);

const config = `
auth_token = "operator-token"

[[monitors]]
id = "web"
name = "Website"
group = "front"
target = "https://example.com"

[[monitors]]
id = "db"
name = "Database <main>"
target = "https://db.example.com"
public_error_detail = true
`;

const operator = { authorization: 'Bearer operator-token' };
const browser = { accept: 'text/html' };

interface Served {
  readonly path: string;
  readonly status: number;
  readonly text: string;
}

async function pagesOf(
  { ask }: World,
  paths: readonly string[],
  headers = browser,
): Promise<readonly Served[]> {
  const replies = await Promise.all(paths.map((path) => ask(path, { headers })));
  return replies.map(({ status, text }, index) => ({ path: paths[index] ?? '', status, text }));
}

const paths = ['/', '/?refresh=60', '/status/front', '/history', '/history?monitor=db', '/report/2026-06'];

describe('the validator of HTML', () => {
  // All are asked for ahead: a connection that idles while pages are looked at may be ended by the server.
  const pages: Served[] = [];
  const errors: Served[] = [];
  before(async () => {
    const world = await openWorld(config);
    const at = startAt - 600_000;
    await world.store.write([
      incidents.open({
        uid: 'u1',
        monitor: 'db',
        name: 'Database <main>',
        startedAt: at,
        confirmedAt: at,
        category: 'status',
        reason: 'status 503',
        cause: null,
        impacted: ['web'],
        snapshot: { statusLine: 'HTTP/1.1 503', headers: [['a', 'b']], body: '<html>' },
        vantage: null,
      }),
    ]);
    world.engine.statuses.set('db', 'down').set('web', 'up');
    pages.push(...(await pagesOf(world, paths)));
    pages.push(...(await pagesOf(world, paths, { ...browser, ...operator })));
    errors.push(...(await pagesOf(world, ['/nothing', '/?width=x', '/%zz'])));
    await world.close();
    const empty = await openWorld('');
    pages.push(...(await pagesOf(empty, ['/', '/history', '/report/2026-06'])));
    await empty.close();
  });

  it('accepts the status page on a healthy day, in an outage, and of a new and an empty installation', async () => {
    for (const kind of ['healthy', 'outage', 'empty', 'first'] as const) {
      const page = renderStatusPage({ ...madeUpDay(kind), site: daySite, group: null, refreshSecs: null });
      assert.deepEqual(await faultsOf(page), [], kind);
    }
  });

  it('accepts every page as it is served, for every viewer, also where there is no monitor', async () => {
    assert.equal(pages.length, 15);
    for (const { path, status, text } of pages) {
      assert.equal(status, 200);
      assert.deepEqual(await faultsOf(text), [], path);
    }
  });

  it('accepts the pages of errors', async () => {
    for (const { path, status, text } of errors) {
      assert.ok(status >= 400);
      assert.deepEqual(await faultsOf(text), [], path);
    }
  });

  it('accepts every page, whatever is in it', async () => {
    const hostileFaultsOf = validator(hostileRules);
    const seed = printedSeed();
    const texts = hostileTexts(seed);
    const random = randomOf(seed);
    for (const text of ['benign', ...Array.from({ length: 4 }, () => random.pick(texts))]) {
      for (const [name, document] of renderPagesWith(text)) {
        assert.deepEqual(await hostileFaultsOf(document), [], `${name} with ${JSON.stringify(text)}`);
      }
    }
  });

  it('would not accept markup that a text brought, an id twice, or a list without items', async () => {
    const page = pages[0]?.text ?? '';
    for (const [right, wrong] of [
      ['<bdi>Website</bdi>', '<bdi><b></bdi></b>'],
      ['id="m-db"', 'id="m-web"'],
      ['</ol>', ''],
      ['<html lang="en">', '<html>'],
    ] as const) {
      assert.ok(page.includes(right), right);
      assert.notDeepEqual(await faultsOf(page.replace(right, wrong)), [], wrong);
    }
  });
});
