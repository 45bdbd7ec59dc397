/** Validates JSONPath queries (RFC 9535). */
import { compilePattern, PatternError } from './pattern.ts';
import { fault, type ValueFault } from './types/value.ts';

/**
 * What is wrong with a query, or null. The patterns of its `match()` and `search()` must be literal and fit for bounded
 * matching: the library's own backtracking expressions, or a pattern out of the document, could stall the program.
 */
export async function jsonPathFault(source: string): Promise<ValueFault | null> {
  const { default: jsonPath } = await import('json-p3');
  const { JSONPathEnvironment, JSONPathError } = jsonPath;
  const environment = new JSONPathEnvironment();
  const patterns: unknown[] = [];
  const checkTypes = environment.checkWellTypedness.bind(environment);
  environment.checkWellTypedness = (token, args) => {
    if (token.value === 'match' || token.value === 'search') patterns.push(literalOf(args[1]));
    return checkTypes(token, args);
  };
  try {
    environment.compile(source);
  } catch (error) {
    if (!(error instanceof JSONPathError)) throw error;
    return fault('must be a JSONPath query (RFC 9535)', 'for example $.status');
  }
  for (const pattern of patterns) {
    if (typeof pattern !== 'string') {
      return fault(
        'must have the patterns of match() and search() as literal text',
        'for example match(@.name, "api-.*")',
      );
    }
    const refusal = await patternFault(pattern);
    if (refusal !== null) return refusal;
  }
  return null;
}

function literalOf(argument: unknown): unknown {
  return typeof argument === 'object' && argument !== null && 'value' in argument ? argument.value : null;
}

async function patternFault(pattern: string): Promise<ValueFault | null> {
  try {
    await compilePattern(`^(?:${pattern})$`);
    return null;
  } catch (error) {
    if (!(error instanceof PatternError)) throw error;
    return fault(`has a pattern that ${error.message}`, error.hint);
  }
}
