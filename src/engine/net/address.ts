/** The addresses of a host, and how they are looked up. */

export type AddressFamily = 4 | 6;

export interface ResolvedAddress {
  readonly address: string;
  readonly family: AddressFamily;
}

/** In no particular order; never empty. */
export type Addresses = readonly ResolvedAddress[];

export interface Lookup {
  readonly signal: AbortSignal;
  /** How long an answer is of use; a Deadline has one. Unlimited time is taken as 10 s. */
  readonly remainingMs?: (() => number) | undefined;
  /** Default: both. */
  readonly families?: readonly AddressFamily[] | undefined;
}
