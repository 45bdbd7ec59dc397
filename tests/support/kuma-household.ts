/** What somebody who has run Uptime Kuma for years has in it: a bit of everything. */
import type { KumaRow, KumaVersion } from './kuma-database.ts';

/** Secrets of the household: none of them may be seen unless it is asked for. */
export const householdSecrets = [
  '123456:telegram-bot-token',
  'discord-secret-path',
  'smtp-hunter2',
  'basic-hunter2',
  'bearer-of-the-api',
  'push-token-of-backup',
  'proxy-hunter2',
  'topic-nobody-guesses',
  'key-in-the-query',
] as const;

const config = (type: string, fields: Readonly<Record<string, unknown>>) =>
  JSON.stringify({ name: type, type, isDefault: false, applyExisting: false, ...fields });

const notifications: readonly KumaRow[] = [
  {
    id: 1,
    name: 'My Telegram',
    is_default: 1,
    config: config('telegram', { telegramBotToken: '123456:telegram-bot-token', telegramChatID: '-100200' }),
  },
  {
    id: 2,
    name: 'Team',
    config: config('discord', {
      discordWebhookUrl: 'https://discord.com/api/webhooks/1/discord-secret-path',
    }),
  },
  {
    id: 3,
    name: 'Mail',
    config: config('smtp', {
      smtpHost: 'smtp.example.com',
      smtpPort: 465,
      smtpSecure: true,
      smtpUsername: 'status@example.com',
      smtpPassword: 'smtp-hunter2',
      smtpFrom: '"Status" <status@example.com>',
      smtpTo: 'ops@example.com, "Boss, The" <boss@example.com>',
      smtpCC: 'audit@example.com',
    }),
  },
  {
    id: 4,
    name: 'Phone',
    config: config('ntfy', {
      ntfyserverurl: 'https://ntfy.sh/',
      ntfytopic: 'topic-nobody-guesses',
      ntfyPriority: 5,
      ntfyAuthenticationMethod: 'none',
    }),
  },
  { id: 5, name: 'Pager', config: config('PagerDuty', { pagerdutyIntegrationKey: 'x' }) },
  {
    id: 6,
    name: 'Old',
    active: 0,
    config: config('slack', { slackwebhookURL: 'https://hooks.slack.com/x' }),
  },
];

const shop = {
  name: 'Shop',
  type: 'keyword',
  url: 'https://shop.example.com/?token=key-in-the-query&lang=en',
  interval: 60,
  retry_interval: 60,
  maxretries: 2,
  timeout: 48,
  keyword: 'Add to cart',
  accepted_statuscodes_json: '["200-299","304"]',
  description: 'Sells things',
  parent: 1,
};

const api = {
  name: 'API',
  type: 'json-query',
  url: 'https://api.example.com/health',
  method: 'POST',
  body: '{"ping": "$pong ${HOME}"}',
  http_body_encoding: 'json',
  headers: '{"X-Trace": "1", "authorization": "Bearer bearer-of-the-api"}',
  interval: 300,
  retry_interval: 20,
  maxretries: 3,
  timeout: 0,
  json_path: 'checks[0].`state-of`.ok',
  expected_value: 'yes',
  resend_interval: 6,
  parent: 2,
};

const monitors: readonly KumaRow[] = [
  { id: 1, name: 'Public', type: 'group', interval: 60 },
  { id: 2, name: 'Inner ⚙', type: 'group', interval: 60, parent: 1 },
  { id: 3, ...shop },
  { id: 4, ...api },
  {
    id: 5,
    name: 'Intranet',
    type: 'http',
    url: 'https://intranet.example.com/',
    interval: 60,
    retry_interval: 60,
    timeout: 30,
    auth_method: 'basic',
    basic_auth_user: 'kuma',
    basic_auth_pass: 'basic-hunter2',
    ignore_tls: 1,
    maxredirects: 0,
    proxy_id: 1,
  },
  {
    id: 6,
    name: 'Database',
    type: 'port',
    hostname: 'fd00::5',
    port: 5432,
    interval: 30,
    retry_interval: 30,
    timeout: 24,
  },
  {
    id: 7,
    name: 'Router',
    type: 'ping',
    hostname: '192.0.2.1',
    interval: 60,
    retry_interval: 60,
    timeout: 10,
  },
  {
    id: 8,
    name: 'Müller & Söhne MX',
    type: 'dns',
    hostname: 'example.com',
    dns_resolve_type: 'MX',
    dns_resolve_server: '1.1.1.1, 9.9.9.9',
    port: 53,
    interval: 3600,
    retry_interval: 60,
    timeout: 10,
  },
  {
    id: 9,
    name: 'Backup',
    type: 'push',
    push_token: 'push-token-of-backup',
    interval: 86_400,
    retry_interval: 600,
    maxretries: 3,
  },
  {
    id: 10,
    name: 'Shop',
    type: 'http',
    url: 'https://shop.example.org/',
    active: 0,
    interval: 60,
    timeout: 48,
  },
  { id: 11, name: 'Mosquitto', type: 'mqtt', hostname: 'mqtt.example.com', mqtt_password: 'x', interval: 60 },
  { id: 12, name: 'Trap', type: 'http', url: 'https://trap.example.com/', upside_down: 1, interval: 60 },
  { id: 13, name: 'Container', type: 'docker', docker_container: 'web', interval: 60 },
  { id: 14, name: 'Broken', type: 'http', url: 'https://', interval: 60, timeout: 48 },
];

const routes = [
  [3, 1],
  [3, 2],
  [4, 1],
  [4, 5],
  [6, 5],
  [7, 1],
  [7, 2],
  [7, 3],
  [7, 4],
  [8, 6],
  [9, 3],
] as const;

/** The rows of every table, for `kumaDatabase`. */
export function household(version: KumaVersion): Record<string, readonly KumaRow[]> {
  const isTwo = version === '2.0';
  return {
    monitor: monitors.map((row) =>
      isTwo && row['type'] === 'json-query' ? { ...row, json_path_operator: '==' } : row,
    ),
    notification: notifications,
    monitor_notification: routes.map(([monitor_id, notification_id]) => ({ monitor_id, notification_id })),
    tag: [
      { id: 1, name: 'prod', color: '#f00' },
      { id: 2, name: 'team', color: '#0f0' },
    ],
    monitor_tag: [
      { monitor_id: 3, tag_id: 1, value: '' },
      { monitor_id: 3, tag_id: 2, value: 'web' },
    ],
    proxy: [
      {
        id: 1,
        protocol: 'http',
        host: 'proxy.example.com',
        port: 3128,
        auth: 1,
        username: 'kuma',
        password: 'proxy-hunter2',
      },
    ],
    maintenance: [
      {
        id: 1,
        title: 'Move',
        strategy: 'single',
        start_date: '2030-07-01 22:00:00',
        end_date: '2030-07-02 02:00:00',
        timezone: 'Europe/Berlin',
      },
      {
        id: 2,
        title: 'Nightly',
        strategy: 'recurring-interval',
        start_date: '2024-01-01 00:00:00',
        start_time: '23:30',
        end_time: '01:00',
        interval_day: 1,
        timezone: 'Europe/Berlin',
      },
      {
        id: 3,
        title: 'Last year',
        strategy: 'single',
        start_date: '2020-01-01 00:00:00',
        end_date: '2020-01-01 01:00:00',
        timezone: 'UTC',
      },
    ],
    monitor_maintenance: [
      { monitor_id: 1, maintenance_id: 1 },
      { monitor_id: 11, maintenance_id: 1 },
      { monitor_id: 7, maintenance_id: 2 },
    ],
    incident: [
      {
        title: 'Slow in Europe',
        content: 'We are **looking** into it.\r\nMore at noon.',
        style: 'danger',
        created_date: '2025-12-31 11:00:00',
      },
      {
        title: 'Long ago',
        content: 'It is over.',
        style: 'info',
        created_date: '2024-01-01 00:00:00',
        pin: 0,
      },
    ],
    status_page: [{ slug: 'default', title: 'Our status' }],
    setting: [
      { key: 'tlsExpiryNotifyDays', value: '[7,14,21]' },
      { key: 'primaryBaseURL', value: '"https://kuma.example.com"' },
      { key: 'jwtSecret', value: 'never-read' },
    ],
  };
}
