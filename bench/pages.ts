/** Writes every page and picture for a made-up day into a folder, to be looked at: `bench/pages.ts FOLDER`. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { renderErrorPage } from '../src/serve/pages/error-page.ts';
import { renderHistoryPage } from '../src/serve/pages/history-page.ts';
import { renderIncidentPage } from '../src/serve/pages/incident-page.ts';
import { renderMonitorPage } from '../src/serve/pages/monitor-page.ts';
import { renderReportPage } from '../src/serve/pages/report-page.ts';
import { renderStatusPage } from '../src/serve/pages/status-page.ts';
import { english } from '../src/serve/pages/words/speech.ts';
import { renderFeed } from '../src/serve/feed/atom.ts';
import { renderHistoryText } from '../src/serve/plain/history-text.ts';
import { reportTextSteps } from '../src/serve/plain/report-text.ts';
import { statusTextSteps } from '../src/serve/plain/status-text.ts';
import { atOnce } from '../src/engine/core/yielding.ts';
import { badgeStyles, renderStatusBadge, renderUptimeBadge } from '../src/serve/svg/badge.ts';
import { renderHeatmap } from '../src/serve/svg/heatmap.ts';
import { renderIcon } from '../src/serve/svg/icon.ts';
import {
  dayAlerts,
  dayIncidents,
  type DayKind,
  dayNow,
  daySite as site,
  madeUpDay,
  madeUpHeatmap,
  madeUpMonitor,
  madeUpReport,
} from '../tests/support/made-up-day.ts';

const folder = process.argv[2];
if (folder === undefined) {
  console.error('usage: node --import tsx bench/pages.ts FOLDER');
  process.exit(2);
}

function write(name: string, text: string): void {
  writeFileSync(join(folder ?? '.', name), text);
  console.log(`${name.padEnd(28)} ${Buffer.byteLength(text)} bytes`);
}

mkdirSync(folder, { recursive: true });
const { monitors } = madeUpDay('outage').summary;
const heatmap = { ...madeUpHeatmap(), name: 'API' };

for (const kind of ['healthy', 'outage', 'empty', 'first'] satisfies DayKind[]) {
  const facts = { ...madeUpDay(kind), group: null, site, refreshSecs: null };
  write(`status-${kind}.html`, renderStatusPage(facts));
  write(`status-${kind}.txt`, atOnce(statusTextSteps({ ...facts, width: 80 })));
}
const history = { site, now: dayNow, monitors, alerts: dayAlerts, incidents: dayIncidents, before: null };
write('history.html', renderHistoryPage({ ...history, next: '1700000000000-i', monitor: null }));
write('history-api.html', renderHistoryPage({ ...history, next: null, monitor: 'api' }));
write('monitor.html', renderMonitorPage(madeUpMonitor()));
for (const [index, incident] of dayIncidents.entries())
  write(
    `incident-${index}.html`,
    renderIncidentPage({
      site,
      now: dayNow,
      incident,
      postmortem: null,
      nameOf: (id) => id,
      hasPages: () => true,
    }),
  );
write(
  'report.html',
  renderReportPage({
    site,
    now: dayNow,
    report: madeUpReport(),
    recordMonth: '2026-10',
    closed: null,
    group: null,
    previous: '2026-10',
    following: null,
  }),
);
write(
  'error.html',
  renderErrorPage({ site, status: 404, title: 'Not found', detail: 'There is no such page.' }),
);
write('heatmap.svg', renderHeatmap(heatmap));
write('favicon.svg', renderIcon('up'));
for (const style of badgeStyles) {
  const badge = { name: 'Website', status: 'up', uptimePermille: 998 } as const;
  write(`badge-status-${style}.svg`, renderStatusBadge(badge, style));
  write(
    `badge-uptime-${style}.svg`,
    renderUptimeBadge({ ...badge, status: 'down', uptimePermille: 940 }, style),
  );
}

const nameOf = (id: string) => monitors.find((monitor) => monitor.id === id)?.name ?? id;
const { title } = site;
write('history.txt', renderHistoryText({ ...history, title, next: null, nameOf, width: 80 }));
write(
  'report.txt',
  atOnce(
    reportTextSteps({
      title,
      report: madeUpReport(),
      recordMonth: '2026-10',
      closed: null,
      group: null,
      width: 80,
    }),
  ),
);
const entries = dayIncidents.map((incident) => ({
  incident,
  updatedAt: incident.ended_at ?? incident.confirmed_at,
}));
write(
  'history.atom',
  renderFeed({
    title,
    databaseUid: 'a-database',
    origin: 'https://status.example.org',
    now: dayNow,
    incidents: entries,
    nameOf,
    speech: english,
  }),
);
