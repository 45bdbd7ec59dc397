/** The progress of a broadcast: in order, except for readers who were served early and those who are retried. */
import type { Store } from '../../db/store/store.ts';
import { type BroadcastRow, broadcasts } from '../../db/tables/broadcasts.ts';
import { subscribers } from '../../db/tables/subscribers.ts';

interface Retry {
  readonly attempts: number;
  /** On the monotonic clock. */
  readonly atMs: number;
}

/** It outlasts the rounds of a process, so that what was sent and could not be written is not sent again. */
export class BroadcastProgress {
  private readonly row: BroadcastRow;
  private readonly store: Pick<Store, 'sql' | 'write'>;
  private cursor: number;
  /** Handed out in order, and not all of it done. */
  private handed: number[] = [];
  private readonly ahead: Set<number>;
  private readonly later: Map<number, Retry>;
  private count: number;
  private changes = 0;
  private savedChanges = 0;
  private saving: Promise<void> | null = null;

  constructor(row: BroadcastRow, store: Pick<Store, 'sql' | 'write'>) {
    this.row = row;
    this.store = store;
    this.cursor = row.cursor;
    this.ahead = new Set(row.ahead);
    this.later = new Map(row.later.map(([id, attempts]) => [id, { attempts, atMs: -Infinity }]));
    this.count = row.sent;
  }

  get sentCount(): number {
    return this.count;
  }

  get laterCount(): number {
    return this.later.size;
  }

  /** Everybody had a turn. */
  get isThrough(): boolean {
    return this.cursor >= this.row.lastSubscriber;
  }

  /** Those whose turn it is, `limit` at most; none when everybody had theirs. What was handed out and is not done comes again. */
  next(limit: number): readonly number[] {
    for (;;) {
      const { lastSubscriber: last } = this.row;
      this.handed = [...subscribers.idsBeyond(this.store.sql, { after: this.cursor, last, limit })];
      if (this.handed.length === 0) {
        this.moveTo(last);
        return [];
      }
      const fresh = this.handed.filter((id) => !this.isSettled(id));
      if (fresh.length > 0) return fresh;
      this.settle();
    }
  }

  /** Those whose time to be tried again has come. */
  dueLater(nowMs: number): readonly number[] {
    return [...this.later].filter(([, { atMs }]) => atMs <= nowMs).map(([id]) => id);
  }

  /** How long until the next one is tried again; Infinity: none is. */
  laterInMs(nowMs: number): number {
    return Math.min(...[...this.later.values()].map(({ atMs }) => atMs - nowMs));
  }

  sent(id: number): void {
    this.count += 1;
    this.pass(id);
  }

  /** Nothing more for this one. */
  pass(id: number): void {
    this.later.delete(id);
    if (id > this.cursor) this.ahead.add(id);
    this.settle();
  }

  /** Tried again after each of these pauses, then given up. */
  postpone(id: number, nowMs: number, pausesMs: readonly number[]): void {
    const attempts = (this.later.get(id)?.attempts ?? 0) + 1;
    const pauseMs = pausesMs[attempts - 1];
    if (pauseMs === undefined) {
      this.pass(id);
      return;
    }
    this.later.set(id, { attempts, atMs: nowMs + pauseMs });
    this.settle();
  }

  /** Resolves once everything up to now is durable; those who come meanwhile share one write. */
  async save(): Promise<void> {
    const wanted = this.changes;
    while (this.saving !== null) await this.saving;
    if (this.savedChanges >= wanted) return;
    this.saving = this.write().finally(() => (this.saving = null));
    await this.saving;
  }

  private async write(): Promise<void> {
    const { changes } = this;
    await this.store.write([
      broadcasts.advance({
        uid: this.row.uid,
        cursor: this.cursor,
        ahead: [...this.ahead],
        later: [...this.later].map(([id, { attempts }]) => [id, attempts]),
        sent: this.count,
      }),
    ]);
    this.savedChanges = changes;
  }

  private isSettled(id: number): boolean {
    return this.ahead.has(id) || this.later.has(id);
  }

  /** Moves over everybody who is done or waits to be tried again. */
  private settle(): void {
    this.changes += 1;
    const left = this.handed.findIndex((id) => !this.isSettled(id));
    const last = this.handed[(left === -1 ? this.handed.length : left) - 1];
    this.handed = left === -1 ? [] : this.handed.slice(left);
    if (last !== undefined) this.moveTo(last);
  }

  private moveTo(id: number): void {
    this.changes += 1;
    this.cursor = Math.max(this.cursor, id);
    for (const done of this.ahead) if (done <= this.cursor) this.ahead.delete(done);
  }
}
