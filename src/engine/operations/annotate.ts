/** Puts the operator's note on an incident. */
import type { Json, Operation } from '../../db/store/operation.ts';
import { incidents } from '../../db/tables/incidents.ts';
import { boundedText } from '../core/text.ts';
import { limits } from './limits.ts';
import { type Publishing, refusePrivateNames } from './public-text.ts';

/** Who may read about a monitor. One that is no longer configured does not say; assume the most. */
export type NoteReach = 'public' | 'private' | 'not_configured';

export interface AnnotateInputs {
  readonly write: (operations: readonly Operation[]) => Promise<readonly Json[]>;
  readonly redact: (text: string) => string;
  readonly publishing: Publishing;
  readonly nowAt: number;
}

interface Annotated {
  readonly uid: string;
  /** Null: an operator opened it. */
  readonly monitor: string | null;
  /** What one that an operator opened is about; none: everything. */
  readonly monitors?: readonly string[];
}

/**
 * Replaces the note of an incident (empty: clears it). Resolves with what was kept and who can read it. Throws `usage` for
 * one that strangers read and that names what they are not shown.
 */
export async function annotate(
  { uid, monitor, monitors: about = [] }: Annotated,
  typed: string,
  { write, redact, publishing, nowAt }: AnnotateInputs,
): Promise<{ readonly note: string | null; readonly reach: NoteReach }> {
  const kept = boundedText(redact(typed), limits.note, '\n');
  const note = kept === '' ? null : kept;
  const named = monitor === null ? about : [monitor];
  refusePrivateNames({ note: kept }, named, publishing);
  await write([incidents.annotate({ uid, note, at: nowAt })]);
  const configured = publishing.config.monitors.filter(({ id }) => named.includes(id));
  if (named.length === 0 || configured.some((one) => one.public)) return { note, reach: 'public' };
  return { note, reach: configured.length === 0 ? 'not_configured' : 'private' };
}
