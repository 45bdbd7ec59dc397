/** Reads a body as a JSON object. */
import { HttpProblem } from '../problem.ts';

/** A map, so that no name in it means anything to the language. Throws a 400 when it is anything else. */
export function fieldsOf(body: Buffer): ReadonlyMap<string, unknown> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body));
  } catch {
    throw new HttpProblem(400, 'The body must be JSON.');
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    throw new HttpProblem(400, 'The body must be a JSON object.');
  }
  return new Map(Object.entries(parsed));
}
