/** Shares the lines of the screen between what is always said and the table. */

export interface RegionNeeds {
  readonly rows: number;
  readonly banners: number;
  readonly channels: number;
  readonly incidents: number;
}

export interface Regions {
  readonly banners: number;
  readonly channels: number;
  readonly incidents: number;
  readonly hasGap: boolean;
  /** Lines for the rows of the table. */
  readonly body: number;
}

/** Title, counts, heading of the table, last line. */
const fixed = 4;
/** From so many lines on, one is left empty above the table. */
const roomy = 20;
const leastBody = 3;

/** Broken channels come first: nothing else reports them. */
export function regionsOf({ rows, banners, channels, incidents }: RegionNeeds): Regions {
  const hasGap = rows >= roomy;
  const used = fixed + (hasGap ? 1 : 0);
  let room = Math.max(0, rows - used - leastBody);
  const take = (wanted: number, most: number) => {
    const taken = Math.min(wanted, most, room);
    room -= taken;
    return taken;
  };
  const taken = {
    channels: take(channels, Math.max(1, Math.floor(rows / 3))),
    banners: take(banners, Math.max(1, Math.floor(rows / 8))),
    incidents: take(incidents, Math.max(1, Math.floor(rows / 6))),
  };
  const above = taken.channels + taken.banners + taken.incidents;
  return { ...taken, hasGap, body: Math.max(1, rows - used - above) };
}

/** The first row to show so that the one at `index` is seen, moving as little as possible. */
export function scrolledTo(
  index: number,
  top: number,
  { body, count }: { readonly body: number; readonly count: number },
): number {
  const highest = Math.max(0, count - body);
  const seen = index < top ? index : index >= top + body ? index - body + 1 : top;
  return Math.min(highest, Math.max(0, seen));
}
