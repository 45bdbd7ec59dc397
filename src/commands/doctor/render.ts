/** Writes findings for the person in front of the terminal. */
import { cleanLine } from '../../engine/core/text.ts';
import type { Paint } from '../terminal/colour.ts';
import type { TerminalOutput } from '../terminal/output.ts';
import type { NamedFinding } from './examine.ts';
import type { DoctorVerdict } from './finding.ts';

const words: Readonly<Record<DoctorVerdict, string>> = { ok: 'ok', warn: 'warn', fail: 'FAIL' };

/** A line each: `FAIL  ping      there is no ping`, and below it the cure. */
export function findingsText(found: readonly NamedFinding[], { paint }: TerminalOutput): string {
  const width = Math.max(...found.map(({ check }) => check.length), 0);
  const lines = found.flatMap(({ check, verdict, message, cure }) => {
    const word = paintOf(verdict, paint)(words[verdict].padEnd(4));
    const line = `${word}  ${check.padEnd(width)}  ${cleanLine(message)}`;
    return cure === null ? [line] : [line, `${' '.repeat(width + 8)}${paint.dim(cleanLine(cure))}`];
  });
  return lines.map((line) => `${line}\n`).join('');
}

function paintOf(verdict: DoctorVerdict, paint: Paint): (text: string) => string {
  switch (verdict) {
    case 'ok':
      return paint.green;
    case 'warn':
      return paint.yellow;
    case 'fail':
      return paint.red;
  }
}
