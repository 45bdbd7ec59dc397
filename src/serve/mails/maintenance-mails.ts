/** Decides what readers are mailed about maintenance: that it is planned, that it has begun, that it is over. */
import { createHash } from 'node:crypto';
import { type BroadcastEvent, type BroadcastRow, broadcasts } from '../../db/tables/broadcasts.ts';
import { aText, document, parseJson, readAs, shape } from '../../engine/core/decode.ts';
import { rfc3339 } from '../../engine/core/instant.ts';
import type { BroadcastDecision, ReaderMails } from '../../engine/operations/subscribe.ts';
import { maintenanceViews } from '../../engine/views/frame.ts';
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
  const put = ({ title, start, end, monitors }: MaintenanceFacts, event: BroadcastEvent) => {
    const about = JSON.stringify({ title, start, end, monitors });
    return broadcasts.put({ uid: `${nameOf({ title, start, monitors })}.${event}`, about, event, at: nowAt });
  };
  const operations = windows.flatMap((window) => {
    const [startAt, endAt] = [Date.parse(window.start), Date.parse(window.end)];
    const isPut = (event: string) => broadcasts.find(sql, `${nameOf(window)}.${event}`) !== null;
    const event =
      nowAt < startAt ? (startAt - nowAt <= aheadMs ? 'announced' : null) : nowAt < endAt ? 'begun' : 'ended';
    if (event === null || isPut(event) || (event === 'ended' && !isPut('begun'))) return [];
    return [put(window, event)];
  });
  // One that is planned no more while it was under way is over too.
  const known = new Set(windows.map(nameOf));
  const gone = broadcasts.begun(sql).flatMap(({ about }) => {
    const begun = readAs(parseJson(about ?? ''), aMaintenance);
    return begun === null || known.has(nameOf(begun)) || Date.parse(begun.end) + endedMs < nowAt
      ? []
      : [begun];
  });
  operations.push(...gone.map((begun) => put({ ...begun, end: rfc3339(nowAt) }, 'ended')));
  const turns = windows.flatMap(({ start, end }) => [
    Date.parse(start) - aheadMs,
    Date.parse(start),
    Date.parse(end),
  ]);
  return { operations, nextAt: Math.min(...turns.filter((at) => at > nowAt)) };
}

type MaintenanceFacts = Pick<Maintenance, 'title' | 'start' | 'end' | 'monitors'>;

/** What its broadcasts are called: one that ends earlier or later than was planned is the same. */
function nameOf({ title, start, monitors }: Omit<MaintenanceFacts, 'end'>): string {
  return createHash('sha256')
    .update(JSON.stringify([title, start, monitors]))
    .digest('hex')
    .slice(0, 32);
}

export function aboutMaintenance({ about, event }: BroadcastRow, world: PublicWorld): BroadcastDecision {
  const wanted = readAs(parseJson(about ?? ''), aMaintenance);
  const { site, monitors, reader } = world;
  if (wanted === null) return drop;
  const isShown = wanted.monitors.length === 0 || wanted.monitors.some((id) => monitors.has(id));
  const window =
    maintenanceOf(world).find((one) => nameOf(one) === nameOf(wanted)) ??
    (event === 'ended' && isShown ? wanted : undefined);
  // One that was cancelled, or is further on than the mail would say.
  if (window === undefined || (event !== 'ended' && Date.parse(window.end) <= reader.nowAt)) return drop;
  if (event === 'announced' && Date.parse(window.start) <= reader.nowAt) return drop;
  // It was made longer meanwhile.
  if (event === 'ended' && Date.parse(window.end) > reader.nowAt)
    return waitUntil(Date.parse(window.end), reader.nowAt);
  const speech = speechOf(site);
  const { words } = speech;
  const word = {
    announced: words.maintenanceSoon,
    begun: words.maintenanceNow,
    ended: words.maintenanceOver,
  };
  const names = window.monitors.flatMap((id) => monitors.get(id)?.name ?? []);
  const letter: Letter = {
    title: `${word[event as keyof typeof word]}: ${window.title}`,
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
