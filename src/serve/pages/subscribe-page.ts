/** Renders how to follow the status, and the pages behind the links in mails. */
import { rfc3339 } from '../../engine/core/instant.ts';
import { html, type Html, urlPart } from './html.ts';
import { heading, renderFrame } from './layout.ts';
import { linkTo, type PageContext, speechOf } from './page-context.ts';

export interface SubscribeFacts {
  readonly site: PageContext;
  readonly nowAt: number;
  /** What mails can be about, '' for services of no group; null: there are no mails. */
  readonly groups: readonly string[] | null;
}

export function renderSubscribePage({ site, nowAt, groups }: SubscribeFacts): string {
  const { words } = speechOf(site);
  const card = (id: string, [title, hint]: readonly [string, string], links: readonly Html[]) =>
    html`<section aria-labelledby="${id}"><h2 id="${id}">${title}</h2><div class="card pad"><p class="soft">${hint}</p><ul>${links.map((link) => html`<li>${link}</li>`)}</ul></div></section>
`;
  const link = (path: string, text: string) => html`<a href="${linkTo(site, path)}">${text}</a>`;
  return renderFrame({
    site,
    title: words.subscribe,
    description: words.subscribeHint,
    path: '/subscribe',
    current: 'subscribe',
    month: speechOf(site).isoDay(rfc3339(nowAt)).slice(0, 7),
    main: [
      heading(words.subscribe, words.subscribeHint),
      groups === null ? null : mailForm(site, groups),
      card('feed', [words.byFeed, words.feedHint], [link('/history.atom', 'Atom')]),
      card('calendar', [words.byCalendar, words.calendarHint], [link('/maintenance.ics', 'iCalendar')]),
      card(
        'api',
        [words.byApi, words.apiHint],
        [
          link('/api/summary', '/api/summary'),
          // The same for every reader: it needs no token.
          html`<a href="${site.base}/api/openapi.json">/api/openapi.json</a>`,
        ],
      ),
    ],
  });
}

/** A field that people do not see: who fills it in is a robot. */
export const trapField = 'homepage';

function mailForm(site: PageContext, groups: readonly string[]): Html {
  const { words } = speechOf(site);
  return html`<section aria-labelledby="mail"><h2 id="mail">${words.byMail}</h2><form class="card pad form" method="post" action="${site.base}/subscribe"><p class="soft">${words.mailHint}</p><label>${words.address}<input type="email" name="address" required="" maxlength="254" autocomplete="email"/></label><p hidden=""><label>${trapField}<input name="${trapField}" tabindex="-1" autocomplete="off"/></label></p>${choices(site, { groups, chosen: [] })}<button class="btn">${words.subscribe}</button></form></section>
`;
}

function choices(
  site: PageContext,
  { groups, chosen }: { readonly groups: readonly string[]; readonly chosen: readonly string[] },
): Html | null {
  if (groups.length === 0) return null;
  const { words } = speechOf(site);
  const boxes = groups.map(
    (group) =>
      html`<li><label><input type="checkbox" name="groups" value="${group}"${chosen.includes(group) ? html` checked=""` : null}/> <bdi>${group === '' ? words.otherServices : group}</bdi></label></li>`,
  );
  return html`<fieldset><legend>${words.chooseGroups}</legend><ul>${boxes}</ul><p class="small">${words.chooseHint}</p></fieldset>`;
}

interface Own {
  /** Of the link. */
  readonly token: string;
  readonly choices: readonly string[];
  readonly chosen: readonly string[];
}

/** Where a reader stands: what they have just done, or are asked to do. */
export type SubscriptionStep =
  | { readonly kind: 'asked' | 'unsubscribed' }
  | { readonly kind: 'unsubscribe'; readonly token: string }
  | ({ readonly kind: 'confirm' | 'confirmed' | 'choose' | 'saved' } & Own);

/** In words; a program gets these alone. */
export function stepTexts(
  { kind }: SubscriptionStep,
  site: PageContext,
): { readonly title: string; readonly text: string | null } {
  const speech = speechOf(site);
  const { words } = speech;
  switch (kind) {
    case 'asked':
      return { title: words.asked, text: words.askedHint };
    case 'unsubscribed':
      return { title: words.unsubscribed, text: null };
    case 'unsubscribe':
      return { title: words.unsubscribe, text: words.unsubscribeHint };
    case 'confirm':
      return { title: words.confirmTitle, text: speech.fill('confirmHint', site.title) };
    case 'confirmed':
      return { title: words.yourChoice, text: words.confirmed };
    case 'saved':
      return { title: words.yourChoice, text: words.saved };
    case 'choose':
      return { title: words.yourChoice, text: null };
  }
}

/** A button for everything that changes something: programs that look at mails follow every link in them. */
export function renderSubscriptionPage(
  step: SubscriptionStep,
  { site, nowAt }: { readonly site: PageContext; readonly nowAt: number },
): string {
  const { words } = speechOf(site);
  const { title, text } = stepTexts(step, site);
  const form = (path: string, button: string, inside: Html | null = null) =>
    html`<form class="form" method="post" action="${site.base}${path}">${inside}<button class="btn">${button}</button></form>`;
  const own = (page: string, token: string) => `/${page}/${urlPart(token)}`;
  const forms = (): readonly Html[] => {
    switch (step.kind) {
      case 'asked':
      case 'unsubscribed':
        return [html`<p><a href="${linkTo(site, '/')}">${words.toStatus}</a></p>`];
      case 'confirm':
        return [form(own('subscribe', step.token), words.confirm)];
      case 'unsubscribe':
        return [form(own('unsubscribe', step.token), words.unsubscribe)];
      case 'confirmed':
      case 'saved':
      case 'choose':
        return [
          ...(step.choices.length === 0
            ? []
            : [
                form(
                  own('subscribe', step.token),
                  words.save,
                  html`<input type="hidden" name="choose" value="1"/>${choices(site, { groups: step.choices, chosen: step.chosen })}`,
                ),
              ]),
          form(own('unsubscribe', step.token), words.unsubscribe),
        ];
    }
  };
  return renderFrame({
    site,
    title,
    month: speechOf(site).isoDay(rfc3339(nowAt)).slice(0, 7),
    main: [heading(title, text), forms().map((one) => html`<section class="card pad">${one}</section>`)],
  });
}
