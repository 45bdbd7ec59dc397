/** Says what `init` found and wrote. */
import { counted } from '../../engine/core/words.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { rangeOf } from './document.ts';
import type { TargetObservation, Proposal } from './proposal.ts';
import { shellWord } from '../words.ts';

const dayMs = 86_400_000;

/** One line a target, for the time of waiting: `example.com  answered 4 of 4 probes in 81 to 94 ms`. */
export function progressLine({
  name,
  kind,
  latenciesMs,
  probes,
  error,
  isUnknown,
}: TargetObservation): string {
  const title = cleanLine(`${name} (${kind})`);
  if (latenciesMs.length > 0) {
    return `${title}: answered ${latenciesMs.length} of ${probes} probes in ${rangeOf(latenciesMs)}`;
  }
  const what = isUnknown ? 'could not be asked from here' : 'did not answer as expected';
  return `warning: ${title} ${what}: ${cleanLine(error ?? 'no reason given')}`;
}

/** Where the configuration went. */
export type WrittenPlace =
  | { readonly kind: 'stdout' }
  /** `isFound`: a command without a file named will read this one. */
  | { readonly kind: 'file'; readonly file: string; readonly isFound: boolean };

/** What was done and what to do next, as lines. */
export function closingLines(writtenPlace: WrittenPlace, proposals: readonly Proposal[]): string[] {
  const count = counted(proposals.length, 'monitor');
  const contents = proposals.length === 0 ? 'examples' : count;
  return [
    writtenPlace.kind === 'stdout'
      ? 'Save it as statusd.toml.'
      : `Wrote ${cleanLine(writtenPlace.file)} with ${contents}.`,
    proposals.length === 0 ? 'Put what you want watched into it, then run:' : 'Probe everything in it once:',
    `  statusd check${writtenPlace.kind === 'stdout' || writtenPlace.isFound ? '' : ` -c ${shellWord(writtenPlace.file)}`}`,
    'No channel is configured yet: the file shows how to add one.',
  ];
}

/** The result for programs. Latencies are milliseconds. */
export function outcomeJson(file: string, proposals: readonly Proposal[], now: number) {
  return {
    file,
    monitors: proposals.map((proposal) => ({
      id: proposal.id,
      name: proposal.name,
      kind: proposal.kind,
      target: proposal.shown,
      answered: proposal.latenciesMs.length,
      probes: proposal.probes,
      latencies_ms: proposal.latenciesMs.map((ms) => Math.round(ms * 10) / 10),
      degraded_over_ms: proposal.degradedOverMs,
      timeout_secs: proposal.timeoutSecs,
      cert_expiry_days:
        proposal.certificateEndsAt === null ? null : Math.floor((proposal.certificateEndsAt - now) / dayMs),
      error: proposal.error,
    })),
  };
}
