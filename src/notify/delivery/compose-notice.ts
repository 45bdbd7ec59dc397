/** Makes a message of a delivery that stands for itself: its facts are its payload. */
import type { DeliveryRow } from '../../db/tables/outbox.ts';
import { type EventName, severities } from '../../engine/alerting/event-names.ts';
import { fieldsOf, numberIn, textIn } from '../../engine/alerting/payload.ts';
import type { Message } from '../message.ts';
import { type DeliveryContext, type Envelope, named } from './context.ts';

type NoticeName = Exclude<EventName, 'down' | 'degraded' | 'unknown' | 'recovered'>;

interface NoticeRow {
  readonly row: DeliveryRow;
  readonly event: NoticeName;
  readonly envelope: Envelope;
}

const dayMs = 86_400_000;

/** Null when the payload lacks what the message needs. */
export function composeNotice({ row, event, envelope }: NoticeRow, context: DeliveryContext): Message | null {
  const fields = fieldsOf(row.payload);
  const text = (key: string) => textIn(fields, key);
  const number = (key: string) => numberIn(fields, key);
  const at = number('at') ?? row.createdAt;
  const common = { ...envelope, at };
  const about = named(row.monitor ?? '', context);
  const startedAt = number('startedAt') ?? at;
  switch (event) {
    case 'alert': {
      const severity = severities.find((each) => each === fields['severity']) ?? 'info';
      const tags = Object.entries(fieldsOf(fields['tags'] ?? null)).flatMap(([key, value]) =>
        typeof value === 'string' ? [[key, value] as const] : [],
      );
      return {
        ...common,
        event,
        severity,
        monitor: about,
        title: text('title') ?? '',
        message: text('message'),
        tags: Object.fromEntries(tags),
      };
    }
    case 'channel_failing':
      return {
        ...common,
        event,
        severity: 'warning',
        channel: text('channel') ?? '',
        consecutiveFailures: number('consecutiveFailures') ?? 0,
        failingSinceAt: number('failingSinceAt') ?? at,
        error: text('error'),
      };
    case 'cert_expiring':
    case 'cert_changed':
    case 'domain_expiring': {
      const expiresAt = number('expiresAt');
      if (expiresAt === null) return null;
      const daysLeft = Math.floor((expiresAt - context.nowAt) / dayMs);
      const holder = { subject: text('subject'), issuer: text('issuer') };
      const warning = { ...common, severity: 'warning', monitor: about, expiresAt } as const;
      if (event === 'cert_expiring') return { ...warning, event, daysLeft, ...holder };
      if (event === 'domain_expiring') return { ...warning, event, daysLeft, domain: text('domain') ?? '' };
      return {
        ...warning,
        event,
        ...holder,
        spkiSha256: text('spkiSha256') ?? '',
        previousSpkiSha256: text('previousSpkiSha256'),
      };
    }
    case 'cert_unreadable':
      return {
        ...common,
        event,
        severity: 'warning',
        monitor: about,
        sinceAt: number('sinceAt') ?? at,
        lastExpiresAt: number('lastExpiresAt'),
        reason: text('reason'),
      };
    case 'budget_burn': {
      const pace = fields['pace'] === 'fast' ? 'fast' : 'slow';
      return {
        ...common,
        event,
        severity: pace === 'fast' ? 'error' : 'warning',
        monitor: about,
        pace,
        rate: number('rate') ?? 0,
        windowSecs: number('windowSecs') ?? 0,
        uptimePercent: number('uptimePercent') ?? 0,
        sloWindowDays: number('sloWindowDays') ?? 0,
        leftMinutes: number('leftMinutes'),
        totalMinutes: number('totalMinutes'),
      };
    }
    case 'peer_down':
      return {
        ...common,
        event,
        severity: 'error',
        peer: about,
        lastHeardAt: number('lastHeardAt'),
        reason: text('reason'),
      };
    case 'peer_recovered':
      return {
        ...common,
        event,
        severity: 'info',
        peer: about,
        startedAt,
        endedAt: number('endedAt') ?? at,
      };
    case 'peer_link_degraded':
      return {
        ...common,
        event,
        severity: 'warning',
        peer: about,
        lastHeardAt: number('lastHeardAt'),
        seenBy: textsOf(fields['seenBy']),
        reason: text('reason'),
      };
    case 'node_blind': {
      const monitors = textsOf(fields['monitors']).map((id) => named(id, context));
      return {
        ...common,
        event,
        severity: 'warning',
        node: context.settings.config.health.id,
        startedAt,
        endedAt: number('endedAt'),
        reason: text('reason'),
        monitors,
        monitorCount: number('monitorCount') ?? monitors.length,
      };
    }
    case 'storage_failing':
      return { ...common, event, severity: 'error', startedAt, error: text('error') };
    case 'digest':
      return {
        ...common,
        event,
        severity: 'info',
        fromAt: number('fromAt') ?? at,
        toAt: number('toAt') ?? at,
        summary: text('summary') ?? '',
        lines: textsOf(fields['lines']),
      };
    case 'test':
      return { ...common, event, severity: 'info' };
  }
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each): each is string => typeof each === 'string') : [];
}
