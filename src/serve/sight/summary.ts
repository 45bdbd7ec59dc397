/** Builds the summary for one viewer, in steps short enough for the probes not to notice. */
import type { DayBar } from '../../db/read/bars.ts';
import type { DayFigures } from '../../db/read/day.ts';
import type { Store } from '../../db/store.ts';
import { alertStates } from '../../db/topics/alert-states.ts';
import { announcements } from '../../db/topics/announcements.ts';
import { certificates } from '../../db/topics/certificates.ts';
import { channels } from '../../db/topics/channels.ts';
import { domains } from '../../db/topics/domains.ts';
import { incidents, type IncidentRow } from '../../db/topics/incidents.ts';
import { monitors } from '../../db/topics/monitors.ts';
import { silences } from '../../db/topics/silences.ts';
import type { Config, Monitor } from '../../engine/config/config.ts';
import { rfc3339 } from '../../engine/core/duration.ts';
import { graphOf } from '../../engine/core/graph.ts';
import type { Situation } from '../../engine/core/mute.ts';
import type { StatusSecs } from '../../engine/core/slo.ts';
import { announcementViews } from '../../engine/views/announcement.ts';
import { channelViews } from '../../engine/views/channel.ts';
import { groupViews } from '../../engine/views/group.ts';
import { incidentView } from '../../engine/views/incident.ts';
import { maintenanceViews, muteWindows } from '../../engine/views/maintenance.ts';
import { monitorView, type MonitorFacts } from '../../engine/views/monitor.ts';
import { overallOf } from '../../engine/views/overall.ts';
import type { Reader } from '../../engine/views/reader.ts';
import type { Figures } from './figures.ts';
import type { HistoryTexts } from './history-text.ts';
import { statusOf, type StateOf } from './status.ts';

export interface SummarySources {
  readonly store: Pick<Store, 'sql'>;
  readonly stateOf: StateOf;
  readonly figures: Figures;
  readonly histories: HistoryTexts;
  /** Lets others have their turn, when it is time. */
  readonly breathe: () => Promise<void>;
}

export interface SummaryOf {
  readonly config: Config;
  /** The monitors that exist for the reader. */
  readonly visible: readonly Monitor[];
  readonly reader: Reader;
}

/** As many monitors are put into words in one step. */
const stepSize = 10;

/** The JSON of the summary, as bytes. */
export async function buildSummary(sources: SummarySources, of: SummaryOf): Promise<Buffer> {
  const { breathe, figures, histories } = sources;
  const { config, visible, reader } = of;
  const { nowAt } = reader;
  const days = figures.day(nowAt);
  await breathe();
  const bars = figures.bars(nowAt);
  await breathe();
  const facts = gather(sources, of, { days, bars });
  await breathe();
  const situation = situationOf(sources, of);
  const cards: Buffer[] = [];
  for (let from = 0; from < visible.length; from += stepSize) {
    const texts = visible.slice(from, from + stepSize).map((monitor) => {
      const view = monitorView(monitor, facts(monitor), { reader, situation });
      const shown = (bars.get(monitor.id) ?? []).slice(-config.page.history_days);
      return `${JSON.stringify(view).slice(0, -1)},"history":${histories.textOf(monitor.id, shown)}}`;
    });
    cards.push(Buffer.from(`${from === 0 ? '' : ','}${texts.join(',')}`));
    await breathe();
  }
  const { head, tail } = frameOf(
    sources,
    of,
    visible.map((monitor) => facts(monitor).status),
  );
  return Buffer.concat([
    Buffer.from(`${JSON.stringify(head).slice(0, -1)},"monitors":[`),
    ...cards,
    Buffer.from(`],${JSON.stringify(tail).slice(1)}`),
  ]);
}

interface Read {
  readonly days: ReadonlyMap<string, DayFigures>;
  readonly bars: ReadonlyMap<string, readonly DayBar[]>;
}

/** Reads what is stored once, for all monitors. */
function gather(
  { store: { sql }, stateOf }: SummarySources,
  { visible }: SummaryOf,
  { days, bars }: Read,
): (monitor: Monitor) => MonitorFacts {
  const stored = alertStates.list(sql);
  const rows = new Map(monitors.list(sql).map((row) => [row.id, row]));
  const open = new Map(incidents.listOpen(sql).map((row) => [row.monitor, row]));
  const certs = new Map(certificates.list(sql).map((row) => [row.monitor, row.validToAt]));
  const registrations = new Map(domains.list(sql).map((row) => [row.monitor, row.expiresAt]));
  const facts = new Map(
    visible.map((monitor): [string, MonitorFacts] => {
      const { id } = monitor;
      return [
        id,
        {
          status: statusOf(id, { stateOf, stored }),
          last: rows.get(id)?.last ?? null,
          day: days.get(id) ?? null,
          sloSecs: monitor.slo_uptime === null ? noSecs : sumOf(bars.get(id) ?? [], monitor.slo_window_days),
          certExpiresAt: certs.get(id) ?? null,
          domainExpiresAt: registrations.get(id) ?? null,
          cause: open.get(id)?.cause ?? null,
          impacted: open.get(id)?.impacted ?? [],
        },
      ];
    }),
  );
  return ({ id }) => facts.get(id) ?? nothing;
}

const noSecs: StatusSecs = { up: 0, degraded: 0, down: 0, unknown: 0 };
const nothing: MonitorFacts = {
  status: 'unknown',
  last: null,
  day: null,
  sloSecs: noSecs,
  certExpiresAt: null,
  domainExpiresAt: null,
  cause: null,
  impacted: [],
};

/** The last `days` UTC days, today included. */
function sumOf(bars: readonly DayBar[], days: number): StatusSecs {
  return bars.slice(-days).reduce(
    (sum, { secs }) => ({
      up: sum.up + secs.up,
      degraded: sum.degraded + secs.degraded,
      down: sum.down + secs.down,
      unknown: sum.unknown + secs.unknown,
    }),
    noSecs,
  );
}

/** Mutes as they stand among the monitors that exist for the reader: what covers others does not show. */
function situationOf({ store }: SummarySources, { config, visible, reader }: SummaryOf): Situation {
  const { nowAt } = reader;
  return {
    mutes: {
      silences: silences.active(store.sql, nowAt),
      maintenances: muteWindows(config.maintenance),
    },
    graph: graphOf(visible.map(({ id, depends_on }) => ({ id, dependsOn: depends_on }))),
    nowAt,
  };
}

/** What stands before and after the monitors. */
function frameOf(
  { store: { sql } }: SummarySources,
  { config, visible, reader }: SummaryOf,
  statuses: readonly MonitorFacts['status'][],
) {
  const { nowAt, isTrusted, isVisible } = reader;
  const head = {
    title: config.page.title,
    ...overallOf(statuses),
    generated_at: rfc3339(nowAt),
    incidents: incidents
      .listOpen(sql)
      .filter(({ monitor }) => isVisible(monitor))
      .map((row: IncidentRow) =>
        incidentView(row, { ...reader, isDetailPublic: reader.hasDetail(row.monitor) }),
      ),
    announcements: announcementViews(announcements.active(sql, nowAt), config.incidents, reader),
    maintenances: maintenanceViews(config.maintenance, reader),
    groups: groupViews(visible),
  };
  const known = isTrusted
    ? {
        channels: channelViews(config.channels, channels.list(sql), {
          threshold: config.alerts.channel_fail_threshold,
          nowAt,
        }),
      }
    : {};
  return { head, tail: { peers: [], ...known } };
}
