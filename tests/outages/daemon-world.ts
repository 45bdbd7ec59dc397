/**
 * Lives through a history with the daemon itself: real targets, real webhooks, kill -9, SIGSTOP and reloads. With a database
 * of PostgreSQL two nodes share it, and what happens to the daemon happens to the node that leads.
 */
import { writeFileSync } from 'node:fs';
import { type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { runCli } from '../support/cli.ts';
import { startDaemon, type Daemon } from '../support/daemon.ts';
import { startHttp, type Target } from '../support/http-target.ts';
import { makeFolder } from '../support/tiny-store.ts';
import type { Fault, History, WatchedPlan } from './history.ts';
import type { Checked, Lived, Received } from './world.ts';

/** What a webhook posts, as far as the oracle looks. */
interface Posted {
  readonly event: string;
  readonly monitor_id?: string;
  readonly impacted?: readonly (string | { readonly id: string })[];
  readonly delivery_id: string;
  readonly late?: boolean;
  readonly resolution?: string;
  readonly from?: string;
}

/** Targets give up no sooner than this, so a probe that hangs takes as long. */
const timeoutSecs = 1;

/** Addresses of this process's own: on 127.0.0.1 another program may get the port while the daemon is down. */
const addressOf = (node: number) => `127.${77 + node}.${(process.pid >> 8) & 255}.${process.pid & 255}`;

/** As short as it may be. */
const leaseSecs = 5;

interface NodeInTest {
  readonly id: string;
  readonly address: string;
  readonly folder: ReturnType<typeof makeFolder>;
  /** 0: any; then the one that it got. */
  port: number;
  daemon: Daemon | null;
}

/** `storage`: the URL of an empty database that two nodes are to share; null: one node and a file. */
export async function liveWithDaemon(history: History, storage: string | null = null): Promise<Lived> {
  const world = new DaemonWorld(history, storage);
  try {
    return await world.run();
  } finally {
    await world.close();
  }
}

class DaemonWorld {
  private readonly history: History;
  private readonly storage: string | null;
  private readonly nodes: readonly NodeInTest[];
  private readonly checks: Checked[] = [];
  private readonly received: Received[] = [];
  private readonly running: [number, number][] = [];
  private readonly flips = new Map<string, boolean>();
  private readonly targets = new Map<string, Target>();
  private receiver: Target | null = null;
  /** Which checks and notifies, as far as it is known; null: nobody does. */
  private leading: NodeInTest | null = null;
  private channels: readonly string[];
  private lives = 0;
  private runsFromSecs = 0;
  private startMs = 0;
  private isOver = false;

  constructor(history: History, storage: string | null) {
    this.history = history;
    this.storage = storage;
    this.channels = history.channels;
    const ids = storage === null ? ['a'] : ['a', 'b'];
    this.nodes = ids.map((id, index) => ({
      id,
      address: addressOf(index),
      folder: makeFolder(),
      port: 0,
      daemon: null,
    }));
  }

  async run(): Promise<Lived> {
    for (const { id, kind } of this.history.monitors)
      if (kind === 'http') this.targets.set(id, await this.startTarget(id));
    this.receiver = await startHttp((request, response) => void this.take(request, response));
    this.startMs = performance.now();
    await this.start();
    const watching = this.storage === null ? null : this.watchLeader();
    const senders = this.history.monitors
      .filter(({ kind }) => kind === 'push')
      .map((plan) => this.send(plan));
    for (const { atSecs, act } of this.script()) {
      await this.waitTo(atSecs);
      await act();
    }
    await this.waitTo(this.history.endSecs);
    this.isOver = true;
    this.endLeading();
    await Promise.all([...senders, watching]);
    const { checks, received, running, lives } = this;
    return { checks, received, running, lives };
  }

  async close(): Promise<void> {
    this.isOver = true;
    for (const { daemon } of this.nodes) await daemon?.end('SIGKILL');
    for (const target of [...this.targets.values(), this.receiver]) await target?.close();
    for (const { folder } of this.nodes) folder.remove();
  }

  private get nowSecs(): number {
    return (performance.now() - this.startMs) / 1000;
  }

  private waitTo(atSecs: number): Promise<void> {
    return pause(Math.max(0, (atSecs - this.nowSecs) * 1000));
  }

  private script(): { readonly atSecs: number; readonly act: () => Promise<unknown> | undefined }[] {
    return this.history.faults.flatMap((fault) => this.actsOf(fault)).sort((a, b) => a.atSecs - b.atSecs);
  }

  private actsOf(
    fault: Fault,
  ): { readonly atSecs: number; readonly act: () => Promise<unknown> | undefined }[] {
    const { fromSecs, toSecs } = fault;
    switch (fault.kind) {
      case 'stall': {
        let stopped: NodeInTest | null = null;
        return [
          {
            atSecs: fromSecs,
            act: () => {
              stopped = this.leading;
              this.endLeading();
              stopped?.daemon?.child.kill('SIGSTOP');
              return undefined;
            },
          },
          {
            atSecs: toSecs,
            act: () => {
              stopped?.daemon?.child.kill('SIGCONT');
              if (this.storage === null && stopped !== null) this.beginLeading(stopped, this.lives);
              return undefined;
            },
          },
        ];
      }
      case 'kill':
      case 'restart':
        return [
          { atSecs: fromSecs, act: () => this.stop(fault.kind === 'kill' ? 'SIGKILL' : 'SIGTERM') },
          { atSecs: toSecs, act: () => this.start() },
        ];
      case 'silence': {
        const args = ['silence', fault.monitors.join(','), `${toSecs - fromSecs}s`];
        return [{ atSecs: fromSecs, act: () => runCli(args, { cwd: this.nodes[0]?.folder.path ?? '' }) }];
      }
      case 'reload':
        return [
          {
            atSecs: fromSecs,
            act: () => {
              this.channels = fault.channels;
              for (const node of this.nodes) {
                this.write(node);
                node.daemon?.child.kill('SIGHUP');
              }
              return undefined;
            },
          },
        ];
      case 'blocked':
      case 'channel':
      case 'acknowledge':
      case 'cut':
      case 'disk':
      case 'edit':
      case 'resolver':
      case 'step':
        return [];
    }
  }

  /** Starts what does not run. */
  private async start(): Promise<void> {
    for (const node of this.nodes) {
      if (node.daemon !== null) continue;
      this.write(node);
      node.daemon = await startDaemon(node.folder.path);
      node.port = Number(new URL(node.daemon.url).port);
      if (this.storage === null) this.beginLeading(node, this.lives + 1);
    }
  }

  private async stop(signal: NodeJS.Signals): Promise<void> {
    const node = this.leading;
    this.endLeading();
    if (node === null) return;
    const { daemon } = node;
    node.daemon = null;
    await daemon?.end(signal);
  }

  private beginLeading(node: NodeInTest, life: number): void {
    this.leading = node;
    this.lives = life;
    this.runsFromSecs = this.nowSecs;
  }

  private endLeading(toSecs = this.nowSecs): void {
    if (this.leading !== null) this.running.push([this.runsFromSecs, toSecs]);
    this.leading = null;
  }

  /** Asks the nodes who of them leads, until it is over. */
  private async watchLeader(): Promise<void> {
    let seenSecs = this.nowSecs;
    while (!this.isOver) {
      const askedSecs = this.nowSecs;
      const leads = await Promise.all(this.nodes.map((node) => isLeader(node)));
      const leader = this.nodes.find((_, index) => leads[index]) ?? null;
      if (leader !== this.leading) this.endLeading(Math.max(seenSecs, this.runsFromSecs));
      if (leader !== null && this.leading === null) this.beginLeading(leader, this.lives + 1);
      seenSecs = askedSecs;
      await pause(250);
    }
  }

  private truthAt(monitor: string): string {
    const atSecs = this.nowSecs;
    const spell = this.history.spells.find(
      (each) => each.monitor === monitor && each.fromSecs <= atSecs && atSecs < each.toSecs,
    );
    if (spell?.truth !== 'restarts') return spell?.truth ?? 'up';
    const { downSecs, upSecs } = this.history.loop;
    return atSecs % (downSecs + upSecs) < downSecs ? 'fails' : 'up';
  }

  private startTarget(monitor: string): Promise<Target> {
    return startHttp((_, response) => {
      const fromSecs = this.nowSecs;
      const note = (heard: Checked['heard']) => {
        this.checks.push({ monitor, fromSecs, atSecs: this.nowSecs, heard });
      };
      const truth = this.truthAt(monitor);
      const isFlip = truth === 'flaps' && this.flips.get(monitor) !== true;
      this.flips.set(monitor, isFlip);
      if (truth === 'hangs') {
        setTimeout(note, timeoutSecs * 1000, 'bad');
        return;
      }
      const isGood = truth === 'up' || (truth === 'flaps' && !isFlip);
      note(isGood ? 'good' : 'bad');
      if (truth === 'refuses') response.destroy();
      else response.writeHead(isGood ? 200 : 503).end();
    });
  }

  /** A job that reports for as long as it is up. */
  private async send({ id, intervalSecs }: WatchedPlan): Promise<void> {
    for (let atSecs = 0.5; !this.isOver && atSecs < this.history.endSecs; atSecs += intervalSecs) {
      await this.waitTo(atSecs);
      if (this.truthAt(id) !== 'up') continue;
      let isTaken = false;
      for (const { address, port, daemon } of this.nodes) {
        if (isTaken || daemon === null) continue;
        const url = `http://${address}:${port}/api/push/${id}?token=${id}-token`;
        isTaken = await fetch(url, { method: 'POST', signal: AbortSignal.timeout(3000) }).then(
          ({ ok }) => ok,
          () => false,
        );
      }
      const now = this.nowSecs;
      if (isTaken) this.checks.push({ monitor: id, fromSecs: now, atSecs: now, heard: 'good' });
    }
  }

  private async take(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const channel = (request.url ?? '/').slice(1);
    const fault = this.history.faults.find(
      (each) =>
        each.kind === 'channel' &&
        each.channel === channel &&
        each.fromSecs <= this.nowSecs &&
        this.nowSecs < each.toSecs,
    );
    const how = fault?.kind === 'channel' ? fault.how : null;
    let body = '';
    for await (const part of request.setEncoding('utf8')) body += String(part);
    if (how === 'refuses') response.writeHead(503).end();
    else if (how === 'limits') response.writeHead(429, { 'retry-after': '5' }).end();
    else {
      const posted = JSON.parse(body) as Posted;
      const { monitor_id: subject = null, impacted = [], delivery_id, late } = posted;
      const event = posted.from === 'unknown' ? 'checks_again' : posted.event;
      const others = impacted.map((each) => (typeof each === 'string' ? each : each.id));
      this.received.push({
        atSecs: this.nowSecs,
        channel,
        event,
        deliveryId: delivery_id,
        subject,
        named: subject === null ? others : [subject, ...others],
        isLate: late === true,
        isRemoved: posted.resolution === 'monitor_removed',
        isAcknowledged: how !== 'hangs',
        life: this.lives,
      });
      if (how !== 'hangs') response.end();
    }
  }

  private write({ id, address, port, folder }: NodeInTest): void {
    const { windowSecs, monitors } = this.history;
    const channel = (name: string) =>
      `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "${this.receiver?.origin ?? ''}/${name}"\ntimeout_secs = 3`;
    const text = [
      `[server]\nbind = "${address}:${port}"\nrate_limit_burst = 100000`,
      this.storage === null
        ? ''
        : `[storage]\nurl = "${this.storage}"\nlease_secs = ${leaseSecs}\n[node]\nid = "${id}"`,
      `[alerts]\ngroup_window_secs = ${windowSecs}`,
      ...this.channels.map(channel),
      ...monitors.map((each) =>
        [
          `[[monitors]]\nid = "${each.id}"\nkind = "${each.kind}"`,
          each.kind === 'push'
            ? `grace_secs = ${each.graceSecs}\npush_token = "${each.id}-token"`
            : `target = "${this.targets.get(each.id)?.origin ?? ''}/"\ntimeout_secs = ${timeoutSecs}\nprobe_retries = 0`,
          `interval_secs = ${each.intervalSecs}`,
          `fail_threshold = ${each.failThreshold}\nrecover_threshold = ${each.recoverThreshold}`,
          `depends_on = ${JSON.stringify(each.upstreams)}`,
          each.notify === null ? '' : `notify = ${JSON.stringify(each.notify)}`,
        ].join('\n'),
      ),
    ].join('\n\n');
    writeFileSync(folder.at('statusd.toml'), text);
  }
}

/** Whether it says that it leads; not when it does not answer soon. */
async function isLeader({ address, port, daemon }: NodeInTest): Promise<boolean> {
  if (daemon === null) return false;
  const signal = AbortSignal.timeout(1000);
  return fetch(`http://${address}:${port}/healthz`, { signal }).then(
    async (answer) => ((await answer.json()) as { role?: string }).role === 'leader',
    () => false,
  );
}
