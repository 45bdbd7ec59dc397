/** Adds the token in the address of a page to its links. */
import type { Config } from '../../engine/config/config.ts';
import type { Request } from '../http-types.ts';
import type { PageContext } from '../pages/page-context.ts';
import { anyPurpose, type GuessVerdict, type Purpose } from '../limit/guesses.ts';
import { operatorOf } from './admit.ts';
import { type Presented, presentedBy } from './token.ts';
import type { Viewer } from './viewer.ts';

/** Only what was found right is handed on: `viewer` is who the token made of the reader. */
export function siteFor(pageContext: PageContext, viewer: Viewer, { query }: Presented): PageContext {
  switch (viewer.kind) {
    case 'operator':
    case 'group':
      if (!viewer.isByAddress || query === null) return pageContext;
      return { ...pageContext, token: { text: query, opensAll: viewer.kind === 'operator' } };
    case 'anonymous':
    case 'producer':
    case 'peer':
    case 'node':
      return pageContext;
  }
}

/** The same for a page that says what went wrong: its address may be no route, and only the access token is for all of them. */
export function siteOfFailure(
  pageContext: PageContext,
  request: Request,
  {
    config,
    guessed,
  }: {
    readonly config: Config;
    readonly guessed: (request: Request, presented: Presented, purpose: Purpose) => GuessVerdict;
  },
): PageContext {
  const { target, headers } = request;
  const mark = target.indexOf('?');
  const presented = presentedBy(headers, new URLSearchParams(mark === -1 ? '' : target.slice(mark + 1)));
  // A link with the token would say that it was right.
  if (guessed(request, presented, anyPurpose).kind === 'refused') return pageContext;
  const operator = operatorOf(presented, config);
  return operator === null ? pageContext : siteFor(pageContext, operator, presented);
}
