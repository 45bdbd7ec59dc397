/** The ways to follow the page: feeds, a calendar, and mails, which readers confirm, change and end by links. */
import { subscribers } from '../../db/tables/subscribers.ts';
import { addressIn, groupChoices, mailChannelOf } from '../../engine/operations/subscribe.ts';
import type { HttpReply } from '../http-types.ts';
import { htmlType, pageHeadersOf } from '../page-headers.ts';
import {
  renderSubscribePage,
  renderSubscriptionPage,
  stepTexts,
  type SubscriptionStep,
  trapField,
} from '../pages/subscribe-page.ts';
import { HttpProblem } from '../problem.ts';
import { prefersPage } from '../responses/preference.ts';
import { pageAnswer, pageAnswers, textType, width } from './page.ts';
import { formOf, inPath } from './parameter.ts';
import { type Route, route, type RouteCall } from './route.ts';

const maxAgeMs = 10_000;

export const subscribePage = route({
  method: 'GET',
  path: '/subscribe',
  summary: 'How to follow the status: feeds, a calendar, the API and e-mail',
  parameters: { width },
  access: 'reader',
  limit: 'pages',
  answers: pageAnswers,
  problems: [],
  handle: (call) => {
    const { scope, site, nowAt } = call;
    const facts = {
      site,
      nowAt,
      groups: mailChannelOf(scope.settings) === null ? null : groupChoices(scope.monitors),
    };
    return pageAnswer(call, {
      name: `subscribe ${call.origin()}`,
      width: call.values.width,
      maxAgeMs,
      html: () => renderSubscribePage(facts),
      text: async () => {
        const { renderSubscribeText } = await import('../plain/subscribe-text.ts');
        return renderSubscribeText({ ...facts, width: call.values.width, origin: call.origin() });
      },
      headers: pageHeadersOf(site, "'self'"),
    });
  },
});

const groups = { type: 'array', items: { type: 'string' } } as const;

/** A page of one reader, or a sentence of it for programs. */
const ownAnswers = {
  200: { doc: 'The result, as a page or as one sentence.', types: [htmlType, textType] },
};

export const askForMails = route({
  method: 'POST',
  path: '/subscribe',
  summary: 'Subscribe to e-mail about incidents and maintenance',
  parameters: {},
  access: 'anyone',
  limit: 'api',
  body: {
    doc: 'An e-mail with a link to confirm goes to the address. The answer is the same whether or not the address is subscribed already. At most 30 such mails an hour go out that nobody confirms, 10 of them to one domain; the others wait, up to a day. A client (an IPv4 address or an IPv6 /64) may ask for 5 mails at once and one more every 12 minutes.',
    schema: {
      type: 'object',
      required: ['address'],
      properties: {
        address: { type: 'string', maxLength: 254, examples: ['reader@example.com'] },
        groups: {
          type: 'array',
          items: { type: 'string', examples: [''] },
          description: 'The groups to hear about; none: everything. "" stands for monitors without a group.',
        },
      },
    },
    isForm: true,
  },
  answers: ownAnswers,
  problems: [400, 403, 404, 413, 503],
  handle: async (call) => {
    const { scope, effects, nowAt } = call;
    const { subscribe } = scope.settings;
    if (subscribe === null || mailChannelOf(scope.settings) === null)
      throw new HttpProblem(404, 'There are no mails to subscribe to.');
    refuseForeignPage(call);
    const form = formOf(call);
    const address = addressIn(form.text('address'));
    if (address === null) throw new HttpProblem(400, 'address must be a mail address.');
    const groups = chosenGroups(form.list('groups'), scope.monitors);
    const { max } = subscribe;
    const stopUntil = scope.mailsStopUntil();
    if (stopUntil !== null) {
      throw new HttpProblem(503, 'No mails can be sent at the moment. Try again later.', {
        'retry-after': String(Math.max(1, Math.ceil((stopUntil - nowAt) / 1000))),
      });
    }
    // An address that is subscribed already counts, too: the answer must not tell it from others.
    call.countMail();
    // People do not see this field, and programs that fill in every field get the usual answer.
    if (form.text(trapField) !== '') return ownAnswer(call, { kind: 'asked' });
    await effects.write(scope.signUp({ uid: effects.newUid(), address, groups, at: nowAt, max }));
    return ownAnswer(call, { kind: 'asked' });
  },
});

const token = inPath({ doc: 'The secret of the link in the e-mail.' });

export const subscriptionPage = route({
  method: 'GET',
  path: '/subscribe/{token}',
  summary: 'Confirm a subscription, or change its groups',
  parameters: { token },
  access: 'anyone',
  limit: 'pages',
  answers: ownAnswers,
  problems: [404],
  handle: (call) => {
    const row = ownerOf(call);
    return ownAnswer(call, { kind: row.confirmedAt === null ? 'confirm' : 'choose', ...ownFacts(call, row) });
  },
});

export const changeSubscription = route({
  method: 'POST',
  path: '/subscribe/{token}',
  summary: 'Confirm a subscription, or change its groups',
  parameters: { token },
  access: 'anyone',
  limit: 'api',
  body: {
    doc: 'A subscription that is not confirmed yet is confirmed, whatever the body holds. Without a body nothing else changes.',
    schema: { type: 'object', properties: { groups } },
    isForm: true,
  },
  answers: ownAnswers,
  problems: [400, 403, 404, 413, 503],
  handle: async (call) => {
    const { effects, nowAt, scope, body } = call;
    refuseForeignPage(call);
    const row = ownerOf(call);
    const { uid } = row;
    if (row.confirmedAt === null) await effects.write([subscribers.confirm({ uid, at: nowAt })]);
    // The form that confirms has no fields, and is sent twice by a double click; the one that chooses has one always.
    if (row.confirmedAt === null || body.length === 0)
      return ownAnswer(call, { kind: 'confirmed', ...ownFacts(call, row) });
    const chosen = chosenGroups(formOf(call).list('groups'), scope.monitors);
    await effects.write([subscribers.choose({ uid, groups: chosen })]);
    return ownAnswer(call, { kind: 'saved', ...ownFacts(call, { groups: chosen }) });
  },
});

export const unsubscribePage = route({
  method: 'GET',
  path: '/unsubscribe/{token}',
  summary: 'Unsubscribe: a page with a button',
  parameters: { token },
  access: 'anyone',
  limit: 'pages',
  answers: ownAnswers,
  problems: [404],
  handle: (call) => {
    ownerOf(call);
    return ownAnswer(call, { kind: 'unsubscribe', token: call.values.token });
  },
});

export const unsubscribe = route({
  method: 'POST',
  path: '/unsubscribe/{token}',
  summary: 'Unsubscribe and erase the address, with one click (RFC 8058)',
  parameters: { token },
  access: 'anyone',
  limit: 'api',
  body: { doc: 'Its contents are ignored.', schema: { type: 'object' }, isForm: true },
  answers: ownAnswers,
  problems: [403, 404, 413, 503],
  handle: async (call) => {
    refuseForeignPage(call);
    const { uid } = ownerOf(call);
    await call.effects.write([subscribers.remove({ uid })]);
    return ownAnswer(call, { kind: 'unsubscribed' });
  },
});

type AnyCall = Parameters<Route['handle']>[0];
type SubscriberCall = RouteCall<{ readonly token: typeof token }>;

/** A link that was guessed, altered, used up or is too old is refused in the same words. */
function ownerOf({ scope, values, noteWrongLink }: SubscriberCall) {
  const row = scope.subscriber(values.token);
  if (row !== null) return row;
  noteWrongLink();
  throw new HttpProblem(404, 'This link does not work, or not any more. Ask for a new one on /subscribe.');
}

function ownFacts(
  { scope, values }: SubscriberCall,
  { groups: chosen }: { readonly groups: readonly string[] },
) {
  return { token: values.token, choices: groupChoices(scope.monitors), chosen };
}

/** Throws a 400 where something was chosen that is none of the choices. */
function chosenGroups(
  given: readonly string[],
  monitors: Parameters<typeof groupChoices>[0],
): readonly string[] {
  const choices = groupChoices(monitors);
  if (given.some((group) => !choices.includes(group)))
    throw new HttpProblem(400, 'groups must be among those that /subscribe offers.');
  const chosen = choices.filter((group) => given.includes(group));
  return chosen.length === choices.length ? [] : chosen;
}

/** No page of another site may have a visitor's browser do this; what is no browser does not say where it comes from. */
export function refuseForeignPage({ headers }: Pick<AnyCall, 'headers'>): void {
  if (headers['sec-fetch-site'] === 'cross-site')
    throw new HttpProblem(403, 'This form belongs to another site.');
}

function ownAnswer(
  { headers, site, nowAt }: Pick<AnyCall, 'headers' | 'site' | 'nowAt'>,
  step: SubscriptionStep,
): HttpReply {
  const common = { 'cache-control': 'private, no-store', vary: 'Accept' };
  if (!prefersPage(headers)) {
    const { title, text } = stepTexts(step, site);
    const body = `${title}.${text === null ? '' : ` ${text}`}\n`;
    return { status: 200, headers: { ...common, 'content-type': textType }, body };
  }
  return {
    status: 200,
    headers: { ...pageHeadersOf(site, "'self'"), ...common },
    body: renderSubscriptionPage(step, { site, nowAt }),
  };
}
