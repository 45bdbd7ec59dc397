/** The frame of every page: head, navigation, headline band, main part, footer. */
import type { Status } from '../../engine/core/status.ts';
import { statusShapes } from '../svg/icon.ts';
import { html, Html, type HtmlPart } from './html.ts';
import { stylesheet } from './style.ts';
import { linkTo, type PageContext } from './page-context.ts';

export interface PageFrame {
  readonly site: PageContext;
  /** Of the document; the site's title follows. */
  readonly title: string;
  readonly tone: Status;
  readonly current: 'status' | 'history' | 'report' | null;
  /** The month that the link to the report leads to; null: none. */
  readonly month: string | null;
  /** The headline band: an `h1` and what goes with it. */
  readonly headline: Html;
  readonly main: HtmlPart;
  /** At the left of the footer. */
  readonly footer: HtmlPart;
}

/** A whole document. There is no script in it, and it asks for nothing but the icon of its own site. */
export function renderFrame(pageFrame: PageFrame): string {
  const { site, title, tone, headline, main } = pageFrame;
  return html`<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width,initial-scale=1"/><meta name="color-scheme" content="light dark"/><title>${title} · ${site.title}</title><link rel="icon" href="${site.base}/favicon.svg" type="image/svg+xml"/><link rel="alternate" type="application/atom+xml" title="${site.title}: incidents" href="${linkTo(site, '/history.atom')}"/><style>${new Html(stylesheet)}</style></head>
<body class="t-${tone}"><a class="skip" href="#main">Skip to the content</a>
<header class="band"><div class="in"><div class="bar"><p class="site"><a href="${linkTo(site, '/')}"><bdi>${site.title}</bdi></a></p>${navigation(pageFrame)}</div>
${headline}</div></header>
<main id="main" tabindex="-1"><div class="in">
${main}</div></main>
<footer><div class="in"><div><p>${pageFrame.footer}</p><p>Times are UTC.</p></div></div></footer>
</body></html>
`.text;
}

function navigation({ site, current, month }: PageFrame): Html {
  const link = (name: PageFrame['current'], path: string, words: string) =>
    html`<li><a href="${linkTo(site, path)}"${name === current ? html` aria-current="page"` : null}>${words}</a></li>`;
  return html`<nav aria-label="Pages"><ul>${link('status', '/', 'Status')}${link('history', '/history', 'History')}${
    month === null ? null : link('report', `/report/${month}`, 'Report')
  }<li><a href="${linkTo(site, '/history.atom')}">Feed</a></li></ul></nav>`;
}

/** The shape of a status. It is decoration: the word stands beside it. */
export function statusIcon(status: Status): Html {
  return html`<svg class="i" viewBox="0 0 24 24" aria-hidden="true">${statusShapes[status]}</svg>`;
}

/** The same, drawn from what `iconSheet` defines, which is shorter on a page with many. */
export function smallIcon(status: Status): Html {
  return html`<svg class="i" aria-hidden="true"><use href="#i-${status}"/></svg>`;
}

/** What pictures on a page refer to; `more` goes with the icons. */
export function iconSheet(more: HtmlPart = null): Html {
  const symbols = Object.entries(statusShapes).map(
    ([status, shape]) => html`<symbol id="i-${status}" viewBox="0 0 24 24">${shape}</symbol>`,
  );
  return html`<svg class="vh" aria-hidden="true" width="0" height="0"><defs>${symbols}${more}</defs></svg>`;
}

/** An instant as a machine and a reader want it. */
export function time(instant: string, words: string): Html {
  return html`<time datetime="${instant}">${words}</time>`;
}
