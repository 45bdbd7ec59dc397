/** The configuration of the demo. */
import type { World } from './world.ts';

export interface DemoPlaces {
  readonly ports: World['ports'];
  /** Where the daemon listens, as `host:port`. */
  readonly bind: string;
  /** The port that takes messages. */
  readonly phonePort: number;
  readonly jobToken: string;
}

/** Everything happens in seconds here; a real configuration counts in minutes. */
export function configText({ ports, bind, phonePort, jobToken }: DemoPlaces): string {
  return `# The configuration of \`statusd demo\`. It is removed when the demo ends.
[page]
title = "statusd demo"

[server]
bind = "${bind}"
database_path = "statusd.db"

[alerts]
fail_threshold = 3
group_window_secs = 5

[[channels]]
name = "phone"
type = "ntfy"
url = "http://127.0.0.1:${phonePort}/demo"

${http('website', 'Website', ports.website)}
${http('search', 'Search', ports.search)}degraded_over_ms = 400

${http('flaky', 'Flaky service', ports.flaky)}
[[monitors]]
id = "database"
name = "Database"
group = "Shop"
kind = "tcp"
target = "127.0.0.1:${ports.database}"
interval_secs = 2
timeout_secs = 2
probe_retries = 0

${http('api', 'API', ports.api)}group = "Shop"
depends_on = ["database"]

${http('shop', 'Shop', ports.shop)}group = "Shop"
depends_on = ["api"]

[[monitors]]
id = "backup"
name = "Nightly backup"
group = "Jobs"
kind = "push"
interval_secs = 4
grace_secs = 6
push_token = "${jobToken}"
`;
}

function http(id: string, name: string, port: number): string {
  return `[[monitors]]
id = "${id}"
name = "${name}"
target = "http://127.0.0.1:${port}/"
interval_secs = 2
timeout_secs = 2
probe_retries = 0
`;
}
