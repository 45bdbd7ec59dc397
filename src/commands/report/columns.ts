/** The columns of the report, and which of them fit. */
import { durationText } from '../../engine/core/duration.ts';
import { percentText } from '../../engine/views/page-wording.ts';
import { keptText, promiseText } from '../../engine/views/report-wording.ts';
import type { ReportFigures, ReportTotal, SloVerdict } from '../../engine/views/report.ts';
import type { Paint } from '../terminal/colour.ts';
import type { Cell, TextColumn } from '../../engine/views/text/table.ts';

/** A monitor, or several together. */
export interface ReportLine {
  readonly name: string;
  readonly figures: ReportFigures;
  /** Null: several together, whose promises are counted. */
  readonly slo: SloVerdict | null;
  readonly kept: Pick<ReportTotal, 'slosMet' | 'slosMissed'>;
}

export interface ReportColumn extends TextColumn {
  readonly cell: (reportLine: ReportLine, paint: Paint) => Cell;
  /** The higher, the sooner it gives way. */
  readonly spare: number;
}

export const reportColumns: readonly ReportColumn[] = [
  {
    heading: 'MONITOR',
    least: 12,
    spare: 0,
    cell: ({ name, slo }, paint) => ({ text: name, paint: slo === null ? paint.bold : plain }),
  },
  {
    heading: 'UPTIME',
    isNumber: true,
    spare: 0,
    cell: ({ figures, slo }, paint) => ({
      text: percentText(figures.uptime),
      paint: figures.uptime === null ? paint.dim : promisePaint(slo, paint),
    }),
  },
  {
    heading: 'COVERAGE',
    isNumber: true,
    spare: 1,
    cell: ({ figures }, paint) => ({
      text: percentText(figures.coverage),
      paint: figures.coverage < 9900 ? paint.yellow : paint.dim,
    }),
  },
  {
    heading: 'INCIDENTS',
    isNumber: true,
    spare: 4,
    cell: ({ figures: { incidents } }, paint) => ({
      text: String(incidents),
      paint: incidents === 0 ? paint.dim : plain,
    }),
  },
  {
    heading: 'DOWNTIME',
    isNumber: true,
    spare: 2,
    cell: ({ figures }, paint) => spanCell(figures.downtimeMs, paint),
  },
  {
    heading: 'RECOVERY',
    isNumber: true,
    spare: 5,
    cell: ({ figures }, paint) => spanCell(figures.mttrMs, paint),
  },
  {
    heading: 'PROMISE',
    isNumber: true,
    spare: 3,
    cell: ({ slo, kept }, paint) => ({
      text: slo === null ? keptText(kept) : promiseText(slo),
      paint: promisePaint(slo, paint),
    }),
  },
  { heading: 'BUDGET', isNumber: true, spare: 6, cell: ({ slo }, paint) => budgetCell(slo, paint) },
];

const plain = (text: string) => text;

function spanCell(ms: number | null, paint: Paint): Cell {
  return ms === null || ms === 0 ? { text: '-', paint: paint.dim } : { text: durationText(ms) };
}

function promisePaint(slo: SloVerdict | null, paint: Paint): (text: string) => string {
  if (slo?.kind === 'met') return paint.green;
  return slo?.kind === 'missed' ? paint.red : plain;
}

/** From this share on the budget of a month is nearly gone. */
const nearlyPercent = 75;

function budgetCell(slo: SloVerdict | null, paint: Paint): Cell {
  if (slo === null || (slo.kind !== 'met' && slo.kind !== 'missed')) return { text: '' };
  const { usedPercent } = slo;
  const meaning = usedPercent > 100 ? paint.red : usedPercent >= nearlyPercent ? paint.yellow : paint.green;
  return { text: `${usedPercent}% used`, paint: meaning };
}
