/**
 * Lives through a history with the real engine, pipeline and tables in virtual time, and notes what an onlooker would
 * see: what each target answered, when a node was running, what reached each channel.
 */
import { nothingArchived } from '../../src/db/store/history.ts';
import type { Operation } from '../../src/db/store/operation.ts';
import { Listeners } from '../../src/db/store/listeners.ts';
import type { StoreChange } from '../../src/db/wal/applier.ts';
import type { Store, StoreHealth } from '../../src/db/store/store.ts';
import { incidents } from '../../src/db/tables/incidents.ts';
import { silences } from '../../src/db/tables/silences.ts';
import type { LoadedConfig } from '../../src/engine/config/load.ts';
import type { Clock } from '../../src/engine/core/clock.ts';
import type { CheckResult, ProbeResult } from '../../src/engine/core/probe.ts';
import { StatusdError } from '../../src/engine/core/errors.ts';
import { fractionOf } from '../../src/engine/core/fraction.ts';
import { type Engine } from '../../src/engine/monitoring/engine.ts';
import { loadNextRun } from '../../src/engine/monitoring/next-run.ts';
import { createEngine } from '../../src/engine/monitoring/create-engine.ts';
import type { ProbedMonitor } from '../../src/engine/probes/probe.ts';
import type { Delivered } from '../../src/notify/channels/channel.ts';
import type { Message } from '../../src/engine/alerting/events/catalogue.ts';
import { createPipeline, type Pipeline } from '../../src/notify/delivery.ts';
import { failed, silent, unknown, up, type Answer } from '../engine/monitoring/world.ts';
import { VirtualClock } from '../support/virtual-clock.ts';
import type { Disk } from '../notify/delivery/world.ts';
import { load } from '../support/config.ts';
import type { Facts } from '../support/facts.ts';
import {
  type ChannelFault,
  type Fault,
  type History,
  type Spell,
  turnOf,
  type WatchedPlan,
} from './history.ts';

/** What a target answered; `silent`: nothing came back; `unasked`: the question could not be asked. */
type Heard = 'good' | 'bad' | 'silent' | 'unasked';

export interface Checked {
  readonly monitor: string;
  /** When it was asked. */
  readonly fromSecs: number;
  /** When it answered, or was given up. */
  readonly atSecs: number;
  readonly heard: Heard;
  /** The process died before its result is sure to have been written. */
  readonly mayBeLost?: boolean;
}

/** A message as its receiver got it. */
export interface Received {
  readonly atSecs: number;
  readonly channel: string;
  /** As webhooks name it, but `checks_again` for the recovery of what could not be checked. */
  readonly event: string;
  readonly deliveryId: string;
  /** The monitor it is about first; null: none. */
  readonly subject: string | null;
  /** Everything it names. */
  readonly named: readonly string[];
  readonly isLate: boolean;
  /** It says that the monitor is not watched any more, and nothing of how it is. */
  readonly isRemoved: boolean;
  /** The sender was told that it arrived. */
  readonly isAcknowledged: boolean;
  readonly life: number;
}

export interface Lived {
  readonly checks: readonly Checked[];
  readonly received: readonly Received[];
  /** When a node was running and its event loop moved. */
  readonly running: readonly (readonly [fromSecs: number, toSecs: number])[];
  readonly lives: number;
}

/** Stands between the product and the world: a defence that is switched off, to see that the oracle notices. */
export interface Sabotage {
  readonly write?: (operations: readonly Operation[]) => readonly Operation[];
  /** While the disk is full nothing goes on from memory. */
  readonly isMemoryUseless?: boolean;
}

interface LifeOptions {
  readonly sabotage?: Sabotage;
  /** Whether what checks found is stored as samples, which takes a third of the time: no alert depends on them. */
  readonly keepsSamples?: boolean;
  /** How long a write takes at most until what was written can be read; later ones wait for it. Default: a moment. */
  readonly writeMs?: number;
}

const never = new Promise<never>(() => undefined);
const noResolver: Answer = {
  result: {
    ...unknown().result,
    isSilence: true,
    reason: { category: 'own_fault', message: 'no name server answers', ownFault: 'resolver' },
  },
  tookMs: 0,
};
const healthy: StoreHealth = { isDurable: true, reason: null, since: null };

const blockedBy = (cause: string): Answer => ({
  result: {
    ...unknown().result,
    isSilence: false,
    reason: { category: 'own_fault', message: `it could not be asked: ${cause}`, ownFault: cause },
  },
  tookMs: 0,
});

export async function liveThrough(history: History, disk: Disk, options: LifeOptions = {}): Promise<Lived> {
  disk.wipe();
  return new World(history, disk.facts, options).run();
}

/** One run of the program; after its end nothing of it does anything any more. */
interface Life {
  isOver: boolean;
  readonly number: number;
  readonly fromSecs: number;
}

/** A function, because it changes while something is waited for. */
function hasEnded(life: Life): boolean {
  return life.isOver;
}

class World {
  private readonly history: History;
  private readonly facts: Facts;
  private readonly sabotage: Sabotage;
  private readonly keepsSamples: boolean;
  private readonly writeMs: number;
  /** The last write that was asked for. */
  private writing: Promise<unknown> = Promise.resolve();
  /** What is on its way to a slow disk. */
  private onItsWay: readonly Operation[] | null = null;
  private writes = 0;
  private readonly clock = new VirtualClock();
  private readonly startMs: number;
  private readonly checks: Checked[] = [];
  private readonly received: Received[] = [];
  private readonly running: [number, number][] = [];
  private readonly flips = new Map<string, boolean>();
  private life: Life = { isOver: true, number: 0, fromSecs: 0 };
  private loaded: LoadedConfig | null = null;
  private engine: Engine | null = null;
  private pipeline: Pipeline | null = null;
  private channels: readonly string[];
  private monitors: readonly WatchedPlan[];
  private uids = 0;

  constructor(
    history: History,
    facts: Facts,
    { sabotage = {}, keepsSamples = true, writeMs = 0 }: LifeOptions,
  ) {
    this.history = history;
    this.facts = facts;
    this.sabotage = sabotage;
    this.keepsSamples = keepsSamples;
    this.writeMs = writeMs;
    this.channels = history.channels;
    this.monitors = history.monitors;
    this.startMs = this.clock.monotonic();
  }

  async run(): Promise<Lived> {
    await this.start();
    for (const { atSecs, act } of this.script()) {
      await this.runTo(atSecs);
      await act();
    }
    await this.runTo(this.history.endSecs);
    this.end();
    const { checks, received, running } = this;
    return { checks, received, running, lives: this.life.number };
  }

  private get nowSecs(): number {
    return (this.clock.monotonic() - this.startMs) / 1000;
  }

  private runTo(atSecs: number): Promise<void> {
    return this.clock.run(Math.max(0, this.startMs + atSecs * 1000 - this.clock.monotonic()));
  }

  /** Everything that somebody does, in order: faults begin and end, senders send. */
  private script(): { readonly atSecs: number; readonly act: () => Promise<void> | void }[] {
    const faults = this.history.faults.flatMap((fault) => this.actsOf(fault));
    return [...faults, ...this.heartbeats()].sort((a, b) => a.atSecs - b.atSecs);
  }

  private actsOf(fault: Fault): { readonly atSecs: number; readonly act: () => Promise<void> | void }[] {
    const { fromSecs, toSecs } = fault;
    switch (fault.kind) {
      case 'cut':
      case 'resolver':
      case 'channel':
      case 'blocked':
        return [];
      case 'disk':
        return [fromSecs, toSecs].map((atSecs) => ({
          atSecs,
          act: () => {
            this.healthListeners.report(this.health());
          },
        }));
      case 'stall':
        return [{ atSecs: fromSecs, act: () => this.stall(toSecs) }];
      case 'kill':
        return [
          {
            atSecs: fromSecs,
            act: () => {
              this.end();
            },
          },
          { atSecs: toSecs, act: () => this.start() },
        ];
      case 'restart':
        return [
          { atSecs: fromSecs, act: () => this.stop() },
          { atSecs: toSecs, act: () => this.start() },
        ];
      case 'step':
        return [
          {
            atSecs: fromSecs,
            act: () => {
              this.clock.step(fault.bySecs * 1000);
            },
          },
          {
            atSecs: toSecs,
            act: () => {
              this.clock.step(-fault.bySecs * 1000);
            },
          },
        ];
      case 'silence':
        return [
          {
            atSecs: fromSecs,
            act: () => {
              this.writeSilences();
            },
          },
        ];
      case 'acknowledge':
        return [
          {
            atSecs: fromSecs,
            act: () => {
              this.acknowledge();
            },
          },
        ];
      case 'reload':
        return [{ atSecs: fromSecs, act: () => this.reload({ channels: fault.channels }) }];
      case 'edit':
        return [{ atSecs: fromSecs, act: () => this.reload({ monitors: fault.monitors }) }];
    }
  }

  private heartbeats() {
    return this.history.monitors
      .filter(({ kind }) => kind === 'push')
      .flatMap(({ id, intervalSecs }) => {
        const count = Math.ceil(this.history.endSecs / intervalSecs);
        return Array.from({ length: count }, (_, index) => ({
          atSecs: 1 + index * intervalSecs,
          act: () => {
            this.beat(id);
          },
        }));
      });
  }

  private truthOf(monitor: string, atSecs: number): Exclude<Spell['truth'], 'changes'> | 'up' {
    const spell = this.history.spells.find(
      (each) => each.monitor === monitor && each.fromSecs <= atSecs && atSecs < each.toSecs,
    );
    if (spell?.truth === 'changes') return atSecs < turnOf(spell) ? 'fails' : 'refuses';
    return spell?.truth ?? 'up';
  }

  /** Refused where the disk takes nothing. */
  private acknowledge(): void {
    if (!this.health().isDurable) return;
    const at = this.clock.now();
    this.apply(
      incidents
        .listOpen(this.facts.sql)
        .map(({ uid }) => incidents.acknowledge({ uid, at, by: 'ann', reason: null })),
    );
  }

  private isDuring(kind: Fault['kind'], atSecs: number): boolean {
    return this.history.faults.some(
      (fault) => fault.kind === kind && fault.fromSecs <= atSecs && atSecs < fault.toSecs,
    );
  }

  private beat(monitor: string): void {
    const truth = this.truthOf(monitor, this.nowSecs);
    const isSent = truth === 'up' && !this.isDuring('cut', this.nowSecs) && !this.life.isOver;
    if (!isSent) return;
    this.checks.push({ monitor, fromSecs: this.nowSecs, atSecs: this.nowSecs, heard: 'good' });
    void this.engine?.heartbeat({ monitor, status: 'up', message: null, pingMs: 5 }).catch(() => undefined);
  }

  private answerOf(monitor: string): { readonly answer: Answer; readonly heard: Heard } {
    const atSecs = this.nowSecs;
    for (const fault of this.history.faults)
      if (fault.kind === 'blocked' && fault.fromSecs <= atSecs && atSecs < fault.toSecs)
        if (fault.monitors.includes(monitor)) return { answer: blockedBy(fault.cause), heard: 'unasked' };
    if (this.isDuring('resolver', atSecs)) return { answer: noResolver, heard: 'unasked' };
    if (this.isDuring('cut', atSecs)) return { answer: silent(5000), heard: 'silent' };
    switch (this.truthOf(monitor, atSecs)) {
      case 'up':
        return { answer: up(), heard: 'good' };
      case 'fails':
        return { answer: failed('status'), heard: 'bad' };
      case 'refuses':
        return { answer: failed('connection', 'connection refused by 192.0.2.1:443'), heard: 'bad' };
      case 'hangs':
        return { answer: silent(5000), heard: 'bad' };
      case 'restarts':
        return atSecs % (this.history.loop.downSecs + this.history.loop.upSecs) < this.history.loop.downSecs
          ? { answer: failed('status'), heard: 'bad' }
          : { answer: up(), heard: 'good' };
      case 'flaps': {
        const isGood = this.flips.get(monitor) === true;
        this.flips.set(monitor, !isGood);
        return isGood ? { answer: up(), heard: 'good' } : { answer: failed('status'), heard: 'bad' };
      }
    }
  }

  private async check(monitor: ProbedMonitor, signal: AbortSignal, life: Life): Promise<CheckResult> {
    const startedAt = this.clock.now();
    const fromSecs = this.nowSecs;
    const { answer, heard } = this.answerOf(monitor.id);
    if (answer.tookMs > 0) await this.clock.sleep(answer.tookMs, signal);
    if (hasEnded(life)) return never;
    this.checks.push({ monitor: monitor.id, fromSecs, atSecs: this.nowSecs, heard });
    const result: ProbeResult = answer.result;
    return { startedAt, attempts: 1, result };
  }

  private async deliver(message: Message, channel: string, life: Life): Promise<Delivered> {
    await this.clock.sleep(20);
    if (hasEnded(life)) return never;
    const how = this.faultOf(channel);
    if (how === 'refuses' || how === 'limits') {
      await this.clock.sleep(how === 'refuses' ? 4000 : 50);
      const retryAfterMs = how === 'limits' ? 30_000 : null;
      return hasEnded(life) ? never : { ...notTaken, retryAfterMs };
    }
    this.received.push(receivedOf(message, { channel, atSecs: this.nowSecs, life: life.number, how }));
    await this.clock.sleep(how === 'hangs' ? 15_000 : 30);
    if (hasEnded(life)) return never;
    return how === 'hangs'
      ? { ...notTaken, attempts: 1, mayBeReceived: true }
      : { kind: 'sent', attempts: 1 };
  }

  private faultOf(channel: string): ChannelFault | null {
    for (const fault of this.history.faults)
      if (
        fault.kind === 'channel' &&
        fault.channel === channel &&
        fault.fromSecs <= this.nowSecs &&
        this.nowSecs < fault.toSecs
      )
        return fault.how;
    return null;
  }

  private readonly silenced = new Set<Fault>();

  /** Another process writes them: while this one stands still, too, which it finds when it reads the log again. */
  private writeSilences(): void {
    for (const fault of this.history.faults) {
      if (fault.kind !== 'silence' || fault.fromSecs > this.nowSecs || this.silenced.has(fault)) continue;
      this.silenced.add(fault);
      // It is refused then, and whoever asked for it is told.
      if (!this.health().isDurable) continue;
      const createdAt = Math.round(this.clock.now() - (this.nowSecs - fault.fromSecs) * 1000);
      const untilAt = createdAt + (fault.toSecs - fault.fromSecs) * 1000;
      this.apply([silences.add({ monitors: fault.monitors, untilAt, reason: null, createdAt })]);
    }
  }

  private async stall(toSecs: number): Promise<void> {
    this.pauseRunning();
    this.clock.stall((toSecs - this.nowSecs) * 1000);
    if (!this.life.isOver) this.life = Object.assign(this.life, { fromSecs: this.nowSecs });
    await Promise.resolve();
  }

  private readonly listeners = new Listeners<StoreChange>();
  private readonly healthListeners = new Listeners<StoreHealth>();

  private health(): StoreHealth {
    const full = this.history.faults.find(
      ({ kind, fromSecs, toSecs }) => kind === 'disk' && fromSecs <= this.nowSecs && this.nowSecs < toSecs,
    );
    if (full === undefined) return healthy;
    return { isDurable: false, reason: 'the disk is full', since: this.clock.now() };
  }

  private apply(operations: readonly Operation[]): readonly unknown[] {
    const written = this.sabotage.write?.(operations) ?? operations;
    const kept = this.keepsSamples ? written : written.filter(([name]) => name !== 'sample');
    const results = kept.length === 0 ? [] : this.facts.apply(...kept);
    this.listeners.report({ operations: kept, isForeign: false });
    return results;
  }

  /** Time passes meanwhile where a write takes some. */
  private through<T>(work: Promise<T>): Promise<T> {
    return this.writeMs === 0 ? this.clock.until(work) : this.clock.during(work, 10);
  }

  /** Resolves when the disk has it; what was asked for before comes first. */
  private write(operations: readonly Operation[], life: Life): Promise<readonly unknown[]> {
    const written = this.writing.then(async () => {
      if (hasEnded(life)) return never;
      this.onItsWay = operations;
      this.writes += 1;
      // Anything up to the longest, the same in each run.
      await this.clock.sleep(this.writeMs * fractionOf(String(this.writes)));
      if (hasEnded(life)) return never;
      this.onItsWay = null;
      return this.apply(operations);
    });
    this.writing = written.catch(() => undefined);
    return written;
  }

  private async start(): Promise<void> {
    if (!this.life.isOver) return;
    // Loaded by now, it takes no time of the event loop when it is needed.
    await loadNextRun();
    const life: Life = { isOver: false, number: this.life.number + 1, fromSecs: this.nowSecs };
    this.life = life;
    this.loaded = await load(this.toml());
    const store = this.storeOf(life);
    const clock = this.clockOf(life);
    this.engine = await this.through(
      createEngine({
        loaded: this.loaded,
        store,
        clock,
        log: () => undefined,
        check: (monitor, { signal }) => this.check(monitor, signal, life),
        lookUpDomain: null,
        peerClients: null,
        onProgress: () => undefined,
        newUid: () => `uid${(this.uids += 1)}`,
      }),
    );
    this.pipeline = createPipeline({
      config: () => this.configuration(),
      store: this.engine.store,
      clock: this.engine.clock,
      log: () => undefined,
      engine: this.engine,
      askPeer: null,
      deliver: (message, channel) => this.deliver(message, channel.name, life),
    });
  }

  private configuration() {
    if (this.loaded === null) throw new Error('nothing is loaded');
    return this.loaded.config;
  }

  /** As after kill -9. */
  private end(): void {
    this.pauseRunning();
    this.leave();
  }

  /** What was written is there, every other time what was on its way, and nothing else. */
  private leave(): void {
    this.life.isOver = true;
    if (this.onItsWay !== null && this.writes % 2 === 0) this.apply(this.onItsWay);
    this.onItsWay = null;
    this.writing = Promise.resolve();
    // Others may have been written before it.
    const unsureSecs = this.nowSecs - (4 * this.writeMs) / 1000;
    for (const [index, check] of this.checks.entries())
      if (check.atSecs > unsureSecs) this.checks[index] = { ...check, mayBeLost: true };
  }

  private pauseRunning(): void {
    if (!this.life.isOver && this.nowSecs > this.life.fromSecs)
      this.running.push([this.life.fromSecs, this.nowSecs]);
  }

  private async stop(): Promise<void> {
    if (this.life.isOver) return;
    this.pauseRunning();
    const { engine, pipeline } = this;
    await this.through(Promise.all([pipeline?.stop(), engine?.stop()]));
    this.leave();
  }

  private async reload(changes: Partial<Pick<History, 'channels' | 'monitors'>>): Promise<void> {
    this.channels = changes.channels ?? this.channels;
    this.monitors = changes.monitors ?? this.monitors;
    if (this.life.isOver) return;
    const loaded = await load(this.toml());
    if (this.engine !== null) await this.through(this.engine.reload(loaded));
    this.loaded = loaded;
    this.pipeline?.reload();
  }

  private toml(): string {
    const { monitors, history } = this;
    const channel = (name: string) =>
      `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "https://${name}.example/"`;
    return [
      `[alerts]\ngroup_window_secs = ${history.windowSecs}`,
      ...this.channels.map(channel),
      ...monitors.map((each) =>
        [
          `[[monitors]]\nid = "${each.id}"\nkind = "${each.kind}"`,
          each.kind === 'push'
            ? `grace_secs = ${each.graceSecs}`
            : `target = "https://${each.id}.example/${each.page === 0 ? '' : each.page}"`,
          `interval_secs = ${each.intervalSecs}`,
          `fail_threshold = ${each.failThreshold}\nrecover_threshold = ${each.recoverThreshold}`,
          `depends_on = ${JSON.stringify(each.upstreams)}`,
          each.notify === null ? '' : `notify = ${JSON.stringify(each.notify)}`,
        ].join('\n'),
      ),
    ].join('\n\n');
  }

  private clockOf(life: Life): Clock {
    const { clock } = this;
    return {
      now: clock.now,
      monotonic: clock.monotonic,
      sleep: async (ms, signal) => {
        if (hasEnded(life)) return never;
        await clock.sleep(ms, signal);
        return hasEnded(life) ? never : undefined;
      },
      after: (ms, run) =>
        clock.after(ms, () => {
          if (!hasEnded(life)) run();
        }),
    };
  }

  private storeOf(life: Life): Store {
    return {
      sql: this.facts.sql,
      archive: nothingArchived,
      warnings: () => [],
      write: async (operations, { mustBeDurable } = { mustBeDurable: true }) => {
        if (!this.health().isDurable && (mustBeDurable || this.sabotage.isMemoryUseless === true))
          throw new StatusdError('store_full', 'the disk is full');
        await Promise.resolve();
        if (hasEnded(life)) return never;
        return (this.writeMs === 0 ? this.apply(operations) : await this.write(operations, life)) as never;
      },
      record: (operations) => {
        if (!hasEnded(life)) this.apply(operations);
      },
      refresh: () => {
        this.writeSilences();
        return Promise.resolve();
      },
      onChange: (listener) =>
        this.listeners.add((change) => {
          if (!hasEnded(life)) listener(change);
        }),
      onHealth: (listener) =>
        this.healthListeners.add((health) => {
          if (!hasEnded(life)) listener(health);
        }),
      health: () => this.health(),
      lost: never,
      checkpoint: () => Promise.resolve(),
      close: () => Promise.resolve(),
    };
  }
}

const notTaken = {
  kind: 'failed',
  attempts: 3,
  error: 'The channel did not answer.',
  isPermanent: false,
  retryAfterMs: null,
} as const;

interface Receiving {
  readonly channel: string;
  readonly atSecs: number;
  readonly life: number;
  readonly how: ChannelFault | null;
}

function receivedOf(message: Message, { channel, atSecs, life, how }: Receiving): Received {
  const subject = 'monitor' in message ? message.monitor.id : null;
  const others = 'impacted' in message ? message.impacted.map(({ id }) => id) : [];
  return {
    atSecs,
    channel,
    life,
    event: message.event === 'recovered' ? endNames[message.from] : message.event,
    deliveryId: message.deliveryId,
    subject,
    named: subject === null ? others : [subject, ...others],
    isLate: 'isLate' in message && message.isLate,
    isRemoved: 'isRemoved' in message && message.isRemoved,
    isAcknowledged: how !== 'hangs',
  };
}

/** The ends of what is no outage are apart from those of outages. */
const endNames = {
  down: 'recovered',
  degraded: 'recovered',
  unknown: 'checks_again',
  unstable: 'stable',
} as const;
