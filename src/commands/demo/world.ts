/** The demo: its targets on loopback, its configuration, and the plan of what breaks when. */
import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createTcpServer, type Server } from 'node:net';
import type { Clock } from '../../engine/core/clock.ts';
import { maintenanceOf } from './past.ts';

export interface World {
  readonly ports: Readonly<
    Record<'website' | 'search' | 'flaky' | 'api' | 'shop' | 'database' | 'mail', number>
  >;
  /** What works from now on; the rest stays as it is. */
  readonly change: (change: Partial<Switches>) => void;
  readonly close: () => void;
}

const loopback = '127.0.0.1';
const slowMs = 900;

export async function startWorld(switches: Switches): Promise<World> {
  const servers: Server[] = [];
  const site = (listener: RequestListener) => {
    const server = createServer(listener);
    servers.push(server);
    return listen(server, 0);
  };
  const database = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy()).end();
  });
  const mail = createTcpServer((socket) => {
    socket.on('error', () => socket.destroy()).end('220 ready\r\n');
  });
  servers.push(database, mail);
  const ports = {
    website: await site((_, response) => response.end('welcome\n')),
    search: await site((_, response) => {
      setTimeout(() => response.end('found\n'), switches.isSearchSlow ? slowMs : 5);
    }),
    flaky: await site(flaky()),
    api: await site((_, response) => {
      if (switches.isDatabaseUp) response.end('{"status":"ok"}\n');
      else response.writeHead(503).end('{"error":"the database does not answer"}\n');
    }),
    shop: await site((_, response) => {
      if (switches.isDatabaseUp) response.end('open\n');
      else response.writeHead(502).end('the API is not available\n');
    }),
    database: await listen(database, 0),
    mail: await listen(mail, 0),
  };
  return {
    ports,
    change: (change) => {
      Object.assign(switches, change);
      if (!switches.isDatabaseUp) database.close();
      else if (!database.listening) database.listen(ports.database, loopback);
    },
    close: () => {
      for (const server of servers) server.close();
    },
  };
}

async function listen(server: Server, port: number): Promise<number> {
  server.listen(port, loopback);
  await once(server, 'listening');
  return (server.address() as AddressInfo).port;
}

/** Of ten checks two in a row fail, which is too few to confirm an outage. */
function flaky(): RequestListener {
  let count = 0;
  return (_, response) => {
    count += 1;
    if (count % 10 < 2) response.writeHead(500).end('try again\n');
    else response.end('fine\n');
  };
}

/** Which targets of the demo work at the moment. */

export interface Switches {
  isDatabaseUp: boolean;
  isSearchSlow: boolean;
  isJobRunning: boolean;
}

export function allWell(): Switches {
  return { isDatabaseUp: true, isSearchSlow: false, isJobRunning: true };
}

/** The plan of the demo: what breaks when, and what to expect of it. */
interface Scene {
  /** Seconds after the beginning of the round. */
  readonly atSecs: number;
  readonly text: string;
  readonly change?: Partial<Switches>;
}

/** After this the plan begins anew. */
export const roundSecs = 150;

export const story: readonly Scene[] = [
  { atSecs: 0, text: 'everything works; the flaky service fails twice in ten, and nobody is notified' },
  {
    atSecs: 15,
    text: 'the search becomes slow for 20 s: it is shown as degraded, and nobody is notified',
    change: { isSearchSlow: true },
  },
  {
    atSecs: 35,
    text: 'the search is fast again; in 5 s the database fails',
    change: { isSearchSlow: false },
  },
  {
    atSecs: 40,
    text: 'the database fails, and the API and the shop with it: 3 monitors, but one message in about 10 s',
    change: { isDatabaseUp: false },
  },
  { atSecs: 80, text: 'the database works again: one message says so', change: { isDatabaseUp: true } },
  {
    atSecs: 95,
    text: 'the backup job stops sending heartbeats: late in about 4 s, down 6 s later, then an alert',
    change: { isJobRunning: false },
  },
  {
    atSecs: 130,
    text: 'the backup job sends heartbeats again; in 20 s the demo starts over',
    change: { isJobRunning: true },
  },
];

interface StoryOptions {
  readonly clock: Clock;
  readonly change: (change: Partial<Switches>) => void;
  readonly say: (text: string) => void;
  /** Ends the story. */
  readonly signal: AbortSignal;
}

/** Goes through the plan again and again. Resolves when `signal` is aborted. */
export async function playStory({ clock, change: apply, say, signal }: StoryOptions): Promise<void> {
  const isOver = () => signal.aborted;
  let roundAt = clock.monotonic();
  while (!isOver()) {
    for (const { atSecs, text, change } of story) {
      const waitMs = roundAt + atSecs * 1000 - clock.monotonic();
      if (waitMs > 0) await clock.sleep(waitMs, signal).catch(() => undefined);
      if (isOver()) return;
      if (change !== undefined) apply(change);
      say(text);
    }
    roundAt += roundSecs * 1000;
  }
}

/** The configuration of the demo. */
interface DemoPlaces {
  readonly ports: World['ports'];
  /** Where the daemon listens, as `host:port`. */
  readonly bind: string;
  /** The port that takes messages. */
  readonly phonePort: number;
  readonly jobToken: string;
  /** Epoch milliseconds. */
  readonly nowAt: number;
}

/** Everything happens in seconds here; a real configuration counts in minutes. */
export function configText({ ports, bind, phonePort, jobToken, nowAt }: DemoPlaces): string {
  return `# The configuration of \`statusd demo\`. It is removed when the demo ends.
[page]
title = "statusd demo"

[server]
bind = "${bind}"
database_path = "statusd.db"

[alerts]
fail_threshold = 3
group_window_secs = 5

[[channels]]
name = "phone"
type = "ntfy"
url = "http://127.0.0.1:${phonePort}/demo"

${http('website', 'Website', ports.website)}slo_uptime = 99.9

${http('search', 'Search', ports.search)}degraded_over_ms = 400
slo_uptime = 99.5

${http('flaky', 'Flaky service', ports.flaky)}
[[monitors]]
id = "database"
name = "Database"
group = "Shop"
kind = "tcp"
target = "127.0.0.1:${ports.database}"
interval_secs = 2
timeout_secs = 2
probe_retries = 0

${http('api', 'API', ports.api)}group = "Shop"
depends_on = ["database"]

${http('shop', 'Shop', ports.shop)}group = "Shop"
depends_on = ["api"]

[[monitors]]
id = "mail"
name = "Mail server"
kind = "tcp"
target = "127.0.0.1:${ports.mail}"
interval_secs = 60

[[monitors]]
id = "backup"
name = "Nightly backup"
group = "Jobs"
kind = "push"
interval_secs = 4
grace_secs = 6
push_token = "${jobToken}"

${maintenanceOf(nowAt).map(maintenance).join('\n')}`;
}

function maintenance({ title, startAt, endAt }: ReturnType<typeof maintenanceOf>[number]): string {
  return `[[maintenance]]
title = "${title}"
start = "${new Date(startAt).toISOString()}"
end = "${new Date(endAt).toISOString()}"
`;
}

function http(id: string, name: string, port: number): string {
  return `[[monitors]]
id = "${id}"
name = "${name}"
target = "http://127.0.0.1:${port}/"
interval_secs = 2
timeout_secs = 2
probe_retries = 0
`;
}
