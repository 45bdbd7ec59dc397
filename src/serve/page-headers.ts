/** The headers of every page. */
import type { Headers } from './http-types.ts';
import { stylesheetSource } from './pages/style.ts';

export const htmlType = 'text/html; charset=utf-8';

/** A page may have its one stylesheet, which is in it and known by its hash, and the pictures of its own site. */
export const pageHeaders: Headers = {
  'content-type': htmlType,
  'content-security-policy': `default-src 'none'; style-src ${stylesheetSource}; img-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
};
