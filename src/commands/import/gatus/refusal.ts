/** Finds in the endpoints of Gatus the mistakes with which Gatus does not start. */
import { anObject } from '../../../engine/core/decode.ts';
import type { Remarks } from '../item.ts';
import { hasVariables, isGiven, type Loose, plainText, recordAt, textAt } from './tree.ts';

/** Reports one mistake, which `why` names in a clause. */
export function reportRefusal(why: string, remarks: Remarks): void {
  remarks.approximate(`Gatus does not start with this: ${why}`);
}

/** Reports the mistakes in the name and group of an endpoint, and in lists and maps that are none. */
export function reportMistakes(endpoint: Loose, remarks: Remarks): void {
  if (textAt(endpoint, 'name') === '') reportRefusal('it has no name', remarks);
  for (const key of ['name', 'group'])
    if (isUnquotable(textAt(endpoint, key))) reportRefusal(`its ${key} has " or \\`, remarks);
  for (const [key, { isRight, wrong }] of Object.entries(shapes)) {
    const value = Object.hasOwn(endpoint, key) ? endpoint[key] : null;
    if (value === null || value === undefined || isRight(value)) continue;
    if (typeof value === 'string' && hasVariables(value))
      remarks.drop(`${key} is a variable: statusd takes none`);
    else reportRefusal(wrong, remarks);
  }
}

/** Reports the mistakes in what an endpoint asks. Conditions that cannot be read are reported by their reader. */
export function reportRequestMistakes(endpoint: Loose, remarks: Remarks): void {
  const conditions = endpoint['conditions'] ?? [];
  if (Array.isArray(conditions) && conditions.length === 0)
    reportRefusal('it has no conditions; in statusd any good answer is up', remarks);
  if (isGiven(endpoint, 'dns')) {
    const type = textAt(recordAt(endpoint, 'dns'), 'query-type');
    if (!hasVariables(type) && (type === '' || type !== type.toUpperCase()))
      reportRefusal('its dns has no query-type in capital letters', remarks);
    return;
  }
  // Gatus does not look at the url of an endpoint with ssh settings.
  if (isGiven(endpoint, 'ssh')) return;
  const url = textAt(endpoint, 'url');
  if (/^[a-z]*[A-Z][A-Za-z]*:\/\//.test(url))
    reportRefusal('its url has a scheme in capital letters', remarks);
  if (/^\s/.test(url)) reportRefusal('its url begins with a space', remarks);
}

const soonestReminderSecs = 300;

/** Reports the mistakes in an alert; `reminderSecs` is null where it has no interval. */
export function reportAlertMistakes(alert: Loose, reminderSecs: number | null, remarks: Remarks): void {
  if (reminderSecs !== null && reminderSecs !== 0 && reminderSecs < soonestReminderSecs)
    reportRefusal('an alert reminds more often than every 5 minutes', remarks);
  if (isUnquotable(textAt(alert, 'description')))
    reportRefusal('the description of an alert has " or \\', remarks);
}

function isUnquotable(text: string): boolean {
  return /["\\]/.test(plainText(text));
}

/** The name and group as Gatus tells endpoints apart: letter case and most punctuation make no difference. */
export function gatusKey(endpoint: Loose): string {
  const plain = (text: string) =>
    // The name of a variable says nothing about the case of its value.
    (hasVariables(text) ? text : text.toLowerCase()).trim().replace(/[/_., #+&]/g, '-');
  return `${plain(textAt(endpoint, 'group'))}_${plain(textAt(endpoint, 'name'))}`;
}

interface Shape {
  readonly isRight: (value: unknown) => boolean;
  readonly wrong: string;
}

const isListOfMaps = (value: unknown) => Array.isArray(value) && value.every((one) => anObject(one));

const shapes: Readonly<Record<string, Shape>> = {
  alerts: { isRight: isListOfMaps, wrong: 'its alerts are no list of maps' },
  'maintenance-windows': { isRight: isListOfMaps, wrong: 'its maintenance-windows are no list of maps' },
  headers: { isRight: anObject, wrong: 'its headers are no map' },
  client: { isRight: anObject, wrong: 'its client is no map' },
};
