/** JSONPath queries (RFC 9535). */
import { jsonPathFault } from '../json-path-fault.ts';
import { text } from './text.ts';
import type { ValueType } from './value.ts';

export const jsonPath: ValueType<string> = {
  ...text({ name: 'a JSONPath query', max: 1000 }),
  name: 'a JSONPath query',
  verify: jsonPathFault,
};
