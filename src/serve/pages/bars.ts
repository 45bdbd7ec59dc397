/** Draws the days of a monitor as bars: how long it was down, by height as well as by colour. */
import type { PageDay } from '../../engine/views/day.ts';
import { html, type Html } from './html.ts';
import type { Speech } from './words/speech.ts';

const dayMs = 86_400_000;

/** With the line under them: how many days, the uptime, today. `uptime` is in hundredths of a percent. */
export function renderBars(days: readonly PageDay[], uptime: number | null, speech: Speech): Html {
  const { words } = speech;
  const bars = days.map((day) => barOf(day, speech));
  // A narrow page has no room for more than 45 bars; the uptime is that of all days there, too.
  const isCut = days.length > 45;
  const span = isCut ? html`<small> (${speech.span(days.length * dayMs)})</small>` : null;
  const middle =
    uptime === null ? null : html`<b>${speech.fill('uptime', speech.percent(uptime))}${span}</b>`;
  const label = `${speech.count('bars', days.length)}: ${summaryOf(days, speech)}`;
  return html`<div class="bars" role="img" aria-label="${label}">${bars}</div><div class="ax"><span>${speech.count('daysAgo', days.length)}</span>${isCut ? html`<span>${speech.count('daysAgo', 45)}</span>` : null}${middle}<span>${words.today}</span></div>`;
}

/** What was drawn of a day: most days of most monitors are one object, which stays the same while it looks the same. */
const drawn = new WeakMap<Speech, WeakMap<PageDay, Html>>();

function barOf(day: PageDay, speech: Speech): Html {
  const known = drawn.get(speech) ?? new WeakMap<PageDay, Html>();
  drawn.set(speech, known);
  const bar = known.get(day) ?? html`<i class="${kindOf(day)}" title="${titleOf(day, speech)}"></i>`;
  known.set(day, bar);
  return bar;
}

/** `u` up, `d1` to `d3` down for ever longer, `g` degraded, `m` maintenance, `n` no data. */
export function kindOf({ state, down_minutes, maintenance }: PageDay): string {
  if (down_minutes > 0) return down_minutes < 10 ? 'd1' : down_minutes < 60 ? 'd2' : 'd3';
  if (maintenance) return 'm';
  return state === 'unknown' ? 'n' : state === 'degraded' ? 'g' : 'u';
}

/** `Mon 21 Sep 2026: down 12 min, 1 incident`. */
export function titleOf(day: PageDay, speech: Speech): string {
  return `${speech.day(day.date)}: ${wordsOf(day, speech)}`;
}

function wordsOf({ state, down_minutes, incidents, maintenance }: PageDay, speech: Speech): string {
  const { words } = speech;
  if (down_minutes > 0) return downText(down_minutes, incidents, speech);
  if (maintenance) return words.dayMaintained;
  if (state === 'unknown') return words.dayUnknown;
  return state === 'degraded' ? words.dayDegraded : words.noIncident;
}

function summaryOf(days: readonly PageDay[], speech: Speech): string {
  const minutes = days.reduce((sum, day) => sum + day.down_minutes, 0);
  // An outage over midnight is one: it counts on the first of its days that is shown.
  const earlier = (days[0]?.incidents ?? 0) - (days[0]?.begun ?? 0);
  const incidents = days.reduce((sum, day) => sum + day.begun, earlier);
  if (minutes === 0)
    return days.every(({ state }) => state === 'unknown') ? speech.words.dayUnknown : speech.words.noIncident;
  return downText(minutes, incidents, speech);
}

function downText(minutes: number, incidents: number, speech: Speech): string {
  const down = speech.fill('dayDown', speech.span(minutes * 60_000));
  return incidents === 0 ? down : `${down}, ${speech.count('incidents', incidents)}`;
}
