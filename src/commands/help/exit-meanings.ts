/** What each exit code means, where a command does not say it more exactly. */
import type { ExitName } from '../exit.ts';

export const exitMeanings: Readonly<Record<ExitName, string>> = {
  ok: 'Success.',
  wrong: 'It ran, and something is wrong: a monitor is down, a channel failed.',
  usage: 'The command line is wrong: an unknown command or option, a bad argument.',
  config: 'The configuration is missing or invalid.',
  store: 'The database or the daemon cannot be reached or used.',
  notFound: 'There is no such monitor, incident, silence or channel.',
  refused: 'Refused: the credential is missing or wrong.',
  interrupted: 'Interrupted.',
};
