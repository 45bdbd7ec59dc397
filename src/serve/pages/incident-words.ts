/** Describes an incident in a language: its title, why it began, what other nodes saw of it. */
import type { SeenFrom } from '../../engine/alerting/events/outage.ts';
import type { IncidentView } from '../../engine/views/incident.ts';
import { seenFrom } from '../../engine/views/vantage.ts';
import type { Speech } from './words/speech.ts';

/** `Payments is down`; what an operator opened has its title alone. */
export function titleText({ name, kind, ended_at }: IncidentView, speech: Speech): string {
  const isOpen = ended_at === null;
  switch (kind) {
    case 'down':
      return isOpen ? speech.about('isDown', [name]) : speech.fill('wasDown', name);
    case 'unknown':
      return speech.fill(isOpen ? 'isUnchecked' : 'wasUnchecked', name);
    case 'operator':
      return name;
  }
}

/** Why it began, as far as the reader may know: sentences, none when nothing is known. */
export function reasonsOf(
  {
    error,
    latest_reason: latest,
    started_at,
    cause,
    vantage,
  }: Pick<IncidentView, 'error' | 'latest_reason' | 'started_at' | 'cause' | 'vantage'>,
  { speech, nameOf }: { readonly speech: Speech; readonly nameOf: (id: string) => string },
): readonly string[] {
  const reason = speech.reason(error);
  return [
    ...(reason === null ? [] : [reason]),
    ...(latest === null ? [] : latestOf(latest, started_at, speech)),
    ...(cause === null ? [] : [speech.fill('because', nameOf(cause))]),
    ...vantageSentences(vantage ?? [], speech),
  ];
}

/** `Connection refused (since 11:52 UTC).` */
function latestOf(
  { error, since }: NonNullable<IncidentView['latest_reason']>,
  startedAt: string,
  speech: Speech,
): readonly string[] {
  const reason = speech.reason(error);
  if (reason === null) return [];
  const [, words = '', stop = ''] = /^(.*?)([.。!?…]?)$/su.exec(reason) ?? [];
  return [`${words} (${speech.fill('since', speech.shortTime(since, startedAt))})${stop}`];
}

function vantageSentences(views: readonly SeenFrom[], speech: Speech): readonly string[] {
  if (views.length === 0) return [];
  const { up, down, silent } = seenFrom(views);
  const counts = [speech.number(down.length + 1), speech.number(views.length + 1)] as const;
  const missing = silent.length === 0 ? [] : [speech.fill('noAnswerFrom', nodesOf(silent, speech))];
  if (up.length === 0)
    return [...(down.length === 0 ? [] : [speech.fill('confirmedFrom', ...counts)]), ...missing];
  if (down.length > up.length) return [speech.fill('partlyDown', ...counts, nodesOf(up, speech)), ...missing];
  const others = down.length === 0 ? [] : [speech.fill('downFrom', ...counts)];
  return [speech.fill('reachableFrom', nodesOf(up, speech)), ...others, ...missing];
}

const mostNames = 5;

/** Their names; how many they are, where the reader may not know the names or there are too many. */
function nodesOf(views: readonly SeenFrom[], speech: Speech): string {
  const names = views.flatMap(({ peer }) => (peer === null ? [] : [peer]));
  const isNamed = names.length === views.length && names.length <= mostNames;
  return isNamed ? speech.list(names) : speech.count('otherNodes', views.length);
}
