/** Serves the metrics for Prometheus. */
import { contentTypes } from '../metrics/exposition.ts';
import { rendered } from '../responses/send.ts';
import { prefersOpenMetrics } from '../responses/preference.ts';
import { route } from './route.ts';

/** Several scrapers at once are served with one reading. */
const maxAgeMs = 1000;

export const metrics = route({
  method: 'GET',
  path: '/metrics',
  summary: 'Metrics for Prometheus',
  parameters: {},
  access: 'reader',
  limit: 'pages',
  answers: {
    200: {
      doc: 'The text format 0.0.4, or OpenMetrics if the client accepts it.',
      types: Object.values(contentTypes),
    },
  },
  problems: [],
  handle: ({ scope, headers: asked }) => {
    const format = prefersOpenMetrics(asked) ? 'openmetrics' : 'prometheus';
    const text = scope.kept(`metrics ${format}`, {
      maxAgeMs,
      labels: () => {
        const headers = { 'cache-control': 'no-store', vary: 'Accept, Authorization' };
        return { contentType: contentTypes[format], headers, isKept: false };
      },
      build: () => scope.metrics(format),
    });
    return rendered(text, asked);
  },
});
