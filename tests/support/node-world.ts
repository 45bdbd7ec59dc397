/** What nodes that share a database are tried in: the database, a target that may fail, who receives alerts, the nodes. */
import { writeFileSync } from 'node:fs';
import { after, afterEach, before, beforeEach } from 'node:test';
import { type Daemon, type DaemonOptions, startDaemon, until } from './daemon.ts';
import { startHttp, type Target } from './http-target.ts';
import { type LossyWay, lossyWay, type Postgres, startPostgres } from './postgres.ts';
import { makeFolder } from './tiny-store.ts';
import { openWebhookInbox, type WebhookInbox } from './webhook-inbox.ts';

interface NodeHealth {
  readonly role: string;
  readonly leader: string | null;
  readonly db_ok: boolean;
}

export class NodeWorld {
  /** The address of a database of this test's own. */
  database = '';
  /** Whether the target answers 200. */
  isUp = true;
  private inbox: WebhookInbox | null = null;
  private target: Target | null = null;
  private postgres: Postgres | null = null;
  private readonly ways = new Set<LossyWay>();
  private readonly folders = new Map<string, ReturnType<typeof makeFolder>>();
  private readonly daemons = new Map<string, Daemon>();

  /** For the suite around: a server and a target for all of its tests, and all the rest for each. */
  static ofSuite(): NodeWorld {
    const world = new NodeWorld();
    before(() => world.open());
    after(() => world.close());
    beforeEach(() => world.begin());
    afterEach(() => world.end());
    return world;
  }

  private async open(): Promise<void> {
    this.postgres = await startPostgres();
    this.target = await startHttp((_, response) => response.writeHead(this.isUp ? 200 : 503).end());
  }

  private async close(): Promise<void> {
    await this.target?.close();
    await this.postgres?.stop();
  }

  private async begin(): Promise<void> {
    this.database = (await this.postgres?.database()) ?? '';
    this.inbox = await openWebhookInbox();
    this.isUp = true;
  }

  private async end(): Promise<void> {
    await Promise.all([...this.daemons.values()].map((daemon) => daemon.end('SIGKILL')));
    this.daemons.clear();
    for (const way of this.ways) await this.cut(way);
    await this.inbox?.close();
    for (const folder of this.folders.values()) folder.remove();
    this.folders.clear();
  }

  /** Where alerts go. */
  get alerts(): WebhookInbox {
    if (this.inbox === null) throw new Error('no test has begun');
    return this.inbox;
  }

  /** A table of a monitor of the target, checked every second. */
  monitor(id: string): string {
    return `
[[monitors]]
id = "${id}"
target = "${this.target?.origin ?? ''}/"
interval_secs = 1
timeout_secs = 1
probe_retries = 0
`;
  }

  /** A way to the database that can be cut or delayed. */
  async way(): Promise<LossyWay> {
    const way = await lossyWay(this.database);
    this.ways.add(way);
    return way;
  }

  async cut(way: LossyWay): Promise<void> {
    this.ways.delete(way);
    await way.stop();
  }

  /** The folder of a node, which it keeps when it starts again. */
  folderOf(id: string): ReturnType<typeof makeFolder> {
    const folder = this.folders.get(id) ?? makeFolder();
    this.folders.set(id, folder);
    return folder;
  }

  async start(id: string, config: string, options: DaemonOptions = {}): Promise<Daemon> {
    const folder = this.folderOf(id);
    writeFileSync(folder.at('statusd.toml'), config);
    const daemon = await startDaemon(folder.path, options);
    this.daemons.set(id, daemon);
    return daemon;
  }

  /** Ends a node. */
  async stop(id: string, signal: NodeJS.Signals): ReturnType<Daemon['end']> {
    const daemon = this.daemons.get(id);
    if (daemon === undefined) throw new Error(`${id} was not started`);
    this.daemons.delete(id);
    return daemon.end(signal);
  }

  async health({ url }: Daemon): Promise<NodeHealth> {
    return (await (await fetch(`${url}healthz`)).json()) as NodeHealth;
  }

  async leads(daemon: Daemon): Promise<void> {
    await until(
      async () => (await this.health(daemon)).role === 'leader',
      () => 'it does not lead',
    );
  }

  /** How many alerts about the monitor `web` were received. */
  received(event: string): number {
    return this.alerts.of(event, 'web').length;
  }

  async hears(event: string, count: number): Promise<void> {
    await until(
      () => this.received(event) >= count,
      () =>
        `${event}: ${this.received(event)} of ${count}; ${this.alerts.messages.map((one) => one.event).join(', ')}`,
    );
  }
}
