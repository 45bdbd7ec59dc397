/** The monitors of status pages as bytes, rendered anew when something that shows has changed. */
import type { PageFigures, PageMonitor } from '../../engine/views/page.ts';
import { pieceOf } from '../rendition/pieces.ts';
import { type MonitorPlace, renderMonitor } from './monitor.ts';

export interface Fragments {
  /**
   * The item of a monitor, as `renderMonitor` has it. `monitor` must be another object whenever anything of it or of
   * its uptimes is different.
   */
  readonly of: (monitor: PageMonitor, figures: PageFigures, place: MonitorPlace) => Buffer;
}

interface Fragment {
  readonly monitor: PageMonitor;
  readonly moment: string;
  readonly bytes: Buffer;
}

/** For one class of viewers and the life of a configuration, which settle everything else that shows. */
export function createFragments(): Fragments {
  const known = new Map<string, Fragment>();
  return {
    of: (monitor, figures, place) => {
      const moment = momentOf(place.now);
      const fragment = known.get(monitor.id);
      if (fragment?.monitor === monitor && fragment.moment === moment) return fragment.bytes;
      const bytes = pieceOf(renderMonitor(monitor, figures, place).text);
      known.set(monitor.id, { monitor, moment, bytes });
      return bytes;
    },
  };
}

/** Half an hour, in which the slices of the line of a day stay where they are. */
const sliceMs = 1_800_000;

/** All that a monitor shows of the time at which a page is read: which day it is, and where the line begins. */
function momentOf(now: string): string {
  return `${now.slice(0, 10)} ${Math.ceil(Date.parse(now) / sliceMs)}`;
}
