/** Who reads a view: what exists for them, and how much of it they may know. */

export interface Reader {
  readonly nowAt: number;
  /** May see everything: the operator, whoever has the access token. */
  readonly isTrusted: boolean;
  /** Whether a monitor exists for this reader. */
  readonly isVisible: (monitor: string) => boolean;
  /** Whether the reader may see why a visible monitor failed. */
  readonly hasDetail: (monitor: string) => boolean;
}
