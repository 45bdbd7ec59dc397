/** Texts that try to be more than text, and a made-up installation full of one of them. */
import { randomOf } from '../../support/random.ts';
import { english, type Speech } from '../../../src/serve/pages/words/speech.ts';
import { renderFeed } from '../../../src/serve/feed/atom.ts';
import { renderErrorPage } from '../../../src/serve/pages/error-page.ts';
import { renderIncidentPage } from '../../../src/serve/pages/incident-page.ts';
import { renderMonitorPage } from '../../../src/serve/pages/monitor-page.ts';
import { renderHistoryPage } from '../../../src/serve/pages/history-page.ts';
import { renderReportPage } from '../../../src/serve/pages/report-page.ts';
import { renderStatusPage } from '../../../src/serve/pages/status-page.ts';
import { renderHistoryText } from '../../../src/serve/plain/history-text.ts';
import { reportTextSteps } from '../../../src/serve/plain/report-text.ts';
import { statusTextSteps } from '../../../src/serve/plain/status-text.ts';
import { atOnce } from '../../../src/engine/core/yielding.ts';
import { badgeStyles, renderStatusBadge, renderUptimeBadge } from '../../../src/serve/svg/badge.ts';
import { renderHeatmap } from '../../../src/serve/svg/heatmap.ts';
import {
  dayAlerts,
  dayIncidents,
  dayNow,
  madeUpDay,
  madeUpHeatmap,
  madeUpMonitor,
  madeUpReport,
} from '../../support/made-up-day.ts';

const classics = [
  '<script>alert(1)</script>',
  '</title><script>alert(1)</script>',
  '</style><b>',
  '"><img src=x onerror=alert(1)>',
  "' onmouseover='alert(1)",
  '--><b>',
  ']]><b/>',
  '<![CDATA[<b>]]>',
  '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY e "e">]>&e;',
  '&lt;b&gt;&amp;&#60;b&#62;&nbsp;&bogus;',
  '&',
  '&#',
  '&#x3c;b>',
  '<!--',
  '</p></li></ul></main>',
  '<svg><foreignObject><b>',
  '</text></svg><b>',
  '\u0000\u0001\u0008\u000b\u000c\u001b[31m\u007f\u009b31m x',
  '\ud800 half \udc00',
  '\ufffe\uffff non-characters',
  '\u202e\u2066 turned round',
  '\r\n\r\nHTTP/1.1 200 OK',
  '\ttabs\t\tand\nbreaks',
  '${alert(1)} {{7*7}} `x`',
  'javascript:alert(1)//',
  '../../etc/passwd?a=b&c=d#e',
  'e\u0301\u0301\u0301\u0301\u0301 zalgo',
  '👩‍👩‍👧‍👦 家族 한국어',
  '\u2028\u2029 separators',
  'x'.repeat(3000),
  '長'.repeat(1000),
];

const pieces = [
  '<',
  '>',
  '"',
  "'",
  '&',
  ';',
  '/',
  '=',
  ' ',
  '!--',
  '-->',
  ']]>',
  '<b',
  'a',
  '\u0000',
  '\ud83d',
  '\n',
];

/** Those everybody tries, then pieces of markup in random order. */
export function hostileTexts(seed: number, count = 80): readonly string[] {
  const random = randomOf(seed);
  const made = Array.from({ length: count - classics.length }, () =>
    Array.from({ length: 1 + random.below(24) }, () => random.pick(pieces)).join(''),
  );
  // With a letter in front none is empty once it is cleaned, which a page may show as nothing at all.
  return [...classics, ...made].map((text) => `x${text}`);
}

/** The same for every text. */
const day = madeUpDay('outage', 7);
const monitorFacts = madeUpMonitor();
const plainReport = madeUpReport();
const plainHeatmap = madeUpHeatmap();

/** Everything that draws, by name, with `text` wherever text comes from outside. */
export function renderAllWith(text: string, speech = english): ReadonlyMap<string, string> {
  return new Map([...allDrawing(text, speech)].map(([name, draw]) => [name, draw()]));
}

/** The pages alone. */
export function renderPagesWith(text: string): (readonly [name: string, html: string])[] {
  const pages = [...allDrawing(text, english)].filter(([name]) => name.endsWith('.html'));
  return pages.map(([name, draw]) => [name, draw()]);
}

function allDrawing(text: string, speech: Speech): ReadonlyMap<string, () => string> {
  const site = { title: text, base: '', speech };
  const { summary, figures } = day;
  const renamed = new Map(
    ['Public', 'Accounts', 'Inside'].map((name, index) => [name, `${text}${' '.repeat(index)}`] as const),
  );
  const incidents = dayIncidents.map((incident) => ({
    ...incident,
    name: text,
    reason: text,
    error: text,
    cause: text,
    impacted: [text, text],
    note: text,
    vantage: [{ peer: text, verdict: 'up' as const, error: text }],
    snapshot: { status_line: text, headers: [[text, text] as const], body: text },
  }));
  const monitors = summary.monitors.map((monitor) => ({
    ...monitor,
    name: text,
    description: text,
    group: renamed.get(monitor.group ?? '') ?? null,
    last_error: text,
    cause: text,
    impacted: [text],
  }));
  const hostile = {
    ...summary,
    title: text,
    overall_label: text,
    incidents: incidents.slice(0, 2),
    past: incidents.slice(2),
    announcements: summary.announcements.map((one) => ({ ...one, title: text, body: text, severity: text })),
    maintenances: summary.maintenances.map((one) => ({ ...one, title: text, monitors: [text] })),
    groups: summary.groups.map(({ name, ids }) => ({ name: renamed.get(name ?? '') ?? text, ids })),
    monitors,
    peers: summary.peers.map((peer) => ({ ...peer, name: text, reason: text, seen_by: [text] })),
    channels: [{ name: text, failing: true, consecutive_failures: 4, failing_for_secs: 60 }],
  };
  const alerts = dayAlerts.map((alert) => ({
    ...alert,
    name: text,
    severity: text,
    title: text,
    message: text,
  }));
  const report = {
    ...plainReport,
    groups: plainReport.groups.map(({ rows, total }) => ({
      name: text,
      rows: rows.map((row) => ({ ...row, name: text })),
      total,
    })),
  };
  const nameOf = () => text;
  const history = { site, now: dayNow, monitors, alerts, incidents, before: text, next: text };
  const heatmap = { ...plainHeatmap, days: plainHeatmap.days.slice(0, 2), name: text };
  const drawing = new Map<string, () => string>([
    [
      'status.html',
      () => renderStatusPage({ summary: hostile, figures, site, group: null, refreshSecs: null }),
    ],
    ['group.html', () => renderStatusPage({ summary: hostile, figures, site, group: text, refreshSecs: 60 })],
    ['history.html', () => renderHistoryPage({ ...history, monitor: text })],
    ...monitors.slice(0, 1).map((monitor): [string, () => string] => [
      'monitor.html',
      () =>
        renderMonitorPage({
          ...monitorFacts,
          site,
          monitor: { ...monitor, description: text, url: 'https://www.example.com/' },
          incidents,
          heatmap,
          nameOf,
        }),
    ]),
    ...incidents.slice(1, 3).map((incident, index): [string, () => string] => [
      `incident-${index}.html`,
      () =>
        renderIncidentPage({
          site,
          now: dayNow,
          incident,
          postmortem: null,
          nameOf,
          hasPages: () => true,
        }),
    ]),
    [
      'report.html',
      () =>
        renderReportPage({
          site,
          now: dayNow,
          report,
          recordMonth: null,
          closed: null,
          group: text,
          previous: '2026-10',
          following: null,
        }),
    ],
    ['error.html', () => renderErrorPage({ site, status: 404, title: text, detail: text })],
    ['heatmap.svg', () => renderHeatmap(heatmap)],
    [
      'history.atom',
      () =>
        renderFeed({
          title: text,
          databaseUid: text,
          origin: 'https://status.example.org',
          now: dayNow,
          nameOf,
          speech,
          incidents: incidents.map((incident) => ({ incident, updatedAt: incident.confirmed_at })),
        }),
    ],
    ['status.txt', () => atOnce(statusTextSteps({ summary: hostile, figures, group: text, width: 80 }))],
    ['whole.txt', () => atOnce(statusTextSteps({ summary: hostile, figures, group: null, width: 80 }))],
    ['history.txt', () => renderHistoryText({ ...history, title: text, nameOf, width: 80 })],
    [
      'report.txt',
      () =>
        atOnce(
          reportTextSteps({ title: text, report, recordMonth: null, closed: null, group: text, width: 80 }),
        ),
    ],
  ]);
  for (const style of badgeStyles) {
    const badge = { name: text, status: 'up', uptimePermille: 1000 } as const;
    drawing.set(`status-${style}.svg`, () => renderStatusBadge(badge, style));
    drawing.set(`uptime-${style}.svg`, () => renderUptimeBadge(badge, style));
  }
  return drawing;
}
