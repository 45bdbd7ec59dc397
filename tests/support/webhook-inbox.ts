/** A webhook receiver on loopback that keeps what it is sent. */
import { startHttp } from './http-target.ts';

interface WebhookMessage {
  readonly event: string;
  readonly monitor_id: string | null;
  readonly [field: string]: unknown;
}

export interface WebhookInbox {
  readonly url: string;
  readonly messages: readonly WebhookMessage[];
  /** The messages of an event, about one monitor or about all. */
  readonly of: (event: string, monitor?: string) => readonly WebhookMessage[];
  readonly close: () => Promise<void>;
}

export async function openWebhookInbox(place: { readonly host?: string } = {}): Promise<WebhookInbox> {
  const messages: WebhookMessage[] = [];
  const server = await startHttp((request, response) => {
    let body = '';
    request.setEncoding('utf8').on('data', (text: string) => (body += text));
    request.on('end', () => {
      messages.push(JSON.parse(body) as WebhookMessage);
      response.end();
    });
  }, place);
  return {
    url: `${server.origin}/`,
    messages,
    of: (event, monitor) =>
      messages.filter(
        (message) => message.event === event && (monitor === undefined || message.monitor_id === monitor),
      ),
    close: server.close,
  };
}
