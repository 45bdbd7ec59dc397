/** Puts the figures of the oracle into the words of every surface. */
import { budgetOf, type ExpectedDay, type Oracle, shareOf, type Span } from './oracle.ts';
import { Sheet } from './sheet.ts';
import { day as dayMs, type MadeMonitor, type MadeWorld } from './world.ts';

interface Present {
  readonly oracle: Oracle;
  readonly made: MadeWorld;
  readonly nowAt: number;
  /** Reports of these months are asked for. */
  readonly months: readonly string[];
}

export function expectedFigures(present: Present): Sheet {
  const sheet = new Sheet();
  for (const month of present.months) {
    expectReport(present, month, sheet);
    expectReportsForStrangers(present, month, sheet);
  }
  expectDigest(present, sheet);
  for (const monitor of configured(present)) {
    expectSummary(present, monitor, sheet);
    expectRolling(present, monitor, sheet);
    expectBars(present, monitor, sheet);
    expectRecord(present, monitor, sheet);
  }
  return sheet;
}

/** Monitors that the file has at present. */
function configured({ made, nowAt }: Present): readonly MadeMonitor[] {
  return made.monitors.filter(({ removedAt }) => removedAt === null || removedAt > nowAt);
}

function monthSpanOf(month: string, nowAt: number): Span {
  const [year = 0, number = 1] = month.split('-').map(Number);
  return { fromAt: Date.UTC(year, number - 1, 1), toAt: Math.min(Date.UTC(year, number, 1), nowAt) };
}

/** Monitors that the report of a month shows: a removed one in the months it was watched in. */
function watchedIn({ made }: Present, { fromAt }: Span): readonly MadeMonitor[] {
  return made.monitors.filter(({ removedAt }) => removedAt === null || removedAt > fromAt);
}

function sloOf({ oracle }: Present, { id, slo }: MadeMonitor, span: Span) {
  if (slo === null) return null;
  const { totalSecs, spentSecs, isMet } = budgetOf(slo.percent, oracle.counted(id, span));
  return {
    percent: slo.percent,
    totalSecs,
    spentSecs,
    isMet,
    used: Math.ceil(Number(((spentSecs * 100) / totalSecs).toPrecision(12))),
  };
}

function severalOf(present: Present, some: readonly MadeMonitor[], span: Span) {
  const ids = some.map(({ id }) => id);
  const verdicts = some.map((monitor) => sloOf(present, monitor, span)?.isMet);
  return {
    ...present.oracle.report(ids, span),
    meanSecs: present.oracle.meanDowntimeSecs(ids, span),
    met: verdicts.filter((isMet) => isMet === true).length,
    missed: verdicts.filter((isMet) => isMet === false).length,
  };
}

function expectReport(present: Present, month: string, sheet: Sheet): void {
  const span = monthSpanOf(month, present.nowAt);
  const shown = watchedIn(present, span);
  const surface = 'report as JSON';
  expectMonitors({ surface: surface, month }, shown, sheet);
  const groups = new Map<string, MadeMonitor[]>();
  for (const monitor of shown) {
    const own = groups.get(monitor.group ?? 'none') ?? [];
    groups.set(monitor.group ?? 'none', [...own, monitor]);
  }
  for (const [subject, some] of [
    ['total', shown] as const,
    ...[...groups].map(([name, own]) => [`group ${name}`, own] as const),
  ]) {
    const all = severalOf(present, some, span);
    const put = (figure: string, value: number | null) => {
      sheet.of(surface).put(`${figure} of several`, `${month} ${subject}`, value);
    };
    put('uptime_percent', hundredths(all.uptime));
    put('coverage_percent', hundredths(all.coverage));
    put('incidents', all.incidents);
    put('downtime_secs', all.downtimeSecs);
    put('mttr_secs', floored(all.mttrSecs));
    put('maintenance_secs', all.maintenanceSecs);
    put('mean_downtime_secs', floored(all.meanSecs));
    put('slos_met', all.met);
    put('slos_missed', all.missed);
  }
  for (const monitor of shown) {
    const row = present.oracle.report([monitor.id], span);
    const put = (figure: string, value: string | number | null) => {
      for (const each of [surface, 'report computed anew'])
        sheet.of(each).put(figure, `${month} ${monitor.id}`, value);
    };
    put('uptime_percent', hundredths(row.uptime));
    put('coverage_percent', hundredths(row.coverage));
    put('incidents', row.incidents);
    put('downtime_secs', row.downtimeSecs);
    put('mttr_secs', floored(row.mttrSecs));
    put('maintenance_secs', row.maintenanceSecs);
    const slo = sloOf(present, monitor, span);
    if (slo !== null) put('target', slo.percent);
    if (slo !== null) put('met', slo.isMet === null ? 'no data' : String(slo.isMet));
    if (slo !== null && slo.isMet !== null) {
      put('budget_minutes', slo.totalSecs / 60);
      put('spent_minutes', slo.spentSecs / 60);
      put('used_percent', slo.used);
    }
    expectTextRow(present, { surface: 'report as text', month, monitor, span }, sheet);
  }
  expectMonitors({ surface: 'report as text', month }, shown, sheet);
  expectSentence({ surface: 'report as text', month, all: severalOf(present, shown, span) }, sheet);
}

function expectMonitors(
  { surface, month }: Pick<TextRow, 'surface' | 'month'>,
  shown: readonly MadeMonitor[],
  sheet: Sheet,
): void {
  sheet.of(surface).put(
    'monitors',
    month,
    shown
      .map(({ id }) => id)
      .toSorted()
      .join(' '),
  );
}

function asItIs(secs: number): number {
  return secs;
}

/** Figures that still grow are shown in whole minutes where they are shown again and again. */
function growing(
  { oracle, nowAt }: Present,
  some: readonly MadeMonitor[],
  { toAt }: Span,
): (secs: number) => number {
  const isOpen = some.some(({ id }) => oracle.touching(id, { fromAt: toAt - 1000, toAt }).length > 0);
  return toAt === nowAt && isOpen ? (secs) => Math.max(1, Math.floor(secs / 60)) * 60 : asItIs;
}

interface TextRow {
  readonly surface: string;
  readonly month: string;
  readonly monitor: MadeMonitor;
  readonly span: Span;
}

function expectTextRow(present: Present, { surface, month, monitor, span }: TextRow, sheet: Sheet): void {
  const row = present.oracle.report([monitor.id], span);
  const slo = sloOf(present, monitor, span);
  const put = (figure: string, value: string) => {
    sheet.of(surface).put(figure, `${month} ${monitor.id}`, value);
  };
  put('uptime', percent(row.uptime));
  put('coverage', percent(row.coverage));
  put('incidents', String(row.incidents));
  const cut = surface === 'report as text' ? asItIs : growing(present, [monitor], span);
  put('downtime', row.downtimeSecs === 0 ? '-' : duration(cut(row.downtimeSecs)));
  put('recovery', row.mttrSecs === null ? '-' : duration(cut(row.mttrSecs)));
  const verdict = slo?.isMet === null ? 'no data' : slo?.isMet === true ? 'met' : 'MISSED';
  put('slo', slo === null ? '' : `${slo.percent}% ${verdict}`);
  put('budget', slo === null || slo.isMet === null ? '' : `${slo.used}% used`);
}

interface Sentence {
  readonly surface: string;
  readonly month: string;
  readonly all: ReturnType<typeof severalOf>;
}

function expectSentence({ surface, month, all }: Sentence, sheet: Sheet): void {
  const isEmpty = all.uptime === null;
  const put = (figure: string, value: string | null) => {
    sheet.of(surface).put(`total ${figure}`, month, isEmpty ? '-' : (value ?? '-'));
  };
  const judged = all.met + all.missed;
  put('uptime', percent(all.uptime));
  put('coverage', percent(all.coverage));
  put('incidents', String(all.incidents));
  put('downtime', all.downtimeSecs === 0 ? null : duration(all.downtimeSecs));
  put('mean downtime', all.meanSecs === all.downtimeSecs ? null : duration(all.meanSecs));
  put('maintenance', all.maintenanceSecs === 0 ? null : duration(all.maintenanceSecs));
  put('slos', judged === 0 ? null : `${all.met} of ${judged}`);
}

function expectReportsForStrangers(present: Present, month: string, sheet: Sheet): void {
  const span = monthSpanOf(month, present.nowAt);
  const shown = watchedIn(present, span).filter(({ isPrivate }) => !isPrivate);
  const surface = 'report as text for strangers';
  for (const monitor of shown) {
    expectTextRow(present, { surface, month, monitor, span }, sheet);
    const { id } = monitor;
    const row = present.oracle.report([id], span);
    const slo = sloOf(present, monitor, span);
    const put = (figure: string, value: string) => {
      sheet.of('report as a page').put(figure, `${month} ${id}`, value);
    };
    put('uptime', spaced(row.uptime));
    put('coverage', spaced(row.coverage));
    put('incidents', String(row.incidents));
    const cut = growing(present, [monitor], span);
    put('downtime', row.downtimeSecs === 0 ? '–' : longDuration(cut(row.downtimeSecs)));
    put('recovery', row.mttrSecs === null ? '–' : longDuration(cut(row.mttrSecs)));
    const verdict = slo?.isMet === null ? 'no data' : slo?.isMet === true ? 'met' : 'missed';
    if (slo !== null) put('slo', `${slo.percent} % ${verdict}`);
    if (slo !== null && slo.isMet !== null)
      put(
        'budget used',
        `${slo.used.toLocaleString('en')} % of ${longDuration(slo.totalSecs < 60 ? slo.totalSecs : Math.floor(slo.totalSecs / 60) * 60)}`,
      );
  }
  const several = severalOf(present, shown, span);
  const cut = growing(present, shown, span);
  const all = { ...several, downtimeSecs: cut(several.downtimeSecs), meanSecs: cut(several.meanSecs) };
  for (const each of [surface, 'report as a page']) expectMonitors({ surface: each, month }, shown, sheet);
  expectSentence({ surface, month, all }, sheet);
  const total = (label: string, value: string) => {
    sheet.of('report as a page').put(`total ${label}`, month, value);
  };
  total('uptime', spaced(all.uptime));
  total('coverage', spaced(all.coverage));
  total('incidents', String(all.incidents));
  total('downtime', all.downtimeSecs === 0 ? '–' : longDuration(all.downtimeSecs));
  if (all.meanSecs !== all.downtimeSecs) total('mean per service', longDuration(all.meanSecs));
  if (all.maintenanceSecs > 0) total('maintenance, not counted', longDuration(all.maintenanceSecs));
  if (all.met + all.missed > 0) total('slo', `${all.met} of ${all.met + all.missed} met`);
}

function expectDigest(present: Present, sheet: Sheet): void {
  const { oracle, nowAt } = present;
  const week = { fromAt: nowAt - 7 * dayMs, toAt: nowAt };
  const shown = configured(present);
  let [known, down, incidents] = [0, 0, 0];
  for (const { id, slo } of shown) {
    const counted = oracle.counted(id, week);
    const own = oracle.touching(id, week).length;
    known += counted.known;
    down += counted.down;
    incidents += own;
    sheet
      .of('digest')
      .put(
        'uptime',
        id,
        counted.known === 0 ? null : percent(shareOf(counted.known - counted.down, counted.known, 10_000)),
      );
    sheet.of('digest').put('incidents', id, own);
    const seen = shareOf(counted.known, counted.measured, 10_000) ?? 0;
    sheet.of('digest').put('seen', id, counted.known === 0 || seen >= 9900 ? null : percent(seen));
    if (slo === null) continue;
    const { totalSecs, spentSecs } = budgetOf(slo.percent, oracle.rolling(id, slo.days));
    const left = Math.floor(totalSecs - spentSecs + 1e-6);
    sheet.of('digest').put('budget', id, duration(totalSecs));
    sheet.of('digest').put('budget left', id, left < 0 ? `-${duration(-left)}` : duration(left));
  }
  sheet.of('digest').put('uptime', 'all', known === 0 ? null : percent(shareOf(known - down, known, 10_000)));
  sheet.of('digest').put('incidents', 'all', incidents);
}

function expectSummary({ oracle }: Present, { id, slo }: MadeMonitor, sheet: Sheet): void {
  const last = oracle.rolling(id, 1);
  const budget = slo === null ? null : budgetOf(slo.percent, oracle.rolling(id, slo.days));
  for (const surface of ['summary', 'top']) {
    sheet.of(surface).put('uptime of 24 h', id, shareOf(last.known - last.down, last.known, 1000));
    sheet.of(surface).put('coverage of 24 h', id, shareOf(last.known, last.measured, 1000) ?? 0);
    sheet.of(surface).put('budget', id, budget === null ? null : Math.round(budget.totalSecs / 6) / 10);
    const left = budget === null ? null : Math.floor((budget.totalSecs - budget.spentSecs) / 6 + 1e-6) / 10;
    sheet.of(surface).put('budget left', id, left);
    for (const { date, state, uptimePermille } of oracle.days(id, shownDays)) {
      sheet.of(surface).put('states of days', `${id} ${date}`, state);
      sheet.of(surface).put('uptimes of days', `${id} ${date}`, uptimePermille);
      if (surface === 'top') sheet.of('top').put('days of a monitor', `${id} ${date}`, state);
    }
  }
  const ratio = shareOf(last.known - last.down, last.known, 1_000_000);
  if (ratio !== null) sheet.of('metrics').put('uptime', id, ratio / 1_000_000);
}

const shownDays = 90;

const windows = [
  { days: 1, badge: '24h', text: '24 h', page: '24 hours' },
  { days: 7, badge: '7d', text: '7 d', page: '7 days' },
  { days: 30, badge: '30d', text: '30 d', page: '30 days' },
  { days: 90, badge: '90d', text: '90 d', page: '90 days' },
];

function expectRolling({ oracle }: Present, { id, isPrivate }: MadeMonitor, sheet: Sheet): void {
  for (const { days, badge, text, page } of windows) {
    const { known, down } = oracle.rolling(id, days);
    const permille = shareOf(known - down, known, 1000);
    const shown =
      permille === null ? 'no data' : permille === 1000 ? '100%' : `${(permille / 10).toFixed(1)}%`;
    if (!isPrivate) sheet.of('badge').put(badge, id, shown);
    const share = shareOf(known - down, known, 10_000);
    sheet.of('page as text').put(text, id, percent(share));
    sheet.of('page of a monitor').put(page, id, spaced(share));
  }
}

const marks = { up: '|', degraded: '~', down: 'X', unknown: '.' } as const;

function expectBars({ oracle, nowAt }: Present, { id }: MadeMonitor, sheet: Sheet): void {
  const days = oracle.days(id, shownDays);
  sheet.of('page as text').put(
    'days',
    id,
    days
      .slice(-14)
      .map(({ state }) => marks[state])
      .join(''),
  );
  const fromAt = (Math.floor(nowAt / dayMs) - shownDays + 1) * dayMs;
  const span = { fromAt, toAt: nowAt };
  const { known, down } = oracle.rolling(id, days.length);
  const share = shareOf(known - down, known, 10_000);
  const minutes = days.reduce((sum, { downMinutes }) => sum + downMinutes, 0);
  const outages = oracle.touching(id, span).length;
  const isEmpty = days.every(({ state }) => state === 'unknown');
  for (const surface of ['page', 'page of a monitor']) {
    for (const day of days) sheet.of(surface).put('bars', `${id} ${titleOf(day.date)}`, barOf(day));
    sheet
      .of(surface)
      .put(
        'sentence of the bars',
        id,
        minutes > 0 ? downWords(minutes, outages) : isEmpty ? 'no data' : 'no incident',
      );
    sheet.of(surface).put('uptime of the bars', id, share === null ? null : spaced(share));
  }
}

function barOf({ state, downMinutes, incidents, isMaintained }: ExpectedDay): string {
  if (downMinutes > 0)
    return `${downMinutes < 10 ? 'd1' : downMinutes < 60 ? 'd2' : 'd3'} ${downWords(downMinutes, incidents)}`;
  if (isMaintained) return 'm maintenance';
  if (state === 'unknown') return 'n no data';
  return state === 'degraded' ? 'g degraded' : 'u no incident';
}

function downWords(minutes: number, incidents: number): string {
  const down = `down ${longDuration(minutes * 60)}`;
  return incidents === 0 ? down : `${down}, ${incidents} incident${incidents === 1 ? '' : 's'}`;
}

/** `Mon 21 Sep 2026`. */
function titleOf(date: string): string {
  const [, weekday = '', number = '', month = '', year = ''] =
    /^(\w+), (\d+) (\w+) (\d+)/.exec(new Date(date).toUTCString()) ?? [];
  return `${weekday} ${Number(number)} ${month} ${year}`;
}

function expectRecord({ oracle, nowAt }: Present, { id }: MadeMonitor, sheet: Sheet): void {
  sheet.of('metrics').put('incidents', id, oracle.recorded(id).length);
  for (const { uid, startedAt, confirmedAt, endedAt, toAt } of oracle.recorded(id)) {
    if (toAt <= nowAt - 14 * dayMs) continue;
    const instant = (at: number) => `${new Date(at).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
    const end = endedAt === null ? ', still open' : ` to ${instant(endedAt)}`;
    sheet.of('postmortem').put('span', uid, `${instant(startedAt)}${end}`);
    sheet.of('postmortem').put('length', uid, duration((toAt - startedAt) / 1000));
    sheet
      .of('postmortem')
      .put('detection', uid, `${duration((confirmedAt - startedAt) / 1000)} after the first failure`);
  }
}

function hundredths(share: number | null): number | null {
  return share === null ? null : share / 100;
}

function floored(secs: number | null): number | null {
  return secs === null ? null : Math.floor(secs);
}

/** `99.98%`. */
function percent(share: number | null): string {
  if (share === null) return '–';
  return share === 10_000 ? '100%' : `${(share / 100).toFixed(2)}%`;
}

function spaced(share: number | null): string {
  return share === null ? '–' : percent(share).replace('%', ' %');
}

/** `1d 3h`: two units next to each other, cut. */
function duration(secs: number): string {
  return inUnits(secs, { names: ['d', 'h', 'm', 's'], blank: '', daysFrom: 86_400, least: 0 });
}

/** `2 days 3 hr`; days begin after the first. */
function longDuration(secs: number): string {
  return inUnits(secs, { names: ['day', 'hr', 'min', 'sec'], blank: ' ', daysFrom: 86_401, least: 1 });
}

interface Units {
  readonly names: readonly string[];
  readonly blank: string;
  /** From so many seconds on days are counted. */
  readonly daysFrom: number;
  /** No span is shown shorter. */
  readonly least: number;
}

function inUnits(given: number, { names, blank, daysFrom, least }: Units): string {
  const secs = Math.max(least, Math.floor(given));
  const hasDays = secs >= daysFrom;
  const counts = [
    Math.floor(secs / 86_400),
    hasDays ? Math.floor(secs / 3600) % 24 : Math.floor(secs / 3600),
    Math.floor(secs / 60) % 60,
    secs % 60,
  ];
  const first = hasDays ? 0 : secs >= 3600 ? 1 : secs >= 60 ? 2 : 3;
  const parts = [first, first + 1].flatMap((unit) => {
    const [count = 0, name = ''] = [counts[unit], names[unit]];
    return count === 0 ? [] : [`${count}${blank}${name === 'day' && count > 1 ? 'days' : name}`];
  });
  return parts.length === 0 ? `0${blank}${names[3] ?? ''}` : parts.join(' ');
}
