/** Renders an error as a page. */
import { html, type Html } from './html.ts';
import { heading, renderFrame } from './layout.ts';
import { linkTo, type PageContext, speechOf } from './page-context.ts';
import { en } from './words/en.ts';
import type { TextKey, Words } from './words/speech.ts';

/** The fields of a problem (RFC 9457) that a person can use. */
export interface ErrorPageFacts {
  readonly site: PageContext;
  readonly status: number;
  readonly title: string;
  readonly detail: string | null;
}

export function renderErrorPage({ site, status, title, detail }: ErrorPageFacts): string {
  const { words } = speechOf(site);
  const heads: Readonly<Record<number, string>> = {
    404: words.notFound,
    429: words.tooMany,
    503: words.unavailable,
  };
  const head = heads[status] ?? title;
  return renderFrame({
    site,
    title: head,
    main: html`<p class="small">${status}</p>${heading(head, detail === null ? null : translated(detail, words))}<p><a href="${linkTo(site, '/')}">${words.toStatus}</a></p>`,
  });
}

const detailKeys = [
  'nothingHere',
  'noSuchMonitor',
  'noSuchGroup',
  'noSuchIncident',
  'noSuchReport',
  'linkInvalid',
  'ackInvalid',
  'addressInvalid',
] as const satisfies readonly TextKey[];

/** The detail of a problem is English; those that readers run into are found by it in the language of the page. */
function translated(detail: string, words: Words): string | Html {
  const key = detailKeys.find((each) => en[each] === detail);
  return key === undefined ? html`<span lang="en">${detail}</span>` : words[key];
}
