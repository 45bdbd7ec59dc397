/** The outputs of the current configuration. Their code is loaded only if there are any. */
import type { Config, OutputSettings } from '../../engine/config/config.ts';
import type { OutputCounts } from '../../engine/views/metrics/inside-families.ts';
import { isSame } from '../../engine/monitoring/same.ts';
import type { OutputOptions, RunningOutput } from './output.ts';

export interface OutputsOptions
  extends Pick<OutputOptions, 'read' | 'clock' | 'log' | 'tools' | 'untilTrusted'> {
  readonly config: () => Pick<Config, 'outputs'>;
}

export interface Outputs {
  readonly counts: () => readonly OutputCounts[];
  /** Takes up the configuration of the moment. One that is as before goes on; samples that wait follow its name. */
  readonly reload: () => void;
  readonly stop: () => Promise<void>;
}

export function createOutputs({ config, ...options }: OutputsOptions): Outputs {
  let running: readonly { readonly output: OutputSettings; readonly run: RunningOutput }[] = [];
  let isStopped = false;
  const takeUp = async () => {
    const wanted = isStopped ? [] : config().outputs;
    const staying = running.filter(({ output }) => wanted.some((one) => isSame(one, output)));
    const ending = running.filter((one) => !staying.includes(one));
    const left = await Promise.all(
      ending.map(async ({ output, run }) => ({ output, queue: await run.stop() })),
    );
    running = staying;
    const fresh = wanted.filter((one) => staying.every(({ output }) => !isSame(one, output)));
    if (fresh.length === 0) return;
    const { startOutput } = await import('./output.ts');
    const started = fresh.map((output) => {
      const past = left.find((one) => one.output.name === output.name && one.output.type === output.type);
      return { output, run: startOutput({ ...options, output, inherited: past?.queue }) };
    });
    running = [...staying, ...started];
  };
  let turn: Promise<void> = Promise.resolve();
  const reload = () => {
    turn = turn.then(takeUp).catch((error: unknown) => {
      const why = error instanceof Error ? error.message : String(error);
      options.log({ level: 'error', event: 'output.fault', message: `outputs cannot be started: ${why}` });
    });
  };
  reload();
  return {
    counts: () => running.map(({ run }) => run.counts()),
    reload,
    stop: async () => {
      isStopped = true;
      reload();
      await turn;
    },
  };
}
