import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { type Browser, chromium, type Page } from 'playwright-core';
import { renderAckPage } from '../../../src/serve/pages/ack-page.ts';
import { renderErrorPage } from '../../../src/serve/pages/error-page.ts';
import { renderHistoryPage } from '../../../src/serve/pages/history-page.ts';
import { renderReportPage } from '../../../src/serve/pages/report-page.ts';
import { renderStatusPage } from '../../../src/serve/pages/status-page.ts';
import { renderIncidentPage } from '../../../src/serve/pages/incident-page.ts';
import { renderSubscribePage, renderSubscriptionPage } from '../../../src/serve/pages/subscribe-page.ts';
import { renderMonitorPage } from '../../../src/serve/pages/monitor-page.ts';
import { pageHeadersOf } from '../../../src/serve/page-headers.ts';
import { shownStates } from '../../../src/engine/views/incident.ts';
import { languages, speechFor } from '../../../src/serve/pages/words/all.ts';
import { contrast } from '../../../src/engine/core/colour.ts';
import { renderUptimeBadge } from '../../../src/serve/svg/badge.ts';
import { type Typeface, textWidth } from '../../../src/serve/svg/glyph-widths.ts';
import {
  dayAlerts,
  dayIncidents,
  dayNow,
  daySite as site,
  madeUpDay,
  madeUpMonitor,
  madeUpReport,
  madeUpThousand,
} from '../../support/made-up-day.ts';
import { startHttp, type Target } from '../../support/http-target.ts';
import { printedSeed } from '../../support/random.ts';
import { hostileTexts, renderPagesWith } from './hostile.ts';

const executablePath = '/usr/bin/chromium';
const isMissing = !existsSync(executablePath) && process.env['CI'] !== 'true';
const axe = readFileSync(new URL('../../../node_modules/axe-core/axe.min.js', import.meta.url), 'utf8');
const policy = pageHeadersOf(site)['content-security-policy'] ?? '';

type Scheme = 'light' | 'dark';

/** A page in one scheme: the colour of its ground, and what axe finds. */
interface SchemeLook {
  readonly paper: string;
  readonly violations: readonly string[];
}

interface Look {
  readonly name: string;
  readonly schemes: ReadonlyMap<Scheme, SchemeLook>;
  /** How wide the content is in a window of so many pixels. */
  readonly contentWidths: ReadonlyMap<number, number>;
}

const widths = [320, 768, 1920];

const longName = 'Orders and payments of our resellers in the south of Europe';
/** What every badge on a page looks like. */
const badge = renderUptimeBadge({ name: longName, status: 'up', uptimePermille: 1000 }, 'flat');

/** As its row in the database is. */
const openRow = {
  latest: null,
  carriedFrom: null,
  id: 7,
  uid: 'u',
  monitor: 'api',
  name: 'API',
  startedAt: Date.parse(dayNow) - 600_000,
  confirmedAt: Date.parse(dayNow) - 590_000,
  endedAt: null,
  category: 'timeout',
  reason: null,
  cause: null,
  impacted: [],
  note: null,
  notedAt: null,
  snapshot: null,
  vantage: null,
  ownFault: null,
} as const;

/** A colour as the browser says it: `rgb(207, 47, 36)`. */
function hex(colour: string): string {
  const channels = [...colour.matchAll(/\d+/g)].slice(0, 3).map(Number);
  return `#${channels.map((channel) => channel.toString(16).padStart(2, '0')).join('')}`;
}

function pages(): ReadonlyMap<string, string> {
  const { monitors } = madeUpDay('outage', 8).summary;
  const history = { site, now: dayNow, monitors, alerts: dayAlerts, incidents: dayIncidents, before: null };
  const incidentPlace = { site, now: dayNow, nameOf: (id: string) => id, hasPages: () => true };
  const report = {
    site,
    now: dayNow,
    report: madeUpReport(),
    recordMonth: '2026-10',
    closed: null,
    group: null,
  };
  const groups = ['Infrastructure', 'An unbroken-name-of-a-group'.repeat(4), ''];
  const nowAt = Date.parse(dayNow);
  const own = { token: 'x'.repeat(80), choices: groups, chosen: ['Infrastructure'] };
  return new Map([
    ['subscribe', renderSubscribePage({ site, nowAt, groups })],
    ['feeds alone', renderSubscribePage({ site, nowAt, groups: null })],
    ...(['asked', 'unsubscribed', 'unsubscribe', 'confirm', 'confirmed', 'saved', 'choose'] as const).map(
      (kind): [string, string] => [kind, renderSubscriptionPage({ kind, ...own }, { site, nowAt })],
    ),
    ...(['healthy', 'outage', 'empty', 'first'] as const).map((kind): [string, string] => [
      kind,
      renderStatusPage({ ...madeUpDay(kind, 8), site, group: null, refreshSecs: null }),
    ]),
    ['monitor', renderMonitorPage(madeUpMonitor())],
    ...dayIncidents.slice(1, 3).map((incident, index): [string, string] => [
      `incident ${index}`,
      renderIncidentPage({
        ...incidentPlace,
        incident,
        postmortem: '# Why\n\nA disk was full.\n\n### What changes\n\n- [ ] Watch it\n\n    df -h',
      }),
    ]),
    ...[null, { at: nowAt, by: 'phone', reason: null }].map((acknowledged, index): [string, string] => [
      `acknowledge ${index}`,
      renderAckPage({
        site,
        now: dayNow,
        token: 'x'.repeat(80),
        incident: { ...openRow, acknowledged },
        root: { ...openRow, acknowledged },
      }),
    ]),
    ['whole history', renderHistoryPage({ ...history, monitor: null, next: null })],
    ['history', renderHistoryPage({ ...history, monitor: 'api', next: '1-x' })],
    ['report', renderReportPage({ ...report, previous: '2026-10', following: null })],
    ['error', renderErrorPage({ site, status: 404, title: 'Not found', detail: 'There is no such page.' })],
  ]);
}

describe('in a browser', { skip: isMissing ? 'no chromium' : false }, () => {
  let browser: Browser;
  /** One for all tests: another one takes half a second of a processor. */
  let page: Page;
  let server: Target;
  let body = '';
  const complaints: string[] = [];
  before(async () => {
    browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
    page = await browser.newPage();
    page.on('console', (message) => complaints.push(message.text()));
    server = await startHttp(({ url = '' }, response) => {
      if (url === '/')
        response.writeHead(200, { 'content-type': 'text/html', 'content-security-policy': policy }).end(body);
      else if (url.startsWith('/api/badge/'))
        response.writeHead(200, { 'content-type': 'image/svg+xml' }).end(badge);
      else response.writeHead(204).end();
    });
  });
  after(async () => {
    await browser.close();
    await server.close();
  });

  /** Prepares a window in which documents are shown under the policy they are served with. */
  async function open(scheme: Scheme, width: number) {
    await page.emulateMedia({ colorScheme: scheme, media: 'screen' });
    await page.setViewportSize({ width, height: 800 });
  }

  async function show(text: string) {
    body = text;
    await page.goto(`${server.origin}/`);
  }

  async function violations(): Promise<string[]> {
    return page.evaluate(async () => {
      const { axe: tool } = globalThis as unknown as {
        axe: {
          run: (options: object) => Promise<{ violations: { id: string; nodes: { html: string }[] }[] }>;
        };
      };
      const found = await tool.run({ resultTypes: ['violations'] });
      return found.violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`);
    });
  }

  describe('any page', () => {
    /** What is seen of each page: it is loaded once, then looked at in every way. */
    const looks: Look[] = [];
    let complained: readonly string[] = [];
    before(async () => {
      await open('light', 1280);
      complaints.length = 0;
      for (const [name, text] of pages()) {
        await show(text);
        // Through the debugger, so that the page's own policy need not allow it.
        await page.evaluate(axe);
        const schemes = new Map<Scheme, SchemeLook>();
        for (const scheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme: scheme });
          const paper = await page.evaluate<string>('getComputedStyle(document.body).backgroundColor');
          schemes.set(scheme, { paper, violations: await violations() });
        }
        const contentWidths = new Map<number, number>();
        for (const width of widths) {
          await page.setViewportSize({ width, height: 800 });
          contentWidths.set(width, await page.evaluate<number>('document.documentElement.scrollWidth'));
        }
        await page.setViewportSize({ width: 1280, height: 800 });
        looks.push({ name, schemes, contentWidths });
      }
      complained = [...complaints];
    });

    for (const scheme of ['light', 'dark'] as const) {
      it(`has nothing that axe finds (${scheme}), and the policy lets the style through`, () => {
        assert.equal(looks.length, pages().size);
        const paper = scheme === 'light' ? 'rgb(250, 250, 248)' : 'rgb(15, 20, 18)';
        for (const { name, schemes } of looks)
          assert.deepEqual(schemes.get(scheme), { paper, violations: [] }, name);
        assert.deepEqual(complained, []);
      });
    }

    for (const width of widths) {
      it(`is no wider than a window of ${width} pixels`, () => {
        assert.equal(looks.length, pages().size);
        for (const { name, contentWidths } of looks) assert.equal(contentWidths.get(width), width, name);
      });
    }
  });

  for (const width of [320, 375]) {
    it(`the badges of a long name are no wider than a window of ${width} pixels`, async () => {
      await open('light', width);
      const facts = madeUpMonitor();
      await show(renderMonitorPage({ ...facts, monitor: { ...facts.monitor, name: longName } }));
      await page.waitForFunction('[...document.images].every((one) => one.complete && one.naturalWidth > 0)');
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width);
    });
  }

  it('the ring around what has the focus in the verdict stands out', async () => {
    await open('light', 1280);
    const facts = madeUpMonitor();
    for (const state of ['up', 'degraded', 'down', 'maintenance', 'unknown'] as const) {
      await show(
        renderMonitorPage({ ...facts, monitor: { ...facts.monitor, state, url: 'https://example.com' } }),
      );
      const grounds = new Set<string>();
      for (const scheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme: scheme });
        const [ring, ground] = await page.evaluate<[string, string]>(`(() => {
          const link = document.querySelector('.verdict a');
          link.focus();
          const ground = getComputedStyle(document.querySelector('.verdict')).backgroundColor;
          return [getComputedStyle(link).outlineColor, ground];
        })()`);
        assert.ok(contrast(hex(ring), hex(ground)) >= 3, `${state}, ${scheme}: ${ring} on ${ground}`);
        grounds.add(ground);
      }
      assert.equal(grounds.size, 2, `${state} looks the same in both schemes`);
    }
  });

  it('no word for how far an incident is is broken in two, in any language', async () => {
    await open('light', 1280);
    const [first] = dayIncidents;
    assert.ok(first !== undefined);
    const updates = shownStates.map((state) => ({
      uid: state,
      at: dayNow,
      state,
      message: 'A disk is full.',
    }));
    for (const language of Object.keys(languages) as (keyof typeof languages)[]) {
      const place = { site: { ...site, speech: speechFor(language, 'UTC') }, now: dayNow };
      const facts = { ...place, nameOf: (id: string) => id, hasPages: () => true, postmortem: null };
      await show(
        renderIncidentPage({ ...facts, incident: { ...first, updates, acknowledged: { at: dayNow } } }),
      );
      const broken = await page.evaluate<string[]>(`[...document.querySelectorAll('.tl b')].filter((word) => {
        word.style.overflowWrap = 'normal';
        return word.scrollWidth > word.clientWidth;
      }).map((word) => word.textContent)`);
      assert.deepEqual(broken, [], language);
    }
  });

  it('nothing in a cell of the report runs into the next one in a window of any width, in any language', async () => {
    await open('light', 1280);
    const report = { now: dayNow, report: madeUpReport(), recordMonth: '2026-10', closed: null, group: null };
    for (const language of Object.keys(languages) as (keyof typeof languages)[]) {
      const spoken = { ...site, speech: speechFor(language, 'UTC') };
      await show(renderReportPage({ ...report, site: spoken, previous: '2026-10', following: null }));
      for (const width of [320, 375, 1280]) {
        await page.setViewportSize({ width, height: 800 });
        const wide = await page.evaluate<string[]>(`[...document.querySelectorAll('td, th')]
          .filter((cell) => cell.scrollWidth > cell.clientWidth)
          .map((cell) => cell.dataset.l + ': ' + cell.textContent)`);
        assert.deepEqual(wide, [], `${language}, ${width} px`);
        assert.equal(await page.evaluate('innerWidth'), width);
      }
    }
  });

  it('what is open has a bar of its colour in the history, and what is over has none', async () => {
    await open('light', 800);
    const [first] = dayIncidents;
    assert.ok(first !== undefined);
    const lasting = (['down', 'unknown', 'operator'] as const).map((kind) => ({ ...first, kind, uid: kind }));
    const over = { ...first, uid: 'over', ended_at: dayNow };
    const facts = { site, now: dayNow, monitors: [], monitor: null, before: null, next: null, alerts: [] };
    await show(renderHistoryPage({ ...facts, incidents: [...lasting, over] }));
    const bars = ['down', 'unknown', 'operator', 'over'].map((id) =>
      page.evaluate<string>(`getComputedStyle(document.querySelector('#${id}')).borderLeftColor`),
    );
    assert.deepEqual((await Promise.all(bars)).map(hex), ['#cf2f24', '#d98e04', '#d98e04', '#e3e2dc']);
  });

  it('1,000 monitors of which 10 are in trouble take four screens at most, all ten named on the first', async () => {
    await open('light', 1280);
    const facts = madeUpThousand(10);
    await show(renderStatusPage({ ...facts, site, group: null, refreshSecs: null }));
    const height = Number(await page.evaluate('document.documentElement.scrollHeight'));
    assert.ok(height <= 4 * 800, `${height} px`);
    const bad = facts.summary.monitors.filter(({ state }) => state !== 'up').map(({ name }) => name);
    assert.equal(bad.length, 10);
    const seen: unknown = await page.evaluate(`${JSON.stringify(bad)}.filter((name) =>
      [...document.querySelectorAll('bdi')].some((one) =>
        one.textContent === name && one.getBoundingClientRect().bottom <= 800))`);
    assert.deepEqual(seen, bad);
  });

  it('beside a long title the way to subscribe stays on one line in a narrow window', async () => {
    await open('light', 375);
    for (const language of Object.keys(languages) as (keyof typeof languages)[]) {
      const long = 'A status page of everything that we run for all of our customers everywhere';
      const wordy = { ...site, title: long, speech: speechFor(language, 'UTC') };
      await show(
        renderStatusPage({ ...madeUpDay('healthy', 8), site: wordy, group: null, refreshSecs: null }),
      );
      for (const width of [320, 375]) {
        await page.setViewportSize({ width, height: 800 });
        const [height, line, content] = await page.evaluate<[number, number, number]>(`(() => {
          const button = document.querySelector('.top .btn');
          const range = document.createRange();
          range.selectNodeContents(button);
          return [range.getBoundingClientRect().height, parseFloat(getComputedStyle(button).lineHeight), document.documentElement.scrollWidth];
        })()`);
        const where = `${language}, ${width} px`;
        assert.ok(height < 1.5 * line, `${where}: ${height} px with lines of ${line} px`);
        assert.equal(content, width, where);
      }
    }
  });

  it('a narrow page says of how many days the uptime beside fewer bars is', async () => {
    const shown = async (width: number) => {
      await open('light', width);
      await show(renderStatusPage({ ...madeUpDay('healthy', 8), site, group: null, refreshSecs: null }));
      return page.evaluate<string>("document.querySelector('.ax').innerText.replace(/\\s+/g, ' ')");
    };
    assert.match(await shown(1280), /^90 days ago [\d.]+ % uptime Today$/);
    assert.match(await shown(375), /^45 days ago [\d.]+ % uptime \(90 days\) Today$/);
  });

  for (const scheme of ['light', 'dark'] as const) {
    it(`what is told by colour alone keeps it where the system forces its own (${scheme})`, async () => {
      await open(scheme, 1280);
      await page.emulateMedia({ forcedColors: 'active' });
      const coloursOf = (selectors: readonly string[]) =>
        page.evaluate<string[]>(`${JSON.stringify(selectors)}.map((selector) => {
          const { backgroundColor, backgroundImage } = getComputedStyle(document.querySelector(selector));
          return backgroundImage === 'none' ? backgroundColor : backgroundImage;
        })`);
      const day = madeUpDay('outage', 8);
      await show(renderStatusPage({ ...day, site, group: null, refreshSecs: null }));
      const seen = await coloursOf(['.bars .u', '.bars .d3', '.bars .n', '.dot.s-down']);
      const [ground] = await coloursOf(['.grp']);
      assert.equal(new Set(seen.slice(0, 3)).size, 3, seen.join('; '));
      assert.ok(!seen.includes(ground ?? ''), `${seen.join('; ')} on ${ground}`);
      await show(renderMonitorPage(madeUpMonitor()));
      const days = await coloursOf(['.cal i.u', '.cal i.m']);
      assert.equal(new Set(days).size, 2, days.join('; '));
      const border = await page.evaluate(
        "getComputedStyle(document.querySelector('.verdict')).borderTopStyle",
      );
      assert.equal(border, 'solid');
      await page.emulateMedia({ forcedColors: 'none' });
    });
  }

  it('each month of the calendar begins under its weekday, with no empty entry before it', async () => {
    await open('light', 1280);
    await show(renderMonitorPage(madeUpMonitor()));
    const months = await page.evaluate<
      [string, number, number][]
    >(`[...document.querySelectorAll('.cal ol')].map((month) => {
      const first = month.querySelector('li');
      const grid = month.getBoundingClientRect();
      const column = Math.round((first.getBoundingClientRect().left - grid.left) / (grid.width / 7));
      return [first.title, column, [...month.children].filter((day) => day.textContent === '').length];
    })`);
    assert.ok(months.length >= 3);
    const weekdays = ['Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat', 'Sun'];
    for (const [title, column, empty] of months) {
      assert.equal(weekdays[column], title.slice(0, 3), title);
      assert.equal(empty, 0, title);
    }
  });

  it('prints what is folded, on white', async () => {
    await open('dark', 800);
    await show(pages().get('healthy') ?? '');
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' });
    assert.equal(
      await page.evaluate('getComputedStyle(document.body).backgroundColor'),
      'rgb(255, 255, 255)',
    );
    assert.equal(await page.evaluate("document.querySelector('nav').checkVisibility()"), false);
  });

  it('hostile text makes no element that benign text does not make', async () => {
    await open('light', 800);
    await show('<title>x</title>');
    // As source, because tsx would put names of its own into a function.
    const skeleton = `(text) => {
      const draw = (node) => '<' + node.nodeName + ' ' + [...node.attributes].map(({ name }) => name).join() + [...node.children].map(draw).join('') + '>';
      return draw(new DOMParser().parseFromString(text, 'text/html').documentElement);
    }`;
    const drawAll = (texts: readonly string[]): Promise<string[]> =>
      page.evaluate(`${JSON.stringify(texts)}.map(${skeleton})`);
    const htmlOf = (text: string) => renderPagesWith(text).map(([, page]) => page);
    const benign = await drawAll(htmlOf('benign'));
    for (const text of hostileTexts(printedSeed()).filter((_, index) => index % 4 === 0 || index < 31)) {
      const drawn = await drawAll(htmlOf(text));
      assert.ok(
        drawn.every((one, index) => one === benign[index]),
        JSON.stringify(text.slice(0, 200)),
      );
    }
  });

  it('texts of badges are as wide as the table says', async () => {
    await open('light', 800);
    await show('<title>x</title>');
    for (const text of ['Website', 'up', 'Image delivery 24h', 'WAVE "To" (99.98%)', 'degraded']) {
      for (const isBold of [false, true]) {
        const face: Typeface = { sizePx: 11, isBold, spacingPx: 0 };
        const font = `${isBold ? 'bold ' : ''}11px "DejaVu Sans"`;
        const width = await page.evaluate(`(() => {
          const canvas = document.createElement('canvas').getContext('2d');
          canvas.font = ${JSON.stringify(font)};
          return canvas.measureText(${JSON.stringify(text)}).width;
        })()`);
        const error = Math.abs(Number(width) - textWidth(text, face));
        // The table knows no kerning.
        assert.ok(error <= 0.04 * Number(width) + 0.5, `${text}: ${String(width)}, ${textWidth(text, face)}`);
      }
    }
  });
});
