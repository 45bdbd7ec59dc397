/** A program of the operator's that gets the event as JSON on its input. */
import { secondsText } from '../../engine/core/duration.ts';
import { withDeadline } from '../../engine/net/deadline.ts';
import { printable, ProbeFault } from '../../engine/net/faults.ts';
import { exitCodeOf, findPlugin, plainPath } from '../../engine/probes/exec.ts';
import { run } from '../../engine/probes/exec-run.ts';
import type { Attempt, ChannelKind, ChannelOf, SendContext } from './channel.ts';
import { documentOf } from './webhook.ts';

export const exec: ChannelKind<'exec'> = {
  send: (message, channel, ctx) => attempt(channel, ctx, JSON.stringify(documentOf(message))),
  /** That the program is there: it is not run. */
  verify: (channel, ctx) => attempt(channel, ctx, null),
};

/** Exit 0 says that the message was taken. `input` null: the program is only looked for. */
async function attempt(
  channel: ChannelOf<'exec'>,
  { clock, signal, redact, execDir }: SendContext,
  input: string | null,
): Promise<Attempt> {
  const { name: channelName, command, timeout_secs: secs } = channel;
  const [word = '', ...args] = command;
  const name = printable(redact(word));
  const progress = { isStarted: false };
  try {
    return await withDeadline({ clock, timeoutMs: secs * 1000, signal }, async (deadline) => {
      const late = () =>
        deadline.missed(`the plugin ${name} did not finish within ${secondsText(deadline.timeoutMs)}`);
      const { file, folder } = await deadline.bound(findPlugin(word, { name, execDir }), late);
      if (input === null) return { kind: 'sent' };
      progress.isStarted = true;
      const env = { PATH: plainPath, LANG: 'C', STATUSD_CHANNEL: channelName };
      const done = await run({ file, args, env, cwd: folder, input }, deadline);
      const code = exitCodeOf(done, name, late);
      if (code === 0) return { kind: 'sent' };
      const [line = ''] = redact(done.stderr.trim() || done.stdout.trim()).split('\n');
      const said = line === '' ? '' : `: ${printable(line, 200)}`;
      return failed(`the plugin ${name} ended with status ${code}${said}`);
    });
  } catch (error) {
    if (signal.aborted || !(error instanceof ProbeFault)) throw error;
    const { message, category } = error.fault;
    const missed = failed(redact(message));
    return progress.isStarted && category === 'timeout' ? { ...missed, mayBeReceived: true } : missed;
  }
}

const failed = (error: string) =>
  ({ kind: 'failed', error, isPermanent: false, retryAfterMs: null }) as const;
