/** The rows of `[[channels]]` that several types have. */
import { optional, required, setting, type ConfigRow } from '../row.ts';
import { choice } from '../types/choice.ts';
import { flag } from '../types/flag.ts';
import { integer } from '../types/number.ts';
import { secretly } from '../types/secret-text.ts';
import { text } from '../types/text.ts';
import { baseUrl, proxyUrl, webUrl } from '../types/url.ts';

export const name = required(text({ max: 200 }), {
  doc: 'The name that notify refers to.',
  example: '"ops"',
});

export function type<const T extends string>(word: T): ConfigRow<T, never> {
  return required(choice([word]), { doc: 'How it reaches people.', example: `"${word}"` });
}

export const apiUrl = optional(baseUrl, {
  doc: 'Another base address for the service, for a self-hosted gateway.',
  example: '"https://gateway.example.com"',
});

export const timeoutSecs = (secs: number) =>
  setting(integer({ min: 1, max: 300 }), secs, {
    doc: 'How long one attempt may take. What went out whole without an answer by then may have been received: the next copy waits 30 s, then twice as long each time, and there are four at most.',
    example: String(secs),
  });

/** How a vendor on the network is reached. Most services answer within a second. */
export const network = {
  timeout_secs: timeoutSecs(15),
  ca_file: optional(text({ name: 'a path', max: 4096 }), {
    doc: 'A PEM file of authorities to trust besides those of the host, relative to the main file.',
    example: '"ca.pem"',
  }),
  tls_verify: setting(flag, true, {
    doc: 'Whether the certificate must be trusted and bear the right name.',
    example: 'true',
  }),
  proxy: optional(proxyUrl, {
    doc: 'The proxy to go through: http, https or socks5. It looks up the name of the receiver. HTTP_PROXY and HTTPS_PROXY of the environment have no effect.',
    example: '"socks5://127.0.0.1:9050"',
  }),
};

/** The address that a vendor made for messages to one place; the address alone is enough to write there. */
export const webhookUrl = (variable: string) =>
  required(secretly(webUrl), { doc: 'The address of the webhook.', example: `"\${${variable}}"` });
