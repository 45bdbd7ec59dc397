/** Renders every result as one line of JSON, as it comes. */
import { toJson } from '../../terminal/json.ts';
import { verdictFields, resultFields } from './json.ts';
import type { Renderer } from './view.ts';

export const renderer: Renderer = {
  result: (result) => `${toJson(resultFields(result))}\n`,
  report: () => '',
  config: (verdict) => `${toJson(verdictFields(verdict))}\n`,
};
