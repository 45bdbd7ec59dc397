/** Databases as Uptime Kuma makes them: the tables and columns of 1.23 and of 2.0, as far as anything reads them. */
import initSqlJs from 'sql.js';

export type KumaVersion = '1.23' | '2.0';

type Cell = string | number | null;
export type KumaRow = Readonly<Record<string, Cell>>;

const monitorColumns = `
  id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name VARCHAR(150), active BOOLEAN DEFAULT 1 NOT NULL, user_id INTEGER,
  interval INTEGER DEFAULT 20 NOT NULL, url TEXT, type VARCHAR(20), weight INTEGER DEFAULT 2000,
  hostname VARCHAR(255), port INTEGER, created_date DATETIME DEFAULT (DATETIME('now')) NOT NULL, keyword VARCHAR(255),
  maxretries INTEGER NOT NULL DEFAULT 0, ignore_tls BOOLEAN DEFAULT 0 NOT NULL, upside_down BOOLEAN DEFAULT 0 NOT NULL,
  maxredirects INTEGER DEFAULT 10 NOT NULL, accepted_statuscodes_json TEXT DEFAULT '["200-299"]' NOT NULL,
  dns_resolve_type VARCHAR(5), dns_resolve_server VARCHAR(255), dns_last_result VARCHAR(255),
  retry_interval INTEGER DEFAULT 0 NOT NULL, push_token VARCHAR(20), method TEXT DEFAULT 'GET' NOT NULL, body TEXT,
  headers TEXT, basic_auth_user TEXT, basic_auth_pass TEXT, docker_host INTEGER, docker_container VARCHAR(255),
  proxy_id INTEGER, expiry_notification BOOLEAN DEFAULT 1, mqtt_topic TEXT, mqtt_success_message VARCHAR(255),
  mqtt_username VARCHAR(255), mqtt_password VARCHAR(255), database_connection_string VARCHAR(2000),
  database_query TEXT, auth_method VARCHAR(250), auth_domain TEXT, auth_workstation TEXT, grpc_url VARCHAR(255),
  grpc_protobuf TEXT, grpc_body TEXT, grpc_metadata TEXT, grpc_method TEXT, grpc_service_name TEXT,
  grpc_enable_tls BOOLEAN DEFAULT 0 NOT NULL, radius_username VARCHAR(255), radius_password VARCHAR(255),
  radius_calling_station_id VARCHAR(50), radius_called_station_id VARCHAR(50), radius_secret VARCHAR(255),
  resend_interval INTEGER DEFAULT 0 NOT NULL, packet_size INTEGER DEFAULT 56 NOT NULL, game VARCHAR(255),
  http_body_encoding VARCHAR(25), description TEXT, tls_ca TEXT, tls_cert TEXT, tls_key TEXT, parent INTEGER,
  invert_keyword BOOLEAN DEFAULT 0 NOT NULL, json_path TEXT, expected_value VARCHAR(255),
  kafka_producer_topic VARCHAR(255), kafka_producer_brokers TEXT, kafka_producer_ssl BOOLEAN DEFAULT 0 NOT NULL,
  kafka_producer_allow_auto_topic_creation BOOLEAN DEFAULT 0 NOT NULL, kafka_producer_sasl_options TEXT,
  kafka_producer_message TEXT, oauth_client_id TEXT, oauth_client_secret TEXT, oauth_token_url TEXT, oauth_scopes TEXT,
  oauth_auth_method TEXT, timeout DOUBLE DEFAULT 0 NOT NULL, gamedig_given_port_only BOOLEAN DEFAULT 1 NOT NULL`;

const addedByTwo = `,
  json_path_operator VARCHAR(255), conditions TEXT NOT NULL DEFAULT '[]', cache_bust BOOLEAN NOT NULL DEFAULT 0,
  remote_browser INTEGER, snmp_oid VARCHAR(255), snmp_version VARCHAR(255), rabbitmq_nodes TEXT,
  rabbitmq_username TEXT, rabbitmq_password TEXT, smtp_security TEXT, ip_family VARCHAR(4), manual_status SMALLINT,
  ping_numeric BOOLEAN NOT NULL DEFAULT 1, ping_count INTEGER NOT NULL DEFAULT 1,
  ping_per_request_timeout INTEGER NOT NULL DEFAULT 2, oauth_audience TEXT, mqtt_check_type VARCHAR(255)`;

const shared = `
  CREATE TABLE heartbeat (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, important BOOLEAN DEFAULT 0 NOT NULL, monitor_id INTEGER NOT NULL,
    status SMALLINT NOT NULL, msg TEXT, time DATETIME NOT NULL, ping INTEGER, duration INTEGER DEFAULT 0 NOT NULL,
    down_count INTEGER DEFAULT 0 NOT NULL);
  CREATE INDEX monitor_time_index ON heartbeat (monitor_id, time);
  CREATE TABLE notification (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name VARCHAR(255), config TEXT, active BOOLEAN DEFAULT 1 NOT NULL,
    user_id INTEGER, is_default BOOLEAN DEFAULT 0 NOT NULL);
  CREATE TABLE monitor_notification (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, monitor_id INTEGER NOT NULL, notification_id INTEGER NOT NULL);
  CREATE TABLE tag (id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name VARCHAR(255) NOT NULL, color VARCHAR(255) NOT NULL);
  CREATE TABLE monitor_tag (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, monitor_id INTEGER NOT NULL, tag_id INTEGER NOT NULL, value TEXT);
  CREATE TABLE proxy (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, user_id INTEGER, protocol VARCHAR(10) NOT NULL,
    host VARCHAR(255) NOT NULL, port SMALLINT NOT NULL, auth BOOLEAN NOT NULL, username VARCHAR(255),
    password VARCHAR(255), active BOOLEAN NOT NULL DEFAULT 1, "default" BOOLEAN NOT NULL DEFAULT 0);
  CREATE TABLE maintenance (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, title VARCHAR(150) NOT NULL, description TEXT NOT NULL DEFAULT '',
    user_id INTEGER, active BOOLEAN NOT NULL DEFAULT 1, strategy VARCHAR(50) NOT NULL DEFAULT 'single',
    start_date DATETIME, end_date DATETIME, start_time TIME, end_time TIME, weekdays VARCHAR2(250) DEFAULT '[]',
    days_of_month TEXT DEFAULT '[]', interval_day INTEGER, cron TEXT, timezone VARCHAR(255), duration INTEGER);
  CREATE TABLE monitor_maintenance (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, monitor_id INTEGER NOT NULL, maintenance_id INTEGER NOT NULL);
  CREATE TABLE incident (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, title VARCHAR(255) NOT NULL, content TEXT NOT NULL,
    style VARCHAR(30) DEFAULT 'warning' NOT NULL, created_date DATETIME DEFAULT (DATETIME('now')) NOT NULL,
    last_updated_date DATETIME, pin BOOLEAN DEFAULT 1 NOT NULL, active BOOLEAN DEFAULT 1 NOT NULL, status_page_id INTEGER);
  CREATE TABLE status_page (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, slug VARCHAR(255) NOT NULL UNIQUE, title VARCHAR(255) NOT NULL,
    description TEXT, icon VARCHAR(255) NOT NULL DEFAULT '', theme VARCHAR(30) NOT NULL DEFAULT 'auto',
    published BOOLEAN DEFAULT 1 NOT NULL);
  CREATE TABLE "group" (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, name VARCHAR(255) NOT NULL, public BOOLEAN DEFAULT 0 NOT NULL,
    active BOOLEAN DEFAULT 1 NOT NULL, weight BOOLEAN DEFAULT 1000 NOT NULL, status_page_id INTEGER);
  CREATE TABLE monitor_group (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, monitor_id INTEGER NOT NULL, group_id INTEGER NOT NULL,
    weight BOOLEAN DEFAULT 1000 NOT NULL);
  CREATE TABLE setting (
    id INTEGER PRIMARY KEY AUTOINCREMENT NOT NULL, "key" VARCHAR(200) NOT NULL UNIQUE, value TEXT, type VARCHAR(20));`;

const statDaily = `
  CREATE TABLE stat_daily (
    id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, monitor_id INTEGER NOT NULL, timestamp INTEGER NOT NULL,
    ping FLOAT NOT NULL, up SMALLINT NOT NULL, down SMALLINT NOT NULL, ping_min FLOAT NOT NULL DEFAULT 0,
    ping_max FLOAT NOT NULL DEFAULT 0, extras TEXT);
  CREATE UNIQUE INDEX stat_daily_monitor_id_timestamp_unique ON stat_daily (monitor_id, timestamp);`;

/** The bytes of a `kuma.db` with these rows by table, marked as Kuma leaves it: with a write-ahead log. */
export async function kumaDatabase(
  version: KumaVersion,
  rows: Readonly<Record<string, readonly KumaRow[]>>,
): Promise<Uint8Array> {
  const sqlite = await initSqlJs();
  const database = new sqlite.Database();
  const isTwo = version === '2.0';
  database.exec(
    `CREATE TABLE monitor (${monitorColumns}${isTwo ? addedByTwo : ''});${shared}${isTwo ? statDaily : ''}`,
  );
  for (const [table, list] of Object.entries(rows)) {
    for (const row of list) {
      const columns = Object.keys(row);
      const marks = columns.map(() => '?').join(', ');
      const names = columns.map((column) => `"${column}"`).join(', ');
      database.run(`INSERT INTO "${table}" (${names}) VALUES (${marks})`, Object.values(row));
    }
  }
  const bytes = database.export();
  database.close();
  bytes.fill(2, 18, 20);
  return bytes;
}
