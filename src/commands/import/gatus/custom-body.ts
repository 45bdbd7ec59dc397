/** Turns the request body of the custom provider of Gatus into the template of a webhook. */
import { type BodyTemplate, bodyTemplate } from '../body-template.ts';
import type { Remarks } from '../item.ts';
import { ownValue } from '../record.ts';

/** The placeholders of Gatus, with the field that is nearest; those without one stay as they are written. */
const placeholders: Readonly<Record<string, { readonly field: string; readonly difference: string | null }>> =
  {
    '[ENDPOINT_NAME]': { field: 'monitor', difference: null },
    '[ALERT_DESCRIPTION]': { field: 'text', difference: 'the text of the event' },
    '[ALERT_TRIGGERED_OR_RESOLVED]': {
      field: 'event',
      difference: 'the name of the event, such as down or recovered',
    },
    '[RESULT_ERRORS]': { field: 'message', difference: 'the reason of the failure' },
  };

const unfilled = ['[ENDPOINT_GROUP]', '[ENDPOINT_URL]', '[RESULT_CONDITIONS]'] as const;

function matching(places: readonly string[], flags: string): RegExp {
  return new RegExp(places.map((place) => place.replace(/[[\]]/g, '\\$&')).join('|'), flags);
}

export function hasPlaceholder(text: string): boolean {
  return matching([...Object.keys(placeholders), ...unfilled], '').test(text);
}

/** A body of Gatus with fields in the place of its placeholders; null: there is none, or one with braces of its own. */
export function gatusTemplate(body: string): BodyTemplate | null {
  if (body.includes('{{')) return null;
  const filled = matching(Object.keys(placeholders), 'g');
  return bodyTemplate(body, filled, (place) => ownValue(placeholders, place)?.field);
}

/** Reports the placeholders that stand for something else in statusd, or for nothing. */
export function reportFields(body: string, remarks: Remarks): void {
  for (const [place, { difference }] of Object.entries(placeholders))
    if (difference !== null && body.includes(place))
      remarks.approximate(`${place} in its body is ${difference}`);
  for (const place of unfilled)
    if (body.includes(place)) remarks.drop(`${place} in its body, which statusd has no field for`);
}
