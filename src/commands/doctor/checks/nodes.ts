/**
 * Asks each node that shares the database, as the leader does: whether it answers, accepts the token and has the same
 * configuration.
 */
import { randomBytes } from 'node:crypto';
import type { SeenNode } from '../../../db/shared/survey.ts';
import type { Config } from '../../../engine/config/config.ts';
import { StatusdError } from '../../../engine/core/errors.ts';
import { counted } from '../../../engine/core/words.ts';
import { toleratedSkewMs } from '../../../engine/nodes/node-pool.ts';
import type { NodeLine, Posted } from '../../../engine/nodes/post.ts';
import { type NodeQuestion, readAnswer } from '../../../engine/nodes/wire.ts';
import { skewText } from '../../../engine/views/peers.ts';
import { configDigestOf } from '../../nodes/config-digest.ts';
import { listedNodes, nodeIdOf } from '../../nodes/perform.ts';
import { type DoctorCheck, type DoctorFinding, type Examined, fail, ok, warn } from '../finding.ts';

/** The database has 10 s for each of a few statements, a node 5 s; all nodes are asked at once. */
export const nodesCheck: DoctorCheck = { name: 'nodes', patienceMs: 60_000, run: lookAtNodes };

const answerMs = 5000;

/** A whole second may be lost on the way, and clocks are set by steps. */
const noticedSkewMs = 2000;

async function lookAtNodes({ config, ctx }: Examined): Promise<readonly DoctorFinding[]> {
  const { storage, node } = config;
  if (storage === null || node.token === null) return [];
  const { surveyShared } = await import('../../shared-database.ts');
  // The database check reports what is wrong with the database.
  const found = await surveyShared(storage, ctx.clock).catch((error: unknown) => {
    if (error instanceof StatusdError) return null;
    throw error;
  });
  if (found === null) return [];
  const live = listedNodes(found, storage.lease_secs * 1000).filter(({ role }) => role !== 'gone');
  // It brings an HTTP client along, which a host with its own database has no need of.
  const { createNodeLine } = await import('../../../engine/nodes/post.ts');
  const line = createNodeLine(ctx);
  const asking: Asking = {
    line,
    now: ctx.clock.now,
    monotonic: ctx.clock.monotonic,
    token: node.token.reveal(),
    question: {
      from: nodeIdOf(config),
      session: `doctor-${randomBytes(8).toString('hex')}`,
      config: configDigestOf(config),
      version: ctx.version,
      checks: [],
    },
  };
  try {
    const findings = await Promise.all(live.map((each) => lookAtNode(each, asking)));
    return [...findings.flat(), ...absentFindings(config, live)];
  } finally {
    line.close();
  }
}

interface Asking {
  readonly line: NodeLine;
  readonly now: () => number;
  readonly monotonic: () => number;
  readonly token: string;
  /** Nothing but whether it would check. */
  readonly question: NodeQuestion;
}

async function lookAtNode(node: SeenNode, asking: Asking): Promise<readonly DoctorFinding[]> {
  const { line, now, monotonic, token, question } = asking;
  const startedMs = monotonic();
  const body = JSON.stringify(question);
  const posted = await line.post({ url: node.url, token, body, timeoutMs: answerMs });
  const tookMs = monotonic() - startedMs;
  const answer = posted.status === 200 ? readAnswer(posted.text) : null;
  if (answer === null) return [troubleFinding(node, posted, question)];
  const { id, url, isProbing } = node;
  if (answer.node !== id)
    return [
      fail(
        `${answer.node} answers at ${url}, the address that ${id} gave`,
        `Set node.url of ${id} to where other nodes reach it, and restart it.`,
      ),
    ];
  const role = isProbing ? 'accepts the token' : 'accepts the token, makes no checks (node.probe)';
  return [
    ok(`${id} answers in ${tookMs.toFixed(1)} ms, ${role}`),
    ...skewFindings(id, answer.at - (now() - tookMs / 2)),
  ];
}

function troubleFinding(
  { id, url, version }: SeenNode,
  { status, text, isInsecure }: Posted,
  question: NodeQuestion,
): DoctorFinding {
  switch (status) {
    case 0:
      return fail(
        `${id} cannot be reached at ${url}: ${text}`,
        isInsecure === true
          ? `Give the proxy in front of ${id} a certificate for this name that all nodes trust.`
          : `Check that it runs, that its node.url is correct and that no firewall blocks this host.`,
      );
    case 401:
      return fail(
        `${id} does not accept the token: other nodes make its checks`,
        'Give all nodes the same node.token, and restart those that change.',
      );
    case 409:
      return version === question.version
        ? warn(
            `${id} runs on another configuration than this one: other nodes make its checks`,
            'Give all nodes the same one; `statusd nodes` says which differ from the leader.',
          )
        : warn(
            `${id} runs statusd ${version}, and this is ${question.version}: other nodes make its checks`,
            'Bring all nodes to the newest version.',
          );
    case 200:
    case 404:
      return fail(
        `what answers at ${url} is no node that shares a database, where ${id} should be`,
        `Correct node.url of ${id}, or the proxy in front of it.`,
      );
    default:
      return fail(
        `${id} answers with status ${status} at ${url}`,
        'Look at its log, and at the proxy in front of it.',
      );
  }
}

/** Positive: the clock of the node is ahead. */
function skewFindings(id: string, aheadMs: number): readonly DoctorFinding[] {
  if (Math.abs(aheadMs) <= noticedSkewMs) return [];
  const off = `the clock of ${id} is ${skewText(aheadMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} that of this host`;
  const cure = 'Have both set by NTP (systemd-timesyncd, chrony).';
  return Math.abs(aheadMs) > toleratedSkewMs
    ? [fail(`${off}: other nodes make its checks`, cure)]
    : [warn(off, cure)];
}

/** Monitors that are to be checked by nodes which are not there. */
function absentFindings({ monitors }: Config, live: readonly SeenNode[]): readonly DoctorFinding[] {
  const waiting = new Map<string, number>();
  for (const monitor of monitors)
    for (const name of monitor.kind === 'push' ? [] : monitor.nodes)
      if (live.every(({ id }) => id !== name)) waiting.set(name, (waiting.get(name) ?? 0) + 1);
  return [...waiting].map(([name, count]) =>
    warn(
      `${name} is not running, and ${counted(count, 'monitor')} ${count === 1 ? 'names' : 'name'} it in nodes`,
      'Start that node, or correct its name.',
    ),
  );
}
