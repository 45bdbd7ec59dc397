/**
 * Plays a test: lets its time pass, has its events happen, notes what is sent.
 *
 * Of what falls on one instant, a message that is due comes first, then the events of the test, then the checks: a
 * check that begins at that instant has its answer a moment later.
 */
import { decisions } from '../../../db/tables/decisions.ts';
import { incidents } from '../../../db/tables/incidents.ts';
import type { SqlReader } from '../../../db/store/sql.ts';
import { silences } from '../../../db/tables/silences.ts';
import type { Channel, Config, Monitor } from '../../../engine/config/config.ts';
import type { LogEntry } from '../../../engine/core/log.ts';
import type { Status } from '../../../engine/core/status.ts';
import { acknowledge } from '../../../engine/operations/acknowledge.ts';
import { openRootOf } from '../../../engine/operations/root-incident.ts';
import { plannedMaintenance } from '../../../engine/operations/planned-maintenance.ts';
import type { Delivered } from '../../../notify/channels/channel.ts';
import type { Message } from '../../../engine/alerting/events/catalogue.ts';
import type { ExpectedState, Test, TestEvent } from '../format/test-file.ts';
import { alwaysUp } from '../format/series.ts';
import {
  type Decided,
  type Notified,
  type PlayedEvent,
  type PlayedMonitor,
  type PlayedTest,
  type Scenario,
  scenarioOf,
} from './test-run.ts';
import { startTestDaemon, type TestDaemon } from './test-daemon.ts';
import type { MemoryStore } from './memory-store.ts';
import { answerOf, heartbeatOf } from './target.ts';
import { VirtualTime } from './virtual-time.ts';
import { longestMs } from '../format/times.ts';
import { wordingOf } from '../../../notify/wording/words.ts';

/** A monitor that the test does not mention is up. */
const well = scenarioOf(alwaysUp, 0);

/** More decisions about one monitor than a test makes. */
const manyDecisions = 100_000;

/** Plays `test` on an empty store. */
export async function runTest(test: Test, store: MemoryStore): Promise<PlayedTest> {
  store.wipe();
  return new TestRunner(test, store).run();
}

class TestRunner {
  private readonly test: Test;
  private readonly store: MemoryStore;
  private readonly clock: VirtualTime;
  private readonly notified: Notified[] = [];
  private readonly playedEvent: PlayedEvent[] = [];
  private readonly playedMonitor = new Map<ExpectedState, PlayedMonitor>();
  private readonly scenarios = new Map<string, Scenario>();
  private readonly statuses = new Map<string, Status>();
  private readonly broken: { readonly channel: string; readonly untilMs: number }[] = [];
  private config: Config;
  private daemon: TestDaemon | null = null;
  private wakesMs = 0;
  private uids = 0;

  constructor(test: Test, store: MemoryStore) {
    this.test = test;
    this.store = store;
    this.config = test.config;
    this.clock = new VirtualTime(test.startAt);
    this.layOut();
  }

  async run(): Promise<PlayedTest> {
    const endMs = endOf(this.test, this.scenarios.values(), this.store.sql);
    const events = this.test.events.toSorted((a, b) => a.atMs - b.atMs);
    const looks = this.test.expectations
      .filter((each) => each.kind === 'state')
      .toSorted((a, b) => a.atMs - b.atMs);
    await this.start();
    for (let atMs = 0; atMs <= endMs; atMs = this.next(atMs, [events[0]?.atMs, looks[0]?.atMs])) {
      await this.passTo(atMs);
      for (; events[0] !== undefined && events[0].atMs <= atMs; events.shift()) await this.act(events[0]);
      if (this.daemon === null && this.wakesMs <= atMs) await this.start();
      await this.check(atMs);
      await this.passTo(atMs);
      this.noteStatuses();
      for (; looks[0] !== undefined && looks[0].atMs <= atMs; looks.shift()) this.look(looks[0]);
    }
    await this.daemon?.stop();
    const { notified, playedEvent, playedMonitor } = this;
    return { endMs, notified, happened: playedEvent, shown: playedMonitor, decided: this.decided() };
  }

  private get nowMs(): number {
    return Math.round(this.clock.monotonic());
  }

  private passTo(atMs: number): Promise<void> {
    return this.clock.runTo(atMs);
  }

  /** The next instant after `atMs` at which anything happens. */
  private next(atMs: number, named: readonly (number | undefined)[]): number {
    const checks = this.config.monitors.map(({ interval_secs }) => {
      const intervalMs = interval_secs * 1000;
      return (Math.floor(atMs / intervalMs) + 1) * intervalMs;
    });
    const wakes = this.daemon === null ? [this.wakesMs] : [];
    return Math.min(...checks, ...wakes, this.clock.nextMs(), ...named.map((at) => at ?? Infinity));
  }

  private layOut(): void {
    for (const { id, interval_secs } of this.config.monitors) {
      const series = this.test.series[id];
      if (series !== undefined && !this.scenarios.has(id))
        this.scenarios.set(id, scenarioOf(series, interval_secs * 1000));
    }
  }

  private courseOf(id: string): Scenario {
    return this.scenarios.get(id) ?? well;
  }

  private async start(): Promise<void> {
    this.daemon = await startTestDaemon({
      store: this.store,
      clock: this.clock,
      config: this.config,
      log: (entry) => {
        // What a channel took is in the timeline as a message.
        if (entry.event !== 'channel.sent') this.note(entry);
      },
      newUid: () => `incident-${(this.uids += 1)}`,
      ask: (monitor) => answerOf(this.courseOf(monitor.id).at(this.nowMs), monitor),
      deliver: (message, channel) => this.deliver(message, channel),
    });
  }

  /** Every monitor whose turn it is, at once. */
  private async check(atMs: number): Promise<void> {
    const { daemon } = this;
    if (daemon === null) return;
    const due = this.config.monitors.filter(({ interval_secs }) => atMs % (interval_secs * 1000) === 0);
    await Promise.all(due.map((monitor) => this.checkOne(daemon, monitor, atMs)));
  }

  private checkOne(daemon: TestDaemon, monitor: Monitor, atMs: number): Promise<void> {
    const seriesWord = this.courseOf(monitor.id).at(atMs);
    if (monitor.kind !== 'push')
      return seriesWord.name === '-' ? Promise.resolve() : daemon.checkNow([monitor.id]);
    const heartbeat = heartbeatOf(seriesWord, monitor);
    return heartbeat === null
      ? Promise.resolve()
      : daemon.heartbeat({ monitor: monitor.id, message: null, ...heartbeat });
  }

  private async act(event: TestEvent): Promise<void> {
    const { store } = this;
    const now = this.clock.now();
    switch (event.kind) {
      case 'silence': {
        const { monitors, forMs } = event;
        this.say(`a silence of ${monitors === null ? 'everything' : monitors.join(', ')} begins`);
        await store.write([silences.add({ monitors, untilAt: now + forMs, reason: null, createdAt: now })]);
        return;
      }
      case 'clear_silences':
        this.say('all silences are cleared');
        await store.write([silences.clear({ id: null })]);
        return;
      case 'acknowledge': {
        const open = incidents.listOpen(store.sql).filter(({ monitor }) => monitor === event.monitor);
        this.say(`${event.monitor} is acknowledged${open.length === 0 ? ', but has no open incident' : ''}`);
        await acknowledge(
          open,
          { by: '', reason: '' },
          {
            write: store.write,
            redact: (text) => text,
            nowAt: now,
            rootOf: (incident) => openRootOf(store.sql, incident),
          },
        );
        return;
      }
      case 'channel_fails':
        this.say(`channel ${event.channel} takes nothing from now on`);
        this.broken.push({ channel: event.channel, untilMs: this.nowMs + event.forMs });
        return;
      case 'restart':
        this.say(event.forMs === 0 ? 'the daemon is restarted' : 'the daemon is stopped');
        await this.daemon?.stop();
        this.daemon = null;
        this.wakesMs = this.nowMs + event.forMs;
        return;
      case 'reload':
        this.say('the configuration is loaded anew');
        this.config = this.test.reloads.get(event) ?? this.config;
        this.layOut();
        await this.daemon?.reload(this.config);
    }
  }

  private deliver(message: Message, { name: channel }: Channel): Delivered {
    if (this.broken.some((each) => each.channel === channel && this.nowMs < each.untilMs)) {
      const error = 'The test has it fail.';
      return { kind: 'failed', attempts: 3, error, isPermanent: false, retryAfterMs: null };
    }
    this.notified.push(notifiedOf(message, channel, this.nowMs));
    return { kind: 'sent', attempts: 1 };
  }

  private look(wanted: ExpectedState): void {
    const state = this.daemon?.stateOf(wanted.monitor) ?? null;
    this.playedMonitor.set(wanted, {
      status: state?.status ?? 'unknown',
      hasIncident: (state?.incident ?? state?.unchecked ?? null) !== null,
    });
  }

  /** What is shown changed. That a monitor is down, and no longer, stands in the log. */
  private noteStatuses(): void {
    const { daemon } = this;
    if (daemon === null) return;
    for (const { id } of this.config.monitors) {
      const status = daemon.stateOf(id)?.status ?? 'unknown';
      const before = this.statuses.get(id) ?? 'unknown';
      this.statuses.set(id, status);
      if (status !== before && status !== 'down' && before !== 'down')
        this.playedEvent.push({ atMs: this.nowMs, monitor: id, text: `${id} is ${status}` });
    }
  }

  private say(text: string): void {
    this.playedEvent.push({ atMs: this.nowMs, monitor: null, text });
  }

  private note({ message, fields }: LogEntry): void {
    const monitor = fields?.['monitor'];
    const about = typeof monitor === 'string' ? monitor : null;
    this.playedEvent.push({ atMs: this.nowMs, monitor: about, text: message });
  }

  private decided(): readonly Decided[] {
    const { store } = this;
    const until = { at: this.clock.now(), limit: manyDecisions };
    return [this.test.config, ...this.test.reloads.values()]
      .flatMap(({ monitors }) => monitors.map(({ id }) => id))
      .filter((id, index, all) => all.indexOf(id) === index)
      .flatMap((id) => decisions.ofMonitor(store.sql, id, until))
      .toSorted((a, b) => a.id - b.id)
      .map(({ at, detail, ...row }) => ({
        ...row,
        atMs: at - this.test.startAt,
        detail: detail ?? row.reason,
      }));
  }
}

/** After the last thing a test names, whatever is still on its way comes out. */
const afterMs = 600_000;

function endOf(test: Test, scenarios: Iterable<Scenario>, sql: SqlReader): number {
  if (test.untilMs !== null) return test.untilMs;
  const named = [
    0,
    ...[...scenarios].map(({ settledMs }) => settledMs),
    ...test.events.map((event) => event.atMs + ('forMs' in event ? event.forMs : 0)),
    ...test.expectations.map((each) => (each.kind === 'state' ? each.atMs : finite(each))),
  ];
  const waits = [test.config, ...test.reloads.values()].map(({ alerts }) => alerts.group_window_secs * 1000);
  return Math.min(longestMs, withMaintenance(test, Math.max(...named), sql) + Math.max(...waits) + afterMs);
}

function finite({ fromMs, toMs }: { readonly fromMs: number; readonly toMs: number }): number {
  return toMs === Infinity ? fromMs : toMs;
}

/** A window that begins before the end holds messages back until it is over. */
function withMaintenance({ config, startAt: fromAt }: Test, endMs: number, sql: SqlReader): number {
  return plannedMaintenance(sql, config, fromAt).reduce(
    (latest, { startAt, endAt }) =>
      startAt - fromAt <= latest && endAt > fromAt ? Math.max(latest, endAt - fromAt) : latest,
    endMs,
  );
}

/** `atMs`: when, from the start of the test. */
function notifiedOf(message: Message, channel: string, atMs: number): Notified {
  return {
    atMs,
    channel,
    event: message.event,
    monitor: 'monitor' in message ? message.monitor.id : null,
    impacted: 'impacted' in message ? message.impacted.map(({ id }) => id) : [],
    cause: message.event === 'down' ? (message.cause?.id ?? null) : null,
    isLate: message.event === 'recovered' && message.isLate,
    title: wordingOf(message).title,
  };
}
