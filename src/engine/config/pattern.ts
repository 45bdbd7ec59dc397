/** Compiles the regular expressions of users so that matching them takes a bounded time. */
import type { RE2JS } from 're2js';
import { measureWidth } from './pattern-width.ts';

/** The most UTF-16 units of a text that a pattern looks at. */
const maxReach = 65_536;

/**
 * Matching costs the states looked at per character times the characters. This many steps take about 20 ms on a
 * small machine (tests/engine/config/pattern.test.ts measures the worst patterns), and they are taken in one go.
 */
const maxSteps = 500_000;

/** More states than that would leave too little of a text to look at. */
const maxWidth = 64;

/** The most instructions a pattern may have: what it takes to compile and measure it is bounded, too. */
const maxProgramSize = 1000;

/** What is wrong with a pattern, fit to follow the name of the key. */
export class PatternError extends Error {
  override readonly name = 'PatternError';
  readonly hint: string | null;

  constructor(message: string, hint: string | null = null) {
    super(message);
    this.hint = hint;
  }
}

export interface Pattern {
  /** How many UTF-16 units of a text are looked at, from its start: 64 Ki, fewer for a costly pattern. */
  readonly reach: number;
  /** The first capture group of the first match, else the whole match; null when nothing matches. */
  readonly match: (subject: string) => string | null;
}

/** Compiles RE2 syntax: no look-around, no back-references. Rejects with a PatternError. */
export async function compilePattern(source: string): Promise<Pattern> {
  const { RE2JS: Engine } = await import('re2js');
  let compiled: RE2JS;
  try {
    compiled = Engine.compile(source);
  } catch {
    const hint = 'RE2 has no look-arounds and no back-references';
    throw new PatternError('is not a regular expression in RE2 syntax', hint);
  }
  const width = compiled.programSize() > maxProgramSize ? Infinity : measureWidth(compiled);
  if (width > maxWidth) {
    throw new PatternError(
      'is too costly a regular expression',
      'use smaller counts in {…}, or fewer alternatives',
    );
  }
  const reach = Math.min(maxReach, Math.floor(maxSteps / width));
  return {
    reach,
    match: (subject) => {
      const matcher = compiled.matcher(subject.slice(0, reach));
      if (!matcher.find()) return null;
      return (compiled.groupCount() > 0 ? matcher.group(1) : null) ?? matcher.group();
    },
  };
}
