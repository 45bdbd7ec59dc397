/** The rows of `[server]`: where it listens, what it keeps, who may see what. */
import { optional, setting } from '../row.ts';
import { addressRange, bindAddress } from '../types/address.ts';
import { listOf, tableOf } from '../types/collection.ts';
import { headerName } from '../types/http-part.ts';
import { integer, numberOver } from '../types/number.ts';
import { accessToken } from '../types/secret-text.ts';
import { text } from '../types/text.ts';
import { baseUrl, origin } from '../types/url.ts';

/** Loopback, the private ranges of RFC 1918 and RFC 4193, and link-local addresses. */
const privateRanges = [
  '127.0.0.0/8',
  '::1/128',
  '10.0.0.0/8',
  '172.16.0.0/12',
  '192.168.0.0/16',
  '169.254.0.0/16',
  'fc00::/7',
  'fe80::/10',
] as const;

/** Where the server listens unless something else is said. */
export const usualBind = '127.0.0.1:8787';

export const serverRows = {
  bind: setting(bindAddress, usualBind, {
    doc: 'Address on which the server listens. $STATUSD_BIND takes precedence.',
    example: '"127.0.0.1:8787"',
  }),
  database_path: setting(text({ name: 'a path', max: 4096 }), 'statusd.db', {
    doc: 'Database file; a relative path starts from the folder of this file. $STATUSD_DATABASE takes precedence.',
    example: '"/var/lib/statusd/statusd.db"',
  }),
  base_url: optional(baseUrl, {
    doc: 'Public URL of the pages, used for links in messages and in the feed. Default: derived from the request; messages then have no links.',
    example: '"https://status.example.com"',
  }),
  auth_token: optional(accessToken, {
    doc: 'Token that shows private monitors and allows silences and announcements. It must not be empty.',
    example: '"${STATUSD_AUTH_TOKEN}"',
  }),
  group_tokens: setting(
    tableOf(accessToken, { name: 'a table of group = "token"' }),
    {},
    {
      doc: 'Tokens that each show the private monitors of one group, on its page (/status/{group}) and nowhere else: group = "token".',
      example: '{ infra = "${STATUSD_INFRA_TOKEN}" }',
    },
  ),
  allowed_origins: setting(listOf(origin, { name: 'an array of origins' }), [], {
    doc: 'Origins whose pages may call the API from a browser (CORS). Empty, or with "*": any.',
    example: '["https://www.example.com"]',
  }),
  client_ip_header: optional(headerName, {
    doc: 'Header in which the reverse proxy passes the client address, instead of X-Forwarded-For and X-Real-IP.',
    example: '"cf-connecting-ip"',
  }),
  trusted_proxies: setting(
    listOf(addressRange, { name: 'an array of addresses and CIDR ranges' }),
    privateRanges,
    {
      doc: 'Proxies whose X-Forwarded-For is trusted.',
      example: '["127.0.0.0/8", "10.0.0.0/8"]',
    },
  ),
  rate_limit_burst: setting(integer({ min: 1, max: 1_000_000 }), 30, {
    doc: 'API requests that a client address (IPv6: a /64) may make at once, and 40 times as many pages. Wrong tokens are limited to 10, then one every 6 seconds, of a client address and of the address of its connection, and to 600 a minute of all addresses, with heartbeats for each monitor. A right token that was right from its address before is never refused; another one is while the limit of its client or of all is spent. A request over the limit gets 429 with Retry-After. A change needs a restart.',
    example: '30',
  }),
  rate_limit_refill_secs: setting(numberOver({ min: 0, max: 86_400 }), 1, {
    doc: 'Seconds until a client may make one more API request, or load 40 more pages. A change needs a restart.',
    example: '1',
  }),
};
