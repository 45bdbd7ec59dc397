/** Serves pictures: badges to embed elsewhere, the heatmap of a monitor, the icon of the site. */
import type { ReaderState } from '../../engine/core/status.ts';
import type { PageFiles, PagePicture } from '../../engine/config/page-files.ts';
import { brandOf } from '../pages/page-context.ts';
import { HttpProblem } from '../problem.ts';
import { rendered } from '../responses/send.ts';
import type { Labels } from '../responses/cached-response.ts';
import {
  type BadgeFacts,
  badgeWindows,
  type BadgeStyle,
  badgeStyles,
  renderStatusBadge,
  renderUptimeBadge,
} from '../svg/badge.ts';
import { renderHeatmap } from '../svg/heatmap.ts';
import { renderIco, renderPng } from '../svg/bitmap.ts';
import { renderIcon } from '../svg/icon.ts';
import { choice, line, monitorId, optional, withDefault } from './parameter.ts';
import { keeping } from './page.ts';
import { route, type RouteReply } from './route.ts';

const svgType = 'image/svg+xml; charset=utf-8';

const answers: Readonly<Record<number, RouteReply>> = {
  200: { doc: 'The picture.', types: [svgType] },
  304: { doc: 'The client has the current version already.', types: [] },
};

/** Pages that embed a badge are asked for far more often than what it shows changes. */
const embedded = (): Labels => {
  return { contentType: svgType, headers: { 'cache-control': 'public, max-age=30' }, isKept: true };
};
const maxAgeMs = 2000;

const styles = choice(badgeStyles);
/** Where a badge stands, an error helps nobody: a style that is unknown is the usual one. */
const style: typeof styles = {
  ...styles,
  schema: { type: 'string', examples: badgeStyles },
  read: (written, redact) => styles.read(written, redact) ?? 'flat',
};
const windows = choice(badgeWindows);
const window: typeof windows = {
  ...windows,
  schema: { type: 'string', examples: badgeWindows },
  read: (written, redact) => windows.read(written, redact) ?? '24h',
};

/** The badge of everything that is public, unless a monitor has this id. */
const overallId = '_overall';

export const statusBadge = badge('status', 'A badge with the status of a monitor', renderStatusBadge);
export const uptimeBadge = badge('uptime', 'A badge with the uptime of a monitor', renderUptimeBadge);

/** Nobody is shown more by a token: where a badge stands, everybody sees it. */
function badge(
  kind: 'status' | 'uptime',
  summary: string,
  render: (facts: BadgeFacts, style: BadgeStyle) => string,
) {
  return route({
    method: 'GET',
    path: `/api/badge/{id}/${kind}`,
    summary,
    parameters: {
      id: monitorId,
      style: withDefault(style, 'flat', { doc: 'The style of the badge. Any other value is flat.' }),
      window: withDefault(window, '24h', {
        doc: 'The time that the uptime covers: the last 24 hours, or so many times 24 hours, to the minute. Any other value is 24h.',
      }),
      label: optional(line(80), { doc: 'The text at the left instead of the name.' }),
    },
    access: 'anyone',
    limit: null,
    answers,
    problems: [404],
    handle: ({ scope, site, values, headers: asked }) => {
      const { id, style: look, window: span, label } = values;
      const isOverall = kind === 'status' && id === overallId && scope.monitor(id) === null;
      if (!isOverall && scope.monitor(id) === null) throw new HttpProblem(404, 'There is no such monitor.');
      // What may be any text stands last, or as JSON, which says where it ends.
      const words = label === null ? '' : JSON.stringify(label);
      const picture = scope.kept(`badge ${kind} ${look} ${span} ${words} ${id}`, {
        maxAgeMs,
        labels: embedded,
        build: () => {
          const everything = { name: site.title, status: scope.overall(), uptimePermille: null };
          const facts = (isOverall ? null : scope.badge(id, span)) ?? everything;
          return Promise.resolve(Buffer.from(render({ ...facts, window: span, label }, look)));
        },
      });
      return rendered(picture, asked);
    },
  });
}

export const heatmap = route({
  method: 'GET',
  path: '/api/monitors/{id}/heatmap.svg',
  summary: 'The latency of a monitor in 28 days, by the hour',
  parameters: { id: monitorId },
  access: 'reader',
  limit: 'pages',
  answers,
  problems: [404],
  handle: ({ scope, values, headers: asked }) => {
    const monitor = scope.monitor(values.id);
    if (monitor === null) throw new HttpProblem(404, 'There is no such monitor.');
    const { id, name } = monitor;
    const picture = scope.kept(`heatmap ${id}`, {
      maxAgeMs: 10_000,
      labels: () => {
        const headers = { ...keeping(scope), vary: 'Authorization' };
        return { contentType: svgType, headers, isKept: scope.isPublic };
      },
      build: () => Promise.resolve(Buffer.from(renderHeatmap({ ...scope.heatmap(id), name }))),
    });
    return rendered(picture, asked);
  },
});

/** What the files of a page may be. */
const pictureTypes = ['image/x-icon', svgType, 'image/png', 'image/jpeg', 'image/webp'];

interface IconRow {
  readonly path: string;
  readonly summary: string;
  /** What the configuration names instead; absent: it cannot. */
  readonly own?: (files: PageFiles) => PagePicture | null;
  readonly contentType: string;
  readonly draw: (status: ReaderState) => string | Buffer;
}

/** The same for everybody, for a browser asks for it without a token. */
function iconRoute({ path, summary, own = () => null, contentType, draw }: IconRow) {
  return route({
    method: 'GET',
    path,
    summary,
    parameters: {},
    access: 'anyone',
    limit: null,
    answers: {
      200: { doc: 'The picture.', types: [...new Set([contentType, ...pictureTypes])] },
      304: { doc: 'The client has the current version already.', types: [] },
    },
    problems: [],
    handle: ({ scope, site, headers: asked }) => {
      const file = own(brandOf(site).files);
      const picture = scope.kept(`icon ${path}`, {
        maxAgeMs,
        labels: () => ({ ...embedded(), contentType: file?.type ?? contentType }),
        build: () => Promise.resolve(Buffer.from(file?.bytes ?? draw(scope.overall()))),
      });
      return rendered(picture, asked);
    },
  });
}

const statusIcon = { contentType: svgType, draw: renderIcon };

export const icon = iconRoute({
  path: '/favicon.svg',
  summary: 'The icon of the site, in the colour of the overall status',
  ...statusIcon,
});
export const bitmapIcon = iconRoute({
  path: '/favicon.ico',
  summary:
    'The icon of the site for browsers: the configured one, or one in the colour of the overall status',
  own: ({ favicon }) => favicon,
  contentType: 'image/x-icon',
  draw: renderIco,
});
export const touchIcon = iconRoute({
  path: '/apple-touch-icon.png',
  summary: 'The icon of the site for phones, in the colour of the overall status',
  contentType: 'image/png',
  draw: (status) => renderPng(status, 180, true),
});
export const logo = iconRoute({
  path: '/logo',
  summary: 'The logo of the site, or its icon',
  own: ({ logo: picture }) => picture,
  ...statusIcon,
});
export const darkLogo = iconRoute({
  path: '/logo-dark',
  summary: 'The logo of the site for dark pages, or its icon',
  own: ({ logoDark }) => logoDark,
  ...statusIcon,
});
