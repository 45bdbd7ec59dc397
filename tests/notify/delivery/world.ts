/**
 * A world in which alerts are sent: the real confirming, queueing, store of facts and pipeline; the targets, the
 * channels, the time and the crashes are the test's. A crash leaves nothing but what was written.
 */
import type { StoreChange } from '../../../src/db/wal/applier.ts';
import type { Json, Operation } from '../../../src/db/store/operation.ts';
import { alertStates } from '../../../src/db/tables/alert-states.ts';
import { incidents } from '../../../src/db/tables/incidents.ts';
import type { Config } from '../../../src/engine/config/config.ts';
import { confirm } from '../../../src/engine/monitoring/confirm/confirm.ts';
import { resume } from '../../../src/engine/monitoring/confirm/resume.ts';
import { asRecorded, heard } from '../../../src/engine/monitoring/confirm/said.ts';
import { freshState, type MonitorState } from '../../../src/engine/monitoring/confirm/state.ts';
import {
  freshStability,
  type Stability,
  stabilityFields,
} from '../../../src/engine/monitoring/confirm/unstable.ts';
import { follow, judgedCheckOf } from '../../../src/engine/monitoring/stability.ts';
import type { Transition, Why } from '../../../src/engine/monitoring/confirm/transition.ts';
import type { LogEntry } from '../../../src/engine/core/log.ts';
import { alignment } from '../../../src/engine/monitoring/resume.ts';
import type { BegunEvent, EndedEvent } from '../../../src/engine/alerting/events/outage.ts';
import type { Delivered } from '../../../src/notify/channels/channel.ts';
import type { Message } from '../../../src/engine/alerting/events/catalogue.ts';
import {
  alertOperations,
  type CarriedAck,
  carriedBy,
  reasonOperations,
} from '../../../src/engine/monitoring/alert-operations.ts';
import type { Reason } from '../../../src/engine/core/probe.ts';
import { createPipeline, type Pipeline } from '../../../src/notify/delivery.ts';
import type { AskPeer } from '../../../src/engine/peers/confirmation/ask.ts';
import { openFacts, type Facts } from '../../support/facts.ts';
import { load } from '../../support/config.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';

/** What a channel took: which message, when, in the life after how many crashes. */
export interface Notified {
  readonly at: number;
  readonly channel: string;
  readonly message: Message;
  readonly life: number;
}

/** `resolver`, `plugin`: it could not be checked, because no name server answers, or its plugin cannot be run. */
export type Seen = 'up' | 'slow' | 'down' | 'unknown' | 'resolver' | 'plugin';

/** One run of the program, until it crashes. Every wait is a point at which that may happen. */
class Life {
  isOver = false;
  readonly over: Promise<void>;
  private end: () => void = () => undefined;

  constructor() {
    this.over = new Promise((resolve) => {
      this.end = resolve;
    });
  }

  crash(): void {
    this.isOver = true;
    this.end();
  }
}

const never = new Promise<never>(() => undefined);

/** A database that one world after the other uses, each from the beginning: making one takes a while. */
export interface Disk {
  readonly facts: Facts;
  readonly wipe: () => void;
}

export async function openDisk(): Promise<Disk> {
  const facts = await openFacts();
  const tables = facts.sql.all(
    "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite%'",
    [],
    (row) => row.text('name'),
  );
  return {
    facts,
    wipe: () => {
      for (const table of tables) facts.sql.run(`DELETE FROM ${table}`);
    },
  };
}

export interface WorldOptions {
  readonly disk: Disk;
  readonly config: Config;
  /** A channel may never answer, so that nothing ever settles. */
  readonly canHang?: boolean;
  readonly startAt?: number;
  /** Called at every point between two waits; true: it crashes there. */
  readonly isCrashPoint?: () => boolean;
  /** What a channel answers. */
  readonly answer?: (message: Message, channel: string) => Promise<Delivered> | Delivered;
  /** What a check out of turn sees; 'unknown' by default. */
  readonly truth?: (monitor: string, at: number) => Seen;
  /** How a target looks from a peer; none is asked without it. */
  readonly askPeer?: AskPeer;
  /** Called before what was decided is sent: what other processes wrote until then is read in it. */
  readonly refresh?: () => void;
  /** How long a write takes until what was written can be read; later ones wait for it. Default: a moment. */
  readonly writeMs?: () => number;
  /** Stands between the program and the store: a defence switched off. */
  readonly tamper?: (operations: readonly Operation[]) => readonly Operation[];
}

const timedOut: Reason = { category: 'timeout', message: 'It timed out.' };

export const taken: Delivered = { kind: 'sent', attempts: 1 };

/** All of the message went out, and nothing was answered in time. */
export const unanswered: Delivered = {
  kind: 'failed',
  attempts: 1,
  error: 'no answer from 192.0.2.1:443 within 15 s',
  isPermanent: false,
  retryAfterMs: null,
  mayBeReceived: true,
};

export function refused(isPermanent = false): Delivered {
  return { kind: 'failed', attempts: 3, error: 'It was refused.', isPermanent, retryAfterMs: null };
}

export class World {
  readonly clock: VirtualClock;
  readonly notified: Notified[] = [];
  readonly asked: string[] = [];
  readonly log: LogEntry[] = [];
  crashes = 0;
  private readonly options: WorldOptions;
  private config: Config;
  private readonly facts: Facts;
  private readonly listeners = new Set<(change: StoreChange) => void>();
  private readonly states = new Map<string, MonitorState>();
  /** The states as they would be on the disk. */
  private readonly saved = new Map<string, MonitorState>();
  private readonly stabilities = new Map<string, Stability>();
  private readonly savedStabilities = new Map<string, Stability>();
  private life = new Life();
  private pipeline: Pipeline | null = null;
  private uids = 0;
  /** The last incident of each monitor, which may not be written yet. */
  private readonly opened = new Map<string, string>();
  /** Ends with the last write that was begun. */
  private writing: Promise<unknown> = Promise.resolve();
  /** Something was written or started, and may have led to something else. */
  private hasWork = true;

  constructor(options: WorldOptions) {
    this.options = options;
    this.config = options.config;
    options.disk.wipe();
    this.facts = options.disk.facts;
    this.clock = new VirtualClock(options.startAt ?? Date.UTC(2026, 0, 1));
    this.start();
  }

  get sql() {
    return this.facts.sql;
  }

  /** What was told, as `event monitor time channel`; the time is counted in units of `unitMs` from an instant. */
  lines(originAt: number, unitMs = 1000): string[] {
    return this.notified.map(({ at, channel, message }) => {
      const about = 'monitor' in message ? message.monitor.id : '';
      const late = message.event === 'recovered' && message.isLate ? 'late ' : '';
      return `${late}${message.event} ${about} ${(at - originAt) / unitMs} ${channel}`;
    });
  }

  /** Ends the program and starts it again, `downMs` later. */
  restart(downMs = 0): void {
    this.life.crash();
    this.clock.forget();
    this.clock.advance(downMs);
    this.start();
  }

  /** A polite end. */
  async stop(): Promise<void> {
    await this.pipeline?.stop();
    this.life.crash();
  }

  /** Loads another configuration, as the engine does: the record first, then who sends. */
  reload(config: Config): void {
    this.align(config);
    const kept = new Set([...config.monitors, ...config.peers].map(({ id }) => id));
    for (const states of [this.states, this.saved, this.stabilities, this.savedStabilities])
      for (const id of states.keys()) if (!kept.has(id)) states.delete(id);
    this.hasWork = true;
    this.config = config;
    this.pipeline?.reload();
  }

  /** As `reload`, with an end and a start in between. */
  restartWith(config: Config, downMs = 0): void {
    this.life.crash();
    this.clock.forget();
    this.clock.advance(downMs);
    this.config = config;
    this.start();
  }

  /** Lets time pass until `at`, with everything that is due in between. */
  async runTo(at: number): Promise<void> {
    if (this.hasWork) await this.settle();
    const untilMs = this.clock.monotonic() + at - this.clock.now();
    for (let next = this.clock.nextMs(); next <= untilMs; next = this.clock.nextMs()) {
      this.clock.moveTo(next);
      await this.settle();
    }
    this.clock.moveTo(untilMs);
  }

  /** Lets everything happen that can without time passing; starts again after a crash. */
  async settle(): Promise<void> {
    for (;;) {
      const { life, pipeline } = this;
      this.hasWork = false;
      const ends = [pipeline?.settle() ?? Promise.resolve(), life.over];
      await Promise.race(this.options.canHang === true ? [...ends, this.stuck()] : ends);
      if (!life.isOver) return;
      this.crashes += 1;
      this.clock.forget();
      this.start();
    }
  }

  /** A check of a monitor, now. Resolves when what it changed is written or being written, or the program has crashed. */
  async sample(monitor: string, seen: Seen, reason: Reason = timedOut): Promise<void> {
    const { life } = this;
    const writing = this.take(monitor, seen, reason);
    if (writing === null) return;
    // Where that takes time, time has to pass first.
    if (this.options.writeMs === undefined) await Promise.race([writing, life.over]);
    await this.settle();
  }

  /** A change by another process. */
  apply(...operations: readonly Operation[]): void {
    this.facts.apply(...operations);
    this.report({ operations, isForeign: true });
  }

  stateOf(id: string): MonitorState {
    return this.states.get(id) ?? freshState;
  }

  /** Resolves when a channel that never answers is all that is left. */
  private async stuck(): Promise<void> {
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  }

  private start(): void {
    this.hasWork = true;
    this.life = new Life();
    this.writing = Promise.resolve();
    this.listeners.clear();
    this.align(this.config);
    this.states.clear();
    const open = new Map(incidents.listOpen(this.sql).map((incident) => [incident.monitor, incident]));
    for (const { id } of this.config.monitors) {
      const incident = open.get(id) ?? null;
      this.states.set(id, asRecorded(resume(this.saved.get(id) ?? freshState, incident), incident));
      this.stabilities.set(id, this.savedStabilities.get(id) ?? freshStability);
    }
    const { life } = this;
    this.pipeline = createPipeline({
      askPeer: this.options.askPeer ?? null,
      config: () => this.config,
      store: {
        sql: this.sql,
        write: (operations) => this.write(operations, life),
        onChange: (listener) => {
          this.listeners.add(listener);
          return () => this.listeners.delete(listener);
        },
        refresh: async () => {
          await this.point(life);
          this.options.refresh?.();
        },
      },
      clock: this.clock,
      log: (entry) => this.log.push(entry),
      engine: {
        stateOf: (id) => this.states.get(id) ?? null,
        checkAnew: (ids) => this.checkAnew(ids, life),
        heardAgainBy: () => null,
      },
      deliver: (message, channel) => this.deliver(message, channel.name, life),
    });
  }

  /** Between two waits. */
  private async point(life: Life): Promise<void> {
    await Promise.resolve();
    if (life.isOver) return never;
    if (this.options.isCrashPoint?.() === true) {
      life.crash();
      return never;
    }
  }

  /** One transaction; `alongside` stands for what else is in it. */
  private async write(
    operations: readonly Operation[],
    life: Life,
    alongside: () => unknown = () => undefined,
  ): Promise<readonly Json[]> {
    const { writeMs } = this.options;
    if (writeMs === undefined) return this.writeNow(operations, life, alongside);
    // Those of the next life do not wait for it.
    if (life.isOver) return never;
    const written = this.writing.then(async () => {
      await this.clock.sleep(writeMs());
      return this.writeNow(operations, life, alongside);
    });
    this.writing = written;
    return written;
  }

  private async writeNow(
    operations: readonly Operation[],
    life: Life,
    alongside: () => unknown,
  ): Promise<readonly Json[]> {
    await this.point(life);
    const kept = this.options.tamper?.(operations) ?? operations;
    const results = this.facts.apply(...kept);
    alongside();
    this.report({ operations: kept, isForeign: false });
    await this.point(life);
    return results;
  }

  private report(change: StoreChange): void {
    this.hasWork = true;
    for (const listener of this.listeners) listener(change);
  }

  /** Writes the states where the engine has them. */
  saveStates(): void {
    const at = this.clock.now();
    const states = [...this.saved].map(([monitor, state]) => ({
      monitor,
      state: documentOf(state, this.savedStabilities.get(monitor) ?? freshStability),
    }));
    if (states.length > 0) this.facts.apply(...states.map((each) => alertStates.save({ ...each, at })));
  }

  private align(config: Config): void {
    this.saveStates();
    const { operations, renames } = alignment(this.sql, config.monitors, { now: this.clock.now() });
    for (const { from, to } of renames) {
      for (const states of [this.states, this.saved]) {
        const state = states.get(from);
        if (state !== undefined) states.set(to, state);
        states.delete(from);
      }
      for (const stabilities of [this.stabilities, this.savedStabilities]) {
        const stability = stabilities.get(from);
        if (stability !== undefined) stabilities.set(to, stability);
        stabilities.delete(from);
      }
    }
    if (operations.length > 0) this.apply(...operations);
    const open = new Set(incidents.listOpen(this.sql).map(({ monitor }) => monitor));
    for (const [id, state] of this.states)
      if (state.incident !== null && !open.has(id)) this.states.set(id, resume(state, null));
  }

  private async deliver(message: Message, channel: string, life: Life): Promise<Delivered> {
    await this.point(life);
    const delivered = await (this.options.answer?.(message, channel) ?? taken);
    if (life.isOver) return never;
    if (delivered.kind === 'sent')
      this.notified.push({ at: this.clock.now(), channel, message, life: this.crashes });
    await this.point(life);
    return delivered;
  }

  private async checkAnew(ids: readonly string[], life: Life): Promise<void> {
    for (const id of ids) {
      await this.point(life);
      this.asked.push(id);
      await this.take(id, this.options.truth?.(id, this.clock.now()) ?? 'unknown');
    }
  }

  /** Null when nothing but the state is written. */
  private take(id: string, seen: Seen, given: Reason = timedOut): Promise<unknown> | null {
    const { life } = this;
    const monitor = this.config.monitors.find((each) => each.id === id);
    if (monitor === undefined) return null;
    const at = this.clock.now();
    const isBlocked = seen === 'resolver' || seen === 'plugin';
    const isUnknown = seen === 'unknown' || isBlocked;
    const outcome = seen === 'down' ? 'failed' : isUnknown ? 'unknown' : 'healthy';
    const ownFault = isBlocked ? { ownFault: seen } : {};
    const latencyMs = seen === 'slow' ? 10_000 : 10;
    const { fail_threshold, recover_threshold, degraded_over_ms } = monitor;
    const policy = {
      failThreshold: fail_threshold,
      recoverThreshold: recover_threshold,
      degradedOverMs: degraded_over_ms,
      forgetAfterMs: null,
    };
    const before = this.stateOf(id);
    const confirmation = confirm(before, { kind: 'check', at, outcome, latencyMs, ...ownFault }, policy);
    const { transitions, why } = confirmation;
    const reason = outcome === 'healthy' ? null : given;
    const { state, change } = heard(before, confirmation.state, { finding: why.finding, reason, at });
    const operations = transitions.flatMap((transition) =>
      this.operationsOf(id, transition, { why, reason }),
    );
    const sample = { kind: 'check', at, outcome, latencyMs } as const;
    const isDown = state.incident !== null;
    const check = judgedCheckOf(sample, policy, { isDown, transitions, isHeld: false });
    const { stability, event } = follow(
      this.stabilities.get(id) ?? freshStability,
      { monitor, check, reason: 'It timed out.', at },
      {
        sql: this.sql,
        config: this.config,
        stabilityOf: (other) => this.stabilities.get(other) ?? null,
      },
    );
    this.stabilities.set(id, stability);
    if (event !== null)
      operations.push(
        ...this.queued(event),
        alertStates.save({ monitor: id, state: documentOf(state, stability), at }),
      );
    const uid = this.opened.get(id);
    if (change !== null && uid !== undefined)
      operations.push(
        ...reasonOperations({ uid, latest: change, at }, { sql: this.sql, config: this.config }),
      );
    this.states.set(id, state);
    const save = () => {
      this.saved.set(id, state);
      this.savedStabilities.set(id, stability);
    };
    if (operations.length > 0) return this.write(operations, life, save);
    save();
    return null;
  }

  private operationsOf(
    id: string,
    transition: Transition,
    { why, reason }: { readonly why: Why; readonly reason: Reason | null },
  ): Operation[] {
    const at = this.clock.now();
    switch (transition.kind) {
      case 'status_changed':
        return [];
      case 'incident_opened':
      case 'unknown_confirmed': {
        this.uids += 1;
        const { startedAt, confirmedAt } = transition;
        const ownFault = transition.kind === 'unknown_confirmed' ? transition.ownFault : null;
        const uid = `i${this.crashes}-${this.uids}`;
        this.opened.set(id, uid);
        const begun: BegunEvent =
          transition.kind === 'unknown_confirmed'
            ? { ...transition, uid, monitor: id, at, why }
            : // As it was before this sample.
              {
                ...transition,
                uid,
                monitor: id,
                at,
                why,
                degradedSince: this.stateOf(id).degradation?.startedAt ?? null,
              };
        const carried = carriedBy(begun, this.sql);
        return [
          incidents.open({
            uid,
            monitor: id,
            name: id,
            startedAt,
            confirmedAt,
            category: reason?.category ?? null,
            reason: reason?.message ?? null,
            cause: null,
            impacted: [],
            snapshot: null,
            vantage: null,
            ownFault,
            carriedFrom: carried?.uid ?? null,
          }),
          ...this.queued(begun, carried),
        ];
      }
      case 'incident_closed':
      case 'unknown_ended': {
        const [open] = incidents.list(this.sql, { limit: 1, monitors: [id], isOpen: true }).incidents;
        const uid = open?.uid ?? this.opened.get(id);
        if (uid === undefined) throw new Error('no incident is open');
        const { kind, startedAt, endedAt } = transition;
        return [
          incidents.close({ uid, endedAt }),
          ...this.queued({
            ...{ kind, uid, monitor: id, at, startedAt, endedAt },
            ...(kind === 'incident_closed' && { isDegraded: why.finding !== 'healthy' }),
          }),
        ];
      }
      case 'degraded_confirmed': {
        const { startedAt, confirmedAt } = transition;
        const facts = { latencyMs: 10_000, limitMs: 1000, reason: null };
        return this.queued({
          kind: 'degraded_confirmed',
          monitor: id,
          at,
          startedAt,
          confirmedAt,
          why,
          ...facts,
        });
      }
      case 'degraded_ended':
        return this.queued({ monitor: id, at, ...transition });
    }
  }

  private queued(event: BegunEvent | EndedEvent, carried: CarriedAck | null = null): Operation[] {
    return alertOperations(event, { sql: this.sql, config: this.config, carried });
  }
}

function documentOf(state: MonitorState, stability: Stability): Json {
  return { ...state, ...stabilityFields(stability) } as unknown as Json;
}

export interface MonitorSketch {
  readonly id: string;
  readonly dependsOn?: readonly string[];
  readonly notify?: readonly string[] | null;
  readonly failThreshold?: number;
}

export interface ConfigSketch {
  readonly monitors: readonly MonitorSketch[];
  readonly channels: readonly string[];
  readonly windowSecs?: number;
  /** Default: outages are told one by one, however many there are, since most histories are about those. */
  readonly isUnstableTold?: boolean;
  readonly extra?: string;
}

/** A configuration, from the few things that matter here. */
export async function sketch({
  monitors,
  channels,
  windowSecs = 30,
  isUnstableTold = false,
  extra = '',
}: ConfigSketch): Promise<Config> {
  const alerts = `group_window_secs = ${windowSecs}\nunstable = ${String(isUnstableTold)}`;
  const lines = [
    extra.startsWith('[alerts]') ? '' : '[alerts]',
    extra.startsWith('[alerts]') ? `${extra}\n${alerts}` : `${alerts}\n${extra}`,
    ...channels.map(
      (name) => `[[channels]]\nname = "${name}"\ntype = "webhook"\nurl = "https://${name}.example.com/"`,
    ),
    ...monitors.map(({ id, dependsOn = [], notify = null, failThreshold = 3 }) =>
      [
        '[[monitors]]',
        `id = "${id}"`,
        'target = "http://127.0.0.1/"',
        `fail_threshold = ${failThreshold}`,
        'degraded_over_ms = 1000',
        `depends_on = ${JSON.stringify(dependsOn)}`,
        ...(notify === null ? [] : [`notify = ${JSON.stringify(notify)}`]),
      ].join('\n'),
    ),
  ];
  return (await load(lines.join('\n'))).config;
}
