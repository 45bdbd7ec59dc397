/** An entry of the daemon's log as data, before it is formatted. */

export type LogLevel = 'info' | 'warning' | 'error';

export interface LogEntry {
  readonly level: LogLevel;
  /** What happened, as a dotted word that stays the same: `monitor.down`, `config.reloaded`. */
  readonly event: string;
  /** One sentence for people. Holds no secret. */
  readonly message: string;
  /** The facts in it, by snake_case name. */
  readonly fields?: Readonly<Record<string, string | number | boolean | null>>;
}

/** Takes one line. Never throws and never waits. */
export type Log = (entry: LogEntry) => void;
