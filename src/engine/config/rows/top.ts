/** The top-level keys of the configuration. */
import { setting } from '../row.ts';
import { listOf } from '../types/collection.ts';
import { text } from '../types/text.ts';

export const topRows = {
  include: setting(listOf(text({ name: 'a path', max: 4096 }), { name: 'an array of paths' }), [], {
    doc: 'Additional files with [[monitors]], [[channels]] and [[maintenance]]. Paths start from the folder of this file; their last part may contain * and ?.',
    example: '["conf.d/*.toml"]',
  }),
};
