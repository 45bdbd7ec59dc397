/** A name server on loopback that answers from a table, over UDP or TCP on one port. */
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { createServer, isIPv6, type Socket } from 'node:net';

const recordTypes = {
  A: 1,
  NS: 2,
  CNAME: 5,
  SOA: 6,
  PTR: 12,
  MX: 15,
  TXT: 16,
  AAAA: 28,
  SRV: 33,
  CAA: 257,
} as const;

type RecordType = keyof typeof recordTypes;

/** What is answered in place of records; `silent` is nothing at all. */
export type Misbehaviour = 'silent' | 'SERVFAIL' | 'REFUSED' | 'garbage';

/**
 * The records of a name by type, in the words of a zone file: `10 mail.example.com` for MX,
 * `0 issue ca.example` for CAA. A TXT record is given without quotes. `truncatesUdp` asks to come back over TCP,
 * `losesFirst` gives the first question no answer, and `delayMs` has the others wait for theirs.
 */
type Records = Partial<Readonly<Record<RecordType, readonly string[]>>> & {
  readonly truncatesUdp?: boolean;
  readonly losesFirst?: boolean;
  readonly delayMs?: number;
};

/** Names in lower case without the final dot. A name that is not in it does not exist. */
export type Zone = Readonly<Record<string, Records | Misbehaviour>>;

export interface DnsServer {
  /** `127.0.0.1:port`. */
  readonly address: string;
  /** What was asked so far: `A example.com`, `tcp A example.com`. */
  readonly queries: readonly string[];
  readonly close: () => Promise<void>;
}

/** A server that answers everything from `zone`, or that misbehaves for every name. */
export async function startDnsServer(zone: Zone | Misbehaviour): Promise<DnsServer> {
  const queries: string[] = [];
  const udp = createSocket('udp4');
  const delayed = new Set<NodeJS.Timeout>();
  const connections = new Set<Socket>();
  const tcp = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => socket.destroy());
    socket.on('close', () => connections.delete(socket));
    let received = Buffer.alloc(0);
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk]);
      while (received.length >= 2 && received.length >= 2 + received.readUInt16BE(0)) {
        const end = 2 + received.readUInt16BE(0);
        const reply = answer(received.subarray(2, end), 'tcp');
        received = received.subarray(end);
        if (reply !== null) socket.write(Buffer.concat([uint16(reply.length), reply]));
      }
    });
  });
  const answer = (query: Buffer, transport: 'udp' | 'tcp'): Buffer | null => {
    const question = readQuestion(query);
    const asked = `${transport === 'tcp' ? 'tcp ' : ''}${question.type} ${question.name}`;
    const isFirst = !queries.includes(asked);
    queries.push(asked);
    const found = typeof zone === 'string' ? zone : zone[question.name];
    if (isFirst && typeof found === 'object' && found.losesFirst === true) return null;
    return reply({ query, question, isUdp: transport === 'udp' }, zone);
  };
  udp.on('message', (query, peer) => {
    const message = answer(query, 'udp');
    if (message === null) return;
    const found = typeof zone === 'string' ? zone : zone[readQuestion(query).name];
    const { delayMs = 0 } = typeof found === 'object' ? found : {};
    const send = () => {
      udp.send(message, peer.port, peer.address);
    };
    if (delayMs === 0) send();
    else delayed.add(setTimeout(send, delayMs));
  });

  const port = await sharedPort(udp, tcp);
  return {
    address: `127.0.0.1:${String(port)}`,
    queries,
    close: async () => {
      for (const socket of connections) socket.destroy();
      for (const timer of delayed) clearTimeout(timer);
      const closed = [once(udp, 'close'), once(tcp, 'close')];
      udp.close();
      tcp.close();
      await Promise.all(closed);
    },
  };
}

/** A port that is free for both: the kernel picks the TCP one, and UDP is tried on it. */
async function sharedPort(udp: ReturnType<typeof createSocket>, tcp: ReturnType<typeof createServer>) {
  for (;;) {
    tcp.listen(0, '127.0.0.1');
    await once(tcp, 'listening');
    const { port } = tcp.address() as { port: number };
    udp.bind(port, '127.0.0.1');
    const isBound = await once(udp, 'listening').then(
      () => true,
      () => false,
    );
    if (isBound) return port;
    tcp.close();
    await once(tcp, 'close');
  }
}

interface Question {
  readonly name: string;
  readonly type: RecordType | 'other';
  readonly end: number;
}

function readQuestion(query: Buffer): Question {
  const labels: string[] = [];
  let at = 12;
  for (let length = query.readUInt8(at); length !== 0; length = query.readUInt8(at)) {
    labels.push(query.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const code = query.readUInt16BE(at + 1);
  const type = (Object.keys(recordTypes) as RecordType[]).find((known) => recordTypes[known] === code);
  return { name: labels.join('.').toLowerCase(), type: type ?? 'other', end: at + 5 };
}

interface Asked {
  readonly query: Buffer;
  readonly question: Question;
  readonly isUdp: boolean;
}

const codes = { NOERROR: 0, SERVFAIL: 2, NXDOMAIN: 3, REFUSED: 5 } as const;

function reply(asked: Asked, zone: Zone | Misbehaviour): Buffer | null {
  const { name, type } = asked.question;
  const found = typeof zone === 'string' ? zone : zone[name];
  if (found === 'silent') return null;
  if (found === 'garbage')
    return Buffer.concat([asked.query.subarray(0, 2), Buffer.from('not a DNS message')]);
  if (found === undefined) return message(asked, { code: codes.NXDOMAIN });
  if (typeof found === 'string') return message(asked, { code: codes[found] });
  if (asked.isUdp && found.truncatesUdp === true)
    return message(asked, { code: codes.NOERROR, isTruncated: true });

  const alias = type === 'CNAME' ? undefined : found.CNAME?.[0];
  const own = (type === 'other' ? undefined : found[type]) ?? [];
  const records = own.map((text) => ({ name, type: type as RecordType, text }));
  if (alias !== undefined && type !== 'other' && typeof zone === 'object') {
    const target = zone[alias];
    const behind = typeof target === 'object' ? (target[type] ?? []) : [];
    records.push({ name, type: 'CNAME', text: alias });
    records.push(...behind.map((text) => ({ name: alias, type, text })));
  }
  return message(asked, { code: codes.NOERROR, records });
}

interface Body {
  readonly code: number;
  readonly isTruncated?: boolean;
  readonly records?: readonly { readonly name: string; readonly type: RecordType; readonly text: string }[];
}

function message({ query, question }: Asked, { code, isTruncated = false, records = [] }: Body): Buffer {
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  // QR, AA, RD, RA; TC when truncated.
  header.writeUInt16BE(0x8580 | (isTruncated ? 0x0200 : 0) | code, 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  const answers = records.flatMap(({ name, type, text }) => {
    const data = encode(type, text);
    return [encodeName(name), uint16(recordTypes[type]), uint16(1), uint32(60), uint16(data.length), data];
  });
  return Buffer.concat([header, query.subarray(12, question.end), ...answers]);
}

function encode(type: RecordType, text: string): Buffer {
  const words = text.split(' ');
  const [first = '', second = '', third = '', fourth = ''] = words;
  switch (type) {
    case 'A':
      return Buffer.from(text.split('.').map(Number));
    case 'AAAA':
      return encodeIPv6(text);
    case 'NS':
    case 'CNAME':
    case 'PTR':
      return encodeName(text);
    case 'MX':
      return Buffer.concat([uint16(Number(first)), encodeName(second)]);
    case 'TXT':
      return encodeText(text);
    case 'SRV':
      return Buffer.concat([
        uint16(Number(first)),
        uint16(Number(second)),
        uint16(Number(third)),
        encodeName(fourth),
      ]);
    case 'CAA':
      return Buffer.concat([
        Buffer.from([Number(first), second.length]),
        Buffer.from(second + words.slice(2).join(' ')),
      ]);
    case 'SOA':
      return Buffer.concat([
        encodeName(first),
        encodeName(second),
        ...words.slice(2).map((number) => uint32(Number(number))),
      ]);
  }
}

function encodeName(name: string): Buffer {
  const labels = name.replace(/\.$/, '').split('.');
  return Buffer.concat([
    ...labels.map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, 'latin1')])),
    Buffer.from([0]),
  ]);
}

/** A text of more than 255 bytes is several strings on the wire. */
function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text);
  const strings: Buffer[] = [];
  for (let at = 0; at === 0 || at < bytes.length; at += 255) {
    const part = bytes.subarray(at, at + 255);
    strings.push(Buffer.from([part.length]), part);
  }
  return Buffer.concat(strings);
}

function encodeIPv6(address: string): Buffer {
  if (!isIPv6(address)) throw new Error(`${address} is not an IPv6 address`);
  const [head = '', tail] = address.split('::');
  const groups = (text: string) =>
    text === '' ? [] : text.split(':').map((group) => Number.parseInt(group, 16));
  const front = groups(head);
  const back = tail === undefined ? [] : groups(tail);
  const zeros = new Array<number>(8 - front.length - back.length).fill(0);
  return Buffer.concat([...front, ...zeros, ...back].map(uint16));
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}

function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
