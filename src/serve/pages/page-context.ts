/** What all pages of a site share: its name, language and addresses. */
import { type Brand, plainBrand } from './brand.ts';
import { urlPart } from './html.ts';
import { english, type Speech } from './words/speech.ts';

/** What all pages of an installation share, as it is for one reader. */
export interface PageContext {
  readonly title: string;
  /** What stands before every path: empty, or a path without a slash at its end (`/status`). */
  readonly base: string;
  /** Where the site is, when the configuration says so, without a slash at its end; absent: only the reader knows. */
  readonly origin?: string | null;
  /** Absent: English, in UTC. */
  readonly speech?: Speech;
  /** Absent: as it comes. */
  readonly brand?: Brand;
  /** What the reader's own address holds; absent: no token that is right. */
  readonly token?: LinkToken;
}

/**
 * A token that came in the address of a page. A browser sends it with no other address by itself, so that a link without
 * it would lead to the public page.
 */
interface LinkToken {
  readonly text: string;
  /** Whether it opens every page, or only the one it was sent to. */
  readonly opensAll: boolean;
}

export function speechOf({ speech = english }: PageContext): Speech {
  return speech;
}

export function brandOf({ brand = plainBrand }: PageContext): Brand {
  return brand;
}

type Query = Readonly<Record<string, string | null>>;

/** Another page of the site. What is null in `query` is left out. */
export function linkTo(pageContext: PageContext, path: string, query: Query = {}): string {
  return addressOf(pageContext, {
    path,
    query,
    token: pageContext.token?.opensAll === true ? pageContext.token.text : null,
  });
}

/** The page itself, asked for in another way. */
export function linkBack(pageContext: PageContext, path: string, query: Query = {}): string {
  return addressOf(pageContext, { path, query, token: pageContext.token?.text ?? null });
}

/** The latency of a monitor as a picture. */
export function linkToHeatmap(pageContext: PageContext, monitor: string): string {
  return linkTo(pageContext, `/api/monitors/${urlPart(monitor)}/heatmap.svg`);
}

interface Parts {
  readonly path: string;
  readonly query: Query;
  readonly token: string | null;
}

function addressOf({ base }: PageContext, { path, query, token }: Parts): string {
  let address = `${base}${path}`;
  let mark = '?';
  for (const [name, value] of Object.entries({ ...query, token })) {
    if (value === null) continue;
    address += `${mark}${name}=${urlPart(value)}`;
    mark = '&';
  }
  return address;
}
