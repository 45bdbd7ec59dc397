import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import { stylesheetSource } from '../../../src/serve/pages/style.ts';
import { renderStatusPage } from '../../../src/serve/pages/status-page.ts';
import { type DayKind, daySite as site, madeUpDay } from '../../support/made-up-day.ts';
import { renderAllWith } from './hostile.ts';

function page(kind: DayKind): string {
  return renderStatusPage({ ...madeUpDay(kind), site, group: null, refreshSecs: null });
}

describe('the status page', () => {
  it('stays under 60 kB for 20 monitors with 90 days each', () => {
    for (const kind of ['healthy', 'outage', 'first'] as const) {
      assert.ok(Buffer.byteLength(page(kind)) < 60_000, kind);
    }
  });

  it('stays under 60 kB when no day was like the one before', () => {
    const { summary, figures } = madeUpDay('healthy');
    const states = ['up', 'degraded', 'up', 'down'] as const;
    const monitors = summary.monitors.map((monitor) => ({
      ...monitor,
      history: monitor.history.map((day, index) => ({ ...day, state: states[index % 4] ?? 'up' })),
    }));
    const facts = { summary: { ...summary, monitors }, figures, site, group: null, refreshSecs: null };
    const bytes = Buffer.byteLength(renderStatusPage(facts));
    assert.ok(bytes < 60_000, `${bytes} bytes`);
  });

  it('holds no script, no style but the one the policy names, and asks nobody else for anything', () => {
    for (const [name, text] of renderAllWith('benign')) {
      if (!name.endsWith('.html')) continue;
      assert.doesNotMatch(text, /<script|\son\w+=|\sstyle=|http-equiv|https?:\/\//i, name);
      const [, style = ''] = /<style>([^<]*)<\/style>/.exec(text) ?? [];
      const hash = createHash('sha256').update(style).digest('base64');
      assert.equal(stylesheetSource, `'sha256-${hash}'`);
    }
  });

  it('calls what the line draws an average, so that no figure beside it contradicts it', () => {
    const text = page('healthy');
    const labels = [...text.matchAll(/aria-label="([^"]*[Ll]atency of the last 24 hours[^"]*)"/g)];
    assert.ok(labels.length > 0);
    for (const [, label] of labels) assert.match(label ?? '', /^Average latency .*, highest [\d.]+ m?s$/);
  });

  it('says how things are in words, everywhere', () => {
    const text = page('outage');
    assert.match(text, /<h1>Partial outage<\/h1>/);
    assert.match(text, /2 down, 2 degraded, 16 up/);
    assert.match(
      text,
      /aria-label="Last 90 days: 89 up, 1 down\."|aria-label="Last 90 days: \d+ up, \d+ degraded, \d+ down\."/,
    );
    for (const words of [
      'Database</bdi> is down',
      'Because of Database.',
      'Error budget spent',
      'Silenced until 16:00 UTC',
      'Maintenance</span>',
      'Certificate: 9 days left',
      'Promised uptime',
    ]) {
      assert.ok(text.includes(words), words);
    }
    assert.equal(text.match(/<li class="m/g)?.length, 20);
  });

  it('tells strangers nothing of channels, and the operator which fail', () => {
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
    assert.match(still, /href="\/up\/status\/Public\?refresh=60">Every minute/);
    assert.match(still, /class="stale"/);
    const moving = renderStatusPage({ ...facts, refreshSecs: 60 });
    assert.match(moving, /Refreshes every 1m\. <a href="\/up\/status\/Public">Stop/);
    assert.doesNotMatch(moving, /class="stale"/);
  });

  it('is kind when there is nothing to show', () => {
    assert.match(page('empty'), /<h1>Nothing to show yet<\/h1>/);
    assert.match(page('first'), /<h1>No data yet<\/h1>/);
  });
});
