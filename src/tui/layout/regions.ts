/** Divides the lines of the screen between fixed parts and the table. */

/** From so many columns on the first line holds everything. */
export const wideColumns = 120;
/** From so many columns on a monitor is shown beside the table, and not instead of it. */
const paneColumns = 160;

export interface RegionNeeds {
  readonly rows: number;
  readonly columns: number;
  readonly banners: number;
  readonly channels: number;
  /** Lines, without the rule above them. */
  readonly incidents: number;
  /** Lines of the dialog above the last line. */
  readonly dialog: number;
  /** Rows of the table. */
  readonly table: number;
  /** What happened lately. */
  readonly events: number;
}

export interface Regions {
  /** Lines that say how everything is. */
  readonly headline: number;
  readonly banners: number;
  readonly channels: number;
  /** Lines, without the rule above them; 0: there is no rule either. */
  readonly incidents: number;
  readonly dialog: number;
  /** Lines for the rows of the table. */
  readonly body: number;
  /** Lines for what happened lately, with the rule above them; 0: there is no room. */
  readonly feed: number;
}

const leastBody = 3;

/** Broken channels come first: nothing else reports them. */
export function regionsOf(needs: RegionNeeds): Regions {
  const { rows, columns, banners, channels, incidents, dialog } = needs;
  const headline = columns >= wideColumns ? 1 : 2;
  // The rule of the table, its heading, the last line.
  const used = headline + 3;
  let room = Math.max(0, rows - used - leastBody);
  const take = (wanted: number, most: number) => {
    const taken = Math.min(wanted, most, room);
    room -= taken;
    return taken;
  };
  // A part of it says nothing.
  const ofDialog = dialog > room ? 0 : take(dialog, rows);
  const ofChannels = take(channels, Math.max(1, Math.floor(rows / 4)));
  const ofBanners = take(banners, Math.max(1, Math.floor(rows / 8)));
  const ofIncidents = take(incidents === 0 ? 0 : incidents + 1, Math.max(2, Math.floor(rows / 3)));
  const above = ofDialog + ofChannels + ofBanners + (ofIncidents < 2 ? 0 : ofIncidents);
  const left = Math.max(1, rows - used - above);
  const feed = feedOf(left, needs);
  return {
    headline,
    dialog: ofDialog,
    channels: ofChannels,
    banners: ofBanners,
    incidents: ofIncidents < 2 ? 0 : ofIncidents - 1,
    body: left - feed,
    feed,
  };
}

/** Fewer events than this say little. */
const leastFeed = 4;
/** On a high screen so many lines are kept for them however long the table is. */
const keptFeed = 8;
const highScreen = 50;

function feedOf(left: number, { rows, columns, table, events }: RegionNeeds): number {
  if (events === 0 || columns < feedColumns) return 0;
  // An empty line stands between them.
  const spare = Math.max(left - table - 1, rows >= highScreen && left >= 3 * keptFeed ? keptFeed : 0);
  return spare < leastFeed ? 0 : Math.min(spare, events + 1);
}

/** In fewer columns an event does not fit its line. */
const feedColumns = 80;

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

/** How wide the table and the pane beside it are, given whether a monitor is open. */
export function panesOf(columns: number, isOpen: boolean): { readonly table: number; readonly pane: number } {
  if (!isOpen) return { table: columns, pane: 0 };
  if (columns < paneColumns) return { table: 0, pane: columns };
  const pane = Math.min(100, Math.floor(columns * 0.45));
  return { table: columns - pane, pane };
}
