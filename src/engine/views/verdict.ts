/** The headline of a page: which monitors are affected, how many are up, and what each root cause impacts. */
import type { Monitor } from '../config/config.ts';
import { graphOfMonitors, upstreams } from '../core/graph.ts';
import type { OverallState, ReaderState } from '../core/status.ts';
import { troubleLabels } from './frame.ts';
import type { PageOverview, ShownMonitor } from './page.ts';

export interface PageVerdict {
  readonly state: OverallState;
  /** Since when nothing can be said, as this node cannot see its targets, RFC 3339; null: it can. */
  readonly blindSince: string | null;
  /** What the sentence is about: those that are down, else degraded, else under maintenance; the root causes first. */
  readonly about: readonly ShownMonitor[];
  /** All that are not as they should be, the worst first. */
  readonly troubled: readonly ShownMonitor[];
  readonly working: number;
  readonly total: number;
}

const order: readonly ReaderState[] = ['down', 'degraded', 'maintenance', 'unknown', 'up'];

export function verdictOf({
  monitors,
  overall_state: state,
  blindSince,
}: Pick<PageOverview, 'monitors' | 'overall_state' | 'blindSince'>): PageVerdict {
  const by = new Map<ReaderState, ShownMonitor[]>(order.map((each) => [each, []]));
  for (const monitor of monitors) by.get(monitor.state)?.push(monitor);
  const of = (each: ReaderState) => by.get(each) ?? [];
  const troubled = [...rootsFirst(of('down')), ...of('degraded'), ...of('maintenance')];
  const worst = troubled[0]?.state;
  return {
    state,
    blindSince: state === 'unknown' ? (blindSince ?? null) : null,
    about: troubled.filter((monitor) => monitor.state === worst),
    troubled,
    working: of('up').length,
    total: monitors.length,
  };
}

const declaredStates = { degraded: 'degraded', partial: 'partial_outage', major: 'major_outage' } as const;

/** From the best to the worst. `unknown` is none of them: then nothing is known that could be compared. */
const ranks: readonly OverallState[] = ['up', 'maintenance', 'degraded', 'partial_outage', 'major_outage'];

/** What operators say is wrong, and how bad the worst of it is; null: nothing that is worse than what shows. */
export function declaredIn({
  overall_state: state,
  incidents,
}: Pick<PageOverview, 'overall_state' | 'incidents'>) {
  if (state === 'unknown') return null;
  const open = incidents.flatMap(({ kind, impact, name }) =>
    kind !== 'operator' || impact === 'none' || impact === 'maintenance' ? [] : [{ impact, name }],
  );
  const worst = (['major', 'partial', 'degraded'] as const).find((one) =>
    open.some(({ impact }) => impact === one),
  );
  if (worst === undefined || ranks.indexOf(declaredStates[worst]) <= ranks.indexOf(state)) return null;
  // Without a monitor that is down there is no outage in part: the page is amber.
  const tone = worst === 'major' ? 'down' : 'degraded';
  return { state: declaredStates[worst], tone, titles: open.map(({ name }) => name) } as const;
}

/** How everything is, by checks or by what operators say of it: the worse of the two. */
export function headlineOf(
  overview: Pick<PageOverview, 'overall_state' | 'overall_label' | 'incidents'>,
): Pick<PageOverview, 'overall_state' | 'overall_label'> {
  const { overall_state, overall_label } = overview;
  const declared = declaredIn(overview);
  return declared === null
    ? { overall_state, overall_label }
    : { overall_state: declared.state, overall_label: troubleLabels[declared.state] };
}

function rootsFirst(down: readonly ShownMonitor[]): readonly ShownMonitor[] {
  const ids = new Set(down.map(({ id }) => id));
  const isRoot = ({ cause }: ShownMonitor) => cause === null || !ids.has(cause);
  return [...down.filter(isRoot), ...down.filter((monitor) => !isRoot(monitor))];
}

/** The record names a cause when it is known; until then it is the nearest of what a monitor depends on that is down. */
export function withCauses(
  monitors: readonly ShownMonitor[],
  known: readonly Pick<Monitor, 'id' | 'depends_on'>[],
): readonly ShownMonitor[] {
  const down = new Set(monitors.filter(({ state }) => state === 'down').map(({ id }) => id));
  if (down.size < 2) return monitors;
  const graph = graphOfMonitors(known);
  return monitors.map((monitor) => {
    if (!down.has(monitor.id) || monitor.cause !== null) return monitor;
    const cause = upstreams(graph, monitor.id).find((id) => down.has(id)) ?? null;
    return cause === null ? monitor : { ...monitor, cause };
  });
}

/** What of an incident says where it belongs; one that an operator opened has no monitor. */
interface Caused {
  readonly uid: string;
  readonly monitor: string | null;
  readonly impacted: readonly string[];
  /** Those it is about. */
  readonly monitors: readonly string[];
}

/** A root cause with the monitors that it took along, by config id; its own is not among them. */
export interface IncidentCard<I> {
  readonly incident: I;
  readonly dependents: readonly string[];
}

/** The root causes among open incidents, in their order. `causeOf`: of a monitor, what may be named. */
export function incidentCards<I extends Caused>(
  incidents: readonly I[],
  causeOf: (monitor: string) => string | null,
): readonly IncidentCard<I>[] {
  const open = new Set(incidents.map(({ monitor }) => monitor));
  const rootOf = (id: string): string => {
    const seen = new Set<string>();
    let at = id;
    for (
      let cause = causeOf(at);
      cause !== null && open.has(cause) && !seen.has(cause);
      cause = causeOf(at)
    ) {
      seen.add(cause);
      at = cause;
    }
    return at;
  };
  const placed = incidents.map((incident) => {
    return { incident, root: incident.monitor === null ? null : rootOf(incident.monitor) };
  });
  const below = new Map<string, string[]>();
  for (const { incident, root } of placed) {
    if (root === null || incident.monitor === null) continue;
    const named = below.get(root) ?? [];
    named.push(incident.monitor, ...incident.impacted);
    below.set(root, named);
  }
  return placed
    .filter(({ incident, root }) => root === incident.monitor)
    .map(({ incident }) => {
      const { monitor, monitors, impacted } = incident;
      const named = monitor === null ? monitors : (below.get(monitor) ?? []);
      const dependents = new Set([...named, ...impacted].filter((id) => id !== monitor));
      return { incident, dependents: [...dependents] };
    });
}

/** All of them: each root cause, then what it took along. */
export function causesFirst<I extends Caused>(
  incidents: readonly I[],
  causeOf: (monitor: string) => string | null,
): readonly I[] {
  const cards = incidentCards(incidents, causeOf);
  const roots = new Set(cards.map(({ incident }) => incident));
  const below = new Map<string, I[]>();
  for (const one of incidents) {
    if (one.monitor === null || roots.has(one)) continue;
    below.set(one.monitor, [...(below.get(one.monitor) ?? []), one]);
  }
  const placed = cards.flatMap(({ incident, dependents }) => [
    incident,
    ...dependents.flatMap((id) => below.get(id) ?? []),
  ]);
  // One that several took along stands under the first of them, and none is left out.
  return [...new Set([...placed, ...incidents])];
}

/** What of a recorded incident says what caused it, and when it was open, epoch ms. */
type Recorded = { readonly startedAt: number; readonly endedAt: number | null } & (
  | { readonly monitor: string; readonly cause: string | null }
  | { readonly monitor: null }
);

/** An incident of a list; `isDependent`: it stands under the one that caused it. */
export interface NestedIncident<I> {
  readonly incident: I;
  readonly isDependent: boolean;
}

/** Each root cause, in the order of the list, with what it took along below it; also of what is over. */
export function nestedIncidents<I extends Recorded>(incidents: readonly I[]): readonly NestedIncident<I>[] {
  const groups = new Map<I, I[]>();
  for (const incident of incidents) {
    const root = recordedRoot(incident, incidents);
    groups.set(root, [...(groups.get(root) ?? []), incident]);
  }
  return [...groups].flatMap(([root, all]) => [
    { incident: root, isDependent: false },
    ...all.filter((one) => one !== root).map((incident) => ({ incident, isDependent: true })),
  ]);
}

/** Where the chain of causes ends within the list; itself where there is none, or where they cause each other. */
function recordedRoot<I extends Recorded>(incident: I, incidents: readonly I[]): I {
  const seen = new Set([incident]);
  let root = incident;
  for (
    let cause = recordedCause(root, incidents);
    cause !== undefined;
    cause = recordedCause(root, incidents)
  ) {
    if (seen.has(cause)) return incident;
    seen.add(cause);
    root = cause;
  }
  return root;
}

/** The incident of the list that caused this one; undefined: there is none. */
function recordedCause<I extends Recorded>(incident: I, incidents: readonly I[]): I | undefined {
  const cause = causeOnRecord(incident);
  if (cause === null) return undefined;
  const endOf = ({ endedAt }: Recorded) => endedAt ?? Infinity;
  return incidents.find(
    (one) => one.monitor === cause && one.startedAt <= endOf(incident) && endOf(one) >= incident.startedAt,
  );
}

function causeOnRecord(incident: Recorded): string | null {
  return incident.monitor === null ? null : incident.cause;
}
