/** Asks the nodes that share a database whether they can write it: a full disk of its server takes reads. */
import type { SeenNode } from '../../../db/shared/survey.ts';
import type { ProbeContext } from '../../../engine/probes/probe-context.ts';
import { askHealth, readHealth, readUrl } from '../../healthcheck/health.ts';
import { type DoctorFinding, fail } from '../finding.ts';

const answerMs = 5000;

/** So many are asked: those that were there last. */
const mostAsked = 50;

/** What the nodes say that are reached; of one that is not, the look at the nodes says more. */
export async function unwrittenFindings(
  nodes: readonly SeenNode[],
  { trust }: Pick<ProbeContext, 'trust'>,
): Promise<readonly DoctorFinding[]> {
  const asked = nodes.toSorted((a, b) => a.ageMs - b.ageMs).slice(0, mostAsked);
  const findings = await Promise.all(asked.map((node) => unwrittenFinding(node, trust)));
  return findings.flatMap((finding) => finding ?? []);
}

async function unwrittenFinding(
  { id, url: address }: SeenNode,
  trust: ProbeContext['trust'],
): Promise<DoctorFinding | null> {
  try {
    const url = readUrl(address);
    const { body } = readHealth(await askHealth(url, answerMs, trust), url);
    if (body['db_ok'] !== false) return null;
    return fail(
      `${id} cannot write to the database of [storage]`,
      `Its log says why: a full disk of the server, a right that is missing, or no way to it from ${id}.`,
    );
  } catch {
    return null;
  }
}
