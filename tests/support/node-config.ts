/** What the configuration files of nodes that share a database begin with. */

interface NodeConfig {
  readonly id: string;
  readonly database: string;
  readonly leaseSecs: number;
  /** Lines of `[server]` and of `[node]`. */
  readonly server?: string;
  readonly node?: string;
  readonly windowSecs?: number;
  /** Where messages go; absent: nowhere. */
  readonly inbox?: string;
}

/** An outage is notified after two failed checks. Other tables follow: a line break ends it. */
export function nodeConfig({ server = '', node = '', windowSecs = 0, ...config }: NodeConfig): string {
  const channel =
    config.inbox === undefined
      ? ''
      : `[[channels]]\nname = "ops"\ntype = "webhook"\nurl = "${config.inbox}"\n`;
  return `[server]
${server.includes('bind = ') ? '' : 'bind = "127.0.0.1:0"'}
${server}
[storage]
url = "${config.database}"
lease_secs = ${config.leaseSecs}
[node]
id = "${config.id}"
${node}
[alerts]
unstable = false
group_window_secs = ${windowSecs}
fail_threshold = 2
${channel}`;
}
