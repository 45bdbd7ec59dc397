/** A webhook receiver that takes its time to answer, and keeps which delivery named what, and when. */
import { startHttp } from './http-target.ts';
import type { Random } from './random.ts';

export interface Delivery {
  readonly event: string;
  readonly deliveryId: string;
  readonly monitors: readonly string[];
  readonly incidents: readonly number[];
  readonly receivedMs: number;
  answeredMs: number | null;
}

interface Body {
  readonly event: string;
  readonly delivery_id: string;
  readonly monitor_id: string | null;
  readonly impacted?: readonly { readonly id: string }[];
  readonly incident_ids?: readonly number[];
}

export interface DeliveryInbox {
  readonly url: string;
  readonly messages: readonly Delivery[];
  /** How many deliveries of an event name a monitor; one that came again counts once. */
  readonly count: (event: string, monitor: string) => number;
  /** Looks at each message as it comes, until there is what is looked for; fails after a minute with what `report` says. */
  readonly until: (isThere: () => boolean, report: () => string) => Promise<void>;
  readonly close: () => Promise<void>;
}

const patienceMs = 60_000;

/** It answers within 150 ms: so the kill of a node finds messages on their way. */
export async function openDeliveryInbox(random: Random): Promise<DeliveryInbox> {
  const messages: Delivery[] = [];
  const looks = new Set<() => void>();
  const server = await startHttp((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => (text += part));
    request.on('end', () => {
      const body = JSON.parse(text) as Body;
      const message: Delivery = {
        event: body.event,
        deliveryId: body.delivery_id,
        monitors: [body.monitor_id ?? '', ...(body.impacted ?? []).map(({ id }) => id)],
        incidents: body.incident_ids ?? [],
        receivedMs: performance.now(),
        answeredMs: null,
      };
      messages.push(message);
      for (const look of looks) look();
      setTimeout(() => {
        message.answeredMs = performance.now();
        response.end();
      }, random.below(150));
    });
  });
  return {
    url: `${server.origin}/`,
    messages,
    count: (event, monitor) =>
      new Set(
        messages
          .filter((message) => message.event === event && message.monitors.includes(monitor))
          .map(({ deliveryId }) => deliveryId),
      ).size,
    until: (isThere, report) =>
      new Promise((resolve, reject) => {
        const late = setTimeout(() => {
          looks.delete(look);
          reject(new Error(`waited in vain: ${report()}`));
        }, patienceMs);
        const look = () => {
          if (!isThere()) return;
          looks.delete(look);
          clearTimeout(late);
          resolve();
        };
        looks.add(look);
        look();
      }),
    close: server.close,
  };
}

export interface Kill {
  readonly atMs: number;
  readonly tookMs: number;
}

/** What was answered earlier than this before a kill was written down by then. */
const inFlightMs = 1000;

/** Messages that came again, and the kill that found each on its way; null: none did. */
export function repeatsOf(messages: readonly Delivery[], kills: readonly Kill[]) {
  return messages.flatMap((message, index) => {
    const earlier = messages.slice(0, index).findLast(({ deliveryId }) => deliveryId === message.deliveryId);
    if (earlier === undefined) return [];
    const { receivedMs, answeredMs } = earlier;
    const kill = kills.find(
      ({ atMs }) => receivedMs < atMs + inFlightMs && (answeredMs ?? Infinity) > atMs - inFlightMs,
    );
    return [{ message, earlier, kill: kill ?? null }];
  });
}

/** What monitors are named by, in the order of deliveries: `down`, then `recovered`. */
export function eventsOf(messages: readonly Delivery[], monitor: string): readonly string[] {
  return messages
    .filter(
      ({ deliveryId, monitors }, index) =>
        monitors.includes(monitor) &&
        messages.findIndex((other) => other.deliveryId === deliveryId) === index,
    )
    .map(({ event }) => event);
}
