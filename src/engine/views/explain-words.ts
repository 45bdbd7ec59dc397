/** The turns of phrase that explanations share. */

/** A sentence ends with a full stop, a clause that stands in one does not. */
export function withoutStop(text: string): string {
  return text.trimEnd().replace(/\.$/, '');
}
