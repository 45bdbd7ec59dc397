/** Draws a badge: a label and a value, in one of three styles. */
import { cleanLine, cutText } from '../../engine/core/text.ts';
import type { ReaderState } from '../../engine/core/status.ts';
import { type Typeface, textWidth } from './glyph-widths.ts';
import { xml, type Xml } from './xml.ts';

export const badgeStyles = ['flat', 'flat-square', 'for-the-badge'] as const;
export type BadgeStyle = (typeof badgeStyles)[number];

type BadgeColour = 'green' | 'amber' | 'red' | 'blue' | 'grey';

/** White text on each has a contrast of at least 4.5 to 1. */
const fills: Readonly<Record<BadgeColour, string>> = {
  green: '#1a7f4b',
  amber: '#946200',
  red: '#c0342b',
  blue: '#245fc4',
  grey: '#69707a',
};

interface BadgeText {
  readonly label: string;
  readonly value: string;
  readonly colour: BadgeColour;
  /** Stands in the title behind the value, for those who point at the badge; absent: nothing. */
  readonly note?: string;
}

/** The span of time whose uptime a badge shows. */
export const badgeWindows = ['24h', '7d', '30d', '90d'] as const;
export type BadgeWindow = (typeof badgeWindows)[number];

const spans: Readonly<Record<BadgeWindow, string>> = {
  '24h': 'the last 24 hours',
  '7d': 'the last 7 times 24 hours',
  '30d': 'the last 30 times 24 hours',
  '90d': 'the last 90 times 24 hours',
};

/** What a badge is about. `uptimePermille` is that of the window, by default 24 hours; null: no data. */
export interface BadgeFacts {
  readonly name: string;
  readonly window?: BadgeWindow;
  /** What stands at its left instead of the name; absent: the name. */
  readonly label?: string | null;
  readonly status: ReaderState;
  readonly uptimePermille: number | null;
}

/** `name | up`: green, or amber while the last 24 hours had a minor incident (uptime below 99 %) or it is degraded; blue under maintenance. */
export function renderStatusBadge(
  { name, label = null, status, uptimePermille }: BadgeFacts,
  style: BadgeStyle,
): string {
  const isShaky = uptimePermille !== null && uptimePermille < 990;
  const colours: Readonly<Record<ReaderState, BadgeColour>> = {
    up: isShaky ? 'amber' : 'green',
    degraded: 'amber',
    down: 'red',
    maintenance: 'blue',
    unknown: 'grey',
  };
  return renderBadge({ label: label ?? name, value: status, colour: colours[status] }, style);
}

/** `name uptime 24h | 99.8%`: green from 99 % on, amber from 95 %, below that or while it is down red. */
export function renderUptimeBadge(
  { name, window = '24h', label: own = null, status, uptimePermille }: BadgeFacts,
  style: BadgeStyle,
): string {
  const label = own ?? `${name} uptime ${window}`;
  const note = spans[window];
  if (uptimePermille === null) return renderBadge({ label, value: 'no data', colour: 'grey', note }, style);
  const value = uptimePermille === 1000 ? '100%' : `${(uptimePermille / 10).toFixed(1)}%`;
  return renderBadge({ label, value, colour: uptimeColour(uptimePermille, status), note }, style);
}

function uptimeColour(uptimePermille: number, status: ReaderState): BadgeColour {
  if (status === 'down' || uptimePermille < 950) return 'red';
  return status === 'degraded' || uptimePermille < 990 ? 'amber' : 'green';
}

interface Look {
  readonly height: number;
  readonly radius: number;
  readonly padding: number;
  readonly baseline: number;
  readonly isUpperCase: boolean;
  readonly label: Typeface;
  readonly value: Typeface;
}

const small: Typeface = { sizePx: 11, isBold: false, spacingPx: 0 };
const flat: Look = {
  height: 20,
  radius: 3,
  padding: 6,
  baseline: 14,
  isUpperCase: false,
  label: small,
  value: small,
};
const looks: Readonly<Record<BadgeStyle, Look>> = {
  flat,
  'flat-square': { ...flat, radius: 0 },
  'for-the-badge': {
    height: 28,
    radius: 0,
    padding: 11,
    baseline: 18,
    isUpperCase: true,
    label: { sizePx: 10, isBold: false, spacingPx: 1 },
    value: { sizePx: 10, isBold: true, spacingPx: 1 },
  },
};

const longestLabel = 80;

function renderBadge(text: BadgeText, style: BadgeStyle): string {
  const look = looks[style];
  const { height, radius, padding } = look;
  const shown = (words: string) => {
    const line = cutText(cleanLine(words).trim(), longestLabel);
    return look.isUpperCase ? line.toUpperCase() : line;
  };
  const label = placed(shown(text.label), look.label, { fromX: 0, padding });
  const value = placed(shown(text.value), look.value, { fromX: label.width, padding });
  const width = label.width + value.width;
  const name = `${shown(text.label)}: ${shown(text.value)}`;
  const title = text.note === undefined ? name : `${name} (${text.note})`;
  const shade = xml`<linearGradient id="s" x2="0" y2="100%"><stop offset="0" stop-color="#fff" stop-opacity=".12"/><stop offset="1" stop-opacity=".12"/></linearGradient>`;
  const hasShade = style === 'flat';
  return xml`<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" role="img" aria-label="${name}"><title>${title}</title>${hasShade ? shade : null}<clipPath id="r"><rect width="${width}" height="${height}" rx="${radius}"/></clipPath><g clip-path="url(#r)"><rect width="${label.width}" height="${height}" fill="#3c434b"/><rect x="${label.width}" width="${value.width}" height="${height}" fill="${fills[text.colour]}"/>${hasShade ? xml`<rect width="${width}" height="${height}" fill="url(#s)"/>` : null}</g><g fill="#fff" font-family="Verdana,DejaVu Sans,Geneva,sans-serif" text-rendering="geometricPrecision">${lettering(label, look)}${lettering(value, look)}</g></svg>\n`
    .text;
}

interface Placed {
  readonly text: string;
  readonly face: Typeface;
  readonly x: number;
  readonly length: number;
  /** Of the field: the text and the padding on both sides. */
  readonly width: number;
}

function placed(
  text: string,
  face: Typeface,
  at: { readonly fromX: number; readonly padding: number },
): Placed {
  const measured = textWidth(text, face);
  const length = Number(measured.toFixed(1));
  // A space stands after the last letter too, which would push the text off the middle.
  const width = Math.round(Math.max(0, measured - face.spacingPx)) + 2 * at.padding;
  return { text, face, x: at.fromX + at.padding, length, width };
}

/** `textLength` makes the text as wide as it was measured, whatever typeface the reader has. */
function lettering({ text, face, x, length }: Placed, { baseline }: Look): Xml | null {
  if (text === '') return null;
  const weight = face.isBold ? xml` font-weight="bold"` : null;
  const spacing = face.spacingPx === 0 ? null : xml` letter-spacing="${face.spacingPx}"`;
  return xml`<text x="${x}" y="${baseline}" font-size="${face.sizePx}"${weight}${spacing} textLength="${length}">${text}</text>`;
}
