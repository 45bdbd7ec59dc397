/** The rows of `[[outputs]]`: where the metrics are sent, by type. */
import { computed, type ConfigRow, required, setting } from '../row.ts';
import { choice } from '../types/choice.ts';
import { tableOf } from '../types/collection.ts';
import { secretHeaders } from '../types/http-part.ts';
import { integer } from '../types/number.ts';
import { text } from '../types/text.ts';
import { webUrl } from '../types/url.ts';
import { network } from './channel-parts.ts';

const labelText = text({ name: 'text', max: 1000 });

/** Of the Prometheus data model; what begins with two underscores is for its own use. */
const metricLabels = tableOf(labelText, {
  name: 'a table of label = "text"',
  refuseKey: (key) => {
    if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(key)) return 'is not the name of a label';
    if (key.startsWith('__')) return 'begins with __, which is for Prometheus itself';
    return ownLabels.has(key) ? 'is a label that statusd writes itself; choose another' : null;
  },
});

/** Attributes may have a dot in their names. */
const attributes = tableOf(labelText, {
  name: 'a table of attribute = "text"',
  refuseKey: (key) => (/^[A-Za-z_][A-Za-z0-9_.-]*$/.test(key) ? null : 'is not the name of an attribute'),
});

/** The labels in the rows of the metrics. */
export const ownLabels: ReadonlySet<string> = new Set([
  'acknowledged',
  'channel',
  'decision',
  'group',
  'id',
  'le',
  'name',
  'node',
  'outcome',
  'output',
  'quantile',
  'reason',
  'result',
  'status',
  'version',
]);

const name = computed(
  text({ max: 200 }),
  { doc: 'its type', compute: ({ type }) => (typeof type === 'string' ? type : 'output') },
  {
    doc: 'Name in the log, in metrics and in commands. Two outputs of one type need different names.',
    example: '"grafana"',
  },
);

function type<const T extends string>(word: T): ConfigRow<T, never> {
  return required(choice([word]), { doc: 'Protocol of the output.', example: `"${word}"` });
}

const shared = {
  headers: setting(
    secretHeaders,
    {},
    {
      doc: 'Headers of each request. Their values are secret. For basic authentication put user name and password into the url.',
      example: '{ Authorization = "Bearer ${METRICS_TOKEN}" }',
    },
  ),
  interval_secs: setting(integer({ min: 5, max: 300 }), 15, {
    doc: 'Interval at which all metrics are read and sent.',
    example: '15',
  }),
};

const way = {
  timeout_secs: setting(integer({ min: 1, max: 300 }), 30, {
    doc: 'Deadline of one request.',
    example: '30',
  }),
  ca_file: network.ca_file,
  tls_verify: network.tls_verify,
  proxy: network.proxy,
};

export const outputRows = {
  remote_write: {
    name,
    type: type('remote_write'),
    url: required(webUrl, {
      doc: 'URL that receives the metrics, in the Prometheus remote-write protocol 1.0.',
      example: '"https://prometheus.example.com/api/v1/write"',
    }),
    ...shared,
    labels: setting(
      metricLabels,
      {},
      { doc: 'Labels added to every series.', example: '{ instance = "paris" }' },
    ),
    ...way,
  },
  otlp: {
    name,
    type: type('otlp'),
    url: required(webUrl, {
      doc: 'URL that receives the metrics as OTLP over HTTP, in protobuf; /v1/metrics is appended if the URL has no path.',
      example: '"https://collector.example.com:4318"',
    }),
    ...shared,
    labels: setting(
      attributes,
      {},
      {
        doc: 'Resource attributes, in addition to service.name and service.version.',
        example: '{ "deployment.environment" = "production" }',
      },
    ),
    ...way,
  },
};

export type OutputType = keyof typeof outputRows;
