/** The rows of `[[channels]]` that several types have. */
import { optional, required, setting, type ConfigRow } from '../row.ts';
import { choice } from '../types/choice.ts';
import { flag } from '../types/flag.ts';
import { integer } from '../types/number.ts';
import { secretly } from '../types/secret-text.ts';
import { text } from '../types/text.ts';
import { baseUrl, proxyUrl, webUrl } from '../types/url.ts';

export const name = required(text({ max: 200 }), {
  doc: 'Name of the channel, as used in notify.',
  example: '"ops"',
});

export function type<const T extends string>(word: T): ConfigRow<T, never> {
  return required(choice([word]), { doc: 'Type of the channel.', example: `"${word}"` });
}

export const apiUrl = optional(baseUrl, {
  doc: 'Base URL of a self-hosted gateway, instead of that of the service.',
  example: '"https://gateway.example.com"',
});

export const timeoutSecs = (secs: number) =>
  setting(integer({ min: 1, max: 300 }), secs, {
    doc: 'Deadline of one delivery attempt. A message that was sent in full but not answered by then may have arrived: it is repeated after 30 s, then with doubled waits, in four copies at most.',
    example: String(secs),
  });

/** How a vendor on the network is reached. Most services answer within a second. */
export const network = {
  timeout_secs: timeoutSecs(15),
  ca_file: optional(text({ name: 'a path', max: 4096 }), {
    doc: 'PEM file with CA certificates to trust in addition to those of the host; a relative path starts from the folder of the main file.',
    example: '"ca.pem"',
  }),
  tls_verify: setting(flag, true, {
    doc: 'Verify that the certificate is trusted and matches the host name.',
    example: 'true',
  }),
  proxy: optional(proxyUrl, {
    doc: 'Proxy for requests: http, https or socks5. The proxy resolves the host name. HTTP_PROXY and HTTPS_PROXY of the environment have no effect.',
    example: '"socks5://127.0.0.1:9050"',
  }),
};

/** The address that a vendor made for messages to one place; the address alone is enough to write there. */
export const webhookUrl = (variable: string) =>
  required(secretly(webUrl), { doc: 'URL of the webhook.', example: `"\${${variable}}"` });
