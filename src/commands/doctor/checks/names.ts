/** Looks whether the name servers answer, for hosts of the configuration. */
import { ProbeFault } from '../../../engine/net/faults.ts';
import { type Examined, fail, type DoctorFinding, type DoctorCheck, ok, warn } from '../finding.ts';
import { hostsOf, isName } from '../hosts.ts';

export const namesLook: DoctorCheck = { name: 'names', patienceMs: 15_000, run: lookAtNames };

/** As many hosts are looked up. */
const most = 5;
const lookupMs = 8000;

interface Answer {
  readonly name: string;
  readonly kind: 'found' | 'unknown_name' | 'no_answer';
  /** The addresses, or what is wrong. */
  readonly said: string;
}

async function lookAtNames({ config, ctx }: Examined): Promise<readonly DoctorFinding[]> {
  const names = hostsOf(config.monitors).filter(isName).slice(0, most);
  if (names.length === 0) return [ok('no monitor has a name to look up')];
  const answers = await Promise.all(names.map((name) => lookUp(name, ctx)));
  const found = answers.find(({ kind }) => kind === 'found');
  const unheard = answers.filter(({ kind }) => kind === 'no_answer');
  const strange = answers.filter(({ kind }) => kind === 'unknown_name');
  const cure = 'See /etc/resolv.conf, and whether this host reaches the servers it names.';
  return [
    ...(found === undefined ? [] : [ok(`${found.name} is ${found.said}`)]),
    ...unheard.map(({ said }) => (found === undefined ? fail(said, cure) : warn(said, cure))),
    ...strange.map(({ said }) => warn(said, 'Correct the target, or add the name.')),
  ];
}

async function lookUp(name: string, { resolver, signal, clock }: Examined['ctx']): Promise<Answer> {
  const endsAt = clock.monotonic() + lookupMs;
  try {
    const addresses = await resolver.resolve(name, {
      signal,
      remainingMs: () => endsAt - clock.monotonic(),
    });
    return { name, kind: 'found', said: addresses.map(({ address }) => address).join(', ') };
  } catch (error) {
    if (!(error instanceof ProbeFault)) throw error;
    const { outcome, message } = error.fault;
    return { name, kind: outcome === 'failed' ? 'unknown_name' : 'no_answer', said: message };
  }
}
