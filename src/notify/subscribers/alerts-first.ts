/** Has mails to readers wait while an alert is on its way to the same mail server. */
import type { Channel } from '../../engine/config/config.ts';
import type { ChannelOf } from '../channels/channel.ts';

export interface AlertsFirst {
  /** Takes an alert to its channel, all attempts included, while no mail to a reader is begun at its server. */
  readonly alert: <T>(channel: Channel, send: () => Promise<T>) => Promise<T>;
  /** Resolves when no alert is on its way to the server, or `signal` is aborted. */
  readonly untilFree: (channel: ChannelOf<'email'>, signal: AbortSignal) => Promise<void>;
}

export function createAlertsFirst(): AlertsFirst {
  /** By host: ports and accounts of one server share its connections. */
  const underWay = new Map<string, Set<Promise<unknown>>>();
  return {
    alert: async (channel, send) => {
      if (channel.type !== 'email') return send();
      const host = channel.host.toLowerCase();
      const alerts = underWay.get(host) ?? new Set();
      underWay.set(host, alerts);
      const sending = send();
      const settled = sending.catch(() => undefined);
      alerts.add(settled);
      try {
        return await sending;
      } finally {
        alerts.delete(settled);
        if (alerts.size === 0) underWay.delete(host);
      }
    },
    untilFree: async ({ host }, signal) => {
      const aborted = new Promise<void>((resolve) => {
        if (signal.aborted) resolve();
        signal.addEventListener(
          'abort',
          () => {
            resolve();
          },
          { once: true },
        );
      });
      for (;;) {
        const [alert] = underWay.get(host.toLowerCase()) ?? [];
        if (alert === undefined || signal.aborted) return;
        await Promise.race([alert, aborted]);
      }
    },
  };
}
