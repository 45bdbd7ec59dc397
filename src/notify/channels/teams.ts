/** Microsoft Teams, through a workflow that takes Adaptive Cards (learn.microsoft.com, "Create incoming webhooks with Workflows"). */
import type { Severity } from '../../engine/alerting/events/event.ts';
import { fit, jsonBytesOf, unitsOf } from '../wording/fit.ts';
import { body, safeLink } from '../wording/text.ts';
import { wordingOf } from '../wording/words.ts';
import { type HttpChannel, jsonBody } from './http.ts';

const colours: Readonly<Record<Severity, string>> = {
  info: 'Good',
  warning: 'Warning',
  error: 'Attention',
  critical: 'Attention',
};

/** A message may take 28 KB, the card around the words included. */
const limit = 26_000;

/** What the block of a line takes beside its text. */
const perLine = 70;

/** Runs of a RichTextBlock are text: in a TextBlock they would be Markdown. */
const block = (text: string, style: Readonly<Record<string, unknown>> = {}) => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...style }],
});

export const teams: HttpChannel<'teams'> = {
  vendor: 'Teams',
  call: (message, channel) => {
    const wording = wordingOf(message);
    const title = fit(wording.title, { limit: 250, lengthOf: unitsOf });
    const lengthOf = (text: string) => jsonBytesOf(text) + perLine * text.split('\n').length;
    const text = fit(body(wording).join('\n'), { limit, lengthOf });
    const link = message.link === null ? null : safeLink(message.link);
    const card = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      fallbackText: title,
      msteams: { width: 'Full' },
      body: [
        block(title, { size: 'Large', weight: 'Bolder', color: colours[message.severity] }),
        ...text.split('\n').map((line) => block(line)),
      ],
      ...(link !== null && { actions: [{ type: 'Action.OpenUrl', title: 'Status page', url: link }] }),
    };
    const attachment = {
      contentType: 'application/vnd.microsoft.card.adaptive',
      contentUrl: null,
      content: card,
    };
    return {
      url: channel.webhook_url.reveal(),
      method: 'POST',
      ...jsonBody({ type: 'message', summary: title, attachments: [attachment] }),
    };
  },
  whoAmI: null,
  advice: {
    400: 'webhook_url: it must be that of a workflow that takes a Teams webhook request',
    401: 'webhook_url: anyone must be allowed to trigger its workflow',
    403: 'webhook_url: its workflow is switched off, or its owner left',
    404: 'webhook_url: the workflow was deleted',
  },
};
