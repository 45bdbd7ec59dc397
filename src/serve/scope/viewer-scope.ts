/**
 * What exists for one viewer. A handler reads through this alone, and every list in it is already filtered: what is
 * private is missing because nobody hands it over.
 */
import type { Heatmap } from '../../db/read/heatmap.ts';
import type { SeriesPoint } from '../../db/read/series.ts';
import type { Config, Monitor } from '../../engine/config/config.ts';
import type { NamedThings } from '../../engine/config/private-names.ts';
import type { ReaderState } from '../../engine/core/status.ts';
import type { IncidentView } from '../../engine/views/incident.ts';
import type { ProbedMonitor } from '../../engine/probes/probe.ts';
import type { RecordedIncidentRow } from '../../db/tables/recorded-incidents.ts';
import type { openRootOf } from '../../engine/operations/root-incident.ts';
import type { incidentOfLink } from '../../engine/operations/acknowledge.ts';
import type { signUp, subscriberOfLink } from '../../engine/operations/subscribe.ts';
import type { LiveView } from '../../engine/views/live.ts';
import type { PlannedMaintenance } from '../../engine/operations/planned-maintenance.ts';
import type { Viewer } from '../access/viewer.ts';
import type { MetricReading } from '../../engine/views/metrics/families.ts';
import type { MetricsFormat } from '../metrics/exposition.ts';
import type { Building } from '../responses/cache.ts';
import type { Pieces } from '../responses/pieces.ts';
import type { CachedResponse } from '../responses/cached-response.ts';
import type { LatencyRange } from '../pages/monitor-page.ts';
import type { BadgeFacts, BadgeWindow } from '../svg/badge.ts';
import type { HealthView } from './health.ts';
import type { explainedMonitor } from './explanation.ts';
import type { Overview } from './overview.ts';
import type {
  FeedPage,
  HistoryPage,
  EventsAsked,
  readEvents,
  readIncident,
  readPostmortem,
  RecordPage,
} from './record.ts';
import type { MonthReport } from './report.ts';
import type { Selectable } from '../../engine/operations/select-monitors.ts';

interface IncidentsAsked {
  readonly limit: number;
  readonly before: string | null;
  readonly isOpen?: boolean | null;
  /** Null: all that exist for the viewer. */
  readonly monitor: string | null;
}

interface InGroup {
  /** Null: all that exist for the viewer, or the monitor that is named. */
  readonly group: string | null;
}

/** A question of a peer: `id` is that of its own monitor. */
export interface ProbeAsked {
  readonly id: string | null;
  readonly kind: string;
  readonly target: string;
}

export interface ViewerScope {
  /** Everyone may see this: it holds nothing private. */
  readonly isPublic: boolean;
  /** The settings that are no secret and no list of things that may be private. */
  readonly settings: Pick<Config, 'alerts' | 'channels' | 'health' | 'page' | 'rotations' | 'subscribe'>;
  /** What texts that strangers read are judged by; for the operator alone. */
  readonly publicTexts: NamedThings;
  /** In the order of the configuration. */
  readonly monitors: readonly Monitor[];
  readonly monitor: (id: string) => Monitor | null;
  /** As silences and maintenance name them, for the operator alone. */
  readonly peers: readonly Selectable[];
  /** Whether any monitor of the group exists for the viewer. */
  readonly hasGroup: (group: string) => boolean;
  /** Rejects with a problem when samples are not in memory and cannot be read now. */
  readonly latency: (id: string, hours: number) => Promise<readonly SeriesPoint[]>;
  readonly heatmap: (id: string) => Heatmap;
  /** The response times of the last day, week, month and quarter, ever more coarsely. */
  readonly latencyRanges: (id: string) => readonly LatencyRange[];
  /** Null: the monitor does not exist for the viewer. */
  readonly badge: (id: string, window: BadgeWindow) => BadgeFacts | null;
  /** The worst status that shows. */
  readonly overall: () => ReaderState;
  /** Those that readers are shown: planned maintenance is no incident there. */
  readonly newsAmong: (incidents: readonly IncidentView[]) => readonly IncidentView[];
  readonly incidents: (asked: IncidentsAsked) => RecordPage;
  /** One by its uid, or its number where the viewer may know it; null: there is none for the viewer. */
  readonly incident: (name: string) => ReturnType<typeof readIncident>;
  /** The channels that were notified of an incident that was opened by hand; for the operator alone. */
  readonly channelsOfOpened: (uid: string) => readonly string[];
  /** What was written about an incident afterwards, in Markdown; null: nothing. */
  readonly postmortem: (uid: string) => ReturnType<typeof readPostmortem>;
  /** All maintenance that covers something that exists for the viewer, over, present and to come. */
  readonly maintenances: () => readonly PlannedMaintenance[];
  /** The newest of what was changed about a monitor, the oldest first, for its charts. */
  readonly latestEvents: (
    id: string,
    asked: { readonly fromAt: number; readonly limit: number },
  ) => readonly { readonly at: string; readonly title: string }[];
  /** What was changed, for timelines. */
  readonly events: (asked: EventsAsked) => ReturnType<typeof readEvents>;
  /** What is to be written when mails are requested: see signUp. */
  readonly signUp: (asked: Parameters<typeof signUp>[1]) => ReturnType<typeof signUp>;
  /** Until when no mails are sent to readers, epoch ms; null: they are sent. The same for every viewer. */
  readonly mailsStopUntil: () => number | null;
  /** The subscriber of the link in a mail, whatever the viewer; null: the link is invalid. */
  readonly subscriber: (link: string) => ReturnType<typeof subscriberOfLink>;
  /** The open incident that one is folded into, for who may acknowledge it; null: none. */
  readonly rootOf: (incident: RecordedIncidentRow) => ReturnType<typeof openRootOf>;
  /** The delivery of the link in a message, whatever the viewer; null: the link is invalid. */
  readonly incidentOfLink: (token: string) => ReturnType<typeof incidentOfLink>;
  readonly history: (asked: Omit<IncidentsAsked, 'isOpen'> & InGroup) => HistoryPage;
  /** The newest, with maintenance and, where it is of everything, what is announced. */
  readonly feed: (asked: InGroup & Pick<IncidentsAsked, 'limit' | 'monitor'>) => FeedPage;
  /** What readers outside know this database by. */
  readonly databaseUid: string;
  /** Of all that exists for the viewer, or of what is in a group. */
  readonly overview: (group: string | null) => Promise<Overview>;
  /** The same of one monitor that exists for the viewer. */
  readonly overviewOf: (id: string) => Promise<Overview>;
  /** Whether other pages show the monitor to the viewer, too: the token of a group opens that of the group alone. */
  readonly hasPages: (id: string) => boolean;
  /** Null: there is none for this month. */
  readonly report: (month: string, group: string | null) => Promise<MonthReport | null>;
  readonly metrics: (format: MetricsFormat) => Promise<Pieces>;
  /** The same as values. */
  readonly measured: () => Promise<MetricReading>;
  /** The JSON of the summary. */
  readonly summary: () => Promise<Pieces>;
  /** What the live view shows beyond the summary, of those of these monitors that exist; for the operator alone. */
  readonly live: (ids: readonly string[], redact: (text: string) => string) => LiveView;
  /** Why a monitor alerted or did not; for the operator alone. Null: there is no such monitor. */
  readonly explanation: (id: string) => ReturnType<typeof explainedMonitor> | null;
  readonly health: () => HealthView;
  /** The config id of the peer that the viewer is; null: it is none. */
  readonly peer: string | null;
  /** The monitor of the same kind and target; null: there is none, or the viewer is no peer. */
  readonly probed: (asked: ProbeAsked) => ProbedMonitor | null;
  /** Gives way to the event loop when it is time, in long work. */
  readonly yieldTurn: () => Promise<void>;
  /** The cached response of this name for viewers who see the same; built now if there is none. */
  readonly kept: (name: string, building: Building) => CachedResponse | Promise<CachedResponse>;
}

export type ScopeOf = (viewer: Viewer) => ViewerScope;
