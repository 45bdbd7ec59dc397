/** The branding of a site: logo, icon, colours, links. */
import type { PageFiles } from '../../engine/config/page-files.ts';
import { type Stylesheets, stylesheetsOf } from './style.ts';

export interface Brand {
  readonly stylesheets: Stylesheets;
  readonly files: PageFiles;
  readonly theme: 'auto' | 'light' | 'dark';
  readonly homeUrl: string | null;
  readonly supportUrl: string | null;
  readonly footer: string | null;
  readonly showsLatency: boolean;
  readonly showsPoweredBy: boolean;
  readonly isIndexed: boolean;
}

/** Without a setting. */
export const plainBrand: Brand = {
  stylesheets: stylesheetsOf({ accent: null, theme: 'auto', css: null }),
  files: { logo: null, logoDark: null, favicon: null, css: null },
  theme: 'auto',
  homeUrl: null,
  supportUrl: null,
  footer: null,
  showsLatency: true,
  showsPoweredBy: true,
  isIndexed: true,
};
