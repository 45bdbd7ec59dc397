/** Reads another server over its API, at the rate that server allows. */
import type { Clock } from '../../engine/core/clock.ts';
import { aText, fieldsOf, parseJson, readAs } from '../../engine/core/decode.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine, cutText } from '../../engine/core/text.ts';
import type { DaemonState, Detail } from '../../tui/model.ts';
import {
  acknowledgeTyped,
  bannerTyped,
  type OperatorAction,
  silencedWord,
  silenceTyped,
  updateTyped,
} from '../../tui/prompt.ts';
import { readExplained } from './read-explained.ts';
import { readLive } from './read-live.ts';
import { readIncidents, readLatency, readSummary } from './read-summary.ts';
import type { Done, SummarySource } from './source.ts';
import type { Trust } from '../../engine/net/tls-trust.ts';
import { httpRequest } from '../http-request.ts';

/** A server that limits without saying for how long gets this. */
const restMs = 5000;
/** A server that asks for a longer pause is asked again after this: somebody looks at the screen. */
const mostRestMs = 600_000;
/** A server that is gone is noticed within 3 s. */
const againMs = 1400;
/** The API goes back no further. */
const mostHours = 720;

export function createRemote(server: RemoteServer, clock: Clock): SummarySource {
  const { base, token } = server;
  let restUntil = 0;
  let askedMs = -Infinity;
  let answered: DaemonState = 'unknown';

  const get = async (remoteRequest: Omit<RemoteRequest, 'method'>): Promise<unknown> => {
    const answer = await ask(server, { ...remoteRequest, method: 'GET' });
    if (answer.status === 429) restUntil = clock.monotonic() + restOf(answer);
    return jsonOf(answer, server);
  };
  const summary = async () => {
    const json = await get({ path: 'api/summary' });
    const read = readSummary(json);
    if (read === null) throw notStatusd(server);
    // To whom it trusts a server names its channels.
    if (token !== null && read.channels === undefined) throw refused(server);
    return { json, read };
  };
  /** For the operator alone; a server of before has none. */
  const explained = async (id: string) => {
    if (token === null) return readExplained(null);
    const answer = await ask(server, {
      path: `api/monitors/${encodeURIComponent(id)}/explain`,
      method: 'GET',
    });
    return readExplained(answer.status === 200 ? parseJson(answer.text) : null);
  };
  const act = async (action: OperatorAction): Promise<string> => {
    const { request, said } = requestOf(action);
    const root = readAs(
      fieldsOf(fieldsOf(jsonOf(await ask(server, request), server))['root'])['monitor'],
      aText,
    );
    return root === null ? said : `${said}; so is its cause ${root}`;
  };

  return {
    warnings: () => [],
    summary: async () => (await summary()).json,
    read: async () => ({
      summary: (await summary()).read,
      readAt: clock.now(),
      source: base.href,
    }),
    look: async (id, hours): Promise<Detail> => {
      const query = { hours: String(Math.min(hours, mostHours)) };
      const latency = readLatency(
        await get({ path: `api/monitors/${encodeURIComponent(id)}/latency`, query }),
      );
      const record = await get({ path: 'api/incidents', query: { monitor: id, limit: '10' } });
      const incidents = readIncidents((record as { readonly incidents?: unknown } | null)?.incidents);
      return { id, hours, latency, days: null, incidents, ...(await explained(id)) };
    },
    follow: () => () => undefined,
    patienceMs: () => Math.max(0, restUntil - clock.monotonic()),
    glance: async (ids) =>
      token === null ? null : readLive(await get({ path: 'api/live', query: { monitors: ids.join(',') } })),
    daemon: async () => {
      if (clock.monotonic() < askedMs + againMs) return answered;
      askedMs = clock.monotonic();
      answered = await ask(server, { path: 'healthz', method: 'GET', patienceMs: againMs }).then(
        () => 'ok' as const,
        () => 'gone' as const,
      );
      return answered;
    },
    act: (action) => done(() => act(action)),
    close: () => Promise.resolve(),
  };
}

/** The request for it, and the line that reports its success. */
function requestOf(action: OperatorAction): { readonly request: RemoteRequest; readonly said: string } {
  switch (action.kind) {
    case 'silence': {
      const { duration, reason } = silenceTyped(action.text);
      const query = {
        monitors: silencedWord(action.monitor),
        duration,
        ...(reason === '' ? {} : { reason }),
      };
      return {
        request: { method: 'POST', path: 'api/silence', query },
        said: `${action.monitor} is silent for ${duration}`,
      };
    }
    case 'unsilence':
      return {
        request: { method: 'DELETE', path: 'api/silence', query: { id: String(action.id) } },
        said: `silence ${action.id} is over`,
      };
    case 'announce': {
      const { severity, title, isForced } = bannerTyped(action.text);
      return {
        request: { method: 'POST', path: 'api/announce', query: { title, severity, ...forced(isForced) } },
        said: `banner (${severity}): ${title}`,
      };
    }
    case 'unannounce':
      return {
        request: { method: 'DELETE', path: 'api/announce', query: { id: String(action.id) } },
        said: `banner ${action.id} is down`,
      };
    case 'check':
      return {
        request: { method: 'POST', path: `api/monitors/${encodeURIComponent(action.monitor)}/check` },
        said: `${action.monitor} is being checked`,
      };
    case 'update': {
      const { state, message, isForced } = updateTyped(action.text);
      const body = JSON.stringify({ message, ...(state === null ? {} : { state }) });
      const path = `api/incidents/${encodeURIComponent(action.incident)}/updates`;
      return {
        request: { method: 'POST', path, body, query: forced(isForced) },
        said: 'the update is added',
      };
    }
    case 'acknowledge': {
      const { by, reason } = acknowledgeTyped(action.text);
      const body = JSON.stringify({ ...(by === null ? {} : { by }), ...(reason === '' ? {} : { reason }) });
      return {
        request: { method: 'POST', path: ackPath(action.incident), body },
        said: by === null ? 'acknowledged' : `acknowledged by ${by}`,
      };
    }
    case 'unacknowledge':
      return {
        request: { method: 'DELETE', path: ackPath(action.incident) },
        said: 'not acknowledged any more',
      };
    case 'annotate':
      throw new StatusdError('usage', 'notes are written beside the database: statusd annotate');
  }
}

function forced(isForced: boolean): Readonly<Record<string, string>> {
  return isForced ? { force: 'true' } : {};
}

function ackPath(incident: string): string {
  return `api/incidents/${encodeURIComponent(incident)}/ack`;
}

function restOf({ retryAfterSecs }: RemoteAnswer): number {
  return retryAfterSecs === null ? restMs : Math.min(retryAfterSecs * 1000, mostRestMs);
}

async function done(work: () => Promise<string>): Promise<Done> {
  try {
    return { text: cleanLine(await work()), isBad: false };
  } catch (error) {
    if (!(error instanceof StatusdError)) throw error;
    return { text: cleanLine(error.message), isBad: true };
  }
}

/** What a 200, 201 or 202 holds; every other answer is a named error. */
function jsonOf(answer: RemoteAnswer, server: RemoteServer): unknown {
  const { status } = answer;
  if (status === 401 || status === 403) throw refused(server);
  if (status === 429) {
    const secs = Math.ceil(restOf(answer) / 1000);
    throw new StatusdError('daemon_unreachable', `${server.base.origin} asks for a pause of ${secs} s`);
  }
  if (status < 200 || status > 202) {
    const why = detailOf(answer.text);
    throw new StatusdError(
      'daemon_unreachable',
      `${server.base.origin} answers ${status}${why === null ? '' : `: ${why}`}`,
    );
  }
  return parseJson(answer.text) ?? raise(notStatusd(server));
}

/** The sentence of a problem document. */
function detailOf(text: string): string | null {
  const detail = readAs(fieldsOf(parseJson(text))['detail'], aText);
  return detail === null ? null : cutText(cleanLine(detail), 200);
}

function raise(error: StatusdError): never {
  throw error;
}

function notStatusd({ base }: RemoteServer): StatusdError {
  return new StatusdError('daemon_unreachable', `what answers at ${base.origin} is not statusd`, {
    hint: 'Give the address of the status page, as in https://status.example.com.',
  });
}

function refused({ base, token }: RemoteServer): StatusdError {
  return token === null
    ? new StatusdError('refused', `${base.origin} asks for the access token`, {
        hint: 'Set $STATUSD_TOKEN, or name a file with --token-file.',
      })
    : new StatusdError('refused', `${base.origin} does not accept the token`, {
        hint: 'It has to be server.auth_token of its configuration.',
      });
}

interface RemoteServer {
  /** Ends in a slash. */
  readonly base: URL;
  readonly token: string | null;
  readonly trust?: Trust;
}

interface RemoteRequest {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** Relative to the server. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  /** JSON. */
  readonly body?: string;
  readonly patienceMs?: number;
}

interface RemoteAnswer {
  readonly status: number;
  /** Seconds; null: the server did not say. */
  readonly retryAfterSecs: number | null;
  readonly text: string;
}

/** A thousand monitors with a year of days each are about this. */
const maxBytes = 64 * 1024 * 1024;

/**
 * Asks another statusd over HTTP, as an operator with a token or as anyone. Rejects with `daemon_unreachable`. A
 * redirect is not followed: the token is for this server alone.
 */
async function ask(
  { base, token, trust }: RemoteServer,
  { method, path, query = {}, body, patienceMs = 10_000 }: RemoteRequest,
): Promise<RemoteAnswer> {
  const url = new URL(path, base);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const { status, headers, text } = await httpRequest(url, {
    method,
    body,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    patienceMs,
    maxBytes,
    trust,
    what: `${base.origin} cannot be reached`,
    hint: 'Is the address right, and does `statusd serve` run there?',
  });
  return { status, retryAfterSecs: secsOf(headers['retry-after']), text };
}

function secsOf(header: string | undefined): number | null {
  return header !== undefined && /^\d{1,5}$/.test(header) ? Number(header) : null;
}
