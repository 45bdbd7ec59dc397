/** Checks whether the receivers of metrics accept a request. */
import type { OutputSettings } from '../../../engine/config/config.ts';
import { type DoctorCheck, type DoctorFinding, type Examined, fail, ok, warn } from '../finding.ts';

/** An output may wait for an answer for half a minute. */
export const outputsCheck: DoctorCheck = { name: 'outputs', patienceMs: 40_000, run: lookAtOutputs };

async function lookAtOutputs({ config: { outputs }, ctx }: Examined): Promise<readonly DoctorFinding[]> {
  if (outputs.length === 0) return [];
  const [{ formatOf }, { sendBatch }] = await Promise.all([
    import('../../../notify/outputs/output.ts'),
    import('../../../notify/outputs/send.ts'),
  ]);
  const look = async (output: OutputSettings): Promise<DoctorFinding> => {
    const what = `${output.name} (${output.type})`;
    const format = formatOf(output, ctx.version);
    // Without a sample in it: nothing is stored.
    const outcome = await sendBatch(
      { output, format, body: (await format.pack?.(format.empty)) ?? format.empty },
      ctx,
    );
    switch (outcome.kind) {
      case 'sent':
        return ok(`${what} accepts metrics${outcome.warning === null ? '' : `; ${outcome.warning}`}`);
      case 'partly':
      case 'later':
        return warn(`${what}: ${outcome.why}`, 'See whether the receiver runs, and url, proxy and ca_file.');
      case 'refused':
        return fail(`${what}: ${outcome.why}`, `Correct the output ${output.name}.`);
    }
  };
  return Promise.all(outputs.map(look));
}
