import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import { overallOf } from '../../../src/engine/views/frame.ts';
import { plainBrand } from '../../../src/serve/pages/brand.ts';
import type { IncidentView } from '../../../src/engine/views/incident.ts';
import type { ShownMonitor } from '../../../src/engine/views/page.ts';
import { renderStatusPage } from '../../../src/serve/pages/status-page.ts';
import { renderMonitorPage } from '../../../src/serve/pages/monitor-page.ts';
import {
  type DayKind,
  daySite as site,
  madeUpDay,
  madeUpMonitor,
  madeUpThousand,
} from '../../support/made-up-day.ts';
import { renderAllWith } from './hostile.ts';

function page(kind: DayKind): string {
  return renderStatusPage({ ...madeUpDay(kind), site, group: null, refreshSecs: null });
}

describe('the status page', () => {
  const gzipped = (text: string) => gzipSync(text, { level: 9 }).length;

  it('takes at most 10 KB on its way for 20 monitors with 90 days each', () => {
    for (const kind of ['healthy', 'outage', 'first'] as const) {
      assert.ok(gzipped(page(kind)) <= 10 * 1024, `${kind}: ${gzipped(page(kind))} bytes`);
    }
  });

  it('takes at most 40 KB for 1,000 monitors, 10 in trouble, and lists what is not as it should be', () => {
    const facts = { ...madeUpThousand(10), site, group: null, refreshSecs: null };
    const text = renderStatusPage(facts);
    assert.ok(gzipped(text) <= 40 * 1024, `${gzipped(text)} bytes`);
    assert.equal(text.match(/<article class="row/g)?.length, 10);
    assert.match(text, /href="\/status\/Region%204"/);
    const everything = renderStatusPage({ ...madeUpThousand(1000), site, group: null, refreshSecs: null });
    assert.ok((everything.match(/<article class="row/g)?.length ?? 0) <= 100);
  });

  it('holds no script, no style but the one the policy names, and asks nobody else for anything', () => {
    for (const [name, text] of renderAllWith('benign')) {
      if (!name.endsWith('.html')) continue;
      const own = text.replaceAll('href="https://www.example.com/"', '');
      assert.doesNotMatch(own, /<script|\son\w+=|\sstyle=|http-equiv|https?:\/\//i, name);
      const [, style = ''] = /<style>([^<]*)<\/style>/.exec(text) ?? [];
      const hash = createHash('sha256').update(style).digest('base64');
      assert.equal(plainBrand.stylesheets.sources, `'sha256-${hash}'`);
    }
  });

  it('says that there was nothing else of late beside what is open, and nothing at all when nothing is', () => {
    const day = madeUpDay('outage', 8);
    const pageOf = (incidents: readonly IncidentView[]) =>
      renderStatusPage({
        ...day,
        summary: { ...day.summary, incidents, past: [] },
        site,
        group: null,
        refreshSecs: null,
      });
    const past = (text: string) => /<h2 id="past">[^<]*<\/h2>.*?<\/section>/s.exec(text)?.[0] ?? '';
    assert.match(past(pageOf(day.summary.incidents)), /<p class="soft">No other incidents\.</);
    assert.match(past(pageOf([])), /<p class="soft">No incidents in the past 7 days\.</);
    const facts = madeUpMonitor();
    const record = (incidents: readonly IncidentView[]) =>
      /<h2 id="record">.*?<\/section>/s.exec(renderMonitorPage({ ...facts, incidents }))?.[0] ?? '';
    assert.match(record(day.summary.incidents.slice(0, 1)), /<p class="soft">No other incidents\.</);
    assert.match(record([]), /<p class="soft">No incident is on record\.</);
  });

  it('says what is wrong in a sentence, root causes first, and how many work', () => {
    const text = page('outage');
    assert.match(
      text,
      /<h1><bdi>Outgoing mail<\/bdi> and <bdi>Database<\/bdi> are down<\/h1><p>15 of 20 services work normally · checked <time datetime="2026-11-21T14:05Z">14:05 UTC/,
    );
    assert.match(text, /<title>Outgoing mail and Database are down · Harbour<\/title>/);
    assert.match(page('healthy'), /<h1>All systems operational<\/h1><p>20 of 20 services/);
    const { summary, figures } = madeUpDay('healthy', 2);
    const monitors = summary.monitors.map((one) => ({
      ...one,
      status: 'down' as const,
      state: 'down' as const,
    }));
    const down = { ...summary, monitors, ...overallOf(monitors) };
    assert.match(
      renderStatusPage({ summary: down, figures, site, group: null, refreshSecs: null }),
      /<h1>All services are down<\/h1>/,
    );
  });

  it('names what operators opened while every service works, and what fails when one does', () => {
    const { summary, figures } = madeUpDay('healthy', 2);
    const [incident] = madeUpDay('outage').summary.incidents;
    assert.ok(incident !== undefined);
    const of = (impact: IncidentView['impact'], from = summary) => {
      const open = { ...incident, kind: 'operator', monitor: null, name: 'Slow <mail>', impact } as const;
      const incidents = [open];
      return renderStatusPage({
        summary: { ...from, incidents },
        figures,
        site,
        group: null,
        refreshSecs: null,
      });
    };
    assert.match(
      of('degraded'),
      /v-degraded.*<h1><bdi>Slow &lt;mail&gt;<\/bdi><\/h1><p>2 of 2 services work/,
    );
    assert.match(of('degraded'), /<title>Slow &lt;mail&gt; · /);
    assert.match(of('major'), /class="verdict v-down".*<article class="inc i-down"/s);
    assert.match(of('degraded'), /<article class="inc i-operator"/);
    for (const impact of ['none', 'maintenance'] as const)
      assert.match(of(impact), /class="verdict v-up".*<h1>All systems operational/);
    const failing = madeUpDay('outage', 20).summary;
    assert.match(of('major', failing), /<h1><bdi>Outgoing mail<\/bdi>/);
  });

  it('is in order: verdict, incidents, announcements, maintenance, services, the past', () => {
    const text = page('outage');
    const parts = [
      'class="verdict',
      'class="inc',
      'class="note',
      'class="mt"',
      'class="grp"',
      'id="past"',
      '<footer',
    ];
    const places = parts.map((part) => text.indexOf(part));
    assert.deepEqual(
      places,
      places.toSorted((a, b) => a - b),
    );
    assert.ok(places.every((place) => place > 0));
  });

  it('says how things are in the words of its readers', () => {
    const text = page('outage');
    for (const words of [
      'Operational',
      'Degraded',
      'Major outage',
      'Maintenance',
      'Not answering correctly since 13:41 UTC',
      '90 days ago',
      '99.86 % uptime',
      'Today',
      '<a href="/incidents/i-07"><bdi>Database</bdi> is down</a>',
      '<li><bdi>Checkout</bdi></li>',
      'Where orders are paid',
    ]) {
      assert.ok(text.includes(words), words);
    }
    assert.equal(text.match(/<article class="row/g)?.length, 20);
    assert.equal(text.match(/<i class="\w+" title="[^"]+"/g)?.length, 20 * 90);
    assert.doesNotMatch(text, /p50|p95|p99|[Bb]udget|[Cc]overage|[Ss]ilenced|Promised/);
  });

  it('gives no reason for one failure that nothing confirmed, and says what a healthy job reported', () => {
    const facts = madeUpDay('healthy');
    const shown = (given: Partial<ShownMonitor>) => {
      const monitors = facts.summary.monitors.map((monitor, index) =>
        index === 0 ? { ...monitor, ...given } : monitor,
      );
      const summary = { ...facts.summary, monitors };
      return renderStatusPage({ ...facts, summary, site, group: null, refreshSecs: null });
    };
    for (const said of ['status', 'connection refused by 192.0.2.7:443']) {
      const text = shown({ status: 'degraded', state: 'up', last_error: said });
      assert.doesNotMatch(text, /class="why"/);
      assert.doesNotMatch(text, /192\.0\.2\.7/);
    }
    assert.match(
      shown({ status: 'degraded', state: 'degraded', last_error: 'status' }),
      /<p class="why">It answered/,
    );
    assert.match(shown({ last_error: '42 files saved' }), /<p class="why">42 files saved</);
  });

  it('folds groups in which all is up, and none where there are few services', () => {
    assert.equal(page('healthy').match(/<details class="grp">/g)?.length, 4);
    assert.equal(page('outage').match(/<details class="grp" open="">/g)?.length, 3);
    const few = renderStatusPage({ ...madeUpDay('healthy', 15), site, group: null, refreshSecs: null });
    assert.equal(few.match(/<details class="grp">/g), null);
  });

  it('looks the same for a minute of an outage, whatever its seconds', () => {
    const at = (now: string, secs: number) => {
      const facts = madeUpDay('outage');
      const incidents = facts.summary.incidents.map((one) => ({ ...one, duration_secs: secs }));
      const summary = { ...facts.summary, generated_at: now, incidents, peers: [] };
      return renderStatusPage({ ...facts, summary, site, group: null, refreshSecs: null });
    };
    assert.equal(at('2026-11-21T14:05:01Z', 1465), at('2026-11-21T14:05:59Z', 1523));
  });

  it('shows the public nothing of channels, and the operator which fail', () => {
    const { summary, figures } = madeUpDay('healthy', 2);
    const channels = [{ name: 'ops', failing: true, consecutive_failures: 4, failing_for_secs: 60 }];
    const facts = { figures, site, group: null, refreshSecs: null };
    assert.doesNotMatch(renderStatusPage({ ...facts, summary }), /Channels/);
    assert.match(
      renderStatusPage({ ...facts, summary: { ...summary, channels } }),
      /ops<\/bdi>.*4 failed deliveries/,
    );
  });

  it('reloads itself only for who asks, and says how to stop it', () => {
    const facts = { ...madeUpDay('healthy', 2), site: { title: 'Harbour', base: '/up' }, group: 'Public' };
    const still = renderStatusPage({ ...facts, refreshSecs: null });
    assert.match(still, /href="\/up\/status\/Public\?refresh=60">Reload every minute/);
    assert.match(still, /class="stale/);
    const moving = renderStatusPage({ ...facts, refreshSecs: 60 });
    assert.match(moving, /Reloads every 1\u00a0min\. <a href="\/up\/status\/Public">Stop/);
    assert.doesNotMatch(moving, /class="stale/);
  });

  it('names nobody one by one when all of a group or of everything is in the same trouble', () => {
    const day = madeUpDay('healthy');
    const monitors = day.summary.monitors.map((monitor) => ({
      ...monitor,
      status: 'down' as const,
      state: 'down' as const,
    }));
    const all = { ...day, summary: { ...day.summary, ...overallOf(monitors), monitors } };
    const text = renderStatusPage({ ...all, site, group: null, refreshSecs: null });
    assert.match(text, /All services are down/);
    assert.doesNotMatch(text, /class="also"/);
    assert.match(text, /<span class="sum">Major outage<\/span>/);
    assert.doesNotMatch(text, /Website<\/bdi> down/);
  });

  it('lists at most 12 of many that are down beside those that the sentence names, and says how many more', () => {
    const facts = madeUpThousand(75);
    const some = facts.summary.monitors.slice(0, 150).map((one, index) => {
      const state = index < 75 ? ('down' as const) : ('up' as const);
      return { ...one, status: state, state };
    });
    const summary = { ...facts.summary, ...overallOf(some), monitors: some, incidents: [] };
    const text = renderStatusPage({ ...facts, summary, site, group: null, refreshSecs: null });
    const list = /<ul class="also">(.*?)<\/ul>/s.exec(text)?.[1] ?? '';
    assert.equal(list.match(/<li>/g)?.length, 13);
    assert.match(list, /<li>61 more<\/li>$/);
  });

  it('is kind when there is nothing to show', () => {
    assert.match(page('empty'), /<h1>Nothing to show yet<\/h1>/);
    assert.equal(page('empty').split('<body')[1]?.split('Services appear here').length, 2, 'said once');
    assert.match(page('first'), /<h1>No data yet<\/h1>/);
  });
});
