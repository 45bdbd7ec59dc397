/** Regular expressions that are matched in linear time. */
import { compilePattern, PatternError } from '../pattern.ts';
import { text } from './text.ts';
import { fault, type ValueFault, type ValueType } from './value.ts';

export const pattern: ValueType<string> = {
  ...text({ name: 'a regular expression', max: 1000 }),
  name: 'a regular expression',
  verify: async (written): Promise<ValueFault | null> => {
    try {
      await compilePattern(written);
      return null;
    } catch (error) {
      if (!(error instanceof PatternError)) throw error;
      return fault(error.message, error.hint);
    }
  },
};
