/** The rows of `[[monitors]]` of kind http. */
import { optional, required, setting } from '../row.ts';
import { flag } from '../types/flag.ts';
import { headers, method } from '../types/http-part.ts';
import { jsonPath } from '../types/json-path.ts';
import { anyNumber, integer } from '../types/number.ts';
import { pattern } from '../types/pattern.ts';
import { statusSet } from '../types/status-set.ts';
import { scalar, text } from '../types/text.ts';
import { proxyUrl, webUrl } from '../types/url.ts';

const content = text({ max: 100_000, canBreakLines: true });

export const httpRows = {
  target: required(webUrl, {
    doc: 'The URL to ask for. Redirects are followed, unless expected_status names a 3xx.',
    example: '"https://example.com/"',
  }),
  method: setting(method, 'GET', {
    doc: 'The method of the request.',
    example: '"GET"',
  }),
  headers: setting(
    headers,
    {},
    {
      doc: 'Headers of the request. Those that carry credentials stay on the first origin.',
      example: '{ Accept = "application/json", Authorization = "Bearer ${API_TOKEN}" }',
    },
  ),
  body: optional(content, {
    doc: 'The body of the request.',
    example: '\'{"ping": true}\'',
  }),
  expected_status: optional(statusSet, {
    doc: 'The status that is healthy: a code, or an array of codes and ranges. Any 2xx when absent.',
    example: '[200, "300-399"]',
  }),
  keyword: optional(content, {
    doc: 'What the body must hold.',
    example: '"operational"',
  }),
  keyword_invert: setting(flag, false, {
    doc: 'Whether the keyword must be missing instead.',
    example: 'false',
  }),
  json_query: optional(jsonPath, {
    doc: 'A JSONPath query (RFC 9535) that must find something in the body.',
    example: '"$.status"',
  }),
  json_expected: optional(scalar, {
    doc: 'What the query must find.',
    example: '"ok"',
  }),
  max_body_kb: setting(integer({ min: 1, max: 65_536 }), 1024, {
    doc: 'How many KiB of the body are read.',
    example: '256',
  }),
  number_regex: optional(pattern, {
    doc: 'A regular expression (RE2) that finds a number in the first 64 KiB of the body: its first group, else the whole match.',
    example: "'load: ([0-9.]+)'",
  }),
  number_min: optional(anyNumber, {
    doc: 'The least the number may be.',
    example: '0',
  }),
  number_max: optional(anyNumber, {
    doc: 'The most the number may be.',
    example: '4.5',
  }),
  proxy: optional(proxyUrl, {
    doc: 'The proxy to go through. It looks up the name of the target, with socks5:// as with socks5h://. HTTP_PROXY and HTTPS_PROXY of the environment have no effect.',
    example: '"socks5://127.0.0.1:9050"',
  }),
};
