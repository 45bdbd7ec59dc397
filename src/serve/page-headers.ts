/** The headers of every page. */
import type { Headers } from './http-types.ts';
import { brandOf, type PageContext } from './pages/page-context.ts';

export const htmlType = 'text/html; charset=utf-8';

/**
 * A page may have its stylesheets, which are in it and known by their hashes, and the pictures of its own site. `forms`:
 * where its forms may lead.
 */
export function pageHeadersOf(site: PageContext, forms: "'none'" | "'self'" = "'none'"): Headers {
  const { stylesheets } = brandOf(site);
  return {
    'content-type': htmlType,
    'content-security-policy': `default-src 'none'; style-src ${stylesheets.sources}; img-src 'self'; base-uri 'none'; form-action ${forms}; frame-ancestors 'none'`,
  };
}
