/** The rows of `[probes]`: what the checks of all monitors share. */
import { optional } from '../row.ts';
import { text } from '../types/text.ts';

export const probesRows = {
  exec_dir: optional(text({ name: 'a path', max: 4096 }), {
    doc: 'Folder of the plugins that exec monitors and exec channels run. A relative path starts from the folder of this file. $STATUSD_EXEC_DIR takes precedence.',
    example: '"/usr/lib/nagios/plugins"',
  }),
};
