/** Makes requests of a described operation: some that fit the description, and some with one thing in them that does not. */
import { validate } from '../../support/json-schema.ts';
import type { Random } from '../../support/random.ts';

type Schema = Readonly<Record<string, unknown>>;

interface ParameterRow {
  readonly name: string;
  readonly in: string;
  readonly required?: boolean;
  readonly allowEmptyValue?: boolean;
  readonly schema: Schema;
}

export interface Operation {
  readonly method: string;
  readonly path: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters: readonly ParameterRow[];
  /** By media type; none: it takes no body. */
  readonly bodies: Readonly<Record<string, { readonly schema: Schema }>>;
}

export interface MadeRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
  /** It fits the description; one that does not may still be taken. */
  readonly isValid: boolean;
  /** What is wrong with it. */
  readonly flaw: string;
}

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          {
            readonly security: Operation['security'];
            readonly parameters?: Operation['parameters'];
            readonly requestBody?: { readonly content: Operation['bodies'] };
          }
        >
      >
    >
  >;
}

/** Every operation of an OpenAPI document, as it was served. */
export function operationsOf(document: unknown): Operation[] {
  return Object.entries((document as Document).paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { security, parameters = [], requestBody }]) => ({
      method: method.toUpperCase(),
      path,
      security,
      parameters,
      bodies: requestBody?.content ?? {},
    })),
  );
}

const oddTexts = [
  '',
  ' ',
  '0',
  '-1',
  'null',
  '__proto__',
  'constructor',
  '..',
  '%',
  '%00',
  '\0',
  'a\r\nSet-Cookie: x=1',
  '\u202e\u0007\u001b[31m',
  '<script>alert(1)</script>',
  "'; DROP TABLE incidents; --",
  '\ud800',
  '日本語 ünï 💩',
  '1e309',
  '9'.repeat(40),
  'x'.repeat(5000),
] as const;

/** Of anything: what JSON can say, and fields that may mean something to a program. */
const oddValues: readonly unknown[] = [
  null,
  true,
  0,
  -1,
  1.5,
  1e300,
  [],
  [[]],
  [null],
  {},
  { toString: 1, __proto__: null },
  ...oddTexts,
];

/** Texts that fit, by what they are for; `known` are names of things that exist. */
interface TextSource {
  readonly random: Random;
  readonly known: readonly string[];
}

/** A value that fits a schema. */
export function valueOf(schema: Schema, source: TextSource): unknown {
  const { random } = source;
  if (Array.isArray(schema['enum'])) return random.pick(schema['enum'] as unknown[]);
  if ('const' in schema) return schema['const'];
  if (Array.isArray(schema['anyOf'])) return valueOf(random.pick(schema['anyOf'] as Schema[]), source);
  const type: unknown = Array.isArray(schema['type'])
    ? random.pick(schema['type'] as unknown[])
    : schema['type'];
  switch (type) {
    case 'boolean':
      return random.below(2) === 1;
    case 'null':
      return null;
    case 'integer':
    case 'number':
      return numberOf(schema, random);
    case 'array': {
      const items = (schema['items'] ?? {}) as Schema;
      const least = Number(schema['minItems'] ?? 0);
      return Array.from({ length: least + random.below(4 - least) }, () => valueOf(items, source));
    }
    case 'object':
      return objectOf(schema, source);
    default:
      return textOf(schema, source);
  }
}

function numberOf({ minimum, maximum }: Schema, random: Random): number {
  const low = typeof minimum === 'number' ? minimum : -1000;
  const high = typeof maximum === 'number' ? maximum : low + 100_000;
  return random.pick([low, high, low + random.below(Math.min(high - low, 2 ** 31) + 1)]);
}

function objectOf(schema: Schema, source: TextSource): object {
  const properties = (schema['properties'] ?? {}) as Readonly<Record<string, Schema>>;
  const rules = (schema['allOf'] ?? []) as readonly { readonly anyOf: readonly Schema[] }[];
  const chosen = rules.map(({ anyOf }) => source.random.pick(anyOf));
  const required = [schema, ...chosen].flatMap((each) => (each['required'] ?? []) as readonly string[]);
  const bounds = Object.assign({}, ...chosen.map((each) => each['properties'] ?? {})) as Readonly<
    Record<string, Schema>
  >;
  const ways = (schema['oneOf'] ?? [{ required: [] }]) as readonly { readonly required: readonly string[] }[];
  const way = source.random.pick(ways).required;
  const others = ways.flatMap((each) => each.required).filter((name) => !way.includes(name));
  return Object.fromEntries(
    Object.entries(properties)
      .filter(([name]) => !others.includes(name))
      .filter(([name]) => [...required, ...way].includes(name) || source.random.below(2) === 1)
      .map(([name, part]) => [name, valueOf({ ...part, ...bounds[name] }, source)]),
  );
}

function textOf(schema: Schema, { random, known }: TextSource): string {
  // What is read further shows what fits.
  if (Array.isArray(schema['examples'])) return random.pick(schema['examples'] as string[]);
  const all = [...known, ...oddTexts, 'a'];
  const fitting = all.filter((text) => validate(schema, text).length === 0);
  return random.pick(fitting);
}

/** A request of an operation: every other one fits its description. */
export function requestOf(operation: Operation, source: TextSource): MadeRequest {
  const { random } = source;
  const { method, path, parameters, bodies } = operation;
  const types = Object.keys(bodies);
  const values = new Map<string, unknown>();
  for (const { name, in: place, required, schema } of parameters)
    if (place === 'path' || required === true || random.below(2) === 1)
      values.set(name, valueOf(schema, source));
  const type = types.length === 0 ? null : random.pick(types);
  let body: unknown = type === null ? undefined : valueOf(bodies[type]?.schema ?? {}, source);
  const query: [string, string][] = [];
  let flaw = '';
  if (random.below(2) === 1) {
    const queried = parameters.filter((each) => each.in === 'query');
    const flaws: (() => string)[] = [
      () => {
        const name = random.pick(queried.length === 0 ? ['x'] : queried.map((each) => each.name));
        query.push([name, random.pick(oddTexts)], [name, random.pick(oddTexts)]);
        return `${name} twice`;
      },
      () => {
        query.push([random.pick(['x', '', '__proto__', 'token']), random.pick(oddTexts)]);
        return 'an unknown parameter';
      },
      ...queried.map(({ name, schema, allowEmptyValue = false }) => () => {
        const text = random.pick(oddTexts);
        values.set(name, text);
        return (text !== '' || !allowEmptyValue) && validate(schema, asValue(text, schema)).length > 0
          ? `${name} does not fit`
          : `${name} is odd`;
      }),
      ...(type === null
        ? []
        : [
            () => {
              body = random.pick(oddValues);
              return 'another body';
            },
            () => {
              const names = Object.keys(bodies[type]?.schema['properties'] ?? {});
              const name = random.pick([...names, 'unknown', '__proto__']);
              body = { ...(body as object), [name]: random.pick(oddValues) };
              return `an odd ${name}`;
            },
          ]),
    ];
    flaw = random.pick(flaws)();
  }
  for (const { name, in: place } of parameters)
    if (place === 'query' && values.has(name)) query.push([name, String(values.get(name))]);
  const filled = path.replace(/\{(\w+)\}/g, (_, name: string) => segmentOf(String(values.get(name))));
  const search = query.map(([name, value]) => `${partOf(name)}=${partOf(value)}`).join('&');
  return {
    method,
    path: `${filled}${search === '' ? '' : `?${search}`}`,
    headers: type === null ? {} : { 'content-type': type },
    ...(type === null ? {} : { body: writtenAs(type, body) }),
    isValid: flaw === '',
    flaw,
  };
}

/** As a parameter is understood: figures are numbers where those are asked for. */
function asValue(text: string, { type }: Schema): unknown {
  return type === 'integer' && /^\d+$/.test(text) ? Number(text) : text;
}

function partOf(text: string): string {
  return encodeURIComponent(text.replace(/\p{Cs}/gu, '\ufffd'));
}

/** A client takes a segment of dots for a way up, and an empty one for none. */
function segmentOf(text: string): string {
  return /^\.*$/.test(text) ? '%20' : partOf(text);
}

function writtenAs(type: string, body: unknown): string {
  if (!type.endsWith('urlencoded')) return JSON.stringify(body);
  const fields = Object.entries((typeof body === 'object' && body) || { body });
  return new URLSearchParams(
    fields.flatMap(([name, value]) => [value].flat().map((each): [string, string] => [name, asText(each)])),
  ).toString();
}

function asText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}
