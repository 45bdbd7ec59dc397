/** Prints what `init` found and wrote. */
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

/** What was done and what to do next, as lines. `unset`: the variables of channels that have no value yet. */
export function closingLines(
  writtenPlace: WrittenPlace,
  proposals: readonly Proposal[],
  { channels = 0, unset = [] }: { readonly channels?: number; readonly unset?: readonly string[] } = {},
): string[] {
  const monitors = counted(proposals.length, 'monitor');
  const alerting = channels === 0 ? '' : ` and ${counted(channels, 'channel')}`;
  const contents = `${proposals.length === 0 ? 'examples' : monitors}${alerting}`;
  const isUsual = writtenPlace.kind === 'stdout' || writtenPlace.isFound;
  return [
    writtenPlace.kind === 'stdout'
      ? 'Save it as statusd.toml.'
      : `Wrote ${cleanLine(writtenPlace.file)} with ${contents}.`,
    ...(unset.length === 0
      ? []
      : ['Put into statusd.env beside it, each as NAME=value:', ...unset.map((name) => `  ${name}`)]),
    proposals.length === 0 ? 'Put what you want watched into it, then run:' : 'Probe everything in it once:',
    `  statusd check${isUsual ? '' : ` -c ${shellWord(writtenPlace.file)}`}`,
    channels === 0
      ? 'No channel is configured yet: the file shows how to add one.'
      : 'Send a test through the channels with `statusd test-alert`.',
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
