/** Evaluates a JSONPath query (RFC 9535) against a text from outside. */
import type { JSONValue } from 'json-p3';
import { compilePattern, type Pattern, PatternError } from '../../config/pattern.ts';

export type QueryResult =
  | { readonly kind: 'values'; readonly values: readonly unknown[] }
  /** `why` continues "the body ". */
  | { readonly kind: 'unreadable'; readonly why: string };

/** A body may be as deep as it likes, a walk may not: each level costs something for every value below it. */
const mostLevels = 64;

/**
 * A few steps are taken for each value that is looked at. A query such as `$..[?@..a]` is quadratic in a body that
 * the target chooses, and all else waits while it runs: these take about 0.1 s.
 */
const mostSteps = 100_000;

class TooMuchText extends Error {
  override readonly name = 'TooMuchText';
}

/** From a pattern of the query to the one that is looked for: match() is of the whole text, search() of a part. */
const functions: Readonly<Record<string, (pattern: string) => string>> = {
  match: (pattern) => `^(?:${pattern})$`,
  search: (pattern) => pattern,
};

/**
 * Answers with what the query finds in a JSON text, in bounded time. Rejects with a PatternError where match() or
 * search() has a pattern that cannot be matched in linear time.
 */
export async function compileJsonQuery(query: string): Promise<(text: string) => QueryResult> {
  const { default: jsonPath } = await import('json-p3');
  const { FunctionExpressionType, JSONPathEnvironment, JSONPathRecursionLimitError } = jsonPath;
  const environment = new JSONPathEnvironment({ maxRecursionDepth: mostLevels });
  const patterns = new Map<string, Pattern>();
  const sources = new Set<string>();
  /** Of the text that a pattern may look at; the parts of all calls add up, since each costs its time. */
  let usedReach = 0;
  // The library's own functions use JavaScript's regular expressions, which may take for ever.
  for (const [name, expand] of Object.entries(functions)) {
    environment.functionRegister.set(name, {
      argTypes: [FunctionExpressionType.ValueType, FunctionExpressionType.ValueType],
      returnType: FunctionExpressionType.LogicalType,
      call: (subject, source) => {
        if (typeof subject !== 'string' || typeof source !== 'string') return false;
        const pattern = patterns.get(expand(source));
        if (pattern === undefined) return false;
        usedReach += subject.length / pattern.reach;
        if (usedReach > 1) throw new TooMuchText();
        return pattern.match(subject) !== null;
      },
    });
  }
  const checkTypes = environment.checkWellTypedness.bind(environment);
  environment.checkWellTypedness = (token, args) => {
    const expand = functions[token.value];
    if (expand !== undefined) {
      const { value: source } = (args[1] ?? {}) as { readonly value?: unknown };
      // A pattern out of the body would be the target's to choose.
      if (typeof source !== 'string')
        throw new PatternError(`${token.value}() needs its pattern as a literal text`);
      sources.add(expand(source));
    }
    return checkTypes(token, args);
  };
  const compiled = environment.compile(query);
  for (const source of sources) patterns.set(source, await compilePattern(source));

  return (text) => {
    usedReach = 0;
    const parsed = parse(text);
    if (parsed === undefined) return unreadable('is not JSON');
    const { root, plain } = countSteps(parsed, mostSteps);
    try {
      const values: unknown[] = [];
      for (const node of compiled.lazyQuery(root as JSONValue)) values.push(plain(node.value));
      return { kind: 'values', values };
    } catch (error) {
      if (error instanceof JSONPathRecursionLimitError) {
        return unreadable(`is nested more than ${mostLevels} levels deep`);
      }
      if (error instanceof TooMuchText) {
        return unreadable('has more text than match() and search() may look at');
      }
      // Out of steps, or of stack.
      if (error instanceof TooManySteps || error instanceof RangeError) {
        return unreadable('is too large for this query');
      }
      throw error;
    }
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const unreadable = (why: string): QueryResult => ({ kind: 'unreadable', why });

/** Counts the steps that are taken through a JSON document. */

class TooManySteps extends Error {
  override readonly name = 'TooManySteps';
}

interface CountedDocument {
  /** Behaves as the value does; throws TooManySteps once `mostSteps` looks were taken into arrays and objects. */
  readonly root: unknown;
  /** The value itself behind one that was found by way of `root`. */
  readonly plain: (value: unknown) => unknown;
}

function countSteps(value: unknown, mostSteps: number): CountedDocument {
  let left = mostSteps;
  const walk = (steps: number) => {
    left -= steps;
    if (left < 0) throw new TooManySteps();
  };
  const proxies = new WeakMap<object, object>();
  const values = new WeakMap<object, object>();
  const wrap = (part: unknown): unknown => {
    if (typeof part !== 'object' || part === null) return part;
    const known = proxies.get(part);
    if (known !== undefined) return known;
    const proxy = new Proxy(part, handler);
    proxies.set(part, proxy);
    values.set(proxy, part);
    return proxy;
  };
  const handler: ProxyHandler<object> = {
    get: (target, key) => {
      walk(1);
      return wrap(Reflect.get(target, key));
    },
    has: (target, key) => {
      walk(1);
      return Reflect.has(target, key);
    },
    getOwnPropertyDescriptor: (target, key) => {
      walk(1);
      return Reflect.getOwnPropertyDescriptor(target, key);
    },
    ownKeys: (target) => {
      const keys = Reflect.ownKeys(target);
      walk(1 + keys.length);
      return keys;
    },
  };
  return {
    root: wrap(value),
    plain: (part) => (typeof part === 'object' && part !== null ? values.get(part) : part),
  };
}
