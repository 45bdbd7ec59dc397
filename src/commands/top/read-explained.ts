/** Reads the explanation of a monitor from another server. */
import { anObject, aNumber, aText, fieldsOf, oneOf, readAs, readList } from '../../engine/core/decode.ts';
import { deliveryStates } from '../../engine/core/record.ts';
import { momentKinds } from '../../engine/views/explain-timeline.ts';
import type { Detail } from '../../tui/model.ts';

const aMoment = oneOf(momentKinds);
const aState = oneOf(deliveryStates);

/** Both null: a server of before, which does not say. */
export function readExplained(json: unknown): Pick<Detail, 'explanation' | 'channels'> {
  const { channels, summary, timeline, messages, next } = fieldsOf(json);
  if (!Array.isArray(timeline)) return { channels: null, explanation: null };
  return {
    channels: readList(channels, aText),
    explanation: {
      headline: readList(summary, aText),
      timeline: readList(timeline, anObject).map(({ at, kind, channel, event, reason, text, times }) => ({
        at: timeOf(at) ?? 0,
        kind: readAs(kind, aMoment) ?? 'happened',
        channel: readAs(channel, aText),
        event: readAs(event, aText),
        reason: readAs(reason, aText),
        text: readAs(text, aText) ?? '',
        times: readAs(times, aNumber) ?? 1,
      })),
      messages: readList(messages, anObject).map((message) => ({
        id: readAs(message.id, aNumber) ?? 0,
        channel: readAs(message.channel, aText) ?? '',
        event: readAs(message.event, aText) ?? '',
        incident: null,
        createdAt: 0,
        state: readAs(message.state, aState) ?? 'dropped',
        attempts: readAs(message.attempts, aNumber) ?? 0,
        nextAt: timeOf(message.next_at) ?? 0,
        lastError: readAs(message.last_error, aText),
        finishedAt: timeOf(message.finished_at),
      })),
      next: readList(next, aText),
    },
  };
}

/** Epoch ms; null: it is none. */
function timeOf(json: unknown): number | null {
  const at = Date.parse(readAs(json, aText) ?? '');
  return Number.isNaN(at) ? null : at;
}
