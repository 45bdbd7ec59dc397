/** Says in sentences what is known of an incident. */
import type { IncidentView } from './incident.ts';
import { errorText, sentenceOf } from './page-wording.ts';

/** Why, because of what, and what else; each ends with a full stop. The note is not among them. */
export function circumstancesOf(
  { error, cause, impacted }: Pick<IncidentView, 'error' | 'cause' | 'impacted'>,
  nameOf: (id: string) => string,
): string[] {
  const reason = errorText(error);
  const sentences: string[] = [];
  if (reason !== null && reason !== '') sentences.push(sentenceOf(reason));
  if (cause !== null) sentences.push(`Because of ${nameOf(cause)}.`);
  if (impacted.length > 0) sentences.push(`Also affects ${impacted.map(nameOf).join(', ')}.`);
  return sentences;
}
