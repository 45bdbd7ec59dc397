/** The changes to samples: one that just came, an hour of them at once, an hour to be packed. */
import { categories } from '../../../engine/core/probe.ts';
import { unpackSamples } from '../../samples/codec.ts';
import { keepSamples } from '../../samples/keep.ts';
import {
  findOwner,
  noteArrival,
  noteHeard,
  type SampleOwner,
  ownerOf,
  type LatestSample,
} from '../../samples/owner.ts';
import { packThrough } from '../../samples/pack.ts';
import { maxHoldSecs, maxLatencyMs, maxSecs, type StoredSample } from '../../samples/sample.ts';
import { hourOf, hourSecs } from '../../samples/slots.ts';
import type { Sql } from '../../store/sql.ts';
import { base64, FieldError, flag, instant, oneOf, optional, orNull, status, text, whole } from './fields.ts';
import { monitorId } from './names.ts';
import { declareWrite } from './write.ts';

const maxHour = hourOf(maxSecs);

const sampleFields = {
  monitor: monitorId,
  secs: whole(0, maxSecs),
  status,
  latencyMs: orNull(whole(0, maxLatencyMs)),
  holdSecs: whole(0, maxHoldSecs),
  isHeartbeat: optional(flag, false),
  category: optional(orNull(oneOf(categories)), null),
  message: optional(orNull(text(2000)), null),
  /** Of a heartbeat after which no state is saved, which would say it. */
  heardAt: optional(orNull(instant), null),
} as const;

/** Answers whether the sample was kept: false when its hour has been pruned. */
export const addSample = declareWrite('sample', sampleFields, (sql, fields) => {
  const sample: StoredSample = {
    at: fields.secs * 1000,
    status: fields.status,
    latencyMs: fields.latencyMs,
    holdSecs: fields.holdSecs,
    isHeartbeat: fields.isHeartbeat,
  };
  const owner = ownerOf(sql, fields.monitor, fields.secs);
  const arrival = keepSamples(sql, owner, { samples: [sample], block: null });
  const { heardAt } = fields;
  if (arrival === null) {
    if (heardAt !== null) noteHeard(sql, owner.key, heardAt);
    return false;
  }
  noteArrival(sql, owner.key, { arrival, shown: fields, heardAt });
  remark(sql, owner, fields);
  return true;
});

/**
 * An hour of samples as a packed block in base64 (for imported or made-up histories), ascending. Hours of the
 * monitor up to this one are packed; samples that are already there stay. Answers how many were kept.
 */
export const addHour = declareWrite(
  'samples.hour',
  { monitor: monitorId, hour: whole(0, maxHour), block: base64(4_000_000) },
  (sql, fields) => {
    const { monitor, hour } = fields;
    const origin = hour * hourSecs;
    const block = Buffer.from(fields.block, 'base64');
    const samples = unpackSamples(block, origin);
    const last = samples.at(-1);
    if (last === undefined) return 0;
    if (
      samples.some(
        (sample, index) => hourOf(sample.at / 1000) !== hour || sample.at < (samples[index - 1]?.at ?? 0),
      )
    ) {
      throw new FieldError('samples.hour: the samples are not in order, or not of this hour');
    }
    const owner = packThrough(sql, ownerOf(sql, monitor, origin), hour);
    const arrival = keepSamples(sql, owner, { samples, block });
    if (arrival === null) return 0;
    const isLatest = owner.tail === null || last.at >= owner.tail.at;
    const shown = isLatest ? { ...last, secs: last.at / 1000, category: null, message: null } : null;
    noteArrival(sql, owner.key, { arrival, shown });
    return samples.length;
  },
);

/** Packs the rows of a monitor up to the end of an hour, which must be over for good. */
export const packHours = declareWrite(
  'samples.pack',
  { monitor: monitorId, hour: whole(0, maxHour) },
  (sql, { monitor, hour }) => {
    const owner = findOwner(sql, monitor);
    if (owner !== null) packThrough(sql, owner, hour);
    return null;
  },
);

/** A reason that stays the same for hours of samples is kept once. */
function remark(sql: Sql, owner: SampleOwner, sample: LatestSample): void {
  if (sample.category === null && sample.message === null) return;
  if (sample.category === owner.lastCategory && sample.message === owner.lastMessage) return;
  sql.run(
    'INSERT INTO remarks (monitor, secs, category, message) VALUES (?, ?, ?, ?)',
    owner.key,
    sample.secs,
    sample.category,
    sample.message,
  );
}
