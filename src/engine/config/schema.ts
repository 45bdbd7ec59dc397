/** The JSON Schema of the file, for editors. */
import { defaultText } from './default-text.ts';
import type { ConfigRow, Rows } from './row.ts';
import { topRows } from './rows/top.ts';
import { allSections, type ConfigSection, type VariedSection } from './sections.ts';
import type { JsonSchema, JsonValue } from './types/value.ts';

/** A schema (draft 2020-12) of what one can say of each setting alone; the loader also checks them together. */
export function jsonSchema(): JsonSchema {
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    title: 'statusd.toml',
    description: 'The configuration of statusd.',
    type: 'object',
    additionalProperties: false,
    properties: {
      ...Object.fromEntries(Object.entries(topRows).flatMap(([key, row]) => settingSchemas(key, row))),
      ...Object.fromEntries(allSections.map((section) => [section.name, sectionSchema(section)])),
    },
    $defs: { interpolated },
  };
}

/** A string that the environment completes: what it will be is not known before. */
const interpolated: JsonSchema = {
  type: 'string',
  pattern: '\\$\\{',
  description: 'Text with ${VARIABLES} in it.',
};

function sectionSchema(section: ConfigSection): JsonSchema {
  const table = 'by' in section ? variedSchema(section) : tableSchema(section.rows);
  if (!section.isList) return { description: section.doc, ...table };
  return { description: section.doc, type: 'array', items: table };
}

function variedSchema({ by, usual, variants }: VariedSection): JsonSchema {
  const names = Object.keys(variants);
  return {
    type: 'object',
    properties: { [by]: { enum: names, ...(usual === null ? {} : { default: usual }) } },
    ...(usual === null ? { required: [by] } : {}),
    allOf: Object.entries(variants).map(([name, rows]) => ({
      if: { properties: { [by]: { const: name } }, ...(name === usual ? {} : { required: [by] }) },
      then: tableSchema(rows),
    })),
  };
}

function tableSchema(rows: Rows): JsonSchema {
  const entries = Object.entries(rows);
  const mustHave = entries.filter(([, row]) => row.fallback.kind === 'required');
  const secrets = mustHave.filter(([, row]) => row.type.isSecret);
  const required = mustHave.filter(([, row]) => !row.type.isSecret).map(([key]) => key);
  return {
    type: 'object',
    additionalProperties: false,
    properties: Object.fromEntries(entries.flatMap(([key, row]) => settingSchemas(key, row))),
    ...(required.length === 0 ? {} : { required }),
    ...(secrets.length === 0 ? {} : { allOf: secrets.map(([key]) => eitherOf(key)) }),
  };
}

/** A secret may be given as it is, or by its file. */
function eitherOf(key: string): JsonSchema {
  return { oneOf: [{ required: [key] }, { required: [`${key}_file`] }] };
}

function settingSchemas(
  key: string,
  row: ConfigRow<unknown, unknown>,
): readonly (readonly [string, JsonSchema])[] {
  const schema = { description: describe(row), ...completable(row.type.schema), ...fixedDefault(row) };
  if (!row.type.isSecret) return [[key, schema]];
  const twin = {
    description: `A file that holds ${key}, relative to the main file.`,
    type: 'string',
    minLength: 1,
  };
  return [
    [key, schema],
    [`${key}_file`, twin],
  ];
}

function describe({ doc, fallback }: ConfigRow<unknown, unknown>): string {
  return fallback.kind === 'inherited' || fallback.kind === 'computed'
    ? `${doc} Default: ${defaultText(fallback)}.`
    : doc;
}

function fixedDefault({ fallback }: ConfigRow<unknown, unknown>): JsonSchema {
  return fallback.kind === 'value' && fallback.value !== null ? { default: fallback.value as JsonValue } : {};
}

/** The schema with every string that has a rule also allowed to be completed by the environment. */
function completable(schema: JsonSchema): JsonSchema {
  const { items, additionalProperties, anyOf, ...rest } = schema;
  const isRuled = 'enum' in rest || ('pattern' in rest && rest['type'] === 'string') || 'format' in rest;
  if (isRuled) return { anyOf: [schema, { $ref: '#/$defs/interpolated' }] };
  return {
    ...rest,
    ...(isSchema(items) ? { items: completable(items) } : {}),
    ...(isSchema(additionalProperties) ? { additionalProperties: completable(additionalProperties) } : {}),
    ...(Array.isArray(anyOf)
      ? { anyOf: anyOf.map((part: JsonValue) => (isSchema(part) ? completable(part) : part)) }
      : {}),
  };
}

function isSchema(value: JsonValue | undefined): value is JsonSchema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
