/** The rules of the vendors that push to a phone or a program: ntfy, Gotify, Pushover, Free Mobile, webhooks. */
import { createHmac } from 'node:crypto';
import {
  documentOf,
  isWellFormed,
  json,
  type Notified,
  type VendorAnswer,
  type VendorRequest,
  type VendorRules,
} from './vendor-server.ts';

const plain = { mentions: [], markup: [], links: [] } as const;
const isText = (value: unknown): value is string => typeof value === 'string';

/** docs.ntfy.sh/publish: 4,096 bytes of message, twice as much for the whole document. */
export function ntfyRules({ topic, token }: { topic: string; token: string | null }): VendorRules {
  const refuse = (status: number, error: string) =>
    json(status, { code: status * 100 + 1, http: status, error });
  return (request) => {
    if (token !== null && request.headers['authorization'] !== `Bearer ${token}`) {
      return refuse(403, 'forbidden');
    }
    if (request.path !== '/' || request.method !== 'POST') return refuse(404, 'page not found');
    if (Buffer.byteLength(request.body) > 8192) return refuse(413, 'JSON body too large');
    const document = documentOf(request);
    if (document === null) return refuse(400, 'invalid request: request body must be valid JSON');
    const { topic: to, title, message, priority, click, markdown, actions, tags } = document;
    if (!Array.isArray(tags) || !tags.every((tag) => /^[a-z_]+$/.test(String(tag))))
      return refuse(400, 'invalid request: tags invalid');
    if (!isText(to) || !/^[-\w]{1,64}$/.test(to)) return refuse(400, 'invalid request: topic invalid');
    if (to !== topic) return refuse(403, 'forbidden');
    if (!isText(title) || !isText(message) || !isWellFormed(title + message)) {
      return refuse(400, 'invalid request: message invalid');
    }
    if (Buffer.byteLength(message) >= 4096) return refuse(413, 'attachment too large');
    if (![1, 2, 3, 4, 5].includes(Number(priority))) return refuse(400, 'invalid priority parameter');
    const notified: Notified = {
      ...plain,
      title,
      text: message,
      priority: Number(priority),
      markup: markdown === undefined ? [] : ['markdown'],
      links: [...viewsOf(actions), ...(isText(click) ? [click] : [])],
    };
    return json(200, { id: 'x1', event: 'message' }, notified);
  };
}

/** The addresses that its buttons open; one that does something else is no link. */
function viewsOf(actions: unknown): string[] {
  const all = (Array.isArray(actions) ? actions : []) as Readonly<Record<string, unknown>>[];
  return all.map(({ action, url }) => (action === 'view' && isText(url) ? url : 'no link'));
}

/** gotify.net/api-docs. */
export function gotifyRules(token: string): VendorRules {
  const refuse = (errorCode: number, error: string, errorDescription: string) =>
    json(errorCode, { error, errorCode, errorDescription });
  return (request) => {
    if (request.path !== '/message') return refuse(404, 'Not Found', 'page not found');
    if (request.headers['x-gotify-key'] !== token) {
      return refuse(401, 'Unauthorized', 'you need to provide a valid access token or user credentials');
    }
    const document = documentOf(request);
    const { title, message, priority, extras } = document ?? {};
    if (!isText(message) || message === '' || !isText(title) || !Number.isInteger(priority)) {
      return refuse(400, 'Bad Request', "Field 'message' is required");
    }
    if (!isWellFormed(title + message)) return refuse(400, 'Bad Request', 'invalid JSON');
    const { 'client::display': display, 'client::notification': notification } = (extras ?? {}) as {
      readonly 'client::display'?: { readonly contentType?: string };
      readonly 'client::notification'?: { readonly click?: { readonly url?: string } };
    };
    const url = notification?.click?.url;
    return json(
      200,
      { id: 1 },
      {
        ...plain,
        title,
        text: message,
        priority: Number(priority),
        markup: display?.contentType === 'text/plain' ? [] : ['contentType'],
        links: url === undefined ? [] : [url],
      },
    );
  };
}

/** pushover.net/api: 1,024 characters of message, 250 of title, 512 of address. */
export function pushoverRules({ token, user }: { token: string; user: string }): VendorRules {
  const refuse = (...errors: readonly string[]) => json(400, { status: 0, errors, request: 'r1' });
  return (request) => {
    if (!/^application\/x-www-form-urlencoded(;|$)/.test(request.headers['content-type'] ?? '')) {
      return refuse('application token is invalid');
    }
    const form = new URLSearchParams(request.body);
    if (form.get('token') !== token) return refuse('application token is invalid');
    if (form.get('user') !== user)
      return refuse('user identifier is not a valid user, group, or subscribed user key');
    if (request.path === '/1/users/validate.json') return json(200, { status: 1, devices: ['phone'] });
    if (request.path !== '/1/messages.json' || request.method !== 'POST') return json(404, { status: 0 });
    const [title, message] = [form.get('title') ?? '', form.get('message') ?? ''];
    if (message === '') return refuse('message cannot be blank');
    if (Array.from(message).length > 1024) return refuse('message is too long');
    if (Array.from(title).length > 250) return refuse('title is too long');
    if ((form.get('url') ?? '').length > 512) return refuse('url is too long');
    if (!/^(-2|-1|0|1)$/.test(form.get('priority') ?? '')) return refuse('priority is invalid');
    const url = form.get('url');
    const notified: Notified = {
      ...plain,
      title,
      text: message,
      priority: Number(form.get('priority')),
      markup: form.has('html') ? ['html'] : [],
      links: url === null ? [] : [url],
    };
    return json(200, { status: 1, request: 'r1' }, notified);
  };
}

/** The page of the service names four statuses: 400, 402, 403, 500. A line break ends the message. */
export function freemobileRules({ user, pass }: { user: string; pass: string }): VendorRules {
  const answer = (status: number, notified: Notified | null = null): VendorAnswer => ({
    status,
    body: '',
    notified,
  });
  return ({ method, path, query }) => {
    if (method !== 'GET' || path !== '/sendmsg') return answer(404);
    const [message, ...more] = query.getAll('msg');
    if (message === undefined || message === '' || more.length > 0 || [...query.keys()].length !== 3) {
      return answer(400);
    }
    if (query.get('user') !== user || query.get('pass') !== pass) return answer(403);
    const text = message.split(/[\r\n]/)[0] ?? '';
    const links = [...(text.match(/https?:\/\/\S+$/) ?? [])];
    return answer(200, { ...plain, title: null, text, priority: null, links });
  };
}

export interface WebhookPlace {
  readonly path: string;
  readonly secret: string | null;
}

/** Some receiver of events that checks the signature as interface descriptions tell it to. */
export function webhookRules({ path, secret }: WebhookPlace): VendorRules {
  return (request) => {
    if (request.path !== path) return json(404, { error: 'no such hook' });
    if (secret !== null && !isSigned(request, secret)) return json(401, { error: 'bad signature' });
    const document = documentOf(request);
    if (document === null) return json(400, { error: 'no JSON' });
    return json(200, {}, { ...plain, title: String(document['event']), text: request.body, priority: null });
  };
}

function isSigned({ headers, body }: VendorRequest, secret: string): boolean {
  const timestamp = headers['x-statusd-timestamp'] ?? '';
  const expected = createHmac('sha256', secret).update(`${timestamp}.${body}`).digest('hex');
  return /^\d{10}$/.test(timestamp) && headers['x-statusd-signature'] === `sha256=${expected}`;
}
