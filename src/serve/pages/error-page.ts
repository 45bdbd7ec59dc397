/** Renders what a person gets instead of a page. */
import { html } from './html.ts';
import { renderFrame } from './layout.ts';
import { linkTo, type PageContext } from './page-context.ts';

/** The fields of a problem (RFC 9457) that a person can use. */
export interface ErrorPageFacts {
  readonly site: PageContext;
  readonly status: number;
  readonly title: string;
  readonly detail: string | null;
}

export function renderErrorPage({ site, status, title, detail }: ErrorPageFacts): string {
  return renderFrame({
    site,
    title,
    tone: 'unknown',
    current: null,
    month: null,
    headline: html`<div class="verdict"><div><p class="small">${status}</p><h1>${title}</h1>${detail === null ? null : html`<p>${detail}</p>`}</div></div>`,
    main: html`<p><a href="${linkTo(site, '/')}">Go to the status page</a></p>`,
    footer: 'Watched by statusd.',
  });
}
