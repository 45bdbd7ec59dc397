/** The rules of those that pass alerts on: PagerDuty, Alertmanager, Signal, Twilio, Home Assistant, Apprise. */
import { documentOf, isWellFormed, json, type VendorAnswer, type VendorRules } from './vendor-server.ts';

type Table = Readonly<Record<string, unknown>>;

const isText = (value: unknown): value is string => typeof value === 'string';
const isTable = (value: unknown): value is Table => typeof value === 'object' && value !== null;
const isTime = (value: unknown): value is string =>
  isText(value) && /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/.test(value);
const plain = { mentions: [], markup: [], priority: null } as const;
const linksIn = (text: string) => [...(text.match(/https?:\/\/\S+$/gm) ?? [])];

/** developer.pagerduty.com: a summary of 1,024 characters, a key of 255, an event of 512 KB. */
export function pagerdutyRules(routingKey: string): VendorRules {
  const refuse = (...errors: readonly string[]) =>
    json(400, { status: 'invalid event', message: 'Event object is invalid', errors });
  return (request) => {
    const isChange = request.path === '/v2/change/enqueue';
    if (!isChange && request.path !== '/v2/enqueue') return json(404, { message: 'Not Found' });
    const document = documentOf(request);
    if (document?.['routing_key'] !== routingKey) return refuse('Invalid routing key');
    if (Buffer.byteLength(request.body) > 512 * 1024) return json(413, { message: 'too large' });
    const { event_action: action, dedup_key: key, payload, links } = document;
    if (!isChange && !['trigger', 'acknowledge', 'resolve'].includes(String(action)))
      return refuse("'event_action' is invalid");
    if (!isChange && (!isText(key) || key === '' || key.length > 255))
      return refuse("'dedup_key' is invalid");
    const accepted = { status: 'success', message: 'Event processed', dedup_key: key };
    if (action === 'resolve')
      return json(202, accepted, { ...plain, title: `resolve ${String(key)}`, text: '', links: [] });
    if (!isTable(payload)) return refuse("'payload' is missing");
    const { summary, source, severity, timestamp, custom_details: details } = payload;
    if (!isText(summary) || summary === '' || summary.length > 1024) return refuse("'summary' is invalid");
    if (!isText(source) || source === '' || !isTime(timestamp)) return refuse("'source' is invalid");
    if (!isChange && !['info', 'warning', 'error', 'critical'].includes(String(severity)))
      return refuse("'severity' is invalid");
    const text = isTable(details) && isText(details['text']) ? details['text'] : '';
    const hrefs = Array.isArray(links) ? links.filter(isTable).map(({ href }) => String(href)) : [];
    return json(202, accepted, { ...plain, title: summary, text, links: hrefs });
  };
}

/** The openapi.yaml of Alertmanager: labels name an alert, all values are text. */
export function alertmanagerRules(token: string): VendorRules {
  return (request) => {
    if (request.headers['authorization'] !== `Bearer ${token}`) return json(401, { message: 'unauthorized' });
    if (request.path === '/api/v2/status') return json(200, { cluster: { status: 'ready' } });
    if (request.path !== '/api/v2/alerts' || request.method !== 'POST') return json(404, 'not found');
    const alerts = JSON.parse(request.body) as unknown;
    const [alert] = Array.isArray(alerts) && alerts.length === 1 ? (alerts as unknown[]) : [];
    if (!isTable(alert)) return json(400, 'no alerts');
    const { labels, annotations, startsAt, endsAt, generatorURL } = alert;
    const isLabelled =
      isTable(labels) &&
      isText(labels['alertname']) &&
      Object.entries(labels).every(
        ([name, value]) => /^[A-Za-z_]\w*$/.test(name) && isText(value) && value !== '',
      );
    if (!isLabelled || !isTable(annotations)) return json(400, 'invalid label set');
    if ((startsAt !== undefined && !isTime(startsAt)) || !isTime(endsAt)) return json(400, 'invalid time');
    if (startsAt !== undefined && Date.parse(startsAt) > Date.parse(endsAt))
      return json(400, 'start time must be before end');
    return json(
      200,
      {},
      {
        ...plain,
        title: String(annotations['summary']),
        text: String(annotations['description']),
        links: [annotations['acknowledge_url'], generatorURL].filter(isText),
      },
    );
  };
}

export interface SignalAccount {
  readonly number: string;
  readonly to: string;
  /** `user:password` of a proxy before it: it has no login of its own. */
  readonly login: string;
}

/** The API of bbernhard/signal-cli-rest-api, version 2 of send. */
export function signalRules({ number, to, login }: SignalAccount): VendorRules {
  const authorization = `Basic ${Buffer.from(login).toString('base64')}`;
  return (request) => {
    if (request.headers['authorization'] !== authorization) return json(401, { error: 'Unauthorized' });
    if (request.path === '/v1/about') return json(200, { versions: ['v1', 'v2'] });
    if (request.path !== '/v2/send' || request.method !== 'POST') return json(404, { error: 'not found' });
    const { message, number: from, recipients, text_mode: mode } = documentOf(request) ?? {};
    if (from !== number) return json(400, { error: 'Specified account does not exist' });
    if (JSON.stringify(recipients) !== JSON.stringify([to])) return json(400, { error: 'Invalid group id' });
    if (!isText(message) || message === '' || Buffer.byteLength(message) > 2000 || !isWellFormed(message))
      return json(400, { error: 'message too long' });
    const markup = mode === 'normal' ? [] : ['text_mode'];
    return json(
      201,
      { timestamp: '1' },
      { ...plain, title: null, text: message, markup, links: linksIn(message) },
    );
  };
}

/** twilio.com/docs: 1,600 characters of body. */
export function twilioRules({ sid, token, to }: { sid: string; token: string; to: string }): VendorRules {
  const refuse = (status: number, message: string): VendorAnswer =>
    json(status, { code: 20_003, message, status });
  const login = `Basic ${Buffer.from(`${sid}:${token}`).toString('base64')}`;
  return (request) => {
    if (request.headers['authorization'] !== login) return refuse(401, 'Authenticate');
    if (request.path === `/2010-04-01/Accounts/${sid}.json`) return json(200, { status: 'active' });
    if (request.path !== `/2010-04-01/Accounts/${sid}/Messages.json`) return refuse(404, 'not found');
    const form = new URLSearchParams(request.body);
    const [body, from] = [form.get('Body') ?? '', form.get('From') ?? form.get('MessagingServiceSid')];
    if (form.get('To') !== to || from === null)
      return refuse(400, "The 'To' number is not a valid phone number.");
    if (body === '' || body.length > 1600)
      return refuse(400, 'The message body exceeds the 1600 character limit.');
    return json(
      201,
      { sid: 'SM1', status: 'queued' },
      { ...plain, title: null, text: body, links: linksIn(body) },
    );
  };
}

/** developers.home-assistant.io: a service is called by POST; what a phone is pushed has 4 KB. */
export function homeassistantRules({ token, service }: { token: string; service: string }): VendorRules {
  return (request) => {
    if (request.headers['authorization'] !== `Bearer ${token}`)
      return { status: 401, body: '401: Unauthorized', notified: null };
    if (request.path === '/api/') return json(200, { message: 'API running.' });
    if (request.path !== `/api/services/notify/${service}`)
      return { status: 400, body: '400: Bad Request', notified: null };
    const { title, message, data } = documentOf(request) ?? {};
    if (!isText(title) || !isText(message) || message === '' || Buffer.byteLength(request.body) > 4096)
      return json(400, { message: 'invalid' });
    const { url, actions } = isTable(data) ? data : {};
    const [button] = Array.isArray(actions) ? actions.filter(isTable) : [];
    if (button !== undefined && (button['action'] !== 'URI' || !isText(button['title'])))
      return json(400, { message: 'invalid' });
    return json(200, [], { ...plain, title, text: message, links: [button?.['uri'], url].filter(isText) });
  };
}

/** github.com/caronc/apprise-api: nothing is stored under an unknown key. */
export function appriseRules(key: string): VendorRules {
  return (request) => {
    const [, task, asked] = /^\/(notify|json\/urls)\/([^/]+)$/.exec(request.path) ?? [];
    if (task === undefined) return json(404, { error: 'not found' });
    if (asked !== key) return json(400, { error: 'There was no configuration found for that key' });
    if (task === 'json/urls') return json(200, { tags: [], urls: [{}] });
    const { title, body, type, format } = documentOf(request) ?? {};
    if (!isText(title) || !isText(body) || body === '' || body.length > 32_768)
      return json(400, { error: 'bad' });
    if (!['info', 'success', 'warning', 'failure'].includes(String(type)))
      return json(400, { error: 'type' });
    const markup = format === 'text' ? [] : ['format'];
    return json(200, { error: null }, { ...plain, title, text: body, markup, links: linksIn(body) });
  };
}
