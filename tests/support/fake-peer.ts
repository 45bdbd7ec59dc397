/** A node as its peers meet it: says what a test wants it to say, and how often it was asked. */
import { startHttp, type Target } from './http-target.ts';

export interface FakePeer extends Target {
  /** What it was asked about, by the id of the monitor. */
  readonly asked: string[];
  /** How many questions were open at once, at most. */
  readonly mostAtOnce: () => number;
}

/** What it answers to one question: a status, and a body that is sent as JSON. */
export interface FakeAnswer {
  readonly status: number;
  readonly body: unknown;
}

export interface FakePeerOptions {
  /** Its [health] id. */
  readonly id?: string;
  readonly token?: string;
  readonly answer?: (monitor: string, count: number) => FakeAnswer;
  /** How far its clock is ahead. */
  readonly skewMs?: number;
}

export const seenUp: FakeAnswer = {
  status: 200,
  body: { up: true, status: 'up', latency_ms: 23, error: null },
};
export const seenDown: FakeAnswer = {
  status: 200,
  body: { up: false, status: 'down', latency_ms: null, error: 'it refuses \u001b[31mconnections' },
};
export const notWatched: FakeAnswer = { status: 404, body: {} };

export async function startPeer({
  id = 'paris',
  token = 'the-token-of-peers',
  answer = () => seenUp,
  skewMs = 0,
}: FakePeerOptions = {}): Promise<FakePeer> {
  const asked: string[] = [];
  let open = 0;
  let most = 0;
  const target = await startHttp((request, response) => {
    response.setHeader('date', new Date(Date.now() + skewMs).toUTCString());
    response.setHeader('content-type', 'application/json');
    if (request.url === '/healthz') {
      response.end(JSON.stringify({ status: 'ok', scheduler_ok: true, id, peers: {} }));
      return;
    }
    if (request.url?.startsWith('/api/push/') === true) {
      response.end('{"status":"ok"}');
      return;
    }
    open += 1;
    most = Math.max(most, open);
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const isKnown = request.headers['x-push-token'] === token;
      const monitor = isKnown ? (JSON.parse(text) as { id: string }).id : '';
      if (isKnown) asked.push(monitor);
      const { status, body } = isKnown ? answer(monitor, asked.length) : { status: 401, body: {} };
      setTimeout(() => {
        open -= 1;
        response.writeHead(status).end(JSON.stringify(body));
      }, 5);
    });
  });
  return { ...target, asked, mostAtOnce: () => most };
}

/** Its lines of a configuration. */
export function peerLines(id: string, origin: string, more = ''): string {
  return `
[[peers]]
id = "${id}"
ping_url = "${origin}/api/push/here"
ping_token = "the-token-of-peers"
${more}
`;
}
