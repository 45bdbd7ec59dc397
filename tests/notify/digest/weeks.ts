/**
 * Weeks of a daemon that is restarted, reloaded, killed while it writes and switched off for days. What
 * should be sent is reckoned apart from the code, by counting weeks.
 */
import type { Operation } from '../../../src/db/store/operation.ts';
import type { Config } from '../../../src/engine/config/config.ts';
import { createDigest, type DigestScheduler } from '../../../src/notify/digest/digest.ts';
import { memoryStore, type MemoryStore } from '../../engine/monitoring/memory-store.ts';
import { VirtualClock } from '../../support/virtual-clock.ts';
import { load } from '../../support/config.ts';
import type { Random } from '../../support/random.ts';

const hourMs = 3_600_000;
const weekMs = 168 * hourMs;
/** Mondays at 08:00 UTC. */
const firstSlotAt = Date.UTC(2026, 0, 5, 8);
const startAt = firstSlotAt - 4 * 24 * hourMs;

export const digestToml = `
[digest]
schedule = "0 8 * * 1"
notify = ["ops", "mail"]

[[channels]]
name = "ops"
type = "webhook"
url = "http://127.0.0.1:1/ops"

[[channels]]
name = "mail"
type = "webhook"
url = "http://127.0.0.1:1/mail"

[[channels]]
name = "other"
type = "webhook"
url = "http://127.0.0.1:1/other"

[[monitors]]
id = "api"
target = "http://127.0.0.1:1/"
`;

/** A defence switched off. */
export type Tamper = (operations: readonly Operation[]) => readonly Operation[];

export interface Outcome {
  /** The slots in the order in which they were sent, by their week; each stands for all channels of it. */
  readonly sent: readonly number[];
  readonly expected: readonly number[];
  readonly restarts: number;
  readonly crashes: number;
  readonly missed: number;
}

/** What an operation puts into the outbox: the slot of the digest, and its channel. */
function putOf([name, , channel, event, , , payload]: Operation): { slotAt: number; channel: string } | null {
  if (name !== 'outbox.put' || event !== 'digest' || typeof channel !== 'string') return null;
  return { slotAt: (payload as { slotAt: number }).slotAt, channel };
}

const lastSlotUpTo = (at: number) => Math.floor((at - firstSlotAt) / weekMs);

class Weeks {
  readonly clock = new VirtualClock(startAt);
  readonly puts: { readonly week: number; readonly channel: string }[] = [];
  readonly expected: number[] = [];
  readonly random: Random;
  private readonly store: MemoryStore;
  private readonly tamper: Tamper;
  private config: Config;
  private digest: DigestScheduler | null = null;
  /** The last slot that counts as done. */
  private doneWeek = -1;
  private sinceAt = startAt;
  /** Kill it at its next write of a digest: before the write, or right after. */
  killAt: 'before' | 'after' | null = null;
  restarts = 0;
  crashes = 0;
  missed = 0;

  constructor(store: MemoryStore, config: Config, { random, tamper }: { random: Random; tamper: Tamper }) {
    this.store = store;
    this.config = config;
    this.random = random;
    this.tamper = tamper;
  }

  async start(): Promise<void> {
    this.restarts += 1;
    this.expect();
    let isDead = false;
    const die = () => {
      isDead = true;
      this.crashes += 1;
      this.killAt = null;
      this.digest = null;
      return new Promise<never>(() => undefined);
    };
    const write: MemoryStore['write'] = async (operations, options) => {
      if (isDead) return new Promise<never>(() => undefined);
      const kept = this.tamper(operations);
      const puts = kept.flatMap((operation) => putOf(operation) ?? []);
      if (puts.length > 0 && this.killAt === 'before') return die();
      const answers = await this.store.write(kept, options);
      for (const { slotAt, channel } of puts)
        this.puts.push({ week: (slotAt - firstSlotAt) / weekMs, channel });
      if (puts.length > 0 && this.killAt === 'after') {
        this.expect();
        return die();
      }
      return answers;
    };
    this.digest = await createDigest({
      config: () => this.config,
      store: { sql: this.store.sql, write },
      clock: this.clock,
      log: () => undefined,
    });
    await this.clock.run(0);
  }

  get isUp(): boolean {
    return this.digest !== null;
  }

  async run(ms: number): Promise<void> {
    // In small steps: a kill in between ends what is expected of it.
    for (let left = ms; left > 0; left -= 6 * hourMs) {
      await this.clock.run(Math.min(left, 6 * hourMs));
      if (this.isUp) this.expect();
    }
    if (!this.isUp) await this.start();
  }

  async stop(): Promise<void> {
    const stopping = this.digest?.stop();
    this.digest = null;
    await this.clock.run(0);
    await stopping;
  }

  reload(config: Config): void {
    this.config = config;
    if (config.digest === null) this.sinceAt = Infinity;
    else if (this.sinceAt === Infinity) this.sinceAt = this.clock.now();
    this.digest?.reload();
  }

  /** While it runs, every slot that has come is to be sent; after a pause only the latest. */
  private expect(): void {
    const week = lastSlotUpTo(this.clock.now());
    const slotAt = firstSlotAt + week * weekMs;
    if (week <= this.doneWeek) return;
    if (slotAt > this.sinceAt) {
      this.missed += this.expected.length === 0 ? 0 : Math.max(0, week - this.doneWeek - 1);
      this.expected.push(week);
    }
    this.doneWeek = week;
  }
}

/** `tamper` stands between the program and the store. */
export async function runWeeks(
  count: number,
  random: Random,
  tamper: Tamper = (operations) => operations,
): Promise<Outcome> {
  const on = (await load(digestToml)).config;
  const off = (await load(digestToml.replace(/\[digest\][^[]*(?:\[[^\]]*\]\n)/, ''))).config;
  const store = await memoryStore();
  const weeks = new Weeks(store, on, { random, tamper });
  const { clock } = weeks;
  await weeks.start();
  const endAt = startAt + count * weekMs;
  while (clock.now() < endAt) {
    const luck = random.below(10);
    if (luck < 5) {
      if (random.below(3) === 0) weeks.killAt = random.pick(['before', 'after']);
      await weeks.run((1 + random.below(300)) * hourMs);
      weeks.killAt = null;
    } else if (luck < 7) {
      await weeks.stop();
      await clock.run((1 + random.below(random.pick([5, 200, 900]))) * hourMs);
      await weeks.start();
    } else if (luck < 9) {
      weeks.reload(on);
      await clock.run(0);
    } else {
      weeks.reload(off);
      await weeks.run((1 + random.below(300)) * hourMs);
      weeks.reload(on);
      await clock.run(0);
    }
    // What was sent long ago is pruned.
    store.facts.sql.run('DELETE FROM outbox');
    store.facts.sql.run('DELETE FROM decisions');
    store.taken.length = 0;
  }
  await weeks.stop();
  const { puts, expected, restarts, crashes, missed } = weeks;
  return { sent: slotsOf(puts), expected, restarts, crashes, missed };
}

/** A slot counts once a transaction, and only with all its channels: anything else is a line of its own. */
function slotsOf(puts: readonly { readonly week: number; readonly channel: string }[]): number[] {
  const sent: number[] = [];
  for (let index = 0; index < puts.length; index += 2) {
    const [one, two] = [puts[index], puts[index + 1]];
    const isWhole = one?.channel === 'ops' && two?.channel === 'mail' && one.week === two.week;
    sent.push(isWhole ? one.week : NaN);
  }
  return sent;
}
