/** Three real daemons that watch the same targets and each other, on hosts whose network can be cut. */
import { writeFileSync } from 'node:fs';
import { type CliResult, startCli } from '../support/cli.ts';
import { startDaemon, until, type Daemon } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import type { NetworkLab } from '../support/network-lab.ts';
import { makeFolder } from '../support/tiny-store.ts';

export const names = ['a', 'b', 'c'] as const;
type Name = (typeof names)[number];

export interface Notified {
  /** Which node says it. */
  readonly by: string;
  /** When it came, epoch ms. */
  readonly cameAt: number;
  readonly event: string;
  readonly monitor_id: string | null;
  readonly confirmed_at?: string;
  readonly vantage?: readonly { readonly peer: string; readonly verdict: string | null }[] | null;
}

export interface Trio {
  /** What the targets answer. */
  readonly statuses: { web: number; shop: number };
  /** The addresses of web, shop and steady, which the nodes watch. */
  readonly targets: readonly string[];
  readonly notified: readonly Notified[];
  /** What was told of an event, of any monitor or peer or of one. */
  readonly heard: (event: string, of?: string) => readonly Notified[];
  readonly untilNotified: (event: string, of: string, by: readonly Name[]) => Promise<unknown>;
  readonly untilAllWell: () => Promise<unknown>;
  readonly start: (name: Name) => Promise<void>;
  /** Until then a node is given the time that a busy machine needs to start one. Reloads all nodes. */
  readonly missSooner: () => Promise<void>;
  readonly node: (name: Name) => Daemon;
  readonly cli: (name: Name, ...args: readonly string[]) => Promise<CliResult>;
  readonly close: () => Promise<void>;
}

const windowSecs = 2;

interface Patience {
  /** The grace of health. */
  readonly graceSecs: number;
  /** How long a peer may be silent. */
  readonly expectSecs: number;
}

/** While nodes are started, and where one is to be missed. */
const whileStarting: Patience = { graceSecs: 60, expectSecs: 30 };
const whereMissed: Patience = { graceSecs: 6, expectSecs: 5 };

/** How much later than its window a message came. */
export function latenessOf({ cameAt, confirmed_at }: Notified): number {
  return cameAt - Date.parse(confirmed_at ?? '') - windowSecs * 1000;
}

/** Which nodes said it, in order. */
export function bys(messages: readonly Notified[]): string[] {
  return messages.map(({ by }) => by).toSorted();
}

/** `b down`, `c nothing`: what a message says the others saw. */
export function verdictsIn(message: Notified | undefined): string[] {
  return (message?.vantage ?? []).map(({ peer, verdict }) => `${peer} ${verdict ?? 'nothing'}`);
}

export async function openTrio(net: NetworkLab): Promise<Trio> {
  const folders = new Map(names.map((name) => [name, makeFolder()]));
  const nodes = new Map<Name, Daemon>();
  const notified: Notified[] = [];
  const statuses = { web: 200, shop: 200 };
  const folderOf = (name: Name) => folders.get(name) ?? never();
  const node = (name: Name) => nodes.get(name) ?? never();
  const outside = await startOutside(net, { notified, statuses });
  const configure = (patience: Patience) => {
    for (const name of names)
      writeFileSync(folderOf(name).at('statusd.toml'), configOf(name, { net, patience, ...outside }));
  };
  configure(whileStarting);
  const start = async (name: Name) => {
    nodes.set(name, await startDaemon(folderOf(name).path, { within: net.within(name) }));
  };
  await Promise.all(names.map(start));
  const heard = (event: string, of?: string) =>
    notified.filter((one) => one.event === event && (of === undefined || one.monitor_id === of));
  const linesOf = () => notified.map((one) => `${one.by} ${one.event} ${one.monitor_id ?? ''}`).join(', ');
  return {
    statuses,
    targets: outside.targets,
    notified,
    heard,
    start,
    node,
    untilNotified: (event, of, by) =>
      until(
        () => by.every((one) => bys(heard(event, of)).includes(one)),
        () => `${event} of ${of} by ${by.join(', ')} among ${linesOf()}`,
        40_000,
      ),
    untilAllWell: () => Promise.all(names.map((name) => untilWell(name, node(name)))),
    missSooner: async () => {
      configure(whereMissed);
      await Promise.all(
        [...nodes.values()].map((each) => {
          each.child.kill('SIGHUP');
          return each.says('config.reloaded');
        }),
      );
    },
    cli: (name, ...args) => startCli(args, { cwd: folderOf(name).path, within: net.within(name) }).exited,
    close: async () => {
      await Promise.all(
        [...nodes.values()].map(async (each) => {
          each.child.kill('SIGCONT');
          await each.end('SIGTERM');
        }),
      );
      await Promise.all(outside.closing.map((target) => target.close()));
      for (const folder of folders.values()) folder.remove();
    },
  };
}

interface Outside {
  readonly targets: readonly string[];
  readonly hooks: string;
  readonly liar: string;
  readonly closing: readonly Target[];
}

interface Shared {
  readonly notified: Notified[];
  readonly statuses: Trio['statuses'];
}

/** What the nodes speak to beside each other: targets, a channel, and a peer that lies. */
async function startOutside(net: NetworkLab, { notified, statuses }: Shared): Promise<Outside> {
  const answering = (last: number, status: () => number) =>
    startHttp((_, response) => response.writeHead(status()).end(), { host: net.extra(last) });
  const web = await answering(100, () => statuses.web);
  const shop = await answering(101, () => statuses.shop);
  const steady = await answering(102, () => 200);
  const receiver = await startHttp(
    (request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.on('end', () => {
        const said = JSON.parse(body) as Omit<Notified, 'by' | 'cameAt'>;
        notified.push({ ...said, by: request.url?.slice(1) ?? '', cameAt: Date.now() });
        response.end();
      });
    },
    { host: net.hub },
  );
  // It hears nobody, says that all is well, and has no idea.
  const liar = await startHttp(
    (request, response) => {
      const isProbe = request.url === '/api/peer/probe';
      const word = isProbe
        ? { up: true, status: 'up', latency_ms: 1, error: null }
        : { status: 'ok', scheduler_ok: true, id: 'liar', peers: {} };
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify(word));
    },
    { host: net.extra(103) },
  );
  return {
    targets: [web, shop, steady].map(({ origin }) => `${origin}/`),
    hooks: receiver.origin,
    liar: liar.origin,
    closing: [web, shop, steady, receiver, liar],
  };
}

interface NodeTerms extends Outside {
  readonly net: NetworkLab;
  readonly patience: Patience;
}

function configOf(name: Name, { net, patience, hooks, liar, targets }: NodeTerms): string {
  const peer = (id: string, origin: string, more = '') => `
[[peers]]
id = "${id}"
ping_url = "${origin}/api/push/${name}"
ping_token = "from-${name}"
listen_token = "from-${id}"
${more}`;
  const peers = names
    .filter((other) => other !== name)
    .map((other) =>
      peer(other, `http://${net.addressOf(other)}:8787`, `expect_every_secs = ${patience.expectSecs}`),
    );
  const monitors = targets.map(
    (target, index) => `
[[monitors]]
id = "${['web', 'shop', 'steady'][index] ?? ''}"
target = "${target}"
interval_secs = 1
timeout_secs = 1
probe_retries = 0
`,
  );
  return `
[server]
bind = "${net.addressOf(name)}:8787"
auth_token = "operator-token"
rate_limit_burst = 1000

[health]
id = "${name}"
interval_secs = 1
grace_secs = ${patience.graceSecs}
quorum = true
confirm_with_peers = true

[alerts]
fail_threshold = 2
group_window_secs = ${windowSecs}

[[channels]]
name = "hook"
type = "webhook"
url = "${hooks}/${name}"
${[...peers, ...(name === 'c' ? [peer('liar', liar)] : []), ...monitors].join('')}`;
}

/** A node that was heard this many seconds ago is heard now. */
const freshSecs = 2;

/** Waits until a node hears both others. */
async function untilWell(name: Name, { url }: Daemon): Promise<unknown> {
  let seen = '';
  return until(
    async () => {
      const headers = { authorization: 'Bearer operator-token' };
      const answer = await fetch(`${url}healthz`, { headers });
      const { peers } = (await answer.json()) as Health;
      seen = JSON.stringify(peers);
      const all = Object.values(peers);
      return all.length === 2 && all.every(({ state, age }) => state === 'up' && (age ?? 9) <= freshSecs);
    },
    () => `${name} sees ${seen}`,
  );
}

interface Health {
  readonly peers: Readonly<Record<string, { readonly state: string; readonly age: number | null }>>;
}

function never(): never {
  throw new Error('impossible');
}
