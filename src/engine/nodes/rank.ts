/**
 * Says which node checks a monitor and which one is next: by highest random weight (Thaler and Ravishankar, 1996), so
 * that every node has its share, and that only the monitors of a node that goes move.
 */

/** The nodes in the order of their weight for this monitor: the same on every machine and in any order of `nodes`. */
export function rankNodes(monitor: string, nodes: readonly string[]): string[] {
  if (nodes.length < 2) return [...nodes];
  const weights = new Map(nodes.map((node) => [node, weightOf(node, monitor)]));
  const weight = (node: string) => weights.get(node) ?? 0;
  return nodes.toSorted((a, b) => weight(b) - weight(a) || (a < b ? -1 : 1));
}

/** FNV-1a over both names, then the finalizer of MurmurHash3: names that differ by one letter weigh nothing alike. */
function weightOf(node: string, monitor: string): number {
  const hash = mixed(`${node}\0${monitor}`);
  let bits = hash ^ (hash >>> 16);
  bits = Math.imul(bits, 0x85ebca6b);
  bits ^= bits >>> 13;
  bits = Math.imul(bits, 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

function mixed(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index += 1)
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  return hash;
}
