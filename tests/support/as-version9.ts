/** Takes back what the versions after 9 added to the tables, for tests that open a database of an earlier version. */

export function takeBackToVersion9(sql: { readonly script: (text: string) => void }): void {
  for (const table of ['closed_months', 'closed_monitors', 'maintained_days'])
    sql.script(`DROP TABLE ${table}`);
  sql.script('ALTER TABLE monitors DROP COLUMN shown');
  sql.script('DROP INDEX incidents_by_ack');
  for (const column of ['latest_category', 'latest_reason', 'latest_at', 'carried_from', 'ack_ended_at'])
    sql.script(`ALTER TABLE incidents DROP COLUMN ${column}`);
}
