/** The shapes of answers as JSON Schema (draft 2020-12, as OpenAPI 3.1 has it), put together from few words. */

export type JsonSchema = Readonly<Record<string, unknown>>;

export const text: JsonSchema = { type: 'string' };
export const flag: JsonSchema = { type: 'boolean' };
export const integer: JsonSchema = { type: 'integer' };
export const count: JsonSchema = { type: 'integer', minimum: 0 };
export const number: JsonSchema = { type: 'number' };
export const permille: JsonSchema = { type: 'integer', minimum: 0, maximum: 1000 };
/** RFC 3339, in UTC. */
export const instant: JsonSchema = { type: 'string', format: 'date-time' };

export function oneOf(words: readonly string[]): JsonSchema {
  return { type: 'string', enum: words };
}

export function listOf(items: JsonSchema): JsonSchema {
  return { type: 'array', items };
}

export function orNull(schema: JsonSchema): JsonSchema {
  return { anyOf: [schema, { const: null }] };
}

/** An object with all of these keys and no others; `absent` names those that not everybody gets. */
export function object(
  properties: Readonly<Record<string, JsonSchema>>,
  absent: readonly string[] = [],
): JsonSchema {
  return {
    type: 'object',
    properties,
    required: Object.keys(properties).filter((key) => !absent.includes(key)),
    additionalProperties: false,
  };
}

/** An object from any name to one shape. */
export function mapOf(values: JsonSchema): JsonSchema {
  return { type: 'object', additionalProperties: values };
}

export const problem: JsonSchema = object({ type: text, title: text, status: integer, detail: text });
