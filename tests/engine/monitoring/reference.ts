/** What has to be true of samples, incidents and messages, reckoned from the operations alone and by other means. */
import assert from 'node:assert/strict';
import type { Operation } from '../../../src/db/store/operation.ts';

interface Rules {
  readonly failThreshold: number;
  readonly recoverThreshold: number;
  readonly forgetMs: number;
}

interface Ledger {
  failed: number;
  answered: number;
  lastKnownAt: number;
  incident: string | null;
}

/** Follows each monitor sample by sample. Only for monitors whose samples are checks and heartbeats. */
export class Reference {
  readonly open = new Map<string, string>();
  samples = 0;
  opened = 0;
  private readonly rules: ReadonlyMap<string, Rules>;
  private readonly ledgers = new Map<string, Ledger>();
  private readonly channels: number;

  constructor(rules: ReadonlyMap<string, Rules>, channels: number) {
    this.rules = rules;
    this.channels = channels;
  }

  /** Takes the operations of one stretch of time, and holds them against what they should have been. */
  follow(operations: readonly Operation[]): void {
    const due = new Map<string, 'open' | 'close'>();
    let puts = 0;
    let opens = 0;
    for (const operation of operations) {
      const [name, ...args] = operation;
      if (name === 'sample') this.sample(args as [string, number, string], due);
      if (name === 'incident.open') {
        const [uid, monitor] = args as [string, string];
        assert.equal(due.get(monitor), 'open', `${monitor} has an incident that nothing led to`);
        assert.equal(this.open.has(monitor), false, `${monitor} has two open incidents`);
        due.delete(monitor);
        this.open.set(monitor, uid);
        this.opened += 1;
        opens += 1;
      }
      if (name === 'incident.close') {
        const [uid] = args as [string];
        const monitor = [...this.open].find(([, other]) => other === uid)?.[0] ?? '';
        assert.equal(due.get(monitor), 'close', `the incident of ${monitor} ended too early`);
        due.delete(monitor);
        this.open.delete(monitor);
      }
      if (name === 'outbox.put' && args[2] === 'down') puts += 1;
    }
    assert.deepEqual([...due], [], 'a transition was not written');
    assert.equal(puts, opens * this.channels, 'as many messages as incidents and channels');
  }

  private sample(
    [monitor, secs, status, ...more]: [string, number, string, ...unknown[]],
    due: Map<string, 'open' | 'close'>,
  ): void {
    this.samples += 1;
    const rules = this.rules.get(monitor);
    if (rules === undefined) throw new Error(`a sample of ${monitor}, which nobody knows`);
    let ledger = this.ledgers.get(monitor);
    if (ledger === undefined) {
      ledger = { failed: 0, answered: 0, lastKnownAt: -Infinity, incident: null };
      this.ledgers.set(monitor, ledger);
    }
    const isDown = this.open.has(monitor);
    // What failed while the network may have been gone is counted, but opens nothing by itself.
    const isHeld = status === 'unknown' && more.includes('this node may have lost its network');
    if (status === 'unknown' && (!isHeld || isDown)) return;
    if (secs * 1000 - ledger.lastKnownAt > rules.forgetMs + 1000) {
      ledger.failed = 0;
      ledger.answered = 0;
    }
    ledger.lastKnownAt = secs * 1000;
    if (status === 'down' || isHeld) {
      ledger.failed += 1;
      ledger.answered = 0;
      if (!isHeld && !isDown && ledger.failed >= rules.failThreshold) due.set(monitor, 'open');
      return;
    }
    ledger.failed = 0;
    ledger.answered += 1;
    if (isDown && ledger.answered >= rules.recoverThreshold) due.set(monitor, 'close');
    if (!isDown) ledger.answered = 0;
  }
}
