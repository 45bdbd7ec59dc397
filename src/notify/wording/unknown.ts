/** Words for monitors that cannot be checked, and for what is found when they can be again. */
import { durationText, shownSpanMs } from '../../engine/core/duration.ts';
import { instantText, nearInstantText } from '../../engine/core/instant.ts';
import { counted } from '../../engine/core/words.ts';
import { problemOf, remedyOf } from '../../engine/core/own-fault.ts';
import type { FoundState, Recovered } from '../../engine/alerting/events/recovered.ts';
import type { Unknown } from '../../engine/alerting/events/outage.ts';
import { plainLine } from './plain.ts';
import { fact, type WordingLine, listed, nameOf, reasonLine, type Wording } from './wording.ts';

/** A title names this many monitors, a line this many. */
const mostInTitle = 3;
const mostInLine = 30;

export function unknown(message: Unknown): Wording {
  const { monitor, impacted, ownFault, startedAt, confirmedAt, incidentIds } = message;
  const names = [monitor, ...impacted].map(nameOf);
  const how = plainLine(message.confirmation ?? '');
  const since = `${instantText(startedAt)}, confirmed at ${nearInstantText(confirmedAt, startedAt)}`;
  return {
    title: `Cannot check ${subjectOf(names)}: ${plainLine(problemOf(ownFault), 200)}`,
    lines: [
      ...(names.length === 1 ? [] : [fact('Monitors', listed(names, mostInLine))]),
      `While this lasts, an outage of ${names.length === 1 ? 'it' : 'them'} goes unnoticed`,
      plainLine(remedyOf(ownFault), 300),
      ...reasonLine(message.reason),
      fact('Since', `${since}${how === '' ? '' : ` by ${how}`}`, ' '),
      ...incidentLine(incidentIds),
    ],
    quote: [],
  };
}

export function checkedAgain(message: Recovered): Wording {
  const { monitor, impacted, startedAt, endedAt, isLate, ownFault = null } = message;
  const names = [monitor, ...impacted].map(nameOf);
  const lasted = durationText(shownSpanMs(startedAt, endedAt));
  const found = foundInWords(message.found ?? []);
  const cause = ownFault === null ? '' : `: ${plainLine(problemOf(ownFault), 200)}`;
  return {
    title: isLate
      ? `Could not check ${subjectOf(names)} for ${lasted}, sent late`
      : `${subjectOf(names)} can be checked again after ${lasted}${found === '' ? '' : `: ${found}`}`,
    lines: [
      ...(isLate && found !== '' ? [`Checks work again: ${found}`] : []),
      ...(names.length === 1 ? [] : [fact('Monitors', listed(names, mostInLine))]),
      fact(
        'Not checked from',
        `${instantText(startedAt)} to ${nearInstantText(endedAt, startedAt)}${cause}`,
        ' ',
      ),
      ...reasonLine(message.reason),
      ...(message.incidentId === null ? [] : incidentLine([message.incidentId])),
    ],
    quote: [],
  };
}

function subjectOf(names: readonly string[]): string {
  const [only = ''] = names;
  return names.length === 1 ? only : counted(names.length, 'monitor');
}

const words: Readonly<Record<FoundState['state'], string>> = {
  down: 'down',
  failing: 'failing',
  unknown: 'still not checked',
  degraded: 'degraded',
  up: 'up',
};

/** `API is down, Shop is failing, 3 up`: those that need attention by name, the others by number. */
function foundInWords(found: readonly FoundState[]): string {
  const bad = (['down', 'failing', 'unknown', 'degraded'] as const).flatMap((state) => {
    const names = found.filter((each) => each.state === state).map(nameOf);
    if (names.length === 0) return [];
    return [`${listed(names, mostInTitle)} ${names.length === 1 ? 'is' : 'are'} ${words[state]}`];
  });
  const up = found.filter(({ state }) => state === 'up').length;
  if (bad.length === 0) return found.length === 1 ? 'it is up' : up === 0 ? '' : `all ${up} are up`;
  return [...bad, ...(up === 0 ? [] : [`${up} ${up === 1 ? 'is' : 'are'} up`])].join(', ');
}

function incidentLine(ids: readonly number[]): WordingLine[] {
  if (ids.length === 0) return [];
  return [fact(ids.length === 1 ? 'Incident' : 'Incidents', listed(ids.map(String), mostInLine), ' ')];
}
