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
    doc: 'The heading of the status page and the title of its feed.',
    example: '"Example status"',
  }),
  history_days: setting(integer({ min: 1, max: 1100 }), 90, {
    doc: 'How many days the uptime bars show.',
    example: '90',
  }),
  logo: optional(path, {
    doc: 'The file of a picture for the head of the page: SVG, PNG, WebP or JPEG, served at /logo.',
    example: '"logo.svg"',
  }),
  logo_dark: optional(path, {
    doc: 'The same for readers who prefer dark pages, served at /logo-dark.',
    example: '"logo-dark.svg"',
  }),
  favicon: optional(path, {
    doc: 'The file of the icon in the browser: ICO, SVG or PNG. Without it the icon shows how everything is.',
    example: '"favicon.ico"',
  }),
  accent: optional(pageColour, {
    doc: 'The colour of links. It needs a contrast of 4.5 to 1 on the page; dark pages have a lighter one.',
    example: '"#0b6650"',
  }),
  theme: setting(choice(['auto', 'light', 'dark']), 'auto', {
    doc: 'Whether the page is light or dark. auto: as the reader prefers.',
    example: '"auto"',
  }),
  home_url: optional(webUrl, {
    doc: 'Where your own site is: a link at the head of the page.',
    example: '"https://www.example.com"',
  }),
  support_url: optional(webUrl, {
    doc: 'Where readers get help: a link at the head of the page.',
    example: '"https://www.example.com/support"',
  }),
  footer: optional(text({ max: 1000 }), {
    doc: 'A line at the foot of the page.',
    example: '"Example Inc., 1 Harbour Street"',
  }),
  css_file: optional(path, {
    doc: 'A file of styles that come after those of the page. The policy of the page names its hash.',
    example: '"status.css"',
  }),
  language: setting(choice(pageLanguages), 'en', {
    doc: 'The language of the pages. Plain text, as curl gets it, is English.',
    example: '"de"',
  }),
  timezone: setting(timeZone, 'UTC', {
    doc: 'The time zone of the times on the pages. Plain text has UTC, and days of bars are days of UTC.',
    example: '"Europe/Berlin"',
  }),
  show_latency: setting(flag, true, {
    doc: 'Whether the page of a monitor shows its response times.',
    example: 'true',
  }),
  show_powered_by: setting(flag, true, {
    doc: 'Whether the foot of the page names statusd.',
    example: 'true',
  }),
  robots: setting(choice(['index', 'noindex']), 'index', {
    doc: 'Whether search engines may list the pages.',
    example: '"index"',
  }),
};
