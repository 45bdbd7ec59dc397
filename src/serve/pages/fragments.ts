/** The monitors of status pages as bytes, rendered anew when something that shows has changed. */
import type { PageFigures, PageMonitor } from '../../engine/views/page.ts';
import { pieceOf, type Pieces } from '../responses/pieces.ts';
import { Html } from './html.ts';
import { type MonitorLinks, type MonitorPlace, renderLinks, renderMonitor } from './monitor.ts';
import { createRecent } from './recent.ts';

export interface Fragments {
  /**
   * The item of a monitor, as `renderMonitor` has it. `monitor` must be another object whenever anything of it or of
   * its uptimes is different; whoever hands over the same one is shown the same, but for the links.
   */
  readonly of: (monitor: PageMonitor, figures: PageFigures, place: FragmentPlace) => Pieces;
}

export type FragmentPlace = MonitorLinks & Pick<MonitorPlace, 'now' | 'nameOf'>;

interface Fragment {
  readonly monitor: PageMonitor;
  readonly moment: string;
  /** With the links that most readers get, which lie between two places. */
  readonly bytes: Buffer;
  readonly links: readonly [from: number, to: number];
}

/** One for strangers, and one for those who are told more of a monitor in trouble. */
const maxForms = 2;

/** For the life of a configuration, which settles everything else that shows. */
export function createFragments(): Fragments {
  const recent = createRecent<Fragment>(maxForms);
  return {
    of: (monitor, figures, place) => {
      const moment = momentOf(place.now);
      const { bytes, links } = recent.find(
        monitor.id,
        (known) => known.monitor === monitor && known.moment === moment,
        () => ({ monitor, moment, ...rendered(monitor, figures, place) }),
      );
      if (hasUsualLinks(monitor, place)) return [bytes];
      const own = renderLinks(monitor.id, place)?.text ?? '';
      return [bytes.subarray(0, links[0]), Buffer.from(own), bytes.subarray(links[1])];
    },
  };
}

/** A token that came in the address is in the links of its reader alone, and kept nowhere. */
function hasUsualLinks({ id }: PageMonitor, { site, hasPages }: FragmentPlace): boolean {
  return site.token?.opensAll !== true && hasPages(id);
}

/** No text can hold it, so that it marks where the links go. */
const mark = '\0';

function rendered(
  monitor: PageMonitor,
  figures: PageFigures,
  { site: { title, base }, now, nameOf }: FragmentPlace,
): Pick<Fragment, 'bytes' | 'links'> {
  const usual = renderLinks(monitor.id, { site: { title, base }, hasPages: () => true })?.text ?? '';
  const [before = '', after = ''] = renderMonitor(monitor, figures, {
    now,
    nameOf,
    linksOf: () => new Html(mark),
  }).text.split(mark);
  const from = Buffer.byteLength(before);
  return { bytes: pieceOf(before + usual + after), links: [from, from + Buffer.byteLength(usual)] };
}

/** Half an hour, in which the slices of the line of a day stay where they are. */
const sliceMs = 1_800_000;

/** All that a monitor shows of the time at which a page is read: which day it is, and where the line begins. */
function momentOf(now: string): string {
  return `${now.slice(0, 10)} ${Math.ceil(Date.parse(now) / sliceMs)}`;
}
