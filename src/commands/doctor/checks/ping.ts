/** Looks whether this host can ping, by pinging itself. */
import { check } from '../../../engine/probes/check.ts';
import { loadProbes } from '../../../engine/probes/probe.ts';
import { type Examined, fail, type DoctorFinding, type DoctorCheck, ok } from '../finding.ts';

export const pingLook: DoctorCheck = { name: 'ping', patienceMs: 10_000, run: lookAtPing };

async function lookAtPing({ config, ctx }: Examined): Promise<readonly DoctorFinding[]> {
  const icmp = config.monitors.find((monitor) => monitor.kind === 'icmp');
  if (icmp === undefined) return [];
  await loadProbes(['icmp']);
  const itself = { ...icmp, target: '127.0.0.1', dual_stack: false, timeout_secs: 5, probe_retries: 0 };
  const { result } = await check(itself, ctx);
  if (result.outcome === 'healthy' || result.reason === null) return [ok('ping works on this host')];
  const [what = '', cure = 'See what `ping -c 1 127.0.0.1` says.'] = result.reason.message.split(': ', 2);
  return [fail(what, cure)];
}
