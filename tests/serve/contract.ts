/** What every answer must keep to: the headers that all have, and what the description of the routes says of it. */
import { mediaType, openapiOf } from '../../src/serve/openapi/document.ts';
import { routes } from '../../src/serve/routes/all.ts';
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

type Content = Readonly<Record<string, { readonly schema: object }>>;

interface Described {
  readonly headers?: Readonly<Record<string, { readonly $ref: string }>>;
  readonly content?: Content;
}

/** The description, as a client would read it. */
const description = openapiOf(routes, { version: '0.0.0', server: '/' });

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
  // A guessed address is led on, without a body.
  if (status === 302 && seen.text === '') return missing;
  return [...missing, ...shapeFaults(seen)];
}

function shapeFaults({ method, path, status, header, text }: Seen): readonly string[] {
  const type = mediaType(header('content-type') ?? '');
  const described = describedOf(method, path, status);
  if (described === undefined) return [`${method} ${path} does not declare ${status}`];
  if (described === null && type === 'text/html') return [];
  const absent = Object.keys(described?.headers ?? {}).filter((name) => header(name) === null);
  if (absent.length > 0) return absent.map((name) => `${method} ${path} ${status} without ${name}`);
  const content = described === null ? problemContent : (described.content ?? null);
  if (content === null) return text === '' ? [] : [`${method} ${path} declares no body for ${status}`];
  const schema = content[type]?.schema;
  if (schema === undefined) return [`${method} ${path} does not declare ${type}`];
  if (!type.endsWith('json')) return [];
  const document = JSON.parse(text) as { readonly status?: number };
  if (status >= 400 && type === 'application/problem+json' && document.status !== status) {
    return ['another status in the problem'];
  }
  return validate(resolved(schema), document);
}

/** Null: there is no such path or method, which any address may answer with a problem; undefined: it is not declared. */
function describedOf(method: string, path: string, status: number): Described | null | undefined {
  const row = rowOf(method, path) ?? (status === 405 ? undefined : heartbeatRowOf(path));
  if (row === undefined) return null;
  const operations = description.paths[row.path] as Readonly<Record<string, { readonly responses: object }>>;
  const responses = operations[row.method.toLowerCase()]?.responses as Readonly<
    Record<string, Described | { readonly $ref: string }>
  >;
  const response = responses[String(status)];
  return response !== undefined && '$ref' in response ? referred(response.$ref) : response;
}

/** What a reference to a part of the description leads to. */
function referred(reference: string): Described {
  const [, ...steps] = reference.split('/');
  return steps.reduce<unknown>(
    (part, step) => (part as Record<string, unknown>)[step],
    description,
  ) as Described;
}

const problemContent = description.components.responses.Problem.content as Content;

function resolved(schema: object): object {
  const isProblem = '$ref' in schema && schema.$ref === '#/components/schemas/Problem';
  return isProblem ? description.components.schemas.Problem : schema;
}

/** A heartbeat with its token in the path comes by any method, and is described as a POST. */
function heartbeatRowOf(path: string) {
  const row = rowOf('POST', path);
  return row?.access === 'heartbeat' ? row : undefined;
}

function rowOf(method: string, path: string) {
  try {
    const rows = find(readTarget(path).segments)?.rows;
    return [...(rows ?? [])].find(([each]) => each === method)?.[1];
  } catch {
    return undefined;
  }
}
