/** The rows of `[[monitors]]`, by kind. */
import { computed, optional, required, setting } from '../row.ts';
import { domainName, host, hostPort, nameServer } from '../types/address.ts';
import { choice } from '../types/choice.ts';
import { listOf } from '../types/collection.ts';
import { commaList } from '../types/comma-list.ts';
import { cron } from '../types/cron.ts';
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
    doc: 'Whether to warn before the certificate expires.',
    example: 'true',
  }),
  tls_verify: setting(flag, true, {
    doc: 'Whether the certificate must be trusted and bear the right name.',
    example: 'true',
  }),
  tls_ca_file: optional(text({ name: 'a path', max: 4096 }), {
    doc: 'A PEM file of authorities to trust besides those of the host, relative to the main file.',
    example: '"ca.pem"',
  }),
  cert_pin: optional(fingerprint, {
    doc: 'The SHA-256 of the public key that the certificate must have, in hex. Another key makes it degraded.',
    example: '"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"',
  }),
};

const dnsRecords = ['A', 'AAAA', 'CAA', 'CNAME', 'MX', 'NS', 'PTR', 'SOA', 'SRV', 'TXT'] as const;

const dual_stack = setting(flag, false, {
  doc: 'Whether both IPv4 and IPv6 must answer.',
  example: 'true',
});

const domain_expiry = optional(domainName, {
  doc: 'The registered domain whose expiry to watch, once a day.',
  example: '"example.com"',
});

const nodes = setting(listOf(identifier, { name: 'an array of names of nodes' }), [], {
  doc: 'Which of the nodes that share [storage] may make its checks. [] for any of them.',
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
    target: required(hostPort, { doc: 'The host and port to connect to.', example: '"db.example.com:5432"' }),
    starttls: optional(choice(['smtp', 'imap']), {
      doc: 'The protocol in which to ask for TLS, to read the certificate.',
      example: '"smtp"',
    }),
    ehlo_name: optional(host, {
      doc: 'The name this host greets a mail server with (EHLO), for starttls = "smtp". Its address when absent.',
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
    target: required(host, { doc: 'The host to ping.', example: '"192.0.2.1"' }),
    dual_stack,
    domain_expiry,
    nodes,
    ...policyRows,
  },
  dns: {
    ...identityRows,
    kind: kind('dns'),
    target: required(domainName, { doc: 'The name to resolve.', example: '"example.com"' }),
    dns_record: setting(choice(dnsRecords), 'A', { doc: 'The type of record to ask for.', example: '"MX"' }),
    dns_expected: optional(commaList, {
      doc: 'All the answers there must be, in any order, with commas between them; MX as "10 host". Any answer when absent.',
      example: '"192.0.2.1, 192.0.2.2"',
    }),
    dns_resolver: optional(nameServer, {
      doc: 'The name server to ask; its own name is looked up by this host. That of the system when absent.',
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
      doc: 'When the job runs: five-field cron, UTC. Replaces interval_secs.',
      example: '"0 3 * * *"',
    }),
    grace_secs: computed(
      integer({ min: 0, max: 2_592_000 }),
      {
        doc: '1800 with a schedule, else interval_secs × (fail_threshold − 1), at most 1800',
        compute: (own): number =>
          own['schedule'] === null
            ? Math.min(1800, (own['interval_secs'] as number) * ((own['fail_threshold'] as number) - 1))
            : 1800,
      },
      { doc: 'How late a heartbeat may be before it is down.', example: '1800' },
    ),
    ...policyRows,
    push_token: optional(accessToken, {
      doc: 'The token that heartbeats and alerts must present. It must not be empty.',
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
        doc: 'The plugin and its arguments. Status 0 is up, 1 degraded, 2 and above down; the first line of its output says why. It is run without a shell, from $STATUSD_EXEC_DIR only, and its environment has $PATH, $LANG and $STATUSD_MONITOR_ID alone.',
        example: '["check_disk", "-w", "10%"]',
      },
    ),
    nodes,
    ...policyRows,
    timeout_secs: timeoutSecs(3600, 'How long the plugin may run.'),
  },
};
