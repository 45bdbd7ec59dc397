/** Words what became of the promises of a month. */
import type { ReportTotal, SloVerdict } from './report.ts';

export function promiseText(slo: SloVerdict): string {
  switch (slo.kind) {
    case 'none':
      return '';
    case 'no_data':
      return `${slo.targetPercent}% no data`;
    case 'met':
      return `${slo.targetPercent}% met`;
    case 'missed':
      return `${slo.targetPercent}% MISSED`;
  }
}

/** Of several monitors together; empty when nothing was promised. */
export function keptText({ slosMet, slosMissed }: Pick<ReportTotal, 'slosMet' | 'slosMissed'>): string {
  const promises = slosMet + slosMissed;
  return promises === 0 ? '' : `${slosMet} of ${promises} kept`;
}
