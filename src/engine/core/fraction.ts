/** Maps names evenly to a range, the same way on every start. */

const prime = 0x0100_0193;

/** A number from 0 to below 1 that depends on `id` alone: FNV-1a (32 bits) with the finish of MurmurHash3. */
export function fractionOf(id: string): number {
  let hash = 0x811c_9dc5;
  for (let index = 0; index < id.length; index++) {
    const unit = id.charCodeAt(index);
    hash = Math.imul(hash ^ (unit & 0xff), prime);
    hash = Math.imul(hash ^ (unit >>> 8), prime);
  }
  // FNV alone leaves names that differ in their last letter close together.
  hash = Math.imul(hash ^ (hash >>> 16), 0x85eb_ca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2_ae35);
  return ((hash ^ (hash >>> 16)) >>> 0) / 2 ** 32;
}
