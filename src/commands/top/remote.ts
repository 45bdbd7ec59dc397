/** Reads another server over its API and keeps to the pace it asks for. */
import type { Clock } from '../../engine/core/clock.ts';
import { aText, fieldsOf, parseJson, readAs } from '../../engine/core/decode.ts';
import { StatusdError } from '../../engine/core/errors.ts';
import { cleanLine, cutText } from '../../engine/core/text.ts';
import type { Detail } from '../../tui/model.ts';
import { readIncidents, readLatency, readSummary } from './read-summary.ts';
import { bannerTyped, type Done, silenceTyped, type SummarySource } from './source.ts';
import type { Trust } from '../../engine/net/tls-trust.ts';
import { httpRequest } from '../http-request.ts';

/** A server that limits without saying for how long gets this. */
const restMs = 5000;

export function createRemote(server: RemoteServer, clock: Clock): SummarySource {
  const { base, token } = server;
  let restUntil = 0;

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
  const post = (remoteRequest: Omit<RemoteRequest, 'method'>, said: (json: unknown) => string) =>
    done(async () => said(jsonOf(await ask(server, { ...remoteRequest, method: 'POST' }), server)));

  return {
    warnings: () => [],
    summary: async () => (await summary()).json,
    read: async () => ({
      summary: (await summary()).read,
      readAt: clock.now(),
      source: base.href,
      trend: null,
    }),
    look: async (id): Promise<Detail> => {
      const latency = readLatency(
        await get({ path: `api/monitors/${encodeURIComponent(id)}/latency`, query: { hours: '24' } }),
      );
      const record = await get({ path: 'api/incidents', query: { monitor: id, limit: '10' } });
      const incidents = readIncidents((record as { readonly incidents?: unknown } | null)?.incidents);
      return { id, latency, days: null, incidents, explanation: null, channels: null };
    },
    follow: () => () => undefined,
    patienceMs: () => Math.max(0, restUntil - clock.monotonic()),
    silence: (monitors, text) => {
      const { duration, reason } = silenceTyped(text);
      const query = { monitors, duration, ...(reason === '' ? {} : { reason }) };
      return post({ path: 'api/silence', query }, () => `${monitors} is silent for ${duration}`);
    },
    announce: (text) => {
      const { severity, title } = bannerTyped(text);
      return post(
        { path: 'api/announce', query: { title, severity } },
        () => `banner (${severity}): ${title}`,
      );
    },
    annotate: () =>
      Promise.resolve({ text: 'notes are written beside the database: statusd annotate', isBad: true }),
    close: () => Promise.resolve(),
  };
}

function restOf({ retryAfterSecs }: RemoteAnswer): number {
  return retryAfterSecs === null ? restMs : retryAfterSecs * 1000;
}

async function done(work: () => Promise<string>): Promise<Done> {
  try {
    return { text: cleanLine(await work()), isBad: false };
  } catch (error) {
    if (!(error instanceof StatusdError)) throw error;
    return { text: cleanLine(error.message), isBad: true };
  }
}

/** What a 200 holds; every other answer is a named error. */
function jsonOf(answer: RemoteAnswer, server: RemoteServer): unknown {
  const { status } = answer;
  if (status === 401 || status === 403) throw refused(server);
  if (status === 429) {
    const secs = Math.ceil(restOf(answer) / 1000);
    throw new StatusdError('daemon_unreachable', `${server.base.origin} asks for a pause of ${secs} s`);
  }
  if (status !== 200) {
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
  readonly method: 'GET' | 'POST';
  /** Relative to the server. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
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
 * Asks another statusd over HTTP, as an operator with a token or as anybody. Rejects with `daemon_unreachable`. A
 * redirect is not followed: the token is for this server alone.
 */
async function ask(
  { base, token, trust }: RemoteServer,
  { method, path, query = {} }: RemoteRequest,
): Promise<RemoteAnswer> {
  const url = new URL(path, base);
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value);
  const { status, headers, text } = await httpRequest(url, {
    method,
    headers: token === null ? {} : { authorization: `Bearer ${token}` },
    patienceMs: 10_000,
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
