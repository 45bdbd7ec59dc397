/** A configuration of Gatus with a bit of everything. */

/** Secrets of the file: none of them may be seen unless it is asked for. */
export const gatusSecrets = [
  'T0/slack-secret',
  'gotify-secret',
  'header-secret',
  'ext-secret',
  'override-secret',
] as const;

export const gatusHouse = `
ui:
  title: Example health
web:
  port: 8090
security:
  basic:
    username: admin
    password-bcrypt-base64: xyz
maintenance:
  start: 23:00
  duration: 1h
  timezone: Europe/Berlin
  every: [Monday]
announcements:
  - timestamp: 2026-11-07T14:00:00Z
    type: outage
    message: Mail is slow
  - timestamp: 2025-11-07T14:00:00Z
    type: warning
    message: Old news
    archived: true
alerting:
  slack:
    webhook-url: "https://hooks.slack.com/services/T0/slack-secret"
    default-alert:
      failure-threshold: 5
      send-on-resolved: true
      minimum-reminder-interval: 30m
    overrides:
      - group: core
        webhook-url: "\${CORE_WEBHOOK}"
  gotify:
    server-url: https://gotify.example.com
    token: gotify-secret
    priority: 7
  pagerduty:
    integration-key: "********"
  ntfy:
    topic: $NTFY_TOPIC

x-defaults: &defaults
  group: web
  interval: 5m
  client: { timeout: 20s, insecure: true }
  alerts: [{ type: slack, description: "look at the \\"runbook\\"" }]

endpoints:
  - <<: *defaults
    name: Front page
    url: https://www.example.com/
    conditions:
      - "[STATUS] == 200"
      - "[BODY] == pat(*<h1>Example</h1>*)"
      - "[RESPONSE_TIME] < 500"
      - "[CERTIFICATE_EXPIRATION] > 240h"
  - name: API
    group: core
    url: "https://\${API_HOST}/health"
    method: POST
    headers: { X-Api-Key: header-secret, Authorization: "Bearer $API_TOKEN", Accept: application/json }
    body: '{"cost": "$$5", "who": "[ENDPOINT_NAME]"}'
    interval: 90s
    conditions:
      - "[STATUS] < 400"
      - "[BODY].status == UP"
      - "len([BODY].items) > 2"
      - "[BODY].version != any(1, 2)"
      - "has([BODY].errors) == false"
      - "[BODY].name == pat(john*)"
    alerts:
      - type: slack
      - type: gotify
        failure-threshold: 2
        success-threshold: 1
  - name: API
    group: staging
    url: https://staging.example.com/health
    client: { ignore-redirect: true }
    conditions: ["[STATUS] == any(200, 301)", "[BODY].count == 5", "[IP] == 192.0.2.1"]
    alerts:
      - type: gotify
        provider-override: { token: override-secret }
  - name: Query
    url: https://example.com/graphql
    graphql: true
    method: POST
    body: |
      { users { name } }
    conditions: ["[STATUS] == 200", "[DOMAIN_EXPIRATION] > 720h"]
  - name: Port
    url: tcp://db.example.com:5432
    conditions: ["[CONNECTED] == true"]
  - name: Host
    url: icmp://192.0.2.7
    conditions: ["[CONNECTED] == true"]
  - name: Name
    url: 8.8.8.8
    dns: { query-name: example.com., query-type: MX }
    conditions: ["[DNS_RCODE] == NOERROR"]
  - name: Mail
    url: starttls://smtp.example.com:587
    conditions: ["[CONNECTED] == true", "[CERTIFICATE_EXPIRATION] > 48h"]
  - name: Socket
    url: wss://example.com/
    body: hello
    conditions: ["[CONNECTED] == true"]
  - name: Off
    enabled: false
    url: https://off.example.com
    conditions: ["[STATUS] == 200"]
    alerts: [{ type: pagerduty }]
external-endpoints:
  - name: Nightly job
    group: core
    token: ext-secret
    heartbeat: { interval: 30m }
    alerts: [{ type: slack }]
suites:
  - name: Log in and out
    endpoints: []
`;
