/** Describes the routes as an OpenAPI 3.1 document: a fold over their rows. */
import type { Access } from '../access/admit.ts';
import { jsonType } from '../http-types.ts';
import { isForPrograms } from '../layers/error-pages.ts';
import { htmlType } from '../page-headers.ts';
import type { Parameter } from '../routes/parameter.ts';
import type { RouteReply, Route } from '../routes/route.ts';
import { problem, type AnswerSchema } from '../routes/schema.ts';

export interface DocumentOf {
  readonly version: string;
  /** Where the server is reached: a path, or a whole URL. */
  readonly server: string;
}

export function openapiOf(routes: readonly Route[], { version, server }: DocumentOf) {
  const paths: Record<string, Record<string, object>> = {};
  for (const route of routes) {
    const path = (paths[route.path] ??= {});
    path[route.method.toLowerCase()] = operationOf(route);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'statusd',
      version,
      summary: 'A self-hosted monitoring service with a public status page.',
      description:
        'Without a token, a private monitor answers exactly like one that does not exist. Errors are problem documents (RFC 9457).',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: server }],
    paths,
    components: { schemas: { Problem: problem }, responses: problemResponses, headers, securitySchemes },
  };
}

const whole: AnswerSchema = { type: 'integer', minimum: 0 };

const headers = {
  'x-ratelimit-limit': {
    required: true,
    description: 'The number of requests allowed in a burst.',
    schema: whole,
  },
  'x-ratelimit-remaining': {
    required: true,
    description: 'The number of requests still allowed now.',
    schema: whole,
  },
  'x-ratelimit-reset': {
    required: true,
    description: 'Seconds until the full burst is allowed again.',
    schema: whole,
  },
  'retry-after': { required: true, description: 'Seconds to wait before another try.', schema: whole },
  'www-authenticate': { required: true, description: 'Which token is needed.', schema: { type: 'string' } },
} as const;

type HeaderName = keyof typeof headers;

const limits: readonly HeaderName[] = ['x-ratelimit-limit', 'x-ratelimit-remaining', 'x-ratelimit-reset'];
const tooManyHeaders: readonly HeaderName[] = [...limits, 'retry-after'];

function headersOf(names: readonly HeaderName[]): object {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

const problemDocument = { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } };
const problemPage = { ...problemDocument, [mediaType(htmlType)]: { schema: { type: 'string' } } };

const problemResponses = {
  Problem: problemResponse('What is wrong, as a problem document.', []),
  Unauthorized: problemResponse('The token is missing or wrong.', ['www-authenticate']),
  TooMany: problemResponse('Too many requests.', tooManyHeaders),
  Unavailable: problemResponse('The change cannot be stored at the moment.', ['retry-after']),
  ProblemPage: problemResponse('What is wrong, as a problem document or a page.', [], problemPage),
  TooManyPage: problemResponse('Too many requests.', tooManyHeaders, problemPage),
};

function problemResponse(
  description: string,
  names: readonly HeaderName[],
  content: object = problemDocument,
) {
  return { description, ...(names.length === 0 ? {} : { headers: headersOf(names) }), content };
}

function problemName(status: number, path: string): keyof typeof problemResponses {
  const isPage = !isForPrograms(path);
  switch (status) {
    case 401:
      return 'Unauthorized';
    case 429:
      return isPage ? 'TooManyPage' : 'TooMany';
    case 503:
      return 'Unavailable';
    default:
      return isPage ? 'ProblemPage' : 'Problem';
  }
}

const securitySchemes = {
  accessToken: { type: 'http', scheme: 'bearer', description: 'server.auth_token, or the token of a group.' },
  accessTokenInQuery: {
    type: 'apiKey',
    in: 'query',
    name: 'token',
    description: 'The same tokens, or a push token.',
  },
  pushToken: {
    type: 'apiKey',
    in: 'header',
    name: 'X-Push-Token',
    description: 'The push token of the monitor, or the listen_token of the peer.',
  },
  nodeToken: { type: 'http', scheme: 'bearer', description: 'The token of [node].' },
};

type Requirement = Readonly<Partial<Record<keyof typeof securitySchemes, readonly never[]>>>;

const [bearer, query, push]: readonly [Requirement, Requirement, Requirement] = [
  { accessToken: [] },
  { accessTokenInQuery: [] },
  { pushToken: [] },
];

/** An empty requirement: it also works without any token. */
const securityOf: Readonly<Record<Access, readonly Requirement[]>> = {
  anyone: [],
  reader: [{}, bearer, query],
  group: [{}, bearer, query],
  operator: [bearer, query],
  peer: [push],
  node: [{ nodeToken: [] }],
  heartbeat: [push, query],
  alert: [push, bearer, query],
};

function operationOf(route: Route): object {
  const { summary, access, parameters, body, answers, limit } = route;
  const named = Object.entries(parameters);
  return {
    operationId: operationId(route),
    summary,
    security: securityOf[access],
    ...(named.length === 0
      ? {}
      : { parameters: named.map(([name, parameter]) => parameterOf(name, parameter)) }),
    ...(body === undefined
      ? {}
      : {
          requestBody: {
            description: body.doc,
            required: body.isForm !== true,
            content: Object.fromEntries(bodyTypes(body).map((type) => [type, { schema: body.schema }])),
          },
        }),
    responses: {
      ...Object.fromEntries(
        Object.entries(answers).map(([status, answer]) => [
          status,
          { ...responseOf(answer), ...(limit === 'api' ? { headers: headersOf(limits) } : {}) },
        ]),
      ),
      ...Object.fromEntries(
        problemsOf(route).map((status) => [
          status,
          { $ref: `#/components/responses/${problemName(status, route.path)}` },
        ]),
      ),
    },
  };
}

const bodyTypes = ({ isForm }: NonNullable<Route['body']>) =>
  isForm === true ? ['application/x-www-form-urlencoded', 'application/json'] : ['application/json'];

/** Any request can be malformed, too many of most are refused, those that try tokens among them, and anything can break. */
function problemsOf({ problems, answers, limit, access }: Route): readonly number[] {
  const isCounted = limit !== null || access !== 'anyone';
  const all = new Set([400, ...problems, ...(isCounted ? [429] : []), 500]);
  return [...all].filter((status) => answers[status] === undefined).sort((a, b) => a - b);
}

function responseOf(answer: RouteReply): object {
  if ('schema' in answer) {
    return { description: answer.doc, content: { [mediaType(jsonType)]: { schema: answer.schema } } };
  }
  const { doc, types } = answer;
  if (types.length === 0) return { description: doc };
  return {
    description: doc,
    content: Object.fromEntries(types.map((type) => [mediaType(type), { schema: { type: 'string' } }])),
  };
}

function parameterOf(name: string, parameter: Parameter<unknown>): object {
  const { doc, isRequired, schema } = parameter;
  const { description, ...shape } = schema as AnswerSchema & { readonly description?: string };
  return {
    name,
    in: parameter.in,
    description: description === undefined ? doc : `${doc} ${description}`,
    required: isRequired,
    // It is the same as none.
    ...(parameter.in === 'query' && !isRequired && { allowEmptyValue: true }),
    schema: shape,
  };
}

/** `get /api/monitors/{id}/latency` is `getApiMonitorsIdLatency`. */
function operationId({ method, path }: Route): string {
  const words = path.split(/[^A-Za-z0-9]+/).filter((word) => word !== '');
  return [method.toLowerCase(), ...words.map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))].join(
    '',
  );
}

/** Without its parameters. */
export function mediaType(type: string): string {
  return type.split(';')[0]?.trim().toLowerCase() ?? '';
}
