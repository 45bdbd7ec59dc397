/** Reads the figures of every surface of a running server, and of the commands that read its database. */
import assert from 'node:assert/strict';
import { gatherShown } from '../../src/commands/incidents/operate.ts';
import { monthReport } from '../../src/commands/report/figures.ts';
import { reportJson } from '../../src/commands/report/perform.ts';
import { reportText } from '../../src/commands/report/render.ts';
import { openLocal } from '../../src/commands/top/local.ts';
import { incidents } from '../../src/db/tables/incidents.ts';
import { digestOf } from '../../src/engine/views/digest.ts';
import { postmortemSkeleton } from '../../src/engine/views/postmortem.ts';
import { gatherDigest } from '../../src/notify/digest/digest.ts';
import type { World } from '../serve/world.ts';
import { outputOf } from '../support/sheet.ts';
import { Sheet } from './sheet.ts';

const operator = { authorization: 'Bearer of-the-operator' };

/** The figures that are shown at the present of the world's clock; reports are those of `months`. */
export async function readSurfaces(world: World, months: readonly string[]): Promise<Sheet> {
  const sheet = new Sheet();
  for (const month of months) {
    readReport(world, month, sheet);
    await readReportPage(world, month, sheet);
  }
  await readDigest(world, sheet);
  await readSummary(world, sheet);
  await readBadges(world, sheet);
  await readPage(world, sheet);
  await readMonitorPages(world, sheet);
  await readTextPage(world, sheet);
  await readTop(world, sheet);
  await readMetrics(world, sheet);
  readPostmortems(world, sheet);
  return sheet;
}

const idsOf = (world: World) => world.loaded().config.monitors.map(({ id }) => id);

interface Question {
  readonly path: string;
  readonly accept: string;
  /** Absent: a stranger asks. */
  readonly isOperator?: boolean;
}

async function textOf(world: World, { path, accept, isOperator = false }: Question): Promise<string> {
  // Weeks of the clock pass between two instants: no connection is kept for as long.
  const headers = { accept, connection: 'close', ...(isOperator && operator) };
  const { status, text } = await world.ask(path, { headers });
  assert.equal(status, 200, path);
  return text;
}

type ReportTables = Pick<ReturnType<typeof reportJson>, 'total' | 'groups'>;

function readReport(world: World, month: string, sheet: Sheet): void {
  const { store, clock, loaded } = world;
  const { config } = loaded();
  const sources = { config, store, nowAt: clock.now() };
  const found = monthReport({ month, group: null, isCompared: true }, sources);
  const { recomputed, ...json } = reportJson(found, true);
  putReport(sheet, { surface: 'report as JSON', month }, json);
  // Figures computed anew lack deleted monitors: a total of several monitors says less.
  if (recomputed !== null && recomputed !== undefined)
    putReport(sheet, { surface: 'report computed anew', month }, { ...recomputed, total: null });
  const heading = { title: 'Figures', group: null, isQuiet: false };
  readReportText(
    reportText({ ...found, recomputed: null }, heading, outputOf({ columns: null, isColoured: false })),
    month,
    sheet,
  );
}

type ReportPlace = Pick<Table, 'surface' | 'month'>;

/** Without a total only the rows of the monitors count. */
function putReport(
  sheet: Sheet,
  { surface, month }: ReportPlace,
  { total, groups }: Pick<ReportTables, 'groups'> & { readonly total: ReportTables['total'] | null },
): void {
  const put = (subject: string, values: Readonly<Record<string, string | number | boolean | null>>) => {
    for (const [figure, value] of Object.entries(values))
      sheet
        .of(surface)
        .put(figure, `${month} ${subject}`, typeof value === 'boolean' ? String(value) : value);
  };
  const several = (subject: string, together: ReportTables['total']) => {
    const named = Object.entries(together).map(([figure, value]) => [`${figure} of several`, value] as const);
    put(subject, Object.fromEntries(named));
  };
  const rows = groups.flatMap(({ monitors }) => monitors);
  if (total !== null) {
    several('total', total);
    for (const group of groups) several(`group ${group.name ?? 'none'}`, group.total);
    const ids = rows.map(({ id }) => id);
    sheet.of(surface).put('monitors', month, ids.toSorted().join(' '));
  }
  for (const row of rows) {
    const { id, uptime_percent, coverage_percent, incidents: count, slo } = row;
    const { downtime_secs, mttr_secs, maintenance_secs } = row;
    put(id, { uptime_percent, coverage_percent, incidents: count });
    put(id, { downtime_secs, mttr_secs, maintenance_secs });
    if (slo === null) continue;
    const { target_percent: target, met, ...budget } = slo;
    put(id, { target, met: met === null ? 'no data' : met, ...budget });
  }
}

/** Cells of a table whose columns are numbers: they end where their headings do. */
function cellsUnder(heading: string, line: string): readonly string[] {
  const ends = [...heading.matchAll(/\S+(?: \S+)*/g)].map((match) => match.index + match[0].length);
  return ends.map((end, index) => line.slice(index === 0 ? 0 : ends[index - 1], end).trim());
}

function readReportText(text: string, month: string, sheet: Sheet): void {
  const surface = 'report as text';
  const lines = text.split('\n');
  putTable(sheet, { surface, month, lines, firstHeading: 'UPTIME' });
  putMonitors(sheet, surface, month);
  putReportSentence(sheet, { surface, month }, lines[1] ?? '');
}

interface Table {
  readonly surface: string;
  readonly month: string;
  readonly lines: readonly string[];
  /** Heading of the column after the names. */
  readonly firstHeading: string;
}

/** The rows of the monitors; those of several together have the same name in every group, and JSON has their figures. */
function putTable(sheet: Sheet, { surface, month, lines, firstHeading }: Table): void {
  let heading = '';
  for (const text of lines) {
    const isHeading = text.includes(` ${firstHeading} `);
    if (isHeading) heading = text;
    const name = text.slice(0, text.indexOf(' '));
    if (isHeading || heading === '' || name === 'Together' || !/ (?:[\d.]+%|–) /.test(text)) continue;
    const start = heading.indexOf(firstHeading);
    const names = [...heading.slice(start).matchAll(/\S+/g)].map(([each]) => each.toLowerCase());
    const cells = cellsUnder(heading.slice(start), text.slice(start));
    for (const [index, figure] of names.entries())
      sheet.of(surface).put(figure, `${month} ${name}`, cells[index] ?? '');
  }
}

/** Reads the line over the tables, which is about all monitors together. */
function putReportSentence(
  sheet: Sheet,
  { surface, month }: Pick<Table, 'surface' | 'month'>,
  text: string,
): void {
  const put = (figure: string, pattern: RegExp) => {
    const found = pattern.exec(text)?.[1] ?? '-';
    // A terminal leaves out what did not happen.
    sheet.of(surface).put(`total ${figure}`, month, found === '0s' ? '-' : found);
  };
  put('uptime', /uptime ([\d.]+%)/);
  put('coverage', /coverage ([\d.]+%)/);
  put('incidents', /(\d+) incidents?/);
  put('downtime', /, ([\ddhms ]+) (?:of downtime|with at least one outage)/);
  put('mean downtime', /, ([\ddhms ]+) mean over monitors/);
  put('maintenance', /, ([\ddhms ]+) of maintenance/);
  put('slos', /(\d+ of \d+) (?:SLOs? )?met/);
}

/** Which monitors have a row. */
function putMonitors(sheet: Sheet, surface: string, month: string): void {
  const subjects = [...(sheet.figures.get(`${surface}: uptime`)?.keys() ?? [])];
  const ids = subjects
    .filter((subject) => subject.startsWith(month))
    .map((subject) => subject.slice(month.length + 1));
  sheet.of(surface).put('monitors', month, ids.toSorted().join(' '));
}

async function readReportPage(world: World, month: string, sheet: Sheet): Promise<void> {
  const plain = await textOf(world, { path: `/report/${month}?width=240`, accept: 'text/plain' });
  const surface = 'report as text for strangers';
  const lines = plain.split('\n');
  putTable(sheet, { surface, month, lines, firstHeading: 'Uptime' });
  putMonitors(sheet, surface, month);
  putReportSentence(sheet, { surface, month }, lines.find((text) => text.startsWith('Total')) ?? '');
  const html = await textOf(world, { path: `/report/${month}`, accept: 'text/html' });
  for (const [, name = '', cells = ''] of html.matchAll(
    /<th scope="row"><bdi>([^<]*)<\/bdi>.*?<\/th>(.*?)<\/tr>/g,
  )) {
    const values = [...cells.matchAll(/<td data-l="([^"]*)">(.*?)<\/td>|<td>–<\/td>/g)];
    for (const [, label, value = ''] of values)
      if (label !== undefined)
        sheet.of('report as a page').put(label.toLowerCase(), `${month} ${name}`, plainOf(value));
  }
  putMonitors(sheet, 'report as a page', month);
  const facts = [...html.matchAll(/<dt>([^<]*)<\/dt><dd>([^<]*)<\/dd>/g)];
  for (const [, label = '', value = ''] of facts)
    sheet.of('report as a page').put(`total ${label.toLowerCase()}`, month, plainOf(value));
}

function plainOf(html: string): string {
  return html.replace(/<[^>]*>/g, '').replace(/\u00a0/g, ' ');
}

async function readDigest(world: World, sheet: Sheet): Promise<void> {
  const { config } = world.loaded();
  const nowAt = world.clock.now();
  const facts = await gatherDigest(config, {
    sql: world.store.sql,
    toAt: nowAt,
    nowAt,
    yieldTurn: () => Promise.resolve(),
  });
  const { summary, lines } = digestOf(facts);
  const [, total = ''] = /^\d+ monitors: ([^.]*(?:\.\d+[^.]*)*)/.exec(summary) ?? [];
  putDigestLine(sheet, 'all', total);
  for (const line of lines) {
    const [, name = '', text = ''] = /^(\w+): (.*)$/.exec(line) ?? [];
    putDigestLine(sheet, name, text);
    const left = /(-?[\ddhms ]+) of ([\ddhms ]+) error budget left/.exec(text);
    const over = /error budget of ([\ddhms ]+) overspent by ([\ddhms ]+)/.exec(text);
    const [total, rest] =
      left !== null ? [left[2], left[1]] : [over?.[1], over === null ? undefined : `-${over[2]}`];
    if (total === undefined || rest === undefined) continue;
    sheet.of('digest').put('budget', name, total.trim());
    sheet.of('digest').put('budget left', name, rest.trim());
  }
}

function putDigestLine(sheet: Sheet, subject: string, text: string): void {
  sheet.of('digest').put('uptime', subject, /([\d.]+%) uptime/.exec(text)?.[1] ?? null);
  sheet.of('digest').put('incidents', subject, Number(/(\d+) incidents?/.exec(text)?.[1] ?? 0));
  if (subject !== 'all') sheet.of('digest').put('seen', subject, /seen ([^,]*%) of/.exec(text)?.[1] ?? null);
}

interface SummaryMonitor {
  readonly id: string;
  readonly uptime_24h_permille: number | null;
  readonly coverage_24h_permille: number;
  readonly error_budget_minutes_total: number | null;
  readonly error_budget_minutes_left: number | null;
  readonly history: readonly {
    readonly date: string;
    readonly state: string;
    readonly uptime_permille: number | null;
  }[];
}

function putSummary(sheet: Sheet, surface: string, json: unknown): void {
  for (const monitor of (json as { readonly monitors: readonly SummaryMonitor[] }).monitors) {
    const { id, history } = monitor;
    sheet.of(surface).put('uptime of 24 h', id, monitor.uptime_24h_permille);
    sheet.of(surface).put('coverage of 24 h', id, monitor.coverage_24h_permille);
    sheet.of(surface).put('budget', id, monitor.error_budget_minutes_total);
    sheet.of(surface).put('budget left', id, monitor.error_budget_minutes_left);
    for (const { date, state, uptime_permille } of history) {
      sheet.of(surface).put('states of days', `${id} ${date}`, state);
      sheet.of(surface).put('uptimes of days', `${id} ${date}`, uptime_permille);
    }
  }
}

async function readSummary(world: World, sheet: Sheet): Promise<void> {
  putSummary(
    sheet,
    'summary',
    JSON.parse(await textOf(world, { path: '/api/summary', accept: 'application/json', isOperator: true })),
  );
}

async function readBadges(world: World, sheet: Sheet): Promise<void> {
  for (const { id, public: isPublic } of world.loaded().config.monitors) {
    if (!isPublic) continue;
    for (const window of ['24h', '7d', '30d', '90d']) {
      const svg = await textOf(world, {
        path: `/api/badge/${id}/uptime?window=${window}`,
        accept: 'image/svg+xml',
      });
      sheet.of('badge').put(window, id, /aria-label="[^"]*: ([^":]*)"/.exec(svg)?.[1] ?? '');
    }
  }
}

interface BarsPlace {
  readonly surface: string;
  readonly id: string;
}

/** Reads bars by their classes and titles. */
function putBars(sheet: Sheet, { surface, id }: BarsPlace, html: string): void {
  const days = [...html.matchAll(/<i class="(\w+)" title="([^":]*): ([^"]*)"><\/i>/g)];
  for (const [, kind = '', date = '', words = ''] of days)
    sheet.of(surface).put('bars', `${id} ${date}`, `${kind} ${words}`);
  const [, label = ''] = /aria-label="Last \d+ days: ([^"]*)"/.exec(html) ?? [];
  sheet.of(surface).put('sentence of the bars', id, label);
  sheet.of(surface).put('uptime of the bars', id, /<b>([\d.]+ %) uptime/.exec(html)?.[1] ?? null);
}

async function readPage(world: World, sheet: Sheet): Promise<void> {
  const html = await textOf(world, { path: '/', accept: 'text/html', isOperator: true });
  for (const [, id = '', row = ''] of html.matchAll(
    /<article class="row[^"]*" id="m-(\w+)">(.*?)<\/article>/gs,
  ))
    putBars(sheet, { surface: 'page', id }, row);
}

async function readMonitorPages(world: World, sheet: Sheet): Promise<void> {
  for (const id of idsOf(world)) {
    const html = await textOf(world, { path: `/monitor/${id}`, accept: 'text/html', isOperator: true });
    for (const [, label = '', value = ''] of html.matchAll(/<dt>(\d+ \w+)<\/dt><dd>([^<]*)<\/dd>/g))
      sheet.of('page of a monitor').put(label, id, value);
    putBars(
      sheet,
      { surface: 'page of a monitor', id },
      /<div class="bars".*?<\/b>|<div class="bars".*?Today/s.exec(html)?.[0] ?? '',
    );
  }
}

async function readTextPage(world: World, sheet: Sheet): Promise<void> {
  const text = await textOf(world, { path: '/?width=240', accept: 'text/plain', isOperator: true });
  const ids = new Set(idsOf(world));
  for (const line of text.split('\n')) {
    const [id = '', , ...cells] = line.split(/ {2,}| (?=(?:[\d.]+%|–) )/);
    const found = cells.filter((cell) => cell !== '');
    if (!ids.has(id) || found.length < 5) continue;
    for (const [index, window] of ['24 h', '7 d', '30 d', '90 d'].entries())
      sheet.of('page as text').put(window, id, found[index] ?? '');
    sheet.of('page as text').put('days', id, /[|~X.]{14}/.exec(line)?.[0] ?? '');
  }
}

async function readTop(world: World, sheet: Sheet): Promise<void> {
  const { store, clock, loaded } = world;
  const source = await openLocal({
    loaded: loaded(),
    clock,
    actions: () => Promise.reject(new Error('nothing is done here')),
    open: () => Promise.resolve(store),
  });
  putSummary(sheet, 'top', await source.summary());
  for (const id of idsOf(world)) {
    const { days } = await source.look(id, 24);
    for (const { date, state } of days ?? [])
      sheet.of('top').put('days of a monitor', `${id} ${date}`, state);
  }
}

async function readMetrics(world: World, sheet: Sheet): Promise<void> {
  const text = await textOf(world, { path: '/metrics', accept: 'text/plain', isOperator: true });
  for (const [, id = '', value = ''] of text.matchAll(
    /^statusd_monitor_uptime_ratio\{id="(\w+)".*\} (\S+)$/gm,
  ))
    sheet.of('metrics').put('uptime', id, Number(value));
  for (const [, id = '', value = ''] of text.matchAll(/^statusd_incidents_total\{id="(\w+)".*\} (\S+)$/gm))
    sheet.of('metrics').put('incidents', id, Number(value));
}

/** Reads the post-mortems of the outages of the last two weeks. */
function readPostmortems(world: World, sheet: Sheet): void {
  const { store, clock, loaded } = world;
  const { config, redact } = loaded();
  const nowAt = clock.now();
  const opened = { config, redact, store, nowAt };
  for (const { id, uid } of incidents.listWithin(store.sql, {
    fromAt: nowAt - 14 * 86_400_000,
    toAt: nowAt,
  })) {
    const { incident, explanation } = gatherShown(String(id), opened);
    const text = postmortemSkeleton({
      incident,
      timeline: explanation.timeline,
      messages: explanation.messages,
      nameOf: (one) => one,
    });
    const line = (name: string) => new RegExp(`^- ${name}[: ](.*)$`, 'm').exec(text)?.[1]?.trim() ?? '';
    sheet.of('postmortem').put('span', uid, line('From'));
    sheet.of('postmortem').put('length', uid, /for (.*)$/.exec(line('Impact'))?.[1] ?? '');
    sheet.of('postmortem').put('detection', uid, line('Detected'));
  }
}
