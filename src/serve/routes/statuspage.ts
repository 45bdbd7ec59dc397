/** Answers like Atlassian's Statuspage API, for clients of that API. */
import { createHash } from 'node:crypto';
import { rfc3339 } from '../../engine/core/instant.ts';
import type { IncidentView } from '../../engine/views/incident.ts';
import {
  componentsOf,
  componentStatuses,
  incidentOf,
  maintenanceOf,
  maintenanceStates,
  pageIndicators,
  pageOf,
  type StatuspageContext,
  statuspageStates,
  statusOf,
} from '../../engine/views/statuspage.ts';
import { jsonType } from '../http-types.ts';
import { rendered } from '../responses/send.ts';
import { keeping } from './page.ts';
import type { Parameters } from './parameter.ts';
import { route, type RouteCall } from './route.ts';
import { type AnswerSchema, count, flag, instant, listOf, object, oneOf, orNull, text } from './schema.ts';

/** Samples arrive all the time; an answer is a little behind. */
const maxAgeMs = 2000;

/** How many incidents and windows are listed. */
const most = 50;

type StatuspageCall = Pick<RouteCall<Parameters>, 'scope' | 'site' | 'nowAt' | 'origin'>;

const page = object({ id: text, name: text, url: text, time_zone: text, updated_at: instant });
const status = object({ indicator: oneOf(pageIndicators), description: text });
const component = object(
  {
    id: text,
    name: text,
    status: oneOf(componentStatuses),
    created_at: instant,
    updated_at: instant,
    position: count,
    description: orNull(text),
    showcase: flag,
    start_date: { const: null },
    group_id: orNull(text),
    page_id: text,
    group: flag,
    only_show_if_degraded: flag,
    components: listOf(text),
  },
  ['components'],
);

const named = object({ id: text, name: text });

function eventShape(
  states: readonly string[],
  more: Readonly<Record<string, AnswerSchema>> = {},
): AnswerSchema {
  return object({
    id: text,
    name: text,
    status: oneOf(states),
    created_at: instant,
    updated_at: instant,
    monitoring_at: orNull(instant),
    resolved_at: orNull(instant),
    impact: oneOf(pageIndicators),
    shortlink: text,
    started_at: instant,
    page_id: text,
    incident_updates: listOf(
      object({
        id: text,
        status: oneOf(states),
        body: text,
        incident_id: text,
        created_at: instant,
        updated_at: instant,
        display_at: instant,
        affected_components: listOf(object({ code: text, name: text })),
      }),
    ),
    components: listOf(named),
    ...more,
  });
}

const incident = eventShape(statuspageStates);
const maintenance = eventShape(maintenanceStates, { scheduled_for: instant, scheduled_until: instant });

interface StatuspageRow {
  readonly path: string;
  readonly summary: string;
  readonly shape: Readonly<Record<string, AnswerSchema>>;
  readonly read: (call: StatuspageCall, context: StatuspageContext) => Promise<object> | object;
}

function unresolved({ scope }: StatuspageCall, context: StatuspageContext) {
  const { incidents } = scope.incidents({ limit: most, before: null, monitor: null, isOpen: true });
  return scope.newsAmong(incidents).map((one) => incidentOf(one, context, false));
}

function windowsOf({ scope, nowAt }: StatuspageCall, context: StatuspageContext) {
  return scope.maintenances().map(({ startAt, endAt, createdAt, ...window }) => ({
    startAt,
    endAt,
    view: maintenanceOf(
      {
        ...window,
        start: rfc3339(startAt),
        end: rfc3339(endAt),
        created: createdAt === null ? null : rfc3339(createdAt),
      },
      context,
      rfc3339(nowAt),
    ),
  }));
}

function upcoming(call: StatuspageCall, context: StatuspageContext) {
  const found = windowsOf(call, context).filter(({ startAt }) => startAt > call.nowAt);
  return found.slice(0, most).map(({ view }) => view);
}

function active(call: StatuspageCall, context: StatuspageContext) {
  return windowsOf(call, context)
    .filter(({ startAt, endAt }) => startAt <= call.nowAt && endAt > call.nowAt)
    .map(({ view }) => view);
}

const rows: readonly StatuspageRow[] = [
  {
    path: 'status.json',
    summary: 'The overall status in one word',
    shape: { status },
    read: async ({ scope }) => {
      return { status: statusOf((await scope.overview(null)).summary) };
    },
  },
  {
    path: 'summary.json',
    summary: 'Components, open incidents, and maintenance to come or under way',
    shape: {
      components: listOf(component),
      incidents: listOf(incident),
      scheduled_maintenances: listOf(maintenance),
      status,
    },
    read: async (call, context) => {
      const { summary } = await call.scope.overview(null);
      return {
        components: componentsOf(summary, context),
        incidents: unresolved(call, context),
        scheduled_maintenances: [...active(call, context), ...upcoming(call, context)],
        status: statusOf(summary),
      };
    },
  },
  {
    path: 'components.json',
    summary: 'Groups and monitors as components',
    shape: { components: listOf(component) },
    read: async ({ scope }, context) => {
      return { components: componentsOf((await scope.overview(null)).summary, context) };
    },
  },
  {
    path: 'incidents.json',
    summary: `The newest ${most} incidents`,
    shape: { incidents: listOf(incident) },
    read: ({ scope }, context) => {
      const { incidents } = scope.incidents({ limit: most, before: null, monitor: null });
      const isWritten = ({ uid, ended_at }: IncidentView) =>
        ended_at !== null && scope.postmortem(uid) !== null;
      const shown = scope.newsAmong(incidents);
      return { incidents: shown.map((one) => incidentOf(one, context, isWritten(one))) };
    },
  },
  {
    path: 'incidents/unresolved.json',
    summary: 'Open incidents',
    shape: { incidents: listOf(incident) },
    read: (call, context) => ({ incidents: unresolved(call, context) }),
  },
  {
    path: 'scheduled-maintenances.json',
    summary: `The latest ${most} windows of maintenance`,
    shape: { scheduled_maintenances: listOf(maintenance) },
    read: (call, context) => {
      const latest = windowsOf(call, context).toReversed().slice(0, most);
      return { scheduled_maintenances: latest.map(({ view }) => view) };
    },
  },
  {
    path: 'scheduled-maintenances/upcoming.json',
    summary: 'Maintenance to come',
    shape: { scheduled_maintenances: listOf(maintenance) },
    read: (call, context) => ({ scheduled_maintenances: upcoming(call, context) }),
  },
  {
    path: 'scheduled-maintenances/active.json',
    summary: 'Maintenance that is under way',
    shape: { scheduled_maintenances: listOf(maintenance) },
    read: (call, context) => ({ scheduled_maintenances: active(call, context) }),
  },
];

export const statuspage = rows.map(({ path, summary, shape, read }) =>
  route({
    method: 'GET',
    path: `/api/v2/${path}`,
    summary: `${summary}, as the Statuspage API has it`,
    parameters: {},
    access: 'reader',
    limit: 'api',
    answers: {
      200: {
        doc: 'In the fields and words of Atlassian; what is not known is degraded.',
        schema: object({ page, ...shape }),
      },
      304: { doc: 'The client has the current version already.', types: [] },
    },
    problems: [],
    handle: (call) => {
      const { scope, origin } = call;
      const response = scope.kept(`v2 ${origin()} ${path}`, {
        maxAgeMs,
        labels: () => {
          const headers = { ...keeping(scope), vary: 'Authorization' };
          return { contentType: jsonType, headers, isKept: scope.isPublic };
        },
        build: async () => {
          const context = contextOf(call);
          return Buffer.from(JSON.stringify({ page: pageOf(context), ...(await read(call, context)) }));
        },
      });
      return rendered(response, call.headers);
    },
  }),
);

function contextOf(call: StatuspageCall): StatuspageContext {
  const { scope, site, origin } = call;
  const digest = (name: string) =>
    createHash('sha256').update(`${scope.databaseUid} ${name}`).digest('hex').slice(0, 12);
  return {
    pageId: digest('page'),
    name: site.title,
    url: origin(),
    timeZone: scope.settings.page.timezone === 'UTC' ? 'Etc/UTC' : scope.settings.page.timezone,
    updatedAt: updatedAt(call),
    groupId: (name) => digest(`group ${name}`),
    nameOf: (id) => scope.monitor(id)?.name ?? id,
  };
}

/** Of what is shown, the latest change; with none the beginning of the day, so that it stays the same for a while. */
function updatedAt({ scope, nowAt }: StatuspageCall): string {
  const { incidents } = scope.incidents({ limit: most, before: null, monitor: null });
  const ats = [
    Math.floor(nowAt / dayMs) * dayMs,
    ...incidents.flatMap(({ started_at, ended_at, updates }) =>
      [started_at, ended_at ?? started_at, updates[0]?.at ?? started_at].map((at) => Date.parse(at)),
    ),
    ...scope.maintenances().flatMap(({ startAt, endAt }) => [startAt, endAt].filter((at) => at <= nowAt)),
  ];
  return rfc3339(ats.reduce((latest, at) => Math.max(latest, at), 0));
}

const dayMs = 86_400_000;
