/** Decides what readers are mailed about incidents, and when: never more than the public page shows. */
import type { SqlReader } from '../../db/store/sql.ts';
import { type BroadcastRow, broadcasts } from '../../db/tables/broadcasts.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { monitors as monitorTable } from '../../db/tables/monitors.ts';
import type { RecordedIncidentRow } from '../../db/tables/recorded-incidents.ts';
import type { Config, Monitor } from '../../engine/config/config.ts';
import type { LoadedConfig } from '../../engine/config/load.ts';
import { graphOf, upstreams } from '../../engine/core/graph.ts';
import { muteOf } from '../../engine/core/mute.ts';
import { recordedBy } from '../../engine/core/past-uid.ts';
import type { MonitorState } from '../../engine/monitoring/confirm/state.ts';
import type { BroadcastDecision, ReaderMails } from '../../engine/operations/subscribe.ts';
import type { IncidentView } from '../../engine/views/incident.ts';
import { isVisibleTo } from '../access/viewer.ts';
import { urlPart } from '../pages/html.ts';
import { type PageContext, speechOf } from '../pages/page-context.ts';
import { siteOfConfig } from '../pages/site.ts';
import { readIncident } from '../scope/record.ts';
import { type Letter, letterMail } from './letter.ts';
import { aboutMaintenance, maintenanceDue } from './maintenance-mails.ts';
import { drop, groupsOf, type PublicWorld, waitUntil, windowsOf } from './public-world.ts';

export interface ReaderMailsOptions {
  readonly loaded: () => Pick<LoadedConfig, 'config' | 'pageFiles'>;
  readonly sql: SqlReader;
  readonly now: () => number;
  readonly stateOf: (monitor: string) => MonitorState | null;
}

/** Older incidents are no longer news. */
const staleMs = 86_400_000;

export function createReaderMails({ loaded, sql, now, stateOf }: ReaderMailsOptions): ReaderMails {
  let made: { readonly config: Config; readonly site: PageContext } | null = null;
  const siteNow = (): PageContext => {
    const { config, pageFiles } = loaded();
    if (made?.config !== config) made = { config, site: siteOfConfig(config, pageFiles) };
    return made.site;
  };
  const world = (): PublicWorld => {
    const { config } = loaded();
    const shown = config.monitors.filter((monitor) => isVisibleTo({ kind: 'anonymous' }, monitor));
    const monitors = new Map(shown.map((monitor) => [monitor.id, monitor]));
    return {
      config,
      sql,
      stateOf,
      monitors,
      graph: graphOf(shown.map(({ id, depends_on: dependsOn }) => ({ id, dependsOn }))),
      reader: {
        nowAt: now(),
        isTrusted: false,
        isVisible: (id) => monitors.has(id),
        hasDetail: (id) => monitors.get(id)?.public_error_detail === true,
        isCritical: (id) => monitors.get(id)?.critical === true,
      },
      site: siteNow(),
    };
  };
  return {
    decide: (broadcast) => {
      if (broadcast.createdAt + staleMs < now()) return drop;
      return broadcast.incident === null
        ? aboutMaintenance(broadcast, world())
        : aboutIncident(broadcast, broadcast.incident, world());
    },
    dueMaintenance: () => maintenanceDue(world()),
    linkMail: (link, isConfirmed) => {
      const site = siteNow();
      const speech = speechOf(site);
      const { words } = speech;
      return letterMail(
        {
          title: speech.fill(isConfirmed ? 'mailKnown' : 'mailAsked', site.title),
          paragraphs: [speech.fill(isConfirmed ? 'mailKnownHint' : 'mailAskedHint', site.title)],
          link: { href: link, words: isConfirmed ? words.yourChoice : words.confirmTitle },
        },
        null,
        site,
      );
    },
  };
}

function aboutIncident(broadcast: BroadcastRow, uid: string, world: PublicWorld): BroadcastDecision {
  const { sql, reader, monitors } = world;
  const found = readIncident({ store: { sql }, reader }, uid, (id) => monitors.has(id));
  if (found === null || isQuiet(found.row) || isRemoved(found.row.monitor, sql)) return drop;
  const { row, incident } = found;
  const timing = row.monitor === null ? now : timingOf(broadcast, row, world);
  if (timing.kind !== 'now') return timing;
  const cause = row.monitor === null ? null : causeOf(row, world);
  const update =
    broadcast.event === 'updated' ? incident.updates.find(({ uid: name }) => name === broadcast.about) : null;
  if (update === undefined) return drop;
  const letter = incidentLetter(broadcast, { incident, update, world });
  return {
    kind: 'send',
    groups: groupsOf(incident.monitors, world),
    without: cause === null ? [] : (groupsOf([cause.monitor], world) ?? []),
    mail: (links) => letterMail(letter, links, world.site),
  };
}

/** Whether nobody is to be mailed about an incident, whatever happens to it. */
function isQuiet({ uid }: RecordedIncidentRow): boolean {
  return recordedBy(uid) !== null;
}

/**
 * Whether its monitor is removed: the page shows nothing of it any more, and its outage ended with that, not because it
 * works again. The store knows it before the configuration is swapped.
 */
function isRemoved(monitor: string | null, sql: SqlReader): boolean {
  return monitor !== null && (monitorTable.find(sql, monitor)?.removedAt ?? null) !== null;
}

type OutageRow = Extract<RecordedIncidentRow, { readonly monitor: string }>;

const now = { kind: 'now' } as const;

/** What a monitor's incident waits for; once readers know of it they hear how it goes on. */
function timingOf(
  broadcast: BroadcastRow,
  row: OutageRow,
  world: PublicWorld,
): BroadcastDecision | typeof now {
  const { sql, reader, graph } = world;
  const { nowAt } = reader;
  const opened = broadcasts.find(sql, `${row.uid}.opened`);
  const isKnown = opened !== null && (opened.sent > 0 || opened.cursor > 0);
  if (broadcast.event !== 'opened' && isKnown) return now;
  const endedAt = row.endedAt ?? Infinity;
  if (broadcast.event === 'opened' && row.endedAt !== null) return drop;
  // One message about what is over says all of it.
  if (broadcast.event === 'updated' && row.endedAt !== null) return drop;
  const mutes = { silences: [], maintenances: windowsOf(world) };
  const situation = { mutes, nowAt: Math.min(nowAt, endedAt) };
  // Readers expect maintenance of an upstream to take its dependents along.
  const muting = [row.monitor, ...upstreams(graph, row.monitor)]
    .map((id) => muteOf(id, situation))
    .find(({ kind }) => kind === 'muted');
  if (muting?.kind === 'muted') return row.endedAt === null ? waitUntil(muting.untilAt, nowAt) : drop;
  const dueAt = dueAtOf(row, world);
  if (row.endedAt !== null) return endedAt <= dueAt ? drop : now;
  return dueAt > nowAt ? waitUntil(dueAt, nowAt) : now;
}

/** When readers hear of an outage that lasts; Infinity: not before its cause is over. */
function dueAtOf(row: OutageRow, world: PublicWorld): number {
  const { config, monitors, stateOf, graph, reader } = world;
  const windowMs = config.alerts.group_window_secs * 1000;
  const windowEndsAt = row.confirmedAt + windowMs;
  const cause = causeOf(row, world);
  if (cause !== null) {
    if (!isSameAudience(row.monitor, cause.monitor, world)) return windowEndsAt;
    if (cause.endedAt === null) return Infinity;
    // What failed with it has the time of two checks to come back with it.
    const intervalMs = (secsBetween(monitors.get(row.monitor)) ?? 60) * 2000;
    return Math.max(windowEndsAt, cause.endedAt + windowMs + intervalMs);
  }
  const isUnsettled = upstreams(graph, row.monitor).some((id) => {
    const state = stateOf(id);
    if (state === null || state.status === 'down') return false;
    return state.failures !== null || (state.knownAt !== null && state.knownAt < row.startedAt);
  });
  const settledAt = row.confirmedAt + Math.max(3 * windowMs, 300_000);
  return isUnsettled && reader.nowAt < settledAt ? Math.max(windowEndsAt, settledAt) : windowEndsAt;
}

function secsBetween(monitor: Monitor | undefined): number | null {
  return monitor !== undefined && 'interval_secs' in monitor ? monitor.interval_secs : null;
}

/** The outage that an outage comes from, as far as that is public: the recorded one, else the nearest upstream that was down meanwhile. */
function causeOf(row: OutageRow, { sql, monitors, graph, reader }: PublicWorld): OutageRow | null {
  const among =
    row.cause === null ? upstreams(graph, row.monitor) : monitors.has(row.cause) ? [row.cause] : [];
  if (among.length === 0) return null;
  const meanwhile = incidents
    .listWithin(sql, { fromAt: row.startedAt, toAt: (row.endedAt ?? reader.nowAt) + 1 })
    .filter(({ ownFault }) => ownFault === null);
  for (const id of among) {
    const found = meanwhile.find(({ monitor }) => monitor === id);
    if (found !== undefined) return found;
  }
  return null;
}

function isSameAudience(one: string, other: string, { monitors }: PublicWorld): boolean {
  return monitors.get(one)?.group === monitors.get(other)?.group;
}

interface LetterFacts {
  readonly incident: IncidentView;
  readonly update: IncidentView['updates'][number] | null;
  readonly world: PublicWorld;
}

function incidentLetter({ event }: BroadcastRow, { incident, update, world }: LetterFacts): Letter {
  const { site, monitors } = world;
  const speech = speechOf(site);
  const { words } = speech;
  const { kind, name, uid, started_at: startedAt, ended_at: endedAt, cause } = incident;
  const nameOf = (id: string) => monitors.get(id)?.name ?? id;
  const isOpen = event === 'opened' || (update !== null && endedAt === null);
  const subject =
    kind === 'operator' ? name : isOpen ? speech.about('isDown', [name]) : speech.fill('wasDown', name);
  const affected = (kind === 'operator' ? incident.monitors : incident.impacted).map(nameOf);
  const state = update === null ? null : words[update.state];
  const happened = {
    opened: speech.fill('notAnswering', speech.time(startedAt)),
    resolved: `${words.workingAgain} ${speech.fill('fromTo', speech.time(startedAt), speech.time(endedAt ?? startedAt))}, ${speech.fill('lasted', speech.spanBetween(startedAt, endedAt ?? startedAt))}.`,
  } as const;
  return {
    title:
      update === null
        ? event === 'resolved'
          ? `${words.resolved}: ${subject}`
          : subject
        : `${state}: ${subject}`,
    paragraphs: [
      update === null ? happened[event === 'resolved' ? 'resolved' : 'opened'] : (update.message ?? ''),
      ...(event === 'opened' ? [speech.reason(incident.error) ?? ''] : []),
      ...(event === 'opened' && cause !== null ? [speech.fill('because', nameOf(cause))] : []),
      ...(affected.length === 0 ? [] : [`${words.affected}: ${affected.join(', ')}`]),
    ],
    link: { href: `${site.origin ?? ''}/incidents/${urlPart(uid)}`, words: words.details },
  };
}
