/** Checks the peers: whether each answers, accepts the token, has the same time, and monitors the same targets. */
import { skewText } from '../../../engine/views/peers.ts';
import type { Monitor, Peer } from '../../../engine/config/config.ts';
import type { PeerClients, VerdictAnswer, PeerHealthAnswer } from '../../../engine/peers/client/clients.ts';
import { type Examined, fail, type DoctorFinding, type DoctorCheck, ok, warn } from '../finding.ts';

/** A peer has 12 s for a verdict, and several are asked for. */
export const peersCheck: DoctorCheck = { name: 'peers', patienceMs: 60_000, run: lookAtPeers };

/** How many targets are asked about, as a sample of all. A peer takes no more questions at once. */
const most = 5;
const toleratedSkewMs = 2000;

type Answered<Answer> = Extract<Answer, { readonly kind: 'answered' }>;

async function lookAtPeers({ config, ctx }: Examined): Promise<readonly DoctorFinding[]> {
  const { peers, monitors, health } = config;
  if (peers.length === 0) return [];
  // It brings an HTTP client along, which a host without peers has no need of.
  const { createPeerClients } = await import('../../../engine/peers/client/create-clients.ts');
  const clients = createPeerClients(ctx);
  const looking = { clients, signal: ctx.signal, targets: targetsOf(monitors), from: health.id };
  return (await Promise.all(peers.map((peer) => lookAtPeer(peer, looking)))).flat();
}

interface Looking {
  readonly clients: PeerClients;
  readonly signal: AbortSignal;
  readonly targets: readonly Target[];
  readonly from: string | null;
}

interface Target {
  readonly id: string;
  readonly kind: string;
  readonly target: string;
}

async function lookAtPeer(peer: Peer, looking: Looking): Promise<readonly DoctorFinding[]> {
  if (peer.ping_url === null)
    return [ok(`${peer.name} is only expected to send heartbeats: it has no ping_url`)];
  const health = await looking.clients.askHealth(peer, looking.signal);
  switch (health.kind) {
    case 'unreachable':
      return [
        fail(
          `${peer.name} does not answer: ${health.error}`,
          'See whether it runs, and correct its ping_url or witness_url.',
        ),
      ];
    case 'refused':
      return [
        fail(
          `${peer.name} answers ${health.status} instead of its health`,
          'Correct its witness_url, or the proxy in front of it.',
        ),
      ];
    case 'answered':
      return [...wellness(peer, health), clockOf(peer, health), await commonOf(peer, looking)];
  }
}

function wellness({ id, name }: Peer, health: Answered<PeerHealthAnswer>): DoctorFinding[] {
  if (health.id !== null && health.id !== id) {
    return [
      warn(
        `${name} has the id ${health.id} in its own configuration, and ${id} in this one`,
        'Make its [health] id and this id the same.',
      ),
    ];
  }
  if (!health.isWell) return [warn(`${name} answers, and reports that it is not healthy`, 'Check its log.')];
  return [ok(`${name} answers`)];
}

function clockOf({ name }: Peer, { skewMs }: Answered<PeerHealthAnswer>): DoctorFinding {
  if (skewMs === null) return ok(`${name} does not report its time`);
  if (Math.abs(skewMs) <= toleratedSkewMs) return ok(`${name} has the same time, within 2 s`);
  return warn(
    `the clock of ${name} is ${skewText(skewMs)} ${skewMs > 0 ? 'ahead' : 'behind'}: one of the two is wrong`,
    'Have both set by NTP (systemd-timesyncd, chrony).',
  );
}

/** Whether the token is good shows in the answers: without it there are none. */
async function commonOf(peer: Peer, { clients, signal, targets, from }: Looking): Promise<DoctorFinding> {
  const { name } = peer;
  const asked = targets.length > 0 ? targets : [noTarget];
  const answers = await Promise.all(
    asked.map((target) => clients.askVerdict(peer, { ...target, from }, signal)),
  );
  const refused = answers.find((answer) => answer.kind === 'refused');
  if (refused !== undefined) return refusal(peer, refused.status);
  const unreachable = answers.find((answer) => answer.kind === 'unreachable');
  if (unreachable !== undefined) {
    return warn(
      `${name} gives no verdict: ${unreachable.error}`,
      'Try again; if it stays so, look at its log.',
    );
  }
  if (targets.length === 0) return ok(`${name} accepts the token; there is no target to compare`);
  return inCommon(name, answers);
}

/** This is not watched: the node that takes the token says so. */
const noTarget: Target = { id: 'none', kind: 'none', target: 'none' };

function inCommon(name: string, answers: readonly VerdictAnswer[]): DoctorFinding {
  const asked = answers.filter(({ kind }) => kind === 'answered' || kind === 'unknown_target').length;
  const known = answers.filter(({ kind }) => kind === 'answered').length;
  if (asked === 0) return ok(`${name} accepts the token, and is too busy to compare targets`);
  const share = `${known} of ${asked} compared targets`;
  if (known === asked) return ok(`${name} accepts the token, and monitors ${share}`);
  return warn(
    `${name} accepts the token, and monitors ${share}`,
    'It can confirm only what it watches too: give it monitors with the same kind and target.',
  );
}

function refusal({ name, ping_token }: Peer, status: number): DoctorFinding {
  if (status !== 401) {
    return warn(
      `${name} answers ${status} to questions about targets`,
      'It may be of an older version: update it.',
    );
  }
  return fail(
    `${name} does not accept ${ping_token === null ? 'a question without ping_token' : 'the ping_token'}`,
    'Make ping_token here and listen_token there the same.',
  );
}

/** Spread over the configuration: the first ones may be alike. */
function targetsOf(monitors: readonly Monitor[]): readonly Target[] {
  const all = monitors.flatMap((monitor) =>
    monitor.kind === 'push' || monitor.kind === 'exec'
      ? []
      : [{ id: monitor.id, kind: monitor.kind, target: monitor.target }],
  );
  const step = Math.max(1, Math.ceil(all.length / most));
  return all.filter((_, index) => index % step === 0);
}
