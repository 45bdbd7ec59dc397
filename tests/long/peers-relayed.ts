/** Three real daemons on loopback: what they say to each other, and what they watch, goes through relays of their own. */
import { writeFileSync } from 'node:fs';
import { type CliResult, startCli } from '../support/cli.ts';
import { type Daemon, startDaemon, until } from '../support/daemon.ts';
import { startHttp } from '../support/http-target.ts';
import { type Relay, startRelay } from '../support/relay.ts';
import { makeFolder } from '../support/tiny-store.ts';

export const names = ['a', 'b', 'c'] as const;
type Name = (typeof names)[number];

interface Notified {
  /** Which node says it. */
  readonly by: string;
  readonly event: string;
  readonly monitor_id: string | null;
  readonly vantage?: readonly { readonly peer: string; readonly verdict: string | null }[] | null;
}

export interface RelayedTrio {
  /** What the target `shop` answers. */
  readonly statuses: { shop: number };
  readonly notified: readonly Notified[];
  readonly heard: (event: string, of?: string) => readonly Notified[];
  readonly untilNotified: (event: string, of: string, by: readonly Name[]) => Promise<unknown>;
  readonly untilAllWell: () => Promise<unknown>;
  readonly node: (name: Name) => Daemon;
  readonly cli: (name: Name, ...args: readonly string[]) => Promise<CliResult>;
  /** Has a node present another token than its peers expect, from the next reload on. */
  readonly present: (name: Name, token: string) => void;
  /** Pulls the plug of a node, or puts it in again. */
  readonly unplug: (name: Name) => Promise<unknown>;
  readonly plug: (name: Name) => Promise<unknown>;
  readonly close: () => Promise<void>;
}

const monitors = ['shop', 'web', 'steady'] as const;

export async function openRelayedTrio(): Promise<RelayedTrio> {
  const notified: Notified[] = [];
  const statuses = { shop: 200 };
  const nodes = new Map<Name, Daemon>();
  const node = (name: Name) => nodes.get(name) ?? never();
  const folders = new Map(names.map((name) => [name, makeFolder()]));
  const folderOf = (name: Name) => folders.get(name) ?? never();
  // A proxy is asked for whole URLs, and answers for every host.
  const proxy = await startHttp((request, response) => {
    const isShop = request.url?.startsWith('http://shop.example/') === true;
    response.writeHead(isShop ? statuses.shop : 200).end();
  });
  const receiver = await startHttp((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      notified.push({ ...(JSON.parse(body) as Omit<Notified, 'by'>), by: request.url?.slice(1) ?? '' });
      response.end();
    });
  });
  // By `from to`; `to` is the proxy for what is watched.
  const relays = new Map<string, Relay>();
  for (const from of names) {
    relays.set(`${from} proxy`, await startRelay(() => proxy.port));
    for (const to of names) {
      if (to !== from) relays.set(`${from} ${to}`, await startRelay(() => portOf(nodes.get(to))));
    }
  }
  const relayOf = (from: string, to: string) => relays.get(`${from} ${to}`) ?? never();
  const linesOf = (name: Name) => [...relays].filter(([ends]) => ends.split(' ').includes(name));
  const configure = (name: Name, token: string) => {
    const text = configOf(name, {
      token,
      hook: receiver.origin,
      proxy: relayOf(name, 'proxy').origin,
      originOf: (to) => relayOf(name, to).origin,
      targetOf: (id) => `http://${id}.example/`,
    });
    writeFileSync(folderOf(name).at('statusd.toml'), text);
  };
  for (const name of names) configure(name, `from-${name}`);
  const heard = (event: string, of?: string) =>
    notified.filter((one) => one.event === event && (of === undefined || one.monitor_id === of));
  const close = async () => {
    await Promise.all([...nodes.values()].map((each) => each.end('SIGTERM')));
    await Promise.all([...relays.values(), proxy, receiver].map((each) => each.close()));
    for (const folder of folders.values()) folder.remove();
  };
  // All at once: a node waits only so long for the first heartbeat of the others.
  const starts = names.map(async (name) => nodes.set(name, await startDaemon(folderOf(name).path)));
  try {
    await Promise.all(starts);
  } catch (error) {
    await Promise.allSettled(starts);
    await close();
    throw error;
  }
  return {
    statuses,
    notified,
    heard,
    node,
    close,
    untilNotified: (event, of, by) =>
      until(
        () => by.every((one) => heard(event, of).some((each) => each.by === one)),
        () =>
          `${event} of ${of} by ${by.join(', ')} among ${notified.map((one) => `${one.by} ${one.event}`).join(', ')}`,
        60_000,
      ),
    untilAllWell: () => Promise.all(names.map((name) => untilWell(name, node(name)))),
    cli: (name, ...args) => startCli(args, { cwd: folderOf(name).path }).exited,
    present: configure,
    unplug: (name) => Promise.all(linesOf(name).map(([, relay]) => relay.cut())),
    plug: (name) => Promise.all(linesOf(name).map(([, relay]) => relay.heal())),
  };
}

interface Lines {
  /** What this node presents. */
  readonly token: string;
  readonly hook: string;
  readonly proxy: string;
  readonly originOf: (to: Name) => string;
  readonly targetOf: (id: string) => string;
}

function configOf(name: Name, { token, hook, proxy, originOf, targetOf }: Lines): string {
  const peers = names
    .filter((other) => other !== name)
    .map(
      (other) => `
[[peers]]
id = "${other}"
ping_url = "${originOf(other)}/api/push/${name}"
ping_token = "${token}"
listen_token = "from-${other}"
expect_every_secs = 4
`,
    );
  const watched = monitors.map(
    (id) => `
[[monitors]]
id = "${id}"
target = "${targetOf(id)}"
proxy = "${proxy}"
interval_secs = 1
timeout_secs = 1
probe_retries = 0
`,
  );
  return `
[server]
bind = "127.0.0.1:0"
auth_token = "operator-token"
rate_limit_burst = 1000

[health]
id = "${name}"
interval_secs = 1
grace_secs = 10
quorum = true
confirm_with_peers = true

[alerts]
fail_threshold = 2
group_window_secs = 2

[[channels]]
name = "hook"
type = "webhook"
url = "${hook}/${name}"
${[...peers, ...watched].join('')}`;
}

interface Health {
  readonly peers: Readonly<Record<string, { readonly state: string; readonly age: number | null }>>;
}

/** Waits until a node has heard both others just now. */
function untilWell(name: Name, { url }: Daemon): Promise<unknown> {
  let seen = '';
  return until(
    async () => {
      const answer = await fetch(`${url}healthz`, { headers: { authorization: 'Bearer operator-token' } });
      const { peers } = (await answer.json()) as Health;
      seen = JSON.stringify(peers);
      const all = Object.values(peers);
      return all.length === 2 && all.every(({ state, age }) => state === 'up' && (age ?? 9) <= 2);
    },
    () => `${name} sees ${seen}`,
  );
}

function portOf(daemon: Daemon | undefined): number | null {
  return daemon === undefined ? null : Number(new URL(daemon.url).port);
}

function never(): never {
  throw new Error('impossible');
}
