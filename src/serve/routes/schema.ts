/** The shapes of answers as JSON Schema (draft 2020-12, as OpenAPI 3.1 has it), put together from few words. */

export type Schema = Readonly<Record<string, unknown>>;

export const text: Schema = { type: 'string' };
export const flag: Schema = { type: 'boolean' };
export const integer: Schema = { type: 'integer' };
export const count: Schema = { type: 'integer', minimum: 0 };
export const number: Schema = { type: 'number' };
export const permille: Schema = { type: 'integer', minimum: 0, maximum: 1000 };
/** RFC 3339, in UTC. */
export const instant: Schema = { type: 'string', format: 'date-time' };

export function oneOf(words: readonly string[]): Schema {
  return { type: 'string', enum: words };
}

export function listOf(items: Schema): Schema {
  return { type: 'array', items };
}

export function orNull(schema: Schema): Schema {
  return { anyOf: [schema, { const: null }] };
}

/** An object with all of these keys and no others; `absent` names those that not everybody gets. */
export function object(properties: Readonly<Record<string, Schema>>, absent: readonly string[] = []): Schema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((key) => !absent.includes(key)),
    additionalProperties: false,
  };
}

/** An object from any name to one shape. */
export function mapOf(values: Schema): Schema {
  return { type: 'object', additionalProperties: values };
}

export const problem: Schema = object({ type: text, title: text, status: integer, detail: text });
