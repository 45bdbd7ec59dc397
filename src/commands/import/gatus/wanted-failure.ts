/** Finds the condition of an endpoint that is met only when the request fails. */
import { type Condition, matchesPattern, readCondition } from './condition.ts';
import type { ConditionRequest } from './conditions.ts';

/** The first such condition: without it the monitor would be down for as long as all is right. Null: there is none. */
export function wantedFailure(written: readonly string[], kind: ConditionRequest['kind']): string | null {
  const isMetByFailure = (text: string) => {
    const condition = readCondition(text);
    if (condition?.subject.kind === 'connected') return !isMetBy('true', condition);
    return condition?.subject.kind === 'rcode' && kind === 'dns' && !isMetBy('NOERROR', condition);
  };
  return written.find(isMetByFailure) ?? null;
}

/** Whether what a target in order answers meets the condition. */
function isMetBy(value: string, { operator, wanted }: Condition): boolean {
  if (wanted.kind === 'path' || (operator !== '==' && operator !== '!=')) return true;
  const isSame = (() => {
    switch (wanted.kind) {
      case 'text':
        return wanted.text === value;
      case 'any':
        return wanted.texts.includes(value);
      case 'pattern':
        return matchesPattern(wanted.pattern, value);
    }
  })();
  return isSame === (operator === '==');
}
