/** A vendor of messages on loopback: takes requests by the vendor's rules, and can be told to misbehave. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { startHttp, startHttps, type Target } from './http-target.ts';
import type { Credentials } from './tls.ts';

/** A request as it came over the wire. */
export interface VendorRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  /** Lower-case names. A name that came twice has its values joined. */
  readonly headers: Readonly<Record<string, string>>;
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** What a person would see of a message. */
export interface Notified {
  /** Null where the vendor has no title. */
  readonly title: string | null;
  /** As it is shown: markup and escapes already interpreted. */
  readonly text: string;
  readonly priority: number | null;
  /** Whoever would be rung or named by it, as the vendor reads the text. */
  readonly mentions: readonly string[];
  /** What the vendor would show as something else than text. */
  readonly markup: readonly string[];
  /** Where it leads. */
  readonly links: readonly string[];
}

export interface VendorAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Null when the vendor refuses the request, or is only asked something. */
  readonly notified: Notified | null;
}

/** How a vendor takes a request. */
export type VendorRules = (request: VendorRequest) => VendorAnswer;

export type Fault =
  | { readonly kind: 'answer'; readonly answer: Omit<VendorAnswer, 'notified'> }
  | { readonly kind: 'reset' }
  /** Takes the message and hangs up before saying so. */
  | { readonly kind: 'take_and_reset' }
  | { readonly kind: 'hang' };

export interface Vendor extends Target {
  readonly requests: readonly VendorRequest[];
  readonly notified: readonly Notified[];
  /** What the next requests meet, one each, before the rules apply again. */
  readonly misbehave: (...faults: readonly Fault[]) => void;
  readonly forget: () => void;
}

export async function startVendor(rules: VendorRules, credentials?: Credentials): Promise<Vendor> {
  const requests: VendorRequest[] = [];
  const notified: Notified[] = [];
  const faults: Fault[] = [];
  const take = (request: VendorRequest): VendorAnswer => {
    const answer = rules(request);
    if (answer.notified !== null) notified.push(answer.notified);
    return answer;
  };
  const serve = async (incoming: IncomingMessage, response: ServerResponse) => {
    const request = await requestOf(incoming);
    requests.push(request);
    const fault = faults.shift();
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'take_and_reset') take(request);
    if (fault?.kind === 'reset' || fault?.kind === 'take_and_reset') {
      incoming.socket.resetAndDestroy();
      return;
    }
    const { status, headers, body } = fault?.kind === 'answer' ? fault.answer : take(request);
    response.writeHead(status, headers).end(body);
  };
  const listener = (incoming: IncomingMessage, response: ServerResponse) => {
    serve(incoming, response).catch(() => incoming.socket.destroy());
  };
  const target = await (credentials === undefined ? startHttp(listener) : startHttps(listener, credentials));
  return {
    ...target,
    requests,
    notified,
    misbehave: (...next) => {
      faults.push(...next);
    },
    forget: () => {
      for (const list of [requests, notified, faults]) list.length = 0;
    },
  };
}

async function requestOf(incoming: IncomingMessage): Promise<VendorRequest> {
  const chunks: Buffer[] = [];
  for await (const chunk of incoming) chunks.push(chunk as Buffer);
  const bytes = Buffer.concat(chunks);
  const body = bytes.toString('utf8');
  if (!bytes.equals(Buffer.from(body))) throw new Error('the body is no UTF-8');
  const url = new URL(incoming.url ?? '/', 'http://vendor');
  return {
    method: incoming.method ?? '',
    path: url.pathname,
    query: url.searchParams,
    headers: Object.fromEntries(
      Object.entries(incoming.headers).map(([name, value]) => [name, String(value)]),
    ),
    rawHeaders: incoming.rawHeaders,
    body,
  };
}

export const json = (status: number, value: unknown, notified: Notified | null = null): VendorAnswer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
  notified,
});

/** The body as a JSON object, when it is one and says so. */
export function documentOf({ headers, body }: VendorRequest): Readonly<Record<string, unknown>> | null {
  if (!/^application\/json(;|$)/.test(headers['content-type'] ?? '')) return null;
  try {
    const value = JSON.parse(body) as unknown;
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null;
  }
}

/** Whether a text is one that a strict reader of UTF-16 takes. */
export const isWellFormed = (text: string) => Buffer.from(text).toString() === text;
