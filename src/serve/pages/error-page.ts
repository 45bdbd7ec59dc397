/** Renders what a person gets instead of a page. */
import { html } from './html.ts';
import { heading, renderFrame } from './layout.ts';
import { linkTo, type PageContext, speechOf } from './page-context.ts';

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
    main: html`<p class="small">${status}</p>${heading(title, detail)}<p><a href="${linkTo(site, '/')}">${speechOf(site).words.toStatus}</a></p>`,
  });
}
