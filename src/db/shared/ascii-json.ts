/** JSON as every database keeps it, whatever encoding it was made with. */

/** The same JSON with escapes for all that is not ASCII: a database in LATIN1 refuses what LATIN1 does not have. */
export function asciiJson(json: string): string {
  return json.replace(/[\u0080-\uFFFF]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
