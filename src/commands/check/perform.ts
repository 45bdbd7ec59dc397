/** Runs `check`: reads the configuration, probes the chosen monitors, reports. */
import type { LoadedConfig } from '../../engine/config/load.ts';
import type { Context } from '../context.ts';
import { exitCodes, type ExitCode } from '../exit.ts';
import { openConfig } from '../open-config.ts';
import { namingVariable } from '../variable-source.ts';
import { fileNamer, verdictOnError, warningProblems } from './config-verdict.ts';
import type { CheckOptions } from './options.ts';
import { openOutput } from './output.ts';
import { probeMonitors } from './probe-monitors.ts';
import { selectMonitors } from '../../engine/operations/select-monitors.ts';
import { exitCodeFor } from './verdict.ts';

export async function performCheck(options: CheckOptions, context: Context): Promise<ExitCode> {
  const { format, configFile, isConfigOnly, isStrict } = options;
  const output = await openOutput(options, context);
  const nameOf = fileNamer(format, context);
  let loaded: LoadedConfig;
  try {
    loaded = await openConfig(configFile, context);
  } catch (error) {
    const verdict = verdictOnError(namingVariable(error, context), nameOf);
    if (verdict === null) throw error;
    await output.config(verdict);
    return exitCodes.config;
  }
  const file = nameOf(loaded.file);
  const monitors = selectMonitors(loaded.config.monitors, options);
  const warnings = await warningProblems(loaded.warnings, loaded.locate, nameOf);
  if (isStrict && warnings.length > 0) {
    await output.config({ file, problems: warnings });
    return exitCodes.config;
  }
  output.warnings(warnings);
  if (isConfigOnly) {
    await output.config({ file, problems: [] });
    return exitCodes.ok;
  }
  const report = await probeMonitors({ monitors, nameOf, loaded, options, context, output });
  await output.report(report);
  return exitCodeFor(report, format === 'nagios');
}
