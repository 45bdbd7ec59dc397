/** Decides what readers are mailed about maintenance: that it is planned or cancelled, that it has begun, that it is over. */
import { createHash } from 'node:crypto';
import { type BroadcastEvent, type BroadcastRow, broadcasts } from '../../db/tables/broadcasts.ts';
import { aText, document, parseJson, readAs, shape } from '../../engine/core/decode.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import type { BroadcastDecision, ReaderMails } from '../../engine/operations/subscribe.ts';
import { scheduledAt } from '../../engine/operations/planned-maintenance.ts';
import { maintenanceViews, visibleWindows } from '../../engine/views/frame.ts';
import { speechOf } from '../pages/page-context.ts';
import { type Letter, letterMail } from './letter.ts';
import { drop, groupsOf, type PublicWorld, waitUntil, windowsOf } from './public-world.ts';

/** A maintenance is announced as long before as the page shows it. */
const aheadMs = 7 * 86_400_000;
/** For how long after its end that is still mailed. */
const endedMs = 3_600_000;

type Maintenance = ReturnType<typeof maintenanceViews>[number];

const texts = shape(
  'a list of texts',
  (value): value is readonly string[] =>
    Array.isArray(value) && value.every((each) => typeof each === 'string'),
);

/** As a broadcast names it: the monitors are those that were public. */
const aMaintenance = document({ title: aText, start: aText, end: aText, monitors: texts });

/** What is public of it; what is just over is included. */
function maintenanceOf(world: PublicWorld): readonly Maintenance[] {
  const { reader } = world;
  return maintenanceViews(windowsOf(world), { ...reader, nowAt: reader.nowAt - endedMs });
}

export function maintenanceDue(world: PublicWorld): ReturnType<ReaderMails['dueMaintenance']> {
  const { sql, reader } = world;
  const { nowAt } = reader;
  const windows = maintenanceOf(world);
  const isPut = (uid: string) => broadcasts.find(sql, uid) !== null;
  /** What its broadcasts are called; planned again after it was cancelled it is another. */
  const roundOf = (window: MaintenanceFacts) => {
    const name = nameOf(window);
    let round = name;
    for (let count = 1; isPut(`${round}.cancelled`); count += 1) round = `${name}.${count}`;
    return round;
  };
  const put = (round: string, event: BroadcastEvent, { title, start, end, monitors }: MaintenanceFacts) => {
    const about = JSON.stringify({ title, start, end, monitors });
    return broadcasts.put({ uid: `${round}.${event}`, about, event, at: nowAt });
  };
  const cancelled = broadcasts
    .latest(sql, 'announced', ['begun', 'cancelled'])
    .filter(({ sent, cursor }) => sent > 0 || cursor > 0)
    .flatMap(({ uid, about }) => {
      const facts = readAs(parseJson(about ?? ''), aMaintenance);
      const isCancelled = facts !== null && isShown(facts, world) && Date.parse(facts.end) > nowAt;
      if (!isCancelled || isPlanned(facts, world)) return [];
      return [put(uid.replace(/\.announced$/, ''), 'cancelled', facts)];
    });
  const news = windows.flatMap((window) => {
    const [startAt, endAt] = [Date.parse(window.start), Date.parse(window.end)];
    const round = roundOf(window);
    const event =
      nowAt < startAt ? (startAt - nowAt <= aheadMs ? 'announced' : null) : nowAt < endAt ? 'begun' : 'ended';
    if (event === null || isPut(`${round}.${event}`)) return [];
    return event === 'ended' && !isPut(`${round}.begun`) ? [] : [put(round, event, window)];
  });
  // One that is no longer planned while it was under way is over too.
  const known = new Set(windows.map(nameOf));
  const ended = broadcasts.latest(sql, 'begun', ['ended']).flatMap(({ uid, about }) => {
    const begun = readAs(parseJson(about ?? ''), aMaintenance);
    if (begun === null || known.has(nameOf(begun)) || Date.parse(begun.end) + endedMs < nowAt) return [];
    return [put(uid.replace(/\.begun$/, ''), 'ended', { ...begun, end: rfc3339(nowAt) })];
  });
  const turns = windows.flatMap(({ start, end }) => [
    Date.parse(start) - aheadMs,
    Date.parse(start),
    Date.parse(end),
  ]);
  return {
    operations: [...cancelled, ...news, ...ended],
    nextAt: Math.min(...turns.filter((at) => at > nowAt)),
  };
}

type MaintenanceFacts = Pick<Maintenance, 'title' | 'start' | 'end' | 'monitors'>;

/** What it is recognised by: one that ends earlier or later than was planned is the same. */
function nameOf({ title, start, monitors }: Omit<MaintenanceFacts, 'end'>): string {
  return createHash('sha256')
    .update(JSON.stringify([title, start, monitors]))
    .digest('hex')
    .slice(0, 32);
}

/** Whether any of what it covers is still public. */
function isShown({ monitors }: MaintenanceFacts, world: PublicWorld): boolean {
  return monitors.length === 0 || monitors.some((id) => world.monitors.has(id));
}

/**
 * Whether it is still to take place, for some of its monitors at least; however far ahead it is. The list of windows ends
 * somewhere, and earlier when the clock was set back, so a schedule is asked, too.
 */
function isPlanned({ title, start, monitors }: MaintenanceFacts, world: PublicWorld): boolean {
  const startAt = Date.parse(start);
  const isAmong = (windows: ReturnType<typeof windowsOf>) =>
    visibleWindows(windows, world.reader.isVisible).some(
      (window) =>
        window.title === title &&
        window.startAt === startAt &&
        (window.monitors.length === 0 ||
          monitors.length === 0 ||
          window.monitors.some((id) => monitors.includes(id))),
    );
  return isAmong(windowsOf(world)) || isAmong(scheduledAt(world.config, { title, startAt }));
}

export function aboutMaintenance({ about, event }: BroadcastRow, world: PublicWorld): BroadcastDecision {
  const wanted = readAs(parseJson(about ?? ''), aMaintenance);
  const { site, monitors, reader } = world;
  if (wanted === null) return drop;
  const { nowAt } = reader;
  const found = maintenanceOf(world).find((one) => nameOf(one) === nameOf(wanted));
  const isPast = event === 'ended' || event === 'cancelled';
  const window = found ?? (isPast && isShown(wanted, world) ? wanted : undefined);
  // One that is no longer planned, or is further on than the mail would say.
  if (window === undefined || (event !== 'ended' && Date.parse(window.end) <= nowAt)) return drop;
  if (event === 'announced' && Date.parse(window.start) <= nowAt) return drop;
  if (event === 'cancelled' && isPlanned(wanted, world)) return drop;
  // It was made longer meanwhile.
  if (event === 'ended' && Date.parse(window.end) > nowAt) return waitUntil(Date.parse(window.end), nowAt);
  const speech = speechOf(site);
  const { words } = speech;
  const word = {
    announced: words.maintenanceSoon,
    begun: words.maintenanceNow,
    ended: words.maintenanceOver,
    cancelled: words.maintenanceCancelled,
  };
  const names = window.monitors.flatMap((id) => monitors.get(id)?.name ?? []);
  const letter: Letter = {
    title: `${word[event as keyof typeof word]}: ${speech.maintenanceTitle(window.title)}`,
    paragraphs: [
      speech.fill('fromTo', speech.time(window.start), speech.time(window.end)),
      `${words.affected}: ${names.length === 0 ? words.allServices : names.join(', ')}`,
    ],
    link: { href: `${site.origin ?? ''}/`, words: words.details },
  };
  return {
    kind: 'send',
    groups: groupsOf(window.monitors, world),
    without: [],
    mail: (links) => letterMail(letter, links, site),
  };
}
