/** Google Chat, through a webhook of a space (developers.google.com/workspace/chat/quickstart/webhooks). */
import { fit, jsonBytesOf, unitsOf } from '../wording/fit.ts';
import { fitLines, htmlLine, linksOf, lookOf, labelledTitle } from '../wording/text.ts';
import { type WordingLine, lineText } from '../wording/wording.ts';
import { wordingOf } from '../wording/words.ts';
import { type HttpChannel, jsonBody } from './http.ts';

/** A message may take 32,000 bytes, the card around the words included. */
const limit = 24_000;

/** Paragraphs of a card are HTML; a plain message has mentions and no way to escape them. */
const paragraph = (lines: readonly WordingLine[]) => ({
  textParagraph: { text: lines.map((line) => htmlLine(line)).join('\n') },
});

export const googlechat: HttpChannel<'googlechat'> = {
  vendor: 'Google Chat',
  call: (message, channel) => {
    const wording = wordingOf(message);
    const title = fit(labelledTitle(wording, message.severity), { limit: 250, lengthOf: unitsOf });
    const lengthOf = (line: WordingLine) => jsonBytesOf(htmlLine(line)) + 2;
    const lines = fitLines(wording.lines, { limit, lengthOf });
    const left = limit - lines.reduce((length, line) => length + lengthOf(line), 0);
    const quote = wording.quote.map((line) => `> ${line}`);
    const answer = fitLines(quote, { limit: left, lengthOf }).map(lineText);
    const buttons = linksOf(message).map(({ label, url }) => ({
      text: label,
      onClick: { openLink: { url } },
    }));
    const card = {
      header: { title: `${lookOf(message).mark} ${title}` },
      sections: [
        {
          widgets: [
            paragraph(lines.length === 0 ? [title] : lines),
            ...(answer.length === 0 ? [] : [paragraph(['It answered:', ...answer])]),
            ...(buttons.length === 0 ? [] : [{ buttonList: { buttons } }]),
          ],
        },
      ],
    };
    return {
      url: channel.webhook_url.reveal(),
      method: 'POST',
      ...jsonBody({ fallbackText: title, cardsV2: [{ cardId: 'statusd', card }] }),
    };
  },
  whoAmI: null,
  advice: {
    400: 'webhook_url',
    401: 'webhook_url: its key or token is wrong',
    403: 'webhook_url: the webhook was deleted',
    404: 'webhook_url: the space is gone',
  },
};
