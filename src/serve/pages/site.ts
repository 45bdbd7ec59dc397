/** Derives from a configuration what all its pages share. */
import type { Config } from '../../engine/config/config.ts';
import type { PageFiles } from '../../engine/config/page-files.ts';
import type { PageContext } from './page-context.ts';
import { stylesheetsOf } from './style.ts';
import { speechFor } from './words/all.ts';

export function siteOfConfig(
  { page, server }: Pick<Config, 'page' | 'server'>,
  files: PageFiles,
): PageContext {
  const { theme, accent } = page;
  return {
    title: page.title,
    base: basePathOf(server.base_url),
    origin: server.base_url,
    speech: speechFor(page.language, page.timezone),
    brand: {
      stylesheets: stylesheetsOf({ accent, theme, css: files.css }),
      files,
      theme,
      homeUrl: page.home_url,
      supportUrl: page.support_url,
      footer: page.footer,
      showsLatency: page.show_latency,
      showsPoweredBy: page.show_powered_by,
      isIndexed: page.robots === 'index',
    },
  };
}

/** What stands before every path of the site: empty, or a path without a slash at its end. */
function basePathOf(baseUrl: string | null): string {
  return baseUrl === null ? '' : new URL(baseUrl).pathname.replace(/\/+$/, '');
}
