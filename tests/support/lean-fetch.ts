/** Asks as `fetch` does, with the same headers, in less of a processor's time: for tests that ask thousands of times. */
import { once } from 'node:events';
import { Agent, request, type IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { gunzipSync, inflateSync } from 'node:zlib';

export interface Question {
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
}

/** What `fetch` sends with every request. */
const common = {
  accept: '*/*',
  'accept-language': '*',
  'sec-fetch-mode': 'cors',
  'user-agent': 'node',
  'accept-encoding': 'gzip, deflate',
};
const agent = new Agent({ keepAlive: true });

/** Follows no redirect. */
export async function leanFetch(url: string, { method, headers, body }: Question): Promise<Answer> {
  const given = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  const text = typeof body !== 'string' ? {} : { 'content-type': 'text/plain;charset=UTF-8' };
  const asked = request(url, { agent, method, headers: { ...common, ...text, ...given } });
  asked.end(body);
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  const found = new Headers();
  const { rawHeaders } = response;
  for (let index = 0; index < rawHeaders.length; index += 2)
    found.append(rawHeaders[index] ?? '', rawHeaders[index + 1] ?? '');
  const bytes = decoded(await buffer(response), found.get('content-encoding'));
  return { status: response.statusCode ?? 0, headers: found, text: new TextDecoder().decode(bytes) };
}

function decoded(bytes: Buffer, encoding: string | null): Buffer {
  if (bytes.length === 0) return bytes;
  if (encoding === 'gzip') return gunzipSync(bytes);
  return encoding === 'deflate' ? inflateSync(bytes) : bytes;
}
