/** The story of a failed test as plain lines, for formats that hold it as text. */
import { cleanLine } from '../../../engine/core/text.ts';
import { offsetText } from '../format/times.ts';
import type { TestResult } from '../report.ts';
import { timelineOf } from '../timeline.ts';
import { failureText } from '../words.ts';

/** What went wrong, one line each, with the place. */
export function failureLines({ verdict, places, file }: TestResult): readonly string[] {
  return verdict.failures.map((failure) => {
    const place = places.get(failure);
    const where = place === undefined ? '' : ` (${file}:${place.line})`;
    return cleanLine(failureText(failure)) + where;
  });
}

/** What happened, one line each. */
export function storyLines(result: TestResult): readonly string[] {
  return timelineOf(result).map(({ atMs, word, text }) => {
    return cleanLine(`${offsetText(atMs)} ${word === '' ? '' : `${word} `}${text}`);
  });
}
