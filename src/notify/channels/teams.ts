/** Microsoft Teams, through a workflow that takes Adaptive Cards (learn.microsoft.com, "Create incoming webhooks with Workflows"). */
import type { Severity } from '../../engine/alerting/events/event.ts';
import { fit, jsonBytesOf, unitsOf } from '../wording/fit.ts';
import { fitLines, isOver, labelledTitle, linksOf } from '../wording/text.ts';
import { type WordingLine, lineText } from '../wording/wording.ts';
import { wordingOf } from '../wording/words.ts';
import { type HttpChannel, jsonBody } from './http.ts';

const colours: Readonly<Record<Severity, string>> = {
  info: 'Accent',
  warning: 'Warning',
  error: 'Attention',
  critical: 'Attention',
};

/** A message may take 28 KB, the card around the words included. */
const limit = 27_000;

/** What the block of a line takes beside its text. */
const perLine = 130;

type Style = Readonly<Record<string, unknown>>;

/** Runs of a RichTextBlock are text: in a TextBlock they would be Markdown. */
const run = (text: string, style: Style = {}) => ({ type: 'TextRun', text, ...style });
const block = (...inlines: readonly Style[]) => ({ type: 'RichTextBlock', inlines });

function lineBlock(line: WordingLine) {
  if (typeof line === 'string') return block(run(line));
  return block(run(`${line.label}${line.joint}`, { weight: 'Bolder' }), run(line.value));
}

/** The answer of a target, set apart. */
const answerBlock = (lines: readonly WordingLine[]) => ({
  type: 'Container',
  style: 'emphasis',
  items: lines.map((line) => block(run(lineText(line), { fontType: 'Monospace' }))),
});

export const teams: HttpChannel<'teams'> = {
  vendor: 'Teams',
  call: (message, channel) => {
    const wording = wordingOf(message);
    const title = fit(labelledTitle(wording, message.severity), { limit: 250, lengthOf: unitsOf });
    const lengthOf = (line: WordingLine) => jsonBytesOf(lineText(line)) + perLine;
    const actions = linksOf(message).map(({ label, url }) => ({
      type: 'Action.OpenUrl',
      title: label,
      url,
    }));
    const room = limit - 3 * jsonBytesOf(title) - Buffer.byteLength(JSON.stringify(actions)) - 500;
    const lines = fitLines(wording.lines, { limit: room, lengthOf });
    const left = room - lines.reduce((length, line) => length + lengthOf(line), 0);
    const answer = fitLines(wording.quote, { limit: left - 100, lengthOf });
    const color = isOver(message) ? 'Good' : colours[message.severity];
    const card = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: '1.4',
      fallbackText: title,
      msteams: { width: 'Full' },
      body: [
        block(run(title, { size: 'Large', weight: 'Bolder', color })),
        ...lines.map(lineBlock),
        ...(answer.length === 0 ? [] : [answerBlock(answer)]),
      ],
      ...(actions.length > 0 && { actions }),
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
