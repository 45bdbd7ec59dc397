/** A parameter of a route, declared once: its parser, its error and its documentation follow. */
import type { IncomingHttpHeaders } from 'node:http';
import {
  anObject,
  aText,
  demand,
  orNull,
  parseJson,
  readAs,
  shape,
  type ValueShape,
} from '../../engine/core/decode.ts';
import { nearest } from '../../engine/core/nearest.ts';
import { boundedText, cleanLine, cutText } from '../../engine/core/text.ts';
import { HttpProblem } from '../problem.ts';
import { type AnswerSchema, exampleTitle, type OwnFields } from './schema.ts';

type Redact = (text: string) => string;

/** How a text becomes a value; null: it does not. What is kept as it was written is masked first. */
export interface ParameterType<T> {
  readonly schema: AnswerSchema;
  /** What is allowed, to be put after "must be". */
  readonly allowed: string;
  readonly read: (text: string, redact: Redact) => T | null;
}

export interface Parameter<T> extends ParameterType<T> {
  readonly in: 'path' | 'query';
  readonly doc: string;
  readonly isRequired: boolean;
  /** When it is absent or empty. */
  readonly missing: T | null;
}

export type Parameters = Readonly<Record<string, Parameter<unknown>>>;

export type ParameterValues<P extends Parameters> = {
  readonly [Name in keyof P]: P[Name] extends Parameter<infer T> ? T : never;
};

interface ParameterDoc {
  readonly doc: string;
}

/** An id in the path. Any text is one: what there is none of is a 404. */
export function inPath({ doc }: ParameterDoc): Parameter<string> {
  return {
    ...plain(64),
    schema: { type: 'string' },
    in: 'path',
    doc,
    isRequired: true,
    missing: null,
    read: (written) => written,
  };
}

export function required<T>(type: ParameterType<T>, { doc }: ParameterDoc): Parameter<T> {
  return { ...type, in: 'query', doc, isRequired: true, missing: null };
}

export function optional<T>(type: ParameterType<T>, { doc }: ParameterDoc): Parameter<T | null> {
  return { ...type, in: 'query', doc, isRequired: false, missing: null };
}

export function withDefault<T>(type: ParameterType<T>, missing: T, { doc }: ParameterDoc): Parameter<T> {
  return {
    ...type,
    schema: { ...type.schema, default: missing },
    in: 'query',
    doc,
    isRequired: false,
    missing,
  };
}

/** A line of at most `max` characters: more is cut off, not refused. */
export function line(max: number): ParameterType<string> {
  return { ...plain(max), read: (written, redact) => boundedText(redact(written), max, ' ') };
}

/** A line that says something: one without a visible character is refused where it is read. */
export function title(max: number): ParameterType<string> {
  const type = line(max);
  return { ...type, schema: { ...type.schema, minLength: 1, examples: [exampleTitle] } };
}

/** The same for text of several lines. */
export function lines(max: number): ParameterType<string> {
  return { ...plain(max), read: (written, redact) => boundedText(redact(written), max, '\n') };
}

function plain(max: number): ParameterType<string> {
  return {
    schema: { type: 'string', description: `At most ${max} characters are kept.` },
    allowed: 'a text',
    read: (written) => written,
  };
}

/** None of them is negative. */
export function whole(min: number, max: number): ParameterType<number> {
  return {
    schema: { type: 'integer', minimum: min, maximum: max },
    allowed: `a whole number from ${min} to ${max}`,
    read: (written) => {
      const value = /^\d{1,16}$/.test(written) ? Number(written) : Number.NaN;
      return value >= min && value <= max ? value : null;
    },
  };
}

/** One of some words, in any letter case. */
export function choice<const T extends string>(words: readonly T[]): ParameterType<T> {
  return {
    schema: { type: 'string', enum: words },
    allowed: `one of ${words.join(', ')}`,
    read: (written) => {
      const lower = written.toLowerCase();
      return words.find((word) => word.toLowerCase() === lower) ?? null;
    },
  };
}

export const flag: ParameterType<boolean> = {
  schema: { type: 'string', enum: ['true', 'false', '1', '0'] },
  allowed: 'true or false',
  read: (written) => {
    if (written === 'true' || written === '1') return true;
    return written === 'false' || written === '0' ? false : null;
  },
};

interface TextForm {
  readonly isRight: (written: string) => boolean;
  /** Some that are right, for the documentation. */
  readonly examples: readonly string[];
}

/** A text with a form of its own. */
export function matching(allowed: string, { isRight, examples }: TextForm): ParameterType<string> {
  return {
    schema: { type: 'string', ...(examples.length > 0 && { examples }) },
    allowed,
    read: (written) => (isRight(written) ? written : null),
  };
}

/** Any text, which is not kept as it is: it is looked up, or read further, and then it has `examples`. */
export function looseText(allowed: string, examples: readonly string[] = []): ParameterType<string> {
  return matching(allowed, { isRight: () => true, examples });
}

export interface RequestValues {
  readonly redact: Redact;
  readonly path: Readonly<Record<string, string>>;
  readonly query: URLSearchParams;
}

/** The values of all parameters. Throws a 400 that names the first that is wrong, and what is allowed. */
export function readParameters(
  parameters: Parameters,
  given: RequestValues,
): Readonly<Record<string, unknown>> {
  const values: Record<string, unknown> = {};
  for (const name in parameters) {
    const parameter = parameters[name];
    if (parameter === undefined) continue;
    const written = parameter.in === 'path' ? given.path[name] : given.query.get(name);
    values[name] = valueOf(name, parameter, { written: written ?? '', redact: given.redact });
  }
  return values;
}

function valueOf(
  name: string,
  parameter: Parameter<unknown>,
  { written, redact }: { readonly written: string; readonly redact: Redact },
): unknown {
  if (written === '') {
    if (!parameter.isRequired) return parameter.missing;
    throw new HttpProblem(400, `${name} is missing in the query: it must be ${parameter.allowed}.`);
  }
  const value = parameter.read(written, redact);
  if (value === null) throw new HttpProblem(400, `${name} must be ${parameter.allowed}.`);
  return value;
}

/** A map, so that no name in it means anything to the language. Throws a 400 when it is anything else. */
export function fieldsOf(body: Buffer): ReadonlyMap<string, unknown> {
  const value = parseJson(decoded(body));
  if (value === undefined) throw new HttpProblem(400, 'The body must be JSON.');
  const fields = readAs(value, anObject);
  if (fields === null) throw new HttpProblem(400, 'The body must be a JSON object.');
  return new Map(Object.entries(fields));
}

/**
 * The same for a body in a format of this program alone. Throws a 400 for an unknown field, too: a misspelt one that says
 * what is covered would make it cover everything.
 */
export function ownFieldsOf(
  body: Buffer,
  { properties }: OwnFields,
  redact: Redact,
): ReadonlyMap<string, unknown> {
  const fields = fieldsOf(body);
  refuseOtherNames(fields.keys(), Object.keys(properties), { what: 'field', redact });
  return fields;
}

/** Throws a 400 that names the first name that is not known, and the nearest that is. */
export function refuseOtherNames(
  names: Iterable<string>,
  known: readonly string[],
  { what, redact }: { readonly what: 'field' | 'parameter'; readonly redact: Redact },
): void {
  const other = [...names].find((name) => !known.includes(name));
  if (other === undefined) return;
  const guess = nearest(other, known);
  const cure = guess === null ? `there are ${known.join(', ')}` : `did you mean ${guess}?`;
  throw new HttpProblem(
    400,
    `${cutText(cleanLine(redact(other)), 60)} is an unknown ${what}; ${cure}${guess === null ? '.' : ''}`,
  );
}

/** The field of a body; null when it is absent or null. Throws a 400 that says what it must be. */
export function fieldIn<T>(
  fields: ReadonlyMap<string, unknown>,
  name: string,
  wanted: ValueShape<T>,
): T | null {
  const refuse = (fault: string) => new HttpProblem(400, `${fault}.`);
  return demand(fields.get(name) ?? null, orNull(wanted), { name, refuse });
}

/** Bytes that are no UTF-8 are no JSON. */
function decoded(body: Buffer): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(body);
  } catch {
    return '';
  }
}

const texts = shape(
  'a list of texts',
  (value): value is readonly string[] =>
    Array.isArray(value) && value.every((each) => typeof each === 'string'),
);

/** A list of texts of a body; none when it is absent. Throws a 400 when it is anything else. */
export function textsIn(fields: ReadonlyMap<string, unknown>, name: string): readonly string[] {
  return fieldIn(fields, name, texts) ?? [];
}

export interface Form {
  /** Empty when there is none. */
  readonly text: (name: string) => string;
  readonly list: (name: string) => readonly string[];
}

/** A body as a form of a page sends it, or as JSON when its type says so. Throws a 400. */
export function formOf({
  headers,
  body,
}: {
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}): Form {
  if (/^application\/json\b/i.test(headers['content-type'] ?? '')) {
    const fields = fieldsOf(body);
    return {
      text: (name) => fieldIn(fields, name, aText) ?? '',
      list: (name) => textsIn(fields, name),
    };
  }
  const fields = new URLSearchParams(decoded(body));
  return { text: (name) => fields.get(name) ?? '', list: (name) => fields.getAll(name) };
}

/** For texts that strangers read. */
export const force = withDefault(flag, false, {
  doc: 'With true, the text is published even if it names a private monitor, a channel or the host of a target. Otherwise such a text is refused (400).',
});

/** The monitor in the path of a route. */
export const monitorId = inPath({ doc: 'The config id of a monitor.' });
