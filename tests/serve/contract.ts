/** What every answer must keep to: the headers that all have, and the shape that its route declares. */
import { routes } from '../../src/serve/routes/all.ts';
import { problem } from '../../src/serve/routes/schema.ts';
import { tableOf } from '../../src/serve/routes/table.ts';
import { readTarget } from '../../src/serve/target.ts';
import { validate } from '../support/json-schema.ts';

/** On every answer, whatever it answers. */
export const everywhere = [
  'content-security-policy',
  'x-content-type-options',
  'x-frame-options',
  'x-request-id',
] as const;

/** Statuses that any route may answer. */
const common = [400, 404, 405, 429, 500];

const find = tableOf(routes);

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly header: (name: string) => string | null;
  readonly text: string;
}

/** What is wrong with an answer; nothing when it keeps its promises. */
export function faultsOf(seen: Seen): string[] {
  const { status, header } = seen;
  const missing = everywhere.filter((name) => header(name) === null).map((name) => `no ${name}`);
  if (!/default-src 'none'/.test(header('content-security-policy') ?? '')) missing.push('an open policy');
  if (status === 204 || seen.method === 'HEAD') return missing;
  return [...missing, ...shapeFaults(seen)];
}

function shapeFaults({ method, path, status, header, text }: Seen): readonly string[] {
  const type = header('content-type') ?? '';
  if (status >= 400 && type === 'application/problem+json') {
    const document = JSON.parse(text) as { readonly status: number };
    if (document.status !== status) return ['another status in the problem'];
    return [...validate(problem, document), ...undeclared(method, path, status)];
  }
  const row = rowOf(method, path);
  const schema = row?.answers[status]?.schema;
  if (row === undefined || schema === undefined) return [`${method} ${path} does not declare ${status}`];
  return type.startsWith('application/json') ? validate(schema, JSON.parse(text)) : [];
}

function undeclared(method: string, path: string, status: number): string[] {
  const row = rowOf(method, path);
  const isDeclared = row === undefined || common.includes(status) || row.problems.includes(status);
  return isDeclared ? [] : [`${method} ${path} does not declare the problem ${status}`];
}

function rowOf(method: string, path: string) {
  try {
    const rows = find(readTarget(path).segments)?.rows;
    return [...(rows ?? [])].find(([each]) => each === method)?.[1];
  } catch {
    return undefined;
  }
}
