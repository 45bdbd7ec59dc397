/** Turns the request body of another program, with its placeholders, into the template of a webhook. */
import { filled } from '../../engine/core/template.ts';

export interface BodyTemplate {
  readonly body: string;
  /** What its text is, where it is no JSON. */
  readonly contentType: string | null;
}

/** `places` finds what stands for a value. Null: there is no body, or a place that `fieldOf` knows no field for. */
export function bodyTemplate(
  written: string,
  places: RegExp,
  fieldOf: (place: string) => string | undefined,
): BodyTemplate | null {
  const found = [...written.matchAll(places)].map(([place]) => place);
  if (written === '' || found.some((place) => fieldOf(place) === undefined)) return null;
  const withFilter = (filter: string) =>
    written.replace(places, (place) => `{{${fieldOf(place) ?? ''}${filter}}}`);
  const asJson = withFilter('');
  return isJson(filled(asJson, {}))
    ? { body: asJson, contentType: null }
    : { body: withFilter('|raw'), contentType: 'text/plain; charset=utf-8' };
}

function isJson(text: string): boolean {
  try {
    return typeof JSON.parse(text) === 'object';
  } catch {
    return false;
  }
}

/** The header that says what the text is goes before those that are written, which win. */
export function withContentType<Value>(
  headers: ReadonlyMap<string, Value | string>,
  template: BodyTemplate | null,
): Map<string, Value | string> {
  const type = template?.contentType ?? null;
  const isSet = [...headers.keys()].some((name) => name.toLowerCase() === 'content-type');
  return type === null || isSet ? new Map(headers) : new Map([['Content-Type', type], ...headers]);
}
