/** The messages between nodes about checks: which monitors, and their results. */
import {
  aCount,
  aFlag,
  aNumber,
  aText,
  document,
  oneOf,
  orAbsent,
  orNull,
  parseJson,
  readAs,
  readList,
  shape,
  tuple,
} from '../core/decode.ts';
import { categories, type ProbeResult } from '../core/probe.ts';

/** How many checks are asked for at once; a request takes no more than 64 KiB. */
export const mostInQuestion = 400;

/** How many results come at once. */
export const mostInAnswer = 200;

/** More than an answer of so many results ever has. */
export const mostAnswerBytes = 16 * 1024 * 1024;

/** A check that is asked for: its number among those of the one who asks, and the monitor's id. */
export interface WantedCheck {
  readonly n: number;
  readonly id: string;
}

export interface NodeQuestion {
  /** The node that asks. */
  readonly from: string;
  /** Of the asker's run: results of checks for an earlier run are dropped. */
  readonly session: string;
  /** The digest of its configuration, and the version of its program: those of the node that is asked. */
  readonly config: string;
  readonly version: string;
  /** None: only results of earlier ones are asked for. */
  readonly checks: readonly WantedCheck[];
}

/** Why a node has no result: it has too much to do, knows no such monitor, or stood still during the check. */
export const refusals = ['busy', 'unknown_monitor', 'stalled'] as const;
export type Refusal = (typeof refusals)[number];

export type NodeFinding =
  | { readonly n: number; readonly result: ProbeResult }
  | { readonly n: number; readonly refusal: Refusal };

export interface NodeAnswer {
  /** The node that answers. */
  readonly node: string;
  /** Its clock, epoch ms. */
  readonly at: number;
  readonly findings: readonly NodeFinding[];
}

/** Why a question is not answered: the one who asks runs on something else. */
export type NodeConflict = 'config' | 'version';

const aName = shape(
  'a name of at most 200 characters',
  (value): value is string => typeof value === 'string' && value.length <= 200,
);
const aWanted = document({ n: aCount, id: aName });
const aQuestion = document({
  from: aName,
  session: aName,
  config: aName,
  version: aName,
  checks: shape(
    `a list of at most ${mostInQuestion} checks`,
    (value): value is readonly WantedCheck[] =>
      Array.isArray(value) && value.length <= mostInQuestion && value.every((item) => aWanted(item)),
  ),
});

/** Null: it is none. */
export function readQuestion(text: string): NodeQuestion | null {
  return readAs(parseJson(text), aQuestion);
}

const aSpan = orNull(aNumber);
const aLink = { subject: aText, issuer: aText, validFromAt: aNumber, validToAt: aNumber };
const aResult = document({
  outcome: oneOf(['healthy', 'degraded', 'failed', 'unknown']),
  reason: orNull(document({ category: oneOf(categories), message: aText, ownFault: orAbsent(aText) })),
  latencyMs: aSpan,
  timings: document({ dnsMs: aSpan, connectMs: aSpan, tlsMs: aSpan, firstByteMs: aSpan, totalMs: aSpan }),
  answer: orNull(
    document({
      statusLine: aText,
      headers: shape('a list of headers', (value): value is readonly (readonly [string, string])[] =>
        isListOf(value, aHeader),
      ),
      moreHeaders: orAbsent(aCount),
      body: aText,
    }),
  ),
  assertions: shape('a list of assertions', (value): value is ProbeResult['assertions'] =>
    isListOf(value, anAssertion),
  ),
  certificate: orNull(
    document({
      ...aLink,
      spkiSha256: aText,
      isTrusted: aFlag,
      chain: shape('a list of certificates', (value): value is readonly CertificateLinkRead[] =>
        isListOf(value, aChainLink),
      ),
    }),
  ),
  address: orNull(aText),
  isSilence: orAbsent(aFlag),
  isOwnAddress: orAbsent(aFlag),
});
const aHeader = tuple([aText, aText] as const);
const anAssertion = document({ key: aText, isMet: aFlag, expected: aText, actual: aText });
const aChainLink = document(aLink);

type CertificateLinkRead = NonNullable<ProbeResult['certificate']>['chain'][number];

function isListOf(value: unknown, isRight: (item: unknown) => boolean): boolean {
  return Array.isArray(value) && value.every((item) => isRight(item));
}

const anAnswer = document({ node: aName, at: aNumber });
const aRefusal = document({ n: aCount, refusal: oneOf(refusals) });
const aFound = document({ n: aCount });

/** Null: what answered is no node. A finding that cannot be read is left out, as if it had not come. */
export function readAnswer(text: string): NodeAnswer | null {
  const said = parseJson(text);
  const answer = readAs(said, anAnswer);
  if (answer === null) return null;
  const { findings } = said as { readonly findings?: unknown };
  if (!Array.isArray(findings)) return null;
  return {
    node: answer.node,
    at: answer.at,
    findings: readList(findings, aFound).flatMap((item): NodeFinding[] => {
      const { n } = item;
      const { result, refusal } = item as { readonly result?: unknown; readonly refusal?: unknown };
      const refused = readAs({ n, refusal }, aRefusal);
      if (refused !== null) return [refused];
      return aResult(result) ? [{ n, result: result as ProbeResult }] : [];
    }),
  };
}
