/** The rows of `[page]`: the design and contents of the status page. */
import { optional, setting } from '../row.ts';
import { choice } from '../types/choice.ts';
import { flag } from '../types/flag.ts';
import { integer } from '../types/number.ts';
import { pageColour, timeZone } from '../types/page-part.ts';
import { text } from '../types/text.ts';
import { webUrl } from '../types/url.ts';

/** The languages that pages speak. */
export const pageLanguages = ['en', 'de', 'fr', 'es', 'it', 'pt', 'nl', 'pl', 'ja', 'zh'] as const;
export type PageLanguage = (typeof pageLanguages)[number];

const path = text({ name: 'a path', max: 4096 });

export const pageRows = {
  title: setting(text({ max: 200, isShown: true }), 'Status', {
    doc: 'Heading of the status page, and title of its feed.',
    example: '"Example status"',
  }),
  history_days: setting(integer({ min: 1, max: 1100 }), 90, {
    doc: 'Days shown by the uptime bars, which are days of `timezone`. The percentage beside them is that of as many times 24 hours up to now, to the minute, as are those of 7, 30 and 90 days.',
    example: '90',
  }),
  logo: optional(path, {
    doc: 'Image file at the top of the page: SVG, PNG, WebP or JPEG, served at /logo.',
    example: '"logo.svg"',
  }),
  logo_dark: optional(path, {
    doc: 'Image file for the dark theme, served at /logo-dark.',
    example: '"logo-dark.svg"',
  }),
  favicon: optional(path, {
    doc: 'Icon file for the browser: ICO, SVG or PNG. Default: an icon that shows the overall status.',
    example: '"favicon.ico"',
  }),
  accent: optional(pageColour, {
    doc: 'Colour of links. It needs a contrast of 4.5 to 1 with the page; the dark theme uses a lighter shade.',
    example: '"#0b6650"',
  }),
  theme: setting(choice(['auto', 'light', 'dark']), 'auto', {
    doc: 'Light or dark theme. auto: the preference of the reader.',
    example: '"auto"',
  }),
  home_url: optional(webUrl, {
    doc: 'Your own site: a link at the top of the page.',
    example: '"https://www.example.com"',
  }),
  support_url: optional(webUrl, {
    doc: 'Your support page: a link at the top of the page.',
    example: '"https://www.example.com/support"',
  }),
  footer: optional(text({ max: 1000 }), {
    doc: 'Line of text at the bottom of the page.',
    example: '"Example Inc., 1 Harbour Street"',
  }),
  css_file: optional(path, {
    doc: 'CSS file applied after the styles of the page. Its hash is added to the Content-Security-Policy.',
    example: '"status.css"',
  }),
  language: setting(choice(pageLanguages), 'en', {
    doc: 'Language of the pages. The plain text that curl gets is always English.',
    example: '"de"',
  }),
  timezone: setting(timeZone, 'UTC', {
    doc: 'Time zone of the times and days on the pages, and of the months of reports. Times in plain text are in UTC.',
    example: '"Europe/Berlin"',
  }),
  show_latency: setting(flag, true, {
    doc: 'Show response times on the page of a monitor.',
    example: 'true',
  }),
  show_powered_by: setting(flag, true, {
    doc: 'Show the line about statusd at the bottom of the page.',
    example: 'true',
  }),
  robots: setting(choice(['index', 'noindex']), 'index', {
    doc: 'Whether search engines may index the pages.',
    example: '"index"',
  }),
};
