/** The rows of `[[monitors]]`, by kind. */
import { computed, optional, required, setting } from '../row.ts';
import { domainName, ehloName, host, hostPort, nameServer } from '../types/address.ts';
import { choice } from '../types/choice.ts';
import { listOf } from '../types/collection.ts';
import { commaList } from '../types/comma-list.ts';
import { cron } from '../types/cron.ts';
import { scheduleZone } from './maintenance.ts';
import { flag } from '../types/flag.ts';
import { integer } from '../types/number.ts';
import { accessToken } from '../types/secret-text.ts';
import { identifier, text } from '../types/text.ts';
import { identityRows, kind, policyRows, timeoutSecs } from './monitor-common.ts';
import { httpRows } from './monitor-http.ts';
import { fingerprint } from '../types/fingerprint.ts';

/** The rows of `[[monitors]]` about certificates. */
const tlsRows = {
  check_cert: setting(flag, true, {
    doc: 'Warn before the certificate expires.',
    example: 'true',
  }),
  tls_verify: setting(flag, true, {
    doc: 'Verify that the certificate is trusted and matches the host name.',
    example: 'true',
  }),
  tls_ca_file: optional(text({ name: 'a path', max: 4096 }), {
    doc: 'PEM file with CA certificates to trust in addition to those of the host; a relative path starts from the folder of the main file.',
    example: '"ca.pem"',
  }),
  cert_pin: optional(fingerprint, {
    doc: 'SHA-256 of the public key of the certificate, in hex. With any other key the monitor is degraded.',
    example: '"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"',
  }),
};

const dnsRecords = ['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'PTR', 'SOA', 'SRV', 'TXT'] as const;

const dual_stack = setting(flag, false, {
  doc: 'Require an answer over both IPv4 and IPv6.',
  example: 'true',
});

const domain_expiry = optional(domainName, {
  doc: 'Registered domain whose expiry date is checked once a day.',
  example: '"example.com"',
});

const nodes = setting(listOf(identifier, { name: 'an array of names of nodes' }), [], {
  doc: 'Nodes sharing [storage] that may check this monitor. [] for any of them.',
  example: '["paris"]',
});

export const monitorRows = {
  http: {
    ...identityRows,
    kind: kind('http'),
    ...httpRows,
    ...tlsRows,
    dual_stack,
    domain_expiry,
    nodes,
    ...policyRows,
  },
  tcp: {
    ...identityRows,
    kind: kind('tcp'),
    target: required(hostPort, { doc: 'Host and port to connect to.', example: '"db.example.com:5432"' }),
    starttls: optional(choice(['smtp', 'imap']), {
      doc: 'Protocol in which to start TLS, to read the certificate.',
      example: '"smtp"',
    }),
    ehlo_name: optional(ehloName, {
      doc: 'Name that statusd sends in EHLO, for starttls = "smtp". Default: the address of this host.',
      example: '"status.example.com"',
    }),
    ...tlsRows,
    dual_stack,
    domain_expiry,
    nodes,
    ...policyRows,
  },
  icmp: {
    ...identityRows,
    kind: kind('icmp'),
    target: required(host, { doc: 'Host to ping.', example: '"192.0.2.1"' }),
    dual_stack,
    domain_expiry,
    nodes,
    ...policyRows,
  },
  dns: {
    ...identityRows,
    kind: kind('dns'),
    target: required(domainName, { doc: 'Name to resolve.', example: '"example.com"' }),
    dns_record: setting(choice(dnsRecords), 'A', { doc: 'Type of record to query.', example: '"MX"' }),
    dns_expected: optional(commaList, {
      doc: 'Complete set of expected records, in any order, separated by commas; MX as "10 host". Default: any answer.',
      example: '"192.0.2.1, 192.0.2.2"',
    }),
    dns_resolver: optional(nameServer, {
      doc: 'Name server to query; this host resolves its name. Default: that of the system.',
      example: '"9.9.9.9:53"',
    }),
    domain_expiry,
    nodes,
    ...policyRows,
  },
  push: {
    ...identityRows,
    kind: kind('push'),
    schedule: optional(cron, {
      doc: 'When the job runs: five-field cron. Replaces interval_secs.',
      example: '"0 3 * * *"',
    }),
    timezone: scheduleZone,
    grace_secs: computed(
      integer({ min: 0, max: 2_592_000 }),
      {
        doc: '1800 with a schedule, else interval_secs × (fail_threshold − 1), at most 1800',
        compute: (own): number =>
          own['schedule'] === null
            ? Math.min(1800, (own['interval_secs'] as number) * ((own['fail_threshold'] as number) - 1))
            : 1800,
      },
      { doc: 'How late a heartbeat may be before the monitor is down.', example: '1800' },
    ),
    ...policyRows,
    push_token: optional(accessToken, {
      doc: 'Token that heartbeats and alerts must present. It must not be empty.',
      example: '"${BACKUP_TOKEN}"',
    }),
  },
  exec: {
    ...identityRows,
    kind: kind('exec'),
    command: required(
      listOf(text({ max: 4096, canBeEmpty: true, canBreakLines: true }), {
        name: 'an array of words',
        min: 1,
      }),
      {
        doc: 'Plugin and arguments. Exit status 0 is up, 1 degraded, 2 down, 3 unknown, above 3 down; the first line of its output is the reason. It runs without a shell, from the folder exec_dir of [probes] only, with only $PATH, $LANG and $STATUSD_MONITOR_ID in its environment.',
        example: '["check_disk", "-w", "10%"]',
      },
    ),
    nodes,
    ...policyRows,
    timeout_secs: timeoutSecs(3600, 'Deadline of the plugin.'),
  },
};
