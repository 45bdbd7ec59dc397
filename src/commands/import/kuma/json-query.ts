/** Turns a JSONata query of Uptime Kuma and its comparison into a JSONPath query. */
import { ownValue } from '../own-value.ts';
import type { Remarks } from '../item.ts';
import { equals, literal, pathText, quotePattern, readPath, whenAll } from '../json-path.ts';
import type { KumaMonitor } from './data.ts';
import type { KumaSettings } from './making.ts';

export function jsonQuerySettings(monitor: KumaMonitor, remarks: Remarks): KumaSettings {
  const { jsonPath, jsonOperator: operator, expectedValue: expected } = monitor;
  const steps = readPath(jsonPath, 'jsonata');
  if (steps === null) {
    remarks.drop(
      'its JSONata query is more than a path: write a json_query (RFC 9535); until then the status alone counts',
    );
    return [];
  }
  const path = pathText(steps);
  if (operator === '==') {
    return [
      ['json_query', path],
      ['json_expected', expected],
    ];
  }
  const test = testOf(path, operator, expected);
  if (test === null) {
    remarks.drop(`compares with ${operator}: only that there is a value is checked`);
    return [['json_query', path]];
  }
  if (operator !== '!=') remarks.approximate(ownValue(typeNotes, operator) ?? '');
  return [['json_query', whenAll([test])]];
}

const numbers = 'compares numbers: one that JSON writes as text does not count here';

const typeNotes: Readonly<Record<string, string>> = {
  '>': numbers,
  '>=': numbers,
  '<': numbers,
  '<=': numbers,
  contains: 'looks into text: a number or boolean does not count here',
};

function testOf(path: string, operator: string, expected: string): string | null {
  switch (operator) {
    case '!=':
      return `${path} && !${grouped(equals(path, expected))}`;
    case '>':
    case '>=':
    case '<':
    case '<=':
      return expected.trim() !== '' && Number.isFinite(Number(expected))
        ? `${path} ${operator} ${Number(expected)}`
        : null;
    case 'contains':
      return `search(${path}, ${literal(quotePattern(expected))})`;
    default:
      return null;
  }
}

function grouped(test: string): string {
  return test.startsWith('(') ? test : `(${test})`;
}
