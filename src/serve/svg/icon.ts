/** The shapes of the statuses, and the favicon made of them. */
import type { ReaderState, Status } from '../../engine/core/status.ts';
import { xml, type Xml } from './xml.ts';

/**
 * In a square of 24: a tick in a disc, a mark in a triangle, a cross in an octagon, a broken ring. What is `k` is
 * drawn in the colour of the ground; the rest in the current colour.
 */
export const statusShapes: Readonly<Record<Status, Xml>> = {
  up: xml`<path d="M12 1a11 11 0 1 0 0 22 11 11 0 0 0 0-22"/><path class="k" d="m7 12.4 3.4 3.4L17 8.8"/>`,
  degraded: xml`<path stroke="currentColor" stroke-width="2" stroke-linejoin="round" d="M12 2.6 23 21.4H1z"/><path class="k" d="M12 9.4v5m0 3.3v.1"/>`,
  down: xml`<path stroke="currentColor" stroke-width="2" stroke-linejoin="round" d="M8 2h8l6 6v8l-6 6H8l-6-6V8z"/><path class="k" d="m8.5 8.5 7 7m0-7-7 7"/>`,
  unknown: xml`<path fill="none" stroke="currentColor" stroke-width="2.6" stroke-dasharray="4 3.46" d="M12 2.5a9.5 9.5 0 1 0 0 19 9.5 9.5 0 0 0 0-19"/>`,
};

const pictures: Readonly<Record<ReaderState, { readonly colour: string; readonly mark: Xml }>> = {
  up: { colour: '#1f8a5b', mark: xml`<path d="m7 12.4 3.4 3.4L17 8.8"/>` },
  degraded: { colour: '#b87a00', mark: xml`<path d="M12 8v6m0 4v.1"/>` },
  down: { colour: '#c8281e', mark: xml`<path d="m8 8 8 8m0-8-8 8"/>` },
  maintenance: { colour: '#2f6fde', mark: xml`<path d="M9 8v8m6-8v8"/>` },
  unknown: { colour: '#7a828c', mark: xml`<path d="M7.5 12h9"/>` },
};

/** A picture for `/favicon.svg`: a disc in the colour of the status with its mark. */
export function renderIcon(status: ReaderState): string {
  const { colour, mark } = pictures[status];
  return xml`<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24"><title>${status}</title><circle cx="12" cy="12" r="12" fill="${colour}"/><g fill="none" stroke="#fff" stroke-width="3" stroke-linecap="round" stroke-linejoin="round">${mark}</g></svg>\n`
    .text;
}
