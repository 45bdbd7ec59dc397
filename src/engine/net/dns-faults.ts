/** What an answer of the DNS without records means. */
import { secondsText } from '../core/duration.ts';
import { createSocket } from 'node:dgram';
import { isIPv6 } from 'node:net';
import { parseHostPort } from '../config/types/address.ts';
import { ownFaultKey } from '../core/own-fault.ts';
import type { Category } from '../core/probe.ts';
import { type Deadline } from './deadline.ts';
import type { RecordType } from './dns-records.ts';
import { faultOf, printable, ProbeFault, unableFault } from './faults.ts';

export interface DnsQuestion {
  readonly name: string;
  readonly type: RecordType;
  /** The one name server that was asked, as `host:port`; null for those of this host. */
  readonly server: string | null;
  /** Where it answers: `ip:port`, several when its name has several addresses. Null: as `server`. */
  readonly addresses: readonly string[] | null;
}

/** Who was asked, as part of a sentence. */
export function serverName({ server }: DnsQuestion): string {
  return server ?? 'the name server of this host';
}

/** The end of a question that was still open at the deadline, or when the probe was called off. */
export function noAnswer(dnsQuestion: DnsQuestion, deadline: Deadline): Error {
  const missed = deadline.missed(
    `${serverName(dnsQuestion)} did not answer within ${secondsText(deadline.timeoutMs)}`,
  );
  const isOfTarget = dnsQuestion.server === null && missed instanceof ProbeFault;
  return isOfTarget ? silence(unheard(missed.fault.message)) : missed;
}

/**
 * The fault behind an error of c-ares. An answer of the DNS about a name is about that name, whichever server gives it; silence, a
 * refusal or nonsense is a fault of the server, which matters when it is the one that is monitored. `spent`
 * is how long it was waited for.
 */
export async function faultOfDns(
  dnsQuestion: DnsQuestion,
  error: unknown,
  spent: string,
): Promise<ProbeFault> {
  const { name, type, server } = dnsQuestion;
  const { code = '', message } = error as NodeJS.ErrnoException;
  const who = serverName(dnsQuestion);
  switch (code) {
    case 'ENOTFOUND':
      return failed('dns', `${name} does not exist (NXDOMAIN)`);
    case 'ENODATA':
      return failed('dns', `${name} has no ${type} record`);
    case 'EBADNAME':
      return failed('dns', `"${printable(name)}" is not a name that the DNS can hold`);
    case 'ESERVFAIL':
      return failed('dns', `${who} could not find the ${type} records of ${name} (SERVFAIL)`);
    case 'EREFUSED':
      return ofServer(server, 'dns', `${who} refuses to answer for ${name} (REFUSED)`);
    case 'EFORMERR':
    case 'ENOTIMP':
      return ofServer(server, 'dns', `${who} does not take questions for ${type} records (${code.slice(1)})`);
    case 'EBADRESP':
      return ofServer(server, 'protocol', `${who} answered something that is not DNS`);
    case 'ECONNREFUSED':
      return (await ownFault(dnsQuestion)) ?? refusal(server, who);
    case 'ETIMEOUT':
      return (
        (await ownFault(dnsQuestion)) ??
        silence(ofServer(server, 'timeout', `${who} did not answer within ${spent}`))
      );
    default:
      return unheard(`the question for ${name} could not be asked: ${printable(message)}`);
  }
}

const failed = (category: Category, message: string) =>
  new ProbeFault({ outcome: 'failed', category, message });

const unheard = (message: string) => new ProbeFault(unableFault(ownFaultKey('resolver'), message));

const ofServer = (server: string | null, category: Category, message: string) =>
  server === null ? unheard(message) : failed(category, message);

const silence = ({ fault, context }: ProbeFault) => new ProbeFault({ ...fault, isSilence: true }, context);

/** For a host without a route to its name servers c-ares says so, too. */
function refusal(server: string | null, who: string): ProbeFault {
  const fault = ofServer(server, 'connection', `connection refused by ${who}`);
  return server === null ? silence(fault) : fault;
}

/**
 * c-ares gives the same error for a silent server and for a host that has no descriptor or route left to ask
 * it, so this looks whether a socket for any address of the server can be had. Nothing is sent.
 */
async function ownFault({ server, addresses }: DnsQuestion): Promise<ProbeFault | null> {
  if (server === null || addresses === null) return null;
  let fault: ProbeFault | null = null;
  for (const address of addresses) {
    const error = await socketFault(address);
    if (error === null) return null;
    fault = new ProbeFault(faultOf(error, server), { cause: error });
  }
  return fault;
}

async function socketFault(address: string): Promise<Error | null> {
  const parsed = parseHostPort(address);
  if (parsed === null) return null;
  const socket = createSocket(isIPv6(parsed.host) ? 'udp6' : 'udp4');
  const error = await new Promise<Error | null>((resolve) => {
    socket.once('error', resolve);
    socket.connect(parsed.port, parsed.host, () => {
      resolve(null);
    });
  });
  socket.close();
  return error;
}
