/** The monitor in the path of a route. */
import { inPath } from './parameter.ts';

export const monitorId = inPath({ doc: 'The config id of a monitor.' });
