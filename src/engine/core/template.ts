/** Fills a text with fields: `{"text": "{{message}}", "incident": {{incident_id}}}`. */

/** How a value is written: as JSON wants it at that place, as it is, or as a part of a URL or a form. */
const filters = ['json', 'raw', 'url'] as const;
type Filter = (typeof filters)[number];

interface Placeholder {
  /** `snapshot.status_line` leads into a table. */
  readonly path: readonly string[];
  readonly filter: Filter;
}

type Part = string | Placeholder;

/** What stands between two pairs of braces: a field, and behind a bar how it is written. */
const inside = /^\s*([a-z_]+(?:\.[\w-]+)*)\s*(?:\|\s*(\w*)\s*)?$/;

/** What is wrong with a template; `word`: the field or the filter that nobody knows. */
export type TemplateFault =
  | { readonly kind: 'malformed' | 'unknown_field' | 'unknown_filter'; readonly word: string }
  | { readonly kind: 'open' };

/** The first fault of a template; null: there is none. */
export function templateFault(template: string, fields: readonly string[]): TemplateFault | null {
  for (const [literal, braced] of pieces(template)) {
    if (literal.includes('{{')) return { kind: 'open' };
    if (braced === null) continue;
    const [, path, filter] = inside.exec(braced) ?? [];
    if (path === undefined) return { kind: 'malformed', word: braced.trim() };
    const [field = ''] = path.split('.');
    if (!fields.includes(field)) return { kind: 'unknown_field', word: field };
    if (filter !== undefined && !isFilter(filter)) return { kind: 'unknown_filter', word: filter };
  }
  return null;
}

/**
 * The text of a template without a fault. In a JSON string a text is escaped, and nothing stands for null; outside of
 * one every value is a JSON value. A field that is not there is null.
 */
export function filled(template: string, fields: Readonly<Record<string, unknown>>): string {
  let isInString = false;
  const written = partsOf(template).map((part) => {
    if (typeof part !== 'string') return valueText(reached(fields, part.path), part.filter, isInString);
    for (const [found] of part.matchAll(/\\.|"/gs)) if (found === '"') isInString = !isInString;
    return part;
  });
  return written.join('');
}

function partsOf(template: string): Part[] {
  return pieces(template).flatMap(([literal, braced]): Part[] => {
    const [, path, filter = 'json'] = inside.exec(braced ?? '') ?? [];
    if (path === undefined) return [literal];
    return [literal, { path: path.split('.'), filter: isFilter(filter) ? filter : 'json' }];
  });
}

/** Each literal with what stands in the braces behind it; null behind the last one. */
function pieces(template: string): (readonly [literal: string, braced: string | null])[] {
  const split = template.split(/\{\{([^{}]*)\}\}/);
  return split.flatMap((literal, index) => (index % 2 === 0 ? [[literal, split[index + 1] ?? null]] : []));
}

function isFilter(word: string): word is Filter {
  return (filters as readonly string[]).includes(word);
}

function reached(fields: Readonly<Record<string, unknown>>, path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (value, key) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, key)
        ? (value as Readonly<Record<string, unknown>>)[key]
        : null,
    fields,
  );
}

function valueText(value: unknown, filter: Filter, isInString: boolean): string {
  if (filter === 'json' && !isInString) return JSON.stringify(value ?? null);
  const plain = typeof value === 'string' ? value : value === null ? '' : JSON.stringify(value);
  if (filter === 'raw') return plain;
  // Half of a character cannot be encoded.
  if (filter === 'url') return encodeURIComponent(Buffer.from(plain).toString());
  return JSON.stringify(plain).slice(1, -1);
}
