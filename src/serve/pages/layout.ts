/** The frame of every page: metadata, navigation, main part, footer. */
import type { ReaderState, Status } from '../../engine/core/status.ts';
import { statusShapes } from '../svg/icon.ts';
import { html, Html, type HtmlPart } from './html.ts';
import { brandOf, linkTo, type PageContext, speechOf } from './page-context.ts';

export interface PageFrame {
  readonly site: PageContext;
  /** Of the document; the site's title follows. */
  readonly title: string;
  /** What the page says, in a sentence, for search engines and previews; absent: it is not worth listing. */
  readonly description?: string;
  /** Its address without the base and without a query; absent: it has none of its own. */
  readonly path?: string;
  /** Its entry in the navigation; absent: it has none. */
  readonly current?: 'status' | 'history' | 'report' | 'subscribe';
  /** The month that the link to the report leads to; absent: there is no link. */
  readonly month?: string;
  readonly main: HtmlPart;
  /** More of the footer. */
  readonly footer?: HtmlPart;
}

/** A whole document. There is no script in it, and it asks for nothing but the pictures of its own site. */
export function renderFrame(pageFrame: PageFrame): string {
  const { site, title, main } = pageFrame;
  const { language, words } = speechOf(site);
  const { stylesheets, theme } = brandOf(site);
  const scheme = theme === 'auto' ? 'light dark' : theme;
  return html`<!DOCTYPE html>
<html lang="${language}"><head><meta charset="utf-8"/><meta name="viewport" content="width=device-width,initial-scale=1"/><meta name="color-scheme" content="${scheme}"/><title>${title} · ${site.title}</title>${machineParts(pageFrame)}${stylesheets.texts.map((text) => html`<style>${new Html(text)}</style>`)}</head>
<body><a class="skip" href="#main">${words.skip}</a>
<header class="top"><div class="in">${mark(site)}${navigation(pageFrame)}</div></header>
<main id="main" class="in" tabindex="-1">
${main}</main>
${footerOf(pageFrame)}
</body></html>
`.text;
}

function machineParts({ site, title, description, path }: PageFrame): Html {
  const { stylesheets, isIndexed, files } = brandOf(site);
  const { origin = null } = site;
  const address = origin === null || path === undefined ? null : `${origin}${path}`;
  const meta = (name: string, content: string | null | undefined) =>
    content === null || content === undefined ? null : html`<meta property="${name}" content="${content}"/>`;
  return html`${files.favicon === null ? html`<link rel="icon" href="${site.base}/favicon.svg" type="image/svg+xml"/>` : null}<link rel="icon" href="${site.base}/favicon.ico" sizes="32x32"/><link rel="apple-touch-icon" href="${site.base}/apple-touch-icon.png"/><link rel="alternate" type="application/atom+xml" title="${site.title}" href="${linkTo(site, '/history.atom')}"/>${
    address === null ? null : html`<link rel="canonical" href="${address}"/>`
  }${description === undefined ? null : html`<meta name="description" content="${description}"/>`}${isIndexed ? null : html`<meta name="robots" content="noindex"/>`}${stylesheets.grounds.map(
    ({ media, colour }) =>
      html`<meta name="theme-color"${media === null ? null : html` media="${media}"`} content="${colour}"/>`,
  )}${meta('og:type', 'website')}${meta('og:site_name', site.title)}${meta('og:title', title)}${meta('og:description', description)}${meta('og:url', address)}${meta('og:image', origin === null ? null : `${origin}/apple-touch-icon.png`)}`;
}

/** The first character of a title, however it is composed. */
function initialOf(title: string): string {
  const trimmed = title.trim();
  // A letter that nothing combines with needs none of Intl, whose tables take megabytes.
  const [plain] = /^[!-~](?=[ -~]|$)/.exec(trimmed) ?? [];
  const [first] = plain === undefined ? new Intl.Segmenter().segment(trimmed) : [{ segment: plain }];
  return first?.segment.toUpperCase() ?? '';
}

function mark(site: PageContext): Html {
  const { files, theme } = brandOf(site);
  const hasDarkLogo = files.logoDark !== null;
  const path = hasDarkLogo && theme === 'dark' ? '/logo-dark' : '/logo';
  const picture =
    files.logo === null
      ? html`<span class="logo" aria-hidden="true">${initialOf(site.title)}</span>`
      : hasDarkLogo && theme === 'auto'
        ? html`<picture><source srcset="${site.base}/logo-dark" media="(prefers-color-scheme:dark)"/><img src="${site.base}/logo" alt="" class="brand"/></picture>`
        : html`<img src="${site.base}${path}" alt="" class="brand"/>`;
  return html`<p class="site"><a href="${linkTo(site, '/')}">${picture}<b><bdi>${site.title}</bdi></b></a></p>`;
}

function navigation({ site, current, month }: PageFrame): Html {
  const { words } = speechOf(site);
  const { supportUrl, homeUrl } = brandOf(site);
  const link = (name: PageFrame['current'], path: string, text: string) =>
    html`<li class="wide"><a href="${linkTo(site, path)}"${name === current ? html` aria-current="page"` : null}>${text}</a></li>`;
  return html`<nav aria-label="${words.pages}"><ul>${link('status', '/', words.status)}${link('history', '/history', words.history)}${
    month === undefined ? null : link('report', `/report/${month}`, words.report)
  }${homeUrl === null ? null : html`<li class="wide"><a href="${homeUrl}">${words.website}</a></li>`}${
    supportUrl === null ? null : html`<li><a href="${supportUrl}">${words.support}</a></li>`
  }<li><a class="btn" href="${linkTo(site, '/subscribe')}"${current === 'subscribe' ? html` aria-current="page"` : null}>${words.subscribe}</a></li></ul></nav>`;
}

function footerOf({ site, footer = null, month }: PageFrame): Html {
  const speech = speechOf(site);
  const { words } = speech;
  const { footer: own, showsPoweredBy } = brandOf(site);
  const link = (path: string, text: string) => html` · <a href="${linkTo(site, path)}">${text}</a>`;
  return html`<footer><div class="in">${own === null ? null : html`<p>${own}</p>`}<p>${speech.fill('times', speech.zone)}<span class="no-print">${link('/history', words.history)}${
    month === undefined ? null : link(`/report/${month}`, words.report)
  }${link('/history.atom', 'Atom')}${link('/maintenance.ics', 'iCalendar')}${link('/api/summary', 'JSON')}</span>${showsPoweredBy ? html` · ${words.poweredBy}` : null}</p>${footer === null ? null : html`<p>${footer}</p>`}</div></footer>`;
}

const shapes: Readonly<Record<ReaderState, Status>> = {
  up: 'up',
  degraded: 'degraded',
  maintenance: 'degraded',
  down: 'down',
  unknown: 'unknown',
};

/** The shape of a state. It is decoration: the word stands beside it. */
export function stateIcon(state: ReaderState): Html {
  return html`<svg class="i" viewBox="0 0 24 24" aria-hidden="true">${statusShapes[shapes[state]]}</svg>`;
}

/** An instant as a machine and a reader want it. */
export function time(instant: string, words: string): Html {
  return html`<time datetime="${instant}">${words}</time>`;
}

/** The head of a page that is no status page: a heading with what goes under it. */
export function heading(title: HtmlPart, under: HtmlPart = null): Html {
  return html`<div class="head"><h1>${title}</h1>${under === null ? null : html`<p class="soft">${under}</p>`}</div>
`;
}
