/** Says in sentences what is known of an incident. */
import type { IncidentView } from './incident.ts';
import { errorText, sentenceOf } from './page-wording.ts';
import { vantageWords } from './vantage.ts';

/** Why, because of what, seen from where, and what else; each ends with a full stop. The note is not among them. */
export function circumstancesOf(
  {
    error,
    cause,
    impacted,
    vantage = null,
  }: Pick<IncidentView, 'error' | 'cause' | 'impacted'> & Partial<Pick<IncidentView, 'vantage'>>,
  nameOf: (id: string) => string,
): string[] {
  const reason = errorText(error);
  const sentences: string[] = [];
  if (reason !== null && reason !== '') sentences.push(sentenceOf(reason));
  if (cause !== null) sentences.push(`Because of ${nameOf(cause)}.`);
  sentences.push(...vantageWords(vantage ?? []).map(sentenceOf));
  if (impacted.length > 0) sentences.push(`Also affects ${impacted.map(nameOf).join(', ')}.`);
  return sentences;
}
