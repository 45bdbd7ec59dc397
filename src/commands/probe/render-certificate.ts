/** Renders the certificates that a target presented. */
import { dayText } from '../../engine/core/instant.ts';
import { cleanLine } from '../../engine/core/text.ts';
import type { TerminalOutput } from '../terminal/output.ts';
import { tableLines } from '../../engine/views/text/table.ts';
import type { ProbeReport } from './report.ts';

const indent = '  ';
const dayMs = 86_400_000;

/** From so many days on the end of a certificate is worth a colour. */
const soonDays = 14;

/** The chain, what is wrong with it, and the line that pins its key. */
export function certificateLines({ certificate, checkedAt }: ProbeReport, output: TerminalOutput): string[] {
  if (certificate === null) return [];
  const { paint } = output;
  const { chain, distrust, spkiSha256 } = certificate;
  const rows = chain.map(({ subject, issuer, validFromAt, validToAt }) => {
    const left = daysLeft(validToAt, checkedAt);
    return [
      { text: cleanLine(subject), paint: paint.bold },
      { text: subject === issuer ? 'itself' : cleanLine(issuer) },
      { text: dayText(validFromAt) },
      { text: dayText(validToAt) },
      { text: left < 0 ? 'expired' : String(left), paint: paintOf(left, output) },
    ];
  });
  const columns = output.columns === null ? null : output.columns - indent.length;
  const table = tableLines({ columns: chainColumns, rows }, { ...output, columns });
  return [
    ...table.map((line) => indent + line),
    distrust === null
      ? `${indent}${paint.green('trusted')}`
      : `${indent}${paint.red('not trusted')}: ${cleanLine(distrust)}`,
    ...(spkiSha256 === '' ? [] : [`${indent}cert_pin = "${spkiSha256}"`]),
  ];
}

const chainColumns = [
  { heading: 'ISSUED TO', least: 12 },
  { heading: 'ISSUED BY', least: 12 },
  { heading: 'FROM' },
  { heading: 'UNTIL' },
  { heading: 'DAYS LEFT', isNumber: true },
] as const;

/** Whole days, rounded down; negative once it is over. */
export function daysLeft(endsAt: number, nowAt: number): number {
  return Math.floor((endsAt - nowAt) / dayMs);
}

function paintOf(days: number, { paint }: TerminalOutput): (text: string) => string {
  if (days < 0) return paint.red;
  return days <= soonDays ? paint.yellow : paint.green;
}
