/** A validator for the part of JSON Schema (draft 2020-12) that our schemas use. An unknown keyword is an error. */

type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };
type Table = Readonly<Record<string, Json>>;

/** What is wrong with a value, one sentence each; nothing when it is valid. */
export function validate(schema: unknown, value: unknown): readonly string[] {
  return [...check({ root: schema as Table, schema: schema as Table }, value as Json, '$')];
}

interface Scope {
  readonly root: Table;
  readonly schema: Table;
}

function* check({ root, schema }: Scope, value: Json, at: string): Generator<string> {
  const passes = (part: Json | undefined) =>
    [...check({ root, schema: part as Table }, value, at)].length === 0;
  for (const [keyword, rule] of Object.entries(schema)) {
    switch (keyword) {
      case '$schema':
      case '$defs':
      case 'title':
      case 'description':
      case 'default':
      case 'examples':
      case 'then':
        break;
      case '$ref': {
        const target = (rule as string)
          .split('/')
          .slice(1)
          .reduce<Json>((part, step) => (part as Table)[step] ?? null, root);
        yield* check({ root, schema: target as Table }, value, at);
        break;
      }
      case 'type':
        if (![rule].flat().some((type) => isOfType(value, type as string)))
          yield `${at}: not a ${JSON.stringify(rule)}`;
        break;
      case 'enum':
        if (!(rule as readonly Json[]).includes(value)) yield `${at}: not in ${JSON.stringify(rule)}`;
        break;
      case 'const':
        if (value !== rule) yield `${at}: not ${JSON.stringify(rule)}`;
        break;
      case 'format':
        if (typeof value === 'string' && Number.isNaN(Date.parse(value)))
          yield `${at}: no ${JSON.stringify(rule)}`;
        break;
      case 'pattern':
        if (typeof value === 'string' && !new RegExp(rule as string, 'u').test(value))
          yield `${at}: not like ${JSON.stringify(rule)}`;
        break;
      case 'minLength':
        if (typeof value === 'string' && value.length < Number(rule)) yield `${at}: too short`;
        break;
      case 'maxLength':
        if (typeof value === 'string' && value.length > Number(rule)) yield `${at}: too long`;
        break;
      case 'minItems':
        if (Array.isArray(value) && value.length < Number(rule)) yield `${at}: too few`;
        break;
      case 'minimum':
        if (typeof value === 'number' && value < Number(rule)) yield `${at}: under ${JSON.stringify(rule)}`;
        break;
      case 'maximum':
        if (typeof value === 'number' && value > Number(rule)) yield `${at}: over ${JSON.stringify(rule)}`;
        break;
      case 'exclusiveMinimum':
        if (typeof value === 'number' && value <= Number(rule))
          yield `${at}: not over ${JSON.stringify(rule)}`;
        break;
      case 'exclusiveMaximum':
        if (typeof value === 'number' && value >= Number(rule))
          yield `${at}: not under ${JSON.stringify(rule)}`;
        break;
      case 'required':
        if (isTable(value)) {
          for (const key of rule as readonly string[])
            if (!Object.hasOwn(value, key)) yield `${at}.${key}: missing`;
        }
        break;
      case 'properties':
        if (isTable(value)) {
          for (const [key, part] of Object.entries(rule as Table)) {
            const inner = value[key];
            if (inner !== undefined) yield* check({ root, schema: part as Table }, inner, `${at}.${key}`);
          }
        }
        break;
      case 'additionalProperties':
        if (isTable(value)) {
          for (const [key, inner] of Object.entries(value)) {
            if (Object.hasOwn((schema['properties'] ?? {}) as Table, key)) continue;
            if (rule === false) yield `${at}.${key}: unknown`;
            else yield* check({ root, schema: rule as Table }, inner, `${at}.${key}`);
          }
        }
        break;
      case 'items':
        if (Array.isArray(value)) {
          for (const [index, inner] of (value as readonly Json[]).entries()) {
            yield* check({ root, schema: rule as Table }, inner, `${at}[${index}]`);
          }
        }
        break;
      case 'anyOf':
        if (!(rule as readonly Json[]).some(passes)) yield `${at}: none of the alternatives`;
        break;
      case 'oneOf':
        if ((rule as readonly Json[]).filter(passes).length !== 1)
          yield `${at}: not exactly one of the alternatives`;
        break;
      case 'allOf':
        for (const part of rule as readonly Table[]) yield* check({ root, schema: part }, value, at);
        break;
      case 'if':
        if (passes(rule)) yield* check({ root, schema: (schema['then'] ?? {}) as Table }, value, at);
        break;
      default:
        throw new Error(`the schema uses ${keyword}, which the validator does not know`);
    }
  }
}

function isTable(value: Json): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isOfType(value: Json, type: string): boolean {
  if (type === 'integer') return Number.isInteger(value);
  if (type === 'object') return isTable(value);
  if (type === 'array') return Array.isArray(value);
  return typeof value === type;
}
