/** Words for what runs out: certificates, domains, error budgets. */
import type { BudgetBurn } from '../../engine/alerting/events/budget-burn.ts';
import type {
  CertChanged,
  CertExpiring,
  CertUnreadable,
  DomainExpiring,
} from '../../engine/alerting/events/expiry.ts';
import { counted } from '../../engine/core/words.ts';
import { instantText } from '../../engine/core/instant.ts';
import { durationText } from '../../engine/core/duration.ts';
import { plainLine } from './plain.ts';
import { fact, type WordingLine, nameOf, reasonLine, type Wording } from './wording.ts';

export function certExpiring(message: CertExpiring): Wording {
  return {
    title: `The certificate of ${nameOf(message.monitor)} ${expires(message)}`,
    lines: [validity(message.expiresAt), ...identity(message)],
    quote: [],
  };
}

export function certChanged(message: CertChanged): Wording {
  const previous = message.previousSpkiSha256;
  return {
    title: `The certificate of ${nameOf(message.monitor)} has another key`,
    lines: [
      'If nobody renewed it with a new key, someone else may be answering in its place',
      ...identity(message),
      validity(message.expiresAt),
      fact('SHA-256 of the key', plainLine(message.spkiSha256, 64)),
      ...(previous === null ? [] : [fact('Until now', plainLine(previous, 64))]),
    ],
    quote: [],
  };
}

export function certUnreadable({ monitor, reason, sinceAt, lastExpiresAt }: CertUnreadable): Wording {
  return {
    title: `The certificate of ${nameOf(monitor)} can no longer be read`,
    lines: [
      'Its expiry is not watched until a check can read it again',
      ...reasonLine(reason),
      fact('Since', instantText(sinceAt), ' '),
      ...(lastExpiresAt === null
        ? []
        : [`The certificate read last is valid until ${instantText(lastExpiresAt)}`]),
    ],
    quote: [],
  };
}

export function domainExpiring(message: DomainExpiring): Wording {
  return {
    title: `The domain ${plainLine(message.domain, 253)} ${expires(message)}`,
    lines: [
      fact('Registered until', instantText(message.expiresAt), ' '),
      fact('Monitor', nameOf(message.monitor)),
    ],
    quote: [],
  };
}

export function budgetBurn(message: BudgetBurn): Wording {
  const { rate, windowSecs, uptimePercent, sloWindowDays, leftMinutes, totalMinutes } = message;
  const target = `${uptimePercent} % in ${counted(sloWindowDays, 'day')}`;
  return {
    title: `${nameOf(message.monitor)} burns its error budget ${tenths(rate)} times too fast`,
    lines: [
      `Measured over the last ${durationText(windowSecs * 1000)}, against an SLO of ${target}`,
      ...(leftMinutes === null || totalMinutes === null ? [] : [budgetLine(leftMinutes, totalMinutes)]),
    ],
    quote: [],
  };
}

function budgetLine(leftMinutes: number, totalMinutes: number): WordingLine {
  const total = `${tenths(totalMinutes)} minutes of downtime`;
  if (leftMinutes > 0) return fact('Left', `${tenths(leftMinutes)} of ${total}`);
  return `Nothing is left of ${total}: ${tenths(-leftMinutes)} minutes over`;
}

/** `daysLeft` is rounded down, so that -1 is less than a day ago. The text has the number that the webhook has. */
function expires({ daysLeft }: { readonly daysLeft: number }): string {
  if (daysLeft < -1) return `expired ${days(-daysLeft)} ago`;
  if (daysLeft < 0) return 'has expired';
  return daysLeft === 0 ? 'expires today' : `expires in ${days(daysLeft)}`;
}

const days = (count: number) => counted(count, 'day');

const validity = (expiresAt: number) => fact('Valid until', instantText(expiresAt), ' ');

function identity(message: {
  readonly subject: string | null;
  readonly issuer: string | null;
}): WordingLine[] {
  const [subject, issuer] = [plainLine(message.subject ?? ''), plainLine(message.issuer ?? '')];
  return [
    ...(subject === '' ? [] : [fact('Issued to', subject)]),
    ...(issuer === '' ? [] : [fact('Issued by', issuer)]),
  ];
}

const tenths = (value: number) => String(Number(value.toFixed(1)));
