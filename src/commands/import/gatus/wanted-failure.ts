/** Finds the condition of an endpoint that is met only when the request fails. */
import { isMetBy, readCondition } from './condition.ts';
import type { ConditionRequest } from './conditions.ts';
import { hasVariables } from './tree.ts';

/** The first such condition: without it the monitor would be down for as long as all is right. Null: there is none. */
export function wantedFailure(written: readonly string[], kind: ConditionRequest['kind']): string | null {
  const isMetByFailure = (text: string) => {
    const condition = hasVariables(text) ? null : readCondition(text);
    if (condition?.subject.kind === 'connected') return isMetBy('true', condition) === false;
    return condition?.subject.kind === 'rcode' && kind === 'dns' && isMetBy('NOERROR', condition) === false;
  };
  return written.find(isMetByFailure) ?? null;
}
