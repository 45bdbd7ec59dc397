/** The rows of `[[monitors]]` of kind http. */
import { computed, optional, required, setting } from '../row.ts';
import { flag } from '../types/flag.ts';
import { headers, method } from '../types/http-part.ts';
import { jsonPath } from '../types/json-path.ts';
import { anyNumber, integer } from '../types/number.ts';
import { pattern } from '../types/pattern.ts';
import { includesRedirect, type StatusRange, statusSet } from '../types/status-set.ts';
import { scalar, text } from '../types/text.ts';
import { proxyUrl, webUrl } from '../types/url.ts';

const content = text({ max: 100_000, canBreakLines: true });

export const httpRows = {
  target: required(webUrl, {
    doc: 'URL to request.',
    example: '"https://example.com/"',
  }),
  method: setting(method, 'GET', {
    doc: 'HTTP method.',
    example: '"GET"',
  }),
  headers: setting(
    headers,
    {},
    {
      doc: 'Request headers. After a redirect to another origin they are left out, see redirect_headers.',
      example: '{ Accept = "application/json", Authorization = "Bearer ${API_TOKEN}" }',
    },
  ),
  body: optional(content, {
    doc: 'Request body.',
    example: '\'{"ping": true}\'',
  }),
  allow_private_redirects: setting(flag, false, {
    doc: 'Follow redirects from a public address to a loopback, link-local or private one, or to the metadata service of a cloud. A target that has such an address itself may redirect anywhere. A proxy resolves names itself: of these only addresses and local names are recognized.',
    example: 'true',
  }),
  redirect_headers: setting(flag, false, {
    doc: 'Send headers and body also to another origin that a redirect leads to. Headers with credentials always stay with the first. The https side of the same host is no other origin.',
    example: 'true',
  }),
  expected_status: optional(statusSet, {
    doc: 'Healthy status codes: one code, or an array of codes and ranges. Default: any 2xx.',
    example: '[200, "300-399"]',
  }),
  follow_redirects: computed(
    flag,
    {
      doc: 'true, unless expected_status includes a 3xx',
      compute: (own): boolean =>
        !includesRedirect((own['expected_status'] ?? null) as readonly StatusRange[] | null),
    },
    {
      doc: 'Follow redirects. false takes a redirect for the answer; with true, a 3xx in expected_status is an answer that leads nowhere.',
      example: 'false',
    },
  ),
  keyword: optional(content, {
    doc: 'Text that the response body must contain.',
    example: '"operational"',
  }),
  keyword_invert: setting(flag, false, {
    doc: 'Fail if the keyword is present instead of missing.',
    example: 'false',
  }),
  json_query: optional(jsonPath, {
    doc: 'JSONPath query (RFC 9535) that must find a value in the JSON response body. Without json_expected, null and false do not count.',
    example: '"$.status"',
  }),
  json_expected: optional(scalar, {
    doc: 'Value that the query must find. If it finds several, each must be this one.',
    example: '"ok"',
  }),
  max_body_kb: setting(integer({ min: 1, max: 65_536 }), 1024, {
    doc: 'Size of the response body that is read, in KiB.',
    example: '256',
  }),
  number_regex: optional(pattern, {
    doc: 'Regular expression (RE2) that extracts a number from the first 64 KiB of the response body: its first group, else the whole match.',
    example: "'load: ([0-9.]+)'",
  }),
  number_min: optional(anyNumber, {
    doc: 'Minimum of the number.',
    example: '0',
  }),
  number_max: optional(anyNumber, {
    doc: 'Maximum of the number.',
    example: '4.5',
  }),
  proxy: optional(proxyUrl, {
    doc: 'Proxy for the request. The proxy resolves the host name of the target, for socks5:// as for socks5h://. HTTP_PROXY and HTTPS_PROXY of the environment have no effect.',
    example: '"socks5://127.0.0.1:9050"',
  }),
};
