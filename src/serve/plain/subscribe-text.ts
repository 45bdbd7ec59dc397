/** Writes for a terminal how to follow the status. */
import type { SubscribeFacts } from '../pages/subscribe-page.ts';
import { cleanLine } from '../../engine/core/text.ts';
import { wrapCells } from '../../engine/views/text/cells.ts';
import { documentOf, labelled, plainCells } from './lines.ts';

/** `origin`: where the client reaches this server; no line has more than `width` cells. */
export function renderSubscribeText({
  site,
  groups,
  origin,
  width,
}: SubscribeFacts & { readonly origin: string; readonly width: number }): string {
  return documentOf([
    ...wrapCells(cleanLine(`${site.title}: subscribe`), width, plainCells),
    '',
    ...labelled('Feed    ', `${origin}/history.atom`, width),
    ...labelled('Calendar', `${origin}/maintenance.ics`, width),
    ...labelled('API     ', `${origin}/api/summary`, width),
    ...(groups === null
      ? []
      : labelled('Mail    ', `curl -d address=you@example.com ${origin}/subscribe`, width)),
  ]);
}
